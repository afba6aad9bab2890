// What stages of a streaming kernel compute: a plane each, into the queues of their results.
#pragma once

#include "compiler/schedule/streaming/masks.h"

namespace stencil::schedule {

// Finds which points of the patch lie in the regions of the stage's pieces, as far as that is the
// same for all planes.
Body find_regions(const StreamParts& parts, const StreamStage& stage);

// Makes the sums over points that compute() reads in a pass in which some weigh.
Body sums_ahead(const StreamParts& parts, const StreamStage& stage, const Tests& tests);

// Computes the plane of the stage that belongs to the front, as the newest one of its results.
Body compute(const StreamParts& parts, const StreamStage& stage, const Tests& tests);

}  // namespace stencil::schedule
