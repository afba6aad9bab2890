// Places the minimum number of barriers between the stages of a kernel. Every thread must compute
// the same points in all stages.
#pragma once

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/ir/program.h"
#include "compiler/kernel/kernel.h"

namespace stencil::schedule {

// Places a barrier before a stage in two cases only. The stage reads data at offsets that was
// written since the last barrier, or it writes data that was read at offsets since the last
// barrier.
class BarrierPlanner {
 public:
  // Shared data: (field, ring index of a level) or a similar pair.
  using Tiles = std::set<std::pair<int, int>>;

  // Call before lowering a stage with these reads and writes. Appends a barrier to `body` if
  // needed.
  void before(const Tiles& offset_reads, const Tiles& writes, kernel::Body& body) {
    if (meet(offset_reads, written_) || meet(writes, read_)) force(body);
    read_.insert(offset_reads.begin(), offset_reads.end());
    written_.insert(writes.begin(), writes.end());
  }
  void force(kernel::Body& body) {
    body.push_back({kernel::Barrier{}});
    read_.clear();
    written_.clear();
  }

 private:
  static bool meet(const Tiles& a, const Tiles& b) {
    return std::any_of(a.begin(), a.end(), [&](const auto& tile) { return b.count(tile) > 0; });
  }
  Tiles read_, written_;
};

}  // namespace stencil::schedule
