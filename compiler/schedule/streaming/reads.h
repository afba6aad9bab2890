// What stages of a streaming kernel read, from the queues and by their fields' boundary rules.
#pragma once

#include "compiler/schedule/streaming/queues.h"

namespace stencil::schedule {

// The point that a stage is computed at, in a version of the body.
struct StagePoint {
  const StreamStage& stage;
  const Tests& tests;
  const Point point;
};

// The value of an access, the boundary rules of its field included.
Expr read(const StreamContext& context, const StreamQueues& queues, const StagePoint& at,
          const ir::Access& access, Landings& landings);

}  // namespace stencil::schedule
