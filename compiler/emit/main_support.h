// The parts of an emitted program that are the same for all modules.
#pragma once

#include <string>

#include "compiler/emit/dialect.h"

namespace stencil::emit {

// Types and functions before main(): arrays of any type, random values, comparison, and parsing of
// numbers (of reals only if there is a real parameter). `padded`: rows are padded in device memory.
std::string main_support_text(bool reads_reals, bool padded);

// Functions that write arrays to .npy files after a run.
const char* main_outputs_text();

// Functions that print and compare the results of reductions. `has_reals`, `has_integers`: some
// reductions have a single floating-point or integer value; `has_nan`: some are floating-point.
std::string main_results_text(bool has_reals, bool has_integers, bool has_nan);

// Functions that time a plain copy and a run. They call run_device() or run(), which the part for
// the module defines.
std::string main_timing_text(const Dialect& dialect, bool padded);

}  // namespace stencil::emit
