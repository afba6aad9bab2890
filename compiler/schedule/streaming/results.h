// Writes planes of results to memory: the core of a tile, vector by vector.
#pragma once

#include "compiler/schedule/common/samples.h"
#include "compiler/schedule/streaming/masks.h"

namespace stencil::schedule {

// Computes masks of the patch's vectors that the tile writes, for the results of a stage.
Body find_results(const StreamParts& parts, const StreamStage& stage);

// In a pass with samples, keeps the values just computed by the stage for take_samples().
Body keep_samples(const StreamParts& parts, const StreamStage& stage);

// Stores the samples of records from the stage's plane.
Body take_samples(const StreamParts& parts, const StreamStage& stage, const Tests& tests,
                  Samples& samples);

// Writes the results whose planes are ready. Results with the same planes and places share their
// tests.
Body write_results(const StreamParts& parts, const Tests& tests);

}  // namespace stencil::schedule
