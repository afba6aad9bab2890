// Machine code of C that records which way each of its decisions went.
//
// The lifter's proof runs a C function on random data. It may only conclude something about code
// that these runs have reached. So the LLVM IR of the file gets a flag for each outcome of each
// branch, choice and comparison before any optimisation, and a trap for undefined behaviour.
#pragma once

#include <memory>

#include <clang/Frontend/FrontendAction.h>

namespace stencil::host {

// Emits an object that defines, beside the function `kObservedEntry`, the symbols of
// StencilHostInterface::compile_c.
std::unique_ptr<clang::FrontendAction> observed_code();

}  // namespace stencil::host
