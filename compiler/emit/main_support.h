// The parts of an emitted program that are the same for every module.
#pragma once

#include <string>

#include "compiler/emit/dialect.h"

namespace stencil::emit {

// Types and functions before main(): arrays of any type, random values, comparison; numbers from
// the command line, reals only where there is a parameter to take one. `padded`: rows are, in
// device memory.
std::string main_support_text(bool reads_reals, bool padded);

// Functions that write arrays to .npy files once a run is over.
const char* main_outputs_text();

// Functions that print and compare the results of reductions. `has_values`: some have one value;
// `has_nan`: some are of floating point.
std::string main_results_text(bool has_values, bool has_nan);

// Functions that measure: the speed of a plain copy, and of a run. They call run_once(), which the
// module's own part defines.
std::string main_timing_text(const Dialect& dialect, bool padded);

}  // namespace stencil::emit
