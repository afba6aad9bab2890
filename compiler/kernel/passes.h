// Views and checks on the kernel IR.
#pragma once

#include <optional>
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

// Where in the plan's actions the answer to the stop condition is needed at the latest: ahead of
// this one (or at the end). A tile writes nothing but spare slots up to there, so it may be
// launched before it is known whether the run goes on; if not, leaving out the rest undoes it.
// Nothing if there is no stop condition, or if tiles write levels that a run which ends must keep.
std::optional<size_t> answer_point(const Module& module);

}  // namespace stencil::kernel
