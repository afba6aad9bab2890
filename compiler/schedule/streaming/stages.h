// Computes the stages of a streaming kernel: one plane each, into the queues of their results.
#pragma once

#include "compiler/schedule/streaming/masks.h"

namespace stencil::schedule {

// Computes masks of the patch's points in the regions of the stage's pieces, for all planes.
Body find_regions(const StreamParts& parts, const StreamStage& stage);

// Computes the sums over sources that compute() reads in a pass with sources.
Body sums_ahead(const StreamParts& parts, const StreamStage& stage, const Tests& tests);

// Computes the stage's plane for the current front, as the newest plane of its results.
Body compute(const StreamParts& parts, const StreamStage& stage, const Tests& tests);

}  // namespace stencil::schedule
