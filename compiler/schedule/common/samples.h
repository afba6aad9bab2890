// Samples: values of a field at the grid points of a record's set. A tile stores samples in each
// step except the last. After the tile, the kernel that fills the record's rows reads the samples
// (record.h).
#pragma once

#include <functional>
#include <map>

#include "compiler/schedule/common/builder.h"

namespace stencil::schedule {

// Allocates memory in the plan for the records that tiles of `time_tile` steps sample.
void provide_samples(const Interface& interface, int time_tile, kernel::Module& module);

class Samples {
 public:
  Samples(KernelBuilder& builder, const kernel::Module& module)
      : builder_(builder), plan_(module.plan) {}

  // The sets at which records sample, as accesses to their weights.
  std::vector<ir::Access> sets() const;

  // The points of a thread that its tile writes. `exists` and `column_exists` select them. With
  // `row_first`, the block skips rows without entries.
  struct Lanes : PointLanes {
    kernel::Expr column_exists = kernel::boolean(true);
  };
  // The thread's value of a component at the point in for_each_column.
  using ValueAt = std::function<kernel::Expr(int component)>;
  // Stores samples of the field at the end of a step. `step`: counted from the first step of the
  // tile.
  kernel::Body take(ir::FieldId field, const kernel::Expr& step, const Lanes& lanes,
                    const ValueAt& value);

 private:
  kernel::BufferId memory(int scratch);

  KernelBuilder& builder_;
  const kernel::Plan& plan_;
  std::map<int, kernel::BufferId> memory_;  // of samples, by scratch memory
};

}  // namespace stencil::schedule
