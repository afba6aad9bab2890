// The parts of verify() (passes.h).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/kernel/plan.h"

namespace stencil::kernel {

// Lines of the form "kernel jacobi: store to read-only buffer 'A'", each once.
class Violations {
 public:
  void add(const std::string& kernel, const std::string& message) {  // kernel "": the plan
    const std::string line = (kernel.empty() ? "plan: " : "kernel " + kernel + ": ") + message;
    if (seen_.insert(line).second) lines_.push_back(line);
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::set<std::string> seen_;
  std::vector<std::string> lines_;
};

// True if the types of operands and result fit the operator.
bool well_typed(const Operation& operation, Scalar type);

// Checks that a barrier separates Threads statements that exchange values through a shared buffer.
void verify_barriers(const Kernel& kernel, Violations& violations);

// Checks the plan by itself, and its launches against the kernels.
void verify_plan(const Module& module, Violations& violations);

}  // namespace stencil::kernel
