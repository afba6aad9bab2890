// Combining values in the kernels of reductions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/schedule/parts/builder.h"

namespace stencil::schedule {

// Where the kernels of reductions go, and their memory.
struct ReductionModule {
  const Interface& interface;
  const ir::Program& program;
  kernel::Module& module;
  Names& names;  // of scratch memory and kernels

  KernelBuilder builder(const std::string& name, const std::string& comment) const;
  int add_scratch(const std::string& name, Scalar type, kernel::Expr elements) const;
};

// `time` in a reduction and in the stop condition: the index of the last step done.
kernel::Expr last_step();
kernel::Expr is_nan(const kernel::Expr& value);
// What combining begins with.
kernel::Expr identity(ir::Reducer reducer, Scalar type);

// `value` under a name, for whoever needs it more than once.
kernel::Expr bound(const std::string& hint, const kernel::Expr& value, KernelBuilder& builder,
                   kernel::Body& body);

// Where in memory a total is.
struct Element {
  kernel::BufferId buffer;
  std::vector<kernel::Expr> index;
};
// What the element is with `value` taken in.
kernel::Expr with_taken_in(ir::Reducer reducer, const Element& element, const kernel::Expr& value,
                           KernelBuilder& builder, kernel::Body& body);
// What is reduced at `point`.
kernel::Expr value_at(KernelBuilder& builder, const ir::Reduction& reduction, const Point& point,
                      kernel::Body& body);
// The element takes that in.
void take_in_point(KernelBuilder& builder, const ir::Reduction& reduction, const Point& point,
                   const Element& total, kernel::Body& body);

// The totals of so many lanes, a power of two, in shared memory: one for each thread.
struct Lanes {
  int count;
  kernel::Expr lane;  // of this thread
  kernel::BufferId buffer;
  std::function<std::vector<kernel::Expr>(const kernel::Expr& lane)> index;
};
// Lane l takes in lane l + s for s = half of them, ... 2, 1; lane 0 then does `with_result` to the
// value.
using WithResult = std::function<void(const kernel::Expr&, kernel::Body&)>;
void combine_lanes(ir::Reducer reducer, Scalar type, const Lanes& lanes,
                   const WithResult& with_result, KernelBuilder& builder, kernel::Body& body);

}  // namespace stencil::schedule
