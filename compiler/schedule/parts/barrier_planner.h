// Barriers between the phases of a kernel whose threads keep their points: the fewest that order
// what others read and write.
#pragma once

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/ir/program.h"
#include "compiler/kernel/kernel.h"

namespace stencil::schedule {

// Places a barrier before a phase only if it needs one: it reads at offsets what was written since
// the last barrier, or writes what was read at offsets since.
class BarrierPlanner {
 public:
  using Tiles =
      std::set<std::pair<int, int>>;  // what is shared: a field with the slot of a level, or alike

  // Before a phase that reads and writes these; appends to `body`.
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
