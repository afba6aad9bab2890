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

  // The sets at which records sample, as if their weights were read.
  std::vector<ir::Access> sets() const;

  // Points of a thread that its tile writes, as PointLanes has them; `exists` and `column_exists`
  // say which ones. With `row_first`, rows without entries are left out together.
  struct Lanes : PointLanes {
    kernel::Expr column_exists = kernel::boolean(true);
  };
  // What the thread has of the field at the point in for_each_column, by component.
  using ValueAt = std::function<kernel::Expr(int component)>;
  // Leaves samples of the field as it is at the end of the step with this number, counted from the
  // first of the tile.
  kernel::Body take(ir::FieldId field, const kernel::Expr& step, const Lanes& lanes,
                    const ValueAt& value);

 private:
  kernel::BufferId memory(int scratch);

  KernelBuilder& builder_;
  const kernel::Plan& plan_;
  std::map<int, kernel::BufferId> memory_;  // of samples, by scratch memory
};

}  // namespace stencil::schedule
