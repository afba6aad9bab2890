// Resource limits of tiles, and refusals shared by families. Each refusal names the setting, the
// limit and the actual value.
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

// Saturating product and sum of nonnegative numbers. Large offsets can make tile sizes overflow;
// the saturated size is then refused.
int64_t bounded_product(int64_t a, int64_t b);
int64_t bounded_sum(int64_t a, int64_t b);

// a / b for positive numbers, rounded up.
int64_t divide_up(int64_t a, int64_t b);

// Points of the grid in a dimension, at least 1; nullopt if only known at run time.
std::optional<int64_t> known_extent(const ir::Program& program, int dimension);

// The tile of `schedule` with threads reduced to the machine's limits and elements increased
// accordingly.
Schedule with_fewer_threads(Schedule schedule, const Machine& machine);

// One dimension of a tile: `cover` points are held by threads, `margin` of them are not written.
struct TileSide {
  int dimension = 0;  // outermost dimension is 0
  int64_t cover = 1;  // points
  analysis::Reach margin;
  int64_t core() const { return cover - margin.low - margin.high; }
};
using TileSides = std::vector<TileSide>;  // of the tiled dimensions

// Whether at least half of the covered points are written in each dimension.
bool pays(const TileSides& sides);

// Reports L014 for a tile without a core.
void refuse_small_tile(const ir::Program& program, const Schedule& schedule, const TileSides& sides,
                       Diagnostics& diagnostics);

// Reports L015 if a block's shared arrays (`what`: "the rings") exceed the machine's shared memory.
void refuse_shared_bytes(const Schedule& schedule, const std::string& what, int64_t bytes,
                         const Machine& machine, Diagnostics& diagnostics);
// Reports L015 if all arrays of a block, including per-thread ones, exceed the machine's limit.
void refuse_block_bytes(const Schedule& schedule, int64_t bytes, const Machine& machine,
                        Diagnostics& diagnostics);

// Reports L027 if a phase writes a field of several levels that an earlier phase of the step has
// already written. The phase would have to replace the newest level, but tiles always add a level.
void refuse_advanced_levels(const ir::Program& program, const Schedule& schedule,
                            Diagnostics& diagnostics);

// Reports L018 for a 1-D grid, in which a streaming family has nothing to tile.
void refuse_line(const ir::Program& program, const Schedule& schedule, Diagnostics& diagnostics);

// Limit on the planes of a streaming tile's halo. A block passes through each of these planes, so
// tiles beyond the limit are far slower than other schedules. Reports L026 beyond the limit.
constexpr int64_t kMostHaloPlanes = 4096;
void refuse_long_halo(const Schedule& schedule, int64_t planes, Diagnostics& diagnostics);

// Reports L016 for a read whose boundary rule may lead outside the halo.
void refuse_read_outside_halo(const ir::Program& program, const Schedule& schedule,
                              ir::FieldId field, Span span, Diagnostics& diagnostics);

}  // namespace stencil::schedule
