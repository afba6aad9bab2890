// Views and checks on the kernel IR.
#pragma once

#include <string>
#include <vector>

#include "compiler/kernel/plan.h"

namespace stencil::kernel {

// The module as text (--emit kernel-ir): constants, kernels, plan. Stable.
std::string print(const Module& module);
std::string print(const Expr& expr);

// What every later stage relies on: variables defined before use and of one type, operand types,
// index counts, stores only to writable buffers, shared and thread buffers only inside Threads,
// barriers only outside, Threads not nested, launch arguments matching their kernels, slots in
// range, unique names. One line per violation; empty if sound. A violation is a bug in the
// compiler.
std::vector<std::string> verify(const Module& module);

}  // namespace stencil::kernel
