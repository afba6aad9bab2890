// Printing and verification of the kernel IR.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/kernel/plan.h"

namespace stencil::kernel {

// The module as text (--emit kernel-ir): constants, kernels, plan. The format is stable.
std::string print(const Module& module);
std::string print(const Kernel& kernel);
std::string print(const Expr& expr);

// Checks what all later stages rely on: variables defined before use and of one type, operand
// types, index counts, stores only to writable buffers, shared and thread buffers only inside
// Threads, barriers only outside, no nested Threads, launch arguments that match their kernels,
// slots in range, unique names. Returns one line per violation; empty if sound. A violation is a
// bug in the compiler.
std::vector<std::string> verify(const Module& module);
// Checks one kernel with the arrays and constants of `module`.
std::vector<std::string> verify(const Module& module, const Kernel& kernel);

// Index into the plan's actions before which the answer of the stop condition must be known
// (actions.size(): at the end). Up to there a tile writes only spare slots, so it may be launched
// before the answer is known. If the run stops, skipping the remaining actions undoes it. nullopt
// if there is no stop condition, or if tiles write levels that a stopped run must keep.
std::optional<size_t> answer_point(const Module& module);

}  // namespace stencil::kernel
