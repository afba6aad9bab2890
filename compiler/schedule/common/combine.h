// Code that combines values in the kernels of reductions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/schedule/common/builder.h"

namespace stencil::schedule {

// The module to which kernels of reductions are added.
struct ReductionModule {
  const Interface& interface;
  const ir::Program& program;
  kernel::Module& module;
  Names& names;  // for scratch memory and kernels

  KernelBuilder builder(const std::string& name, const std::string& comment) const;
  int add_scratch(const std::string& name, Scalar type, kernel::Expr elements) const;
};

// The value of `time` in reductions and in the stop condition: the index of the last completed
// step.
kernel::Expr last_step();
kernel::Expr is_nan(const kernel::Expr& value);
// The neutral element of a reducer.
kernel::Expr identity(ir::Reducer reducer, Scalar type);

// Binds `value` to a name, for use more than once.
kernel::Expr bound(const std::string& hint, const kernel::Expr& value, KernelBuilder& builder,
                   kernel::Body& body);

// Location of a running total.
struct Element {
  kernel::BufferId buffer;
  std::vector<kernel::Expr> index;
};
// The element combined with `value`.
kernel::Expr with_taken_in(ir::Reducer reducer, const Element& element, const kernel::Expr& value,
                           KernelBuilder& builder, kernel::Body& body);
// The reduced expression evaluated at `point`.
kernel::Expr value_at(KernelBuilder& builder, const ir::Reduction& reduction, const Point& point,
                      kernel::Body& body);
// Combines the element with the reduced expression at `point` and stores it.
void take_in_point(KernelBuilder& builder, const ir::Reduction& reduction, const Point& point,
                   const Element& total, kernel::Body& body);

// Partial totals in shared memory, one per thread; `count` is a power of two.
struct Lanes {
  int count;
  kernel::Expr lane;  // of this thread
  kernel::BufferId buffer;
  std::function<std::vector<kernel::Expr>(const kernel::Expr& lane)> index;
};
// Tree reduction in shared memory: lane l is combined with lane l + s for s = count/2, ... 2, 1.
// Lane 0 then runs `with_result` on the value.
using WithResult = std::function<void(const kernel::Expr&, kernel::Body&)>;
void combine_lanes(ir::Reducer reducer, Scalar type, const Lanes& lanes,
                   const WithResult& with_result, KernelBuilder& builder, kernel::Body& body);

}  // namespace stencil::schedule
