// Samples: what tiles leave of a field at the points that a record's set weighs, in each of their
// steps but the last, for the kernel that fills the rows behind the tile (record.h).
#pragma once

#include <functional>
#include <map>

#include "compiler/schedule/parts/builder.h"

namespace stencil::schedule {

// The records that tiles of so many steps sample get memory for it, and their place in the plan.
void provide_samples(const Interface& interface, int time_tile, kernel::Module& module);

class Samples {
 public:
  Samples(KernelBuilder& builder, const kernel::Module& module)
      : builder_(builder), plan_(module.plan) {}

  // What a thread has of the field at one of its points, by component.
  using ValueAt = std::function<kernel::Expr(int component)>;
  // Does something at those points of the thread that the tile writes.
  using AtPoint = std::function<kernel::Body(const Point&, const ValueAt&)>;
  using EachPoint = std::function<kernel::Body(const AtPoint&)>;
  // Leaves samples of the field as it is at the end of the step with this number, counted from the
  // first of the tile. `plane`: the outermost index of all these points.
  kernel::Body take(ir::FieldId field, const kernel::Expr& step, const kernel::Expr& plane,
                    const EachPoint& each_point);

 private:
  kernel::BufferId memory(int scratch, bool stored);
  kernel::Body take_at(const kernel::PointSet& set, const kernel::Expr& slab, const Point& at,
                       const std::function<kernel::Statement(const kernel::Expr& entry)>& leave);

  KernelBuilder& builder_;
  const kernel::Plan& plan_;
  std::map<int, kernel::BufferId> memory_;  // by scratch memory
};

}  // namespace stencil::schedule
