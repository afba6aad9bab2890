// The plan of a module, printed as host code.
#pragma once

#include "compiler/emit/expression.h"
#include "compiler/emit/host_api.h"
#include "compiler/emit/text.h"

namespace stencil::emit {

// Functions that the drivers of these modules use, once per file of the dialect. `beside`:
// host-only ones.
void driver_support(Text& out, const std::vector<const kernel::Module*>& modules,
                    const std::vector<const kernel::Module*>& beside, const Dialect& dialect);

// Some size of an array is known when the program runs at the earliest, or too large.
bool has_open_extents(const kernel::Module& module);

// Those of host-only modules. `alone`: without the above, whose text of points they share.
void host_support(Text& out, const std::vector<const kernel::Module*>& modules, bool alone);

// The initial values of a program, as host functions.
struct InitialValues {
  const kernel::Module* module;      // its arrays are those of the plan, and all written
  std::vector<std::string> kernels;  // the names of its functions, qualified
};

// Entry points NAME_default_params, NAME_derive_params, NAME_run, NAME_run_device (devices),
// NAME_run_packed (C++); with `initial` NAME_init.
void driver(Text& out, const kernel::Module& module, const HostApi& api, Names& names,
            ExpressionPrinter& expressions, const Dialect& dialect, const InitialValues* initial);

// The functions of a host-only module, in a namespace: its kernels, and advance() over its plan
// unless it has no steps. `known`: constants around it, as they are spelled there. `file`: the
// dialect of the file around, whose names are taken. The names of the kernels, qualified.
std::vector<std::string> host_module(Text& out, const std::string& name_space,
                                     const kernel::Module& module, bool has_steps,
                                     const std::vector<kernel::NamedConstant>& known,
                                     const Dialect& file);

// Entry points NAME_run_box (C++) or NAME_run_box_device (devices), NAME_init_box, NAME_grid and
// NAME_box_memory;
// `api` is that of the box.
void box_driver(Text& out, const kernel::Module& module, const HostApi& api, Names& names,
                ExpressionPrinter& expressions, const Dialect& dialect,
                const InitialValues& initial);

// Only the loop over the steps, as `static const char* advance(arrays, int64_t steps, int64_t
// first_step, parameters)` in C++.
void advance_function(Text& out, const kernel::Module& module, const HostApi& api, Names& names,
                      ExpressionPrinter& expressions);

}  // namespace stencil::emit
