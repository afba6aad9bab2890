// Compiles C to machine code that records the outcome of each decision.
//
// The lifter's proof runs a C function on random data. Conclusions from these runs hold only for
// code that the runs have reached. Before optimisation, the LLVM IR of the file therefore gets a
// flag for each outcome of each branch, choice and comparison, and a trap for undefined behaviour.
#pragma once

#include <memory>

#include <clang/Frontend/FrontendAction.h>

namespace stencil::host {

// Makes an action that emits an object. The object defines the function `STENCIL_LIFT_CALL` and the
// symbols of StencilHostInterface::compile_c.
std::unique_ptr<clang::FrontendAction> observed_code();

}  // namespace stencil::host
