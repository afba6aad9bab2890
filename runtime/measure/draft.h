// Helpers for building the modules of modules.h: common parameters, scratch memory and launches.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/kernel/plan.h"

namespace stencil::measure {

// Scalars that every kernel takes, from parameters that every module has.
kernel::Expr passes();  // I32
kernel::Expr blocks();  // I64
kernel::Expr chunks();  // I64
// Multiplier and addend, of a floating type; they keep values between 1 and 3.
kernel::Expr factor(Scalar type);
kernel::Expr term(Scalar type);
kernel::Expr thread();  // I32
kernel::Expr block();   // I64

// Builds a module whose plan launches the added kernels.
class Draft {
 public:
  // `real`: type of factor and term.
  Draft(const std::string& name, Scalar real);

  // Adds memory of `elements` elements (I64, over parameters) and returns its number.
  int memory(const std::string& name, Scalar type, kernel::Expr elements);

  // Adds a kernel to be measured, whose Global buffers are these pieces of memory, in order.
  void measured(kernel::Kernel kernel, const std::vector<int>& memory);
  // Adds a kernel that runs before the measured ones, with one block per chunk.
  void prepares(kernel::Kernel kernel, const std::vector<int>& memory);

  kernel::Module finish();

 private:
  void add(kernel::Kernel kernel, const std::vector<int>& memory, kernel::Expr blocks, int steps);

  kernel::Module module_;
  Scalar real_;
  int64_t measured_ = 0;
  bool prepared_ = false;
};

// A kernel with the scalars above and no buffers.
kernel::Kernel kernel_of(const std::string& name, int threads);

// Add a buffer to a kernel.
kernel::BufferId global(kernel::Kernel& kernel, const std::string& name, Scalar type,
                        kernel::Expr elements, bool read_only);
kernel::BufferId shared_memory(kernel::Kernel& kernel, const std::string& name, Scalar type,
                               int elements);
kernel::BufferId of_thread(kernel::Kernel& kernel, const std::string& name, Scalar type,
                           int elements = 0);  // 0 elements: a single value
kernel::BufferId of_block(kernel::Kernel& kernel, const std::string& name, Scalar type);

// Statements.
kernel::Statement let(const std::string& name, kernel::Expr value);
kernel::Statement store(kernel::BufferId buffer, kernel::Expr value);  // to a single value
kernel::Statement store(kernel::BufferId buffer, kernel::Expr index, kernel::Expr value);
kernel::Statement threads(kernel::Body body);
kernel::Statement repeat(const std::string& name, kernel::Expr times, kernel::Body body);

// Expressions.
kernel::Expr read(kernel::BufferId buffer, Scalar type);  // of a single value
kernel::Expr read(kernel::BufferId buffer, kernel::Expr index, Scalar type);
kernel::Expr long_of(kernel::Expr value);
inline kernel::Expr long_of(int64_t value) {
  return kernel::integer(value, Scalar::I64);
}
// The thread's index in memory, `offset` elements after `base`; I64.
kernel::Expr place(const kernel::Expr& base, int64_t offset);
// Index of a thread's result, and the number of results, for blocks of `threads`.
kernel::Expr own_place(int threads);
kernel::Expr results(int threads);
kernel::Expr multiply_add(kernel::Expr value, Scalar type);  // value * factor + term
kernel::Expr exclusive_or(kernel::Expr a, kernel::Expr b);

}  // namespace stencil::measure
