// Prints the plan of a module as host code.
#pragma once

#include "compiler/emit/expression.h"
#include "compiler/emit/host_api.h"
#include "compiler/emit/text.h"
#include "compiler/host_ir/passes.h"

namespace stencil::emit {

// Writes the functions that the drivers of `modules` share; call it once per file. `beside`:
// host-only modules.
void driver_support(Text& out, const std::vector<const kernel::Module*>& modules,
                    const std::vector<const kernel::Module*>& beside, const Dialect& dialect);

// Writes the structures that replay launches, as far as the drivers of `modules` need them.
void replay_support(Text& out, const std::vector<const kernel::Module*>& modules,
                    const Dialect& dialect);
// True if launches within a step are replayed.
bool replays_launches(const std::vector<const kernel::Module*>& modules, const Dialect& dialect);

// True if the size of some array is known only when the program runs, or is too large.
bool has_open_extents(const kernel::Module& module);

// Functions that host-only modules use. `alone`: driver_support() was not called, so the text for
// points must be included.
void host_support(Text& out, const std::vector<const kernel::Module*>& modules, bool alone);

// The initial values of a program, computed by host functions.
struct InitialValues {
  const kernel::Module* module;      // has the arrays of the plan, all written
  std::vector<std::string> kernels;  // qualified names of its functions
};

// The features of host programs that a dialect's drivers have. `box`: entry points for boxes.
host_ir::Options host_options(const Dialect& dialect, bool box);

// Entry points NAME_default_params, NAME_derive_params, NAME_run, NAME_run_device (devices),
// NAME_run_packed (C++); with `initial` NAME_init.
void driver(Text& out, const kernel::Module& module, const HostApi& api, Names& names,
            ExpressionPrinter& expressions, const Dialect& dialect, const InitialValues* initial,
            bool all_given);

// The functions of a host-only module, in a namespace: its kernels and, if it has steps, advance()
// over its plan. `known`: constants visible outside the namespace, as spelled there. `file`: the
// dialect of the file, whose names are reserved. Returns the qualified names of the kernels.
std::vector<std::string> host_module(Text& out, const std::string& name_space,
                                     const kernel::Module& module, bool has_steps,
                                     const std::vector<kernel::NamedConstant>& known,
                                     const Dialect& file);

// Entry points NAME_run_box (C++) or NAME_run_box_device (devices), NAME_init_box, NAME_grid and
// NAME_box_memory. `api` must have been constructed for the box.
void box_driver(Text& out, const kernel::Module& module, const HostApi& api, Names& names,
                ExpressionPrinter& expressions, const Dialect& dialect,
                const InitialValues& initial);

// Only the loop over the steps, as `static const char* advance(arrays, int64_t steps, int64_t
// first_step, parameters)` in C++.
void advance_function(Text& out, const kernel::Module& module, const HostApi& api, Names& names,
                      ExpressionPrinter& expressions);

}  // namespace stencil::emit
