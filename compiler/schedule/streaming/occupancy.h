// In which planes a block finds entries of points (support/place_points.h): looked up once, ahead
// of the loop over planes, which has no time to wait for it.
#pragma once

#include "compiler/schedule/streaming/tile.h"

namespace stencil::schedule {

class StreamOccupancy {
 public:
  StreamOccupancy(const StreamContext& context, const StreamTile& tile);

  // Sets the flags, with a barrier behind it; nothing if no stage reads at points.
  Body look_up();
  // None weighs where the block computes, in the plane that is so far behind the front.
  Expr is_free(int lag) const;

 private:
  const StreamContext& context_;
  const StreamTile& tile_;
  int64_t ahead_ = 0;   // planes before the first front that have a flag
  int64_t planes_ = 1;  // that share a flag
  int64_t flags_ = 0;
  BufferId free_ = -1;
};

}  // namespace stencil::schedule
