// Flags for the planes in which a block has entries of point sets (support/place_points.h). They
// are looked up once, before the loop over planes, to keep the latency out of the loop. Most blocks
// have no entries in any plane, so the look-up tests this first.
#pragma once

#include <optional>
#include <vector>

#include "compiler/schedule/streaming/tile.h"

namespace stencil::schedule {

class StreamPointFlags {
 public:
  // A flag covers a plane, or all planes that one pass of the loop's body computes.
  enum class Of { Plane, Pass };

  // `reads`: accesses at points.
  StreamPointFlags(const StreamContext& context, const StreamTile& tile,
                   std::vector<ir::Access> reads, Of of = Of::Plane);

  // Sets the flags, which may be read after a barrier. Empty without reads.
  Body look_up();
  // The box that all flags cover; nullopt without reads.
  std::optional<GridBox> looked_at() const;
  // Condition: no point has an entry in the block's part of the plane `lag` planes behind the
  // front.
  Expr is_free(int lag) const;
  // As is_free(), for all planes of this pass; nullopt without reads.
  std::optional<Expr> is_pass_free() const;

 private:
  const StreamContext& context_;
  const StreamTile& tile_;
  const std::vector<ir::Access> reads_;
  int64_t ahead_ = 0;   // planes before the first front that are included
  int64_t all_ = 0;     // planes included
  int64_t planes_ = 1;  // planes per flag; for passes, counted by their fronts
  int64_t looked_ = 1;  // planes that one flag covers
  int64_t flags_ = 0;
  BufferId free_ = -1;
};

}  // namespace stencil::schedule
