// How planes of results leave a streaming kernel: the core of a tile, vector by vector.
#pragma once

#include "compiler/schedule/parts/samples.h"
#include "compiler/schedule/streaming/masks.h"

namespace stencil::schedule {

// Finds which vectors of the patch the tile writes, of the results of a stage.
Body find_results(const StreamParts& parts, const StreamStage& stage);

// Keeps, in a pass in which some are taken, what take_samples() reads of what the stage has just
// computed.
Body keep_samples(const StreamParts& parts, const StreamStage& stage);

// Leaves what records sample of the stage's plane.
Body take_samples(const StreamParts& parts, const StreamStage& stage, const Tests& tests,
                  Samples& samples);

// Writes the results whose planes are ready. Those written at the same planes and places share a
// test.
Body write_results(const StreamParts& parts, const Tests& tests);

}  // namespace stencil::schedule
