// In which planes a block finds entries of points (support/place_points.h): looked up once, ahead
// of the loop over planes, which has no time to wait for it. Most blocks have none in any plane,
// which is asked first.
#pragma once

#include <optional>
#include <vector>

#include "compiler/schedule/streaming/tile.h"

namespace stencil::schedule {

class StreamOccupancy {
 public:
  // What has a flag: a plane, or all planes that one pass through the loop's body computes.
  enum class Of { Plane, Pass };

  // `reads`: at points.
  StreamOccupancy(const StreamContext& context, const StreamTile& tile,
                  std::vector<ir::Access> reads, Of of = Of::Plane);

  // Sets the flags, to be read behind a barrier; nothing without reads.
  Body look_up();
  // All that flags are about; no box without reads.
  std::optional<GridBox> looked_at() const;
  // None weighs where the block computes, in the plane that is so far behind the front.
  Expr is_free(int lag) const;
  // Nor in any plane of this pass; nothing without reads.
  std::optional<Expr> is_pass_free() const;

 private:
  const StreamContext& context_;
  const StreamTile& tile_;
  const std::vector<ir::Access> reads_;
  int64_t ahead_ = 0;   // planes before the first front that are looked at
  int64_t all_ = 0;     // planes that are looked at
  int64_t planes_ = 1;  // that share a flag; of passes, by their fronts
  int64_t looked_ = 1;  // planes that one flag is about
  int64_t flags_ = 0;
  BufferId free_ = -1;
};

}  // namespace stencil::schedule
