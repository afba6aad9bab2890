// Reads values from the queues of a streaming kernel and applies boundary rules.
#pragma once

#include "compiler/schedule/streaming/queues.h"

namespace stencil::schedule {

// The point at which a stage is computed, in a variant of the body.
struct StagePoint {
  const StreamStage& stage;
  const Tests& tests;
  const Point point;
};

// The value of an access, with the boundary rules of its field.
Expr read(const StreamContext& context, const StreamQueues& queues, const StagePoint& at,
          const ir::Access& access, AccessResolver& resolver);

}  // namespace stencil::schedule
