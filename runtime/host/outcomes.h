// Compiles C to machine code that records the outcome of each decision.
//
// The lifter's proof runs a C function on random data. It may draw conclusions only about code that
// these runs have reached. So before optimisation the file's LLVM IR gets a flag for each outcome
// of each branch, choice and comparison, and a trap for undefined behaviour.
#pragma once

#include <memory>

#include <clang/Frontend/FrontendAction.h>

namespace stencil::host {

// Emits an object that defines the function `STENCIL_LIFT_CALL` and the symbols of
// StencilHostInterface::compile_c.
std::unique_ptr<clang::FrontendAction> observed_code();

}  // namespace stencil::host
