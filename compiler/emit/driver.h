// The plan of a module, printed as host code.
#pragma once

#include "compiler/emit/expression.h"
#include "compiler/emit/host_api.h"
#include "compiler/emit/text.h"

namespace stencil::emit {

// Functions that the drivers of these modules use, once per file; C++ or CUDA.
void driver_support(Text& out, const std::vector<const kernel::Module*>& modules, Target target);

// Those that host-only modules need beyond the above in a CUDA file.
void host_support(Text& out, const std::vector<const kernel::Module*>& modules);

// Entry points NAME_run, NAME_run_device (CUDA), NAME_run_packed (C++).
void driver(Text& out, const kernel::Module& module, const HostApi& api, Names& names,
            ExpressionPrinter& expressions, Target target);

// Only the loop over the steps, as `static const char* advance(arrays, int64_t steps, int64_t
// first_step, parameters)` in C++.
void advance_function(Text& out, const kernel::Module& module, const HostApi& api, Names& names,
                      ExpressionPrinter& expressions);

}  // namespace stencil::emit
