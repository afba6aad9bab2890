// What a tile may take of a machine, and the refusals that families share. Each names the setting,
// the limit and what was found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/analysis/reads.h"
#include "compiler/schedule/machine.h"
#include "compiler/schedule/schedule.h"

namespace stencil::schedule {

// Bytes of one point of a field, all components.
int64_t bytes_per_point(const ir::Field& field);

// Product and sum of two numbers that are not negative, or a number beyond every limit: what large
// offsets make of a tile is refused, but first it has to be computed.
int64_t bounded_product(int64_t a, int64_t b);
int64_t bounded_sum(int64_t a, int64_t b);

// a / b for positive numbers, rounded up.
int64_t divide_up(int64_t a, int64_t b);

// Points of the grid in a dimension, at least 1; nothing if that is known at run time only.
std::optional<int64_t> known_extent(const ir::Program& program, int dimension);

// The same tile with as many threads as the machine takes, each with more elements.
Schedule with_fewer_threads(Schedule schedule, const Machine& machine);

// One dimension of a tile: what its threads cover, of which `margin` is not written.
struct TileSide {
  int dimension = 0;  // outermost first
  int64_t cover = 1;  // points
  analysis::Reach margin;
  int64_t core() const { return cover - margin.low - margin.high; }
};
using TileSides = std::vector<TileSide>;  // of the tiled dimensions

// Tiles write at least half of what they cover in each dimension.
bool pays(const TileSides& sides);

// L014 for a tile without a core.
void refuse_small_tile(const ir::Program& program, const Schedule& schedule, const TileSides& sides,
                       Diagnostics& diagnostics);

// L015 if what blocks share (`what`: "the rings") exceeds the shared memory of the machine.
void refuse_shared_bytes(const Schedule& schedule, const std::string& what, int64_t bytes,
                         const Machine& machine, Diagnostics& diagnostics);
// L015 if the arrays of a block, the threads' own among them, exceed what the machine has for them.
void refuse_block_bytes(const Schedule& schedule, int64_t bytes, const Machine& machine,
                        Diagnostics& diagnostics);

// L027: a field of several levels that an earlier phase of the step has written: its newest level
// is to be replaced, where tiles make one more.
void refuse_advanced_levels(const ir::Program& program, const Schedule& schedule,
                            Diagnostics& diagnostics);

// L018: what streams the outermost dimension has nothing to tile in a grid of rank 1.
void refuse_line(const ir::Program& program, const Schedule& schedule, Diagnostics& diagnostics);

// Planes beyond those that a streamed tile writes: its blocks pass each of them, so a tile with
// more is slower than anything else, by far. L026.
constexpr int64_t kMostHaloPlanes = 4096;
void refuse_long_halo(const Schedule& schedule, int64_t planes, Diagnostics& diagnostics);

// L016 for a read whose boundary may lead far from the point.
void refuse_far_read(const ir::Program& program, const Schedule& schedule, ir::FieldId field,
                     Span span, Diagnostics& diagnostics);

}  // namespace stencil::schedule
