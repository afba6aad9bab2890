// Tiles of `overlapped` for a processor: a block is done by one thread, and what GPUs keep in
// shared memory is an array in its second-level cache.
//
// Threads become loops, so a tile has a thread per point and no elements: rows in x are then inner
// loops from end to end, which compilers make vectors of. A cache holds several times what shared
// memory does, so tiles are larger and deeper. In 1-D they are the fastest measured; beyond,
// `planes` is (docs/performance.md, "A processor").
#include <algorithm>

#include "compiler/schedule/family.h"
#include "compiler/schedule/overlapped.h"

namespace stencil::schedule {

namespace {

struct Tile {
  int time_tile;
  Shape points;  // computed
};

// Tiles to try for a rank, the fastest first; later ones are for more fields and wider halos.
std::vector<Tile> tiles(int rank) {
  if (rank == 1) return {{16, {4096}}, {8, {2048}}, {4, {1024}}, {2, {512}}};
  if (rank == 2) return {{12, {512, 96}}, {6, {512, 48}}, {3, {256, 32}}, {2, {128, 32}}};
  if (rank == 3) return {{4, {512, 20, 20}}, {2, {256, 12, 12}}, {1, {128, 12, 12}}};
  return {{1, {32, 8, 4, 4}}};
}

// Results that wait until the old values have been read are as large as the tile.
int64_t bytes_of(const ir::Program& program, const OverlappedGeometry& geometry) {
  return 2 * shared_tile_bytes(program, geometry);
}

// At most half of the points computed are halo.
bool pays(const OverlappedGeometry& geometry, const Shape& points) {
  double useful = 1;
  for (const int64_t length : geometry.core) {
    if (length < 1) return false;
    useful *= static_cast<double>(length);
  }
  return 2 * useful >= static_cast<double>(points.product());
}

}  // namespace

Schedule overlapped_on_processor(const ir::Program& program, const Machine& machine, int deepest) {
  const ir::Program tiled = split_step(program).tiled;
  Schedule schedule;
  schedule.family = "overlapped";
  schedule.regions = Regions::Hull;
  for (const Tile& tile : tiles(program.grid.rank())) {
    schedule.time_tile = std::min(tile.time_tile, deepest);
    schedule.block = tile.points;
    const OverlappedGeometry geometry = plan_overlapped(tiled, schedule);
    if (pays(geometry, tile.points) && bytes_of(tiled, geometry) <= machine.shared_bytes) {
      return schedule;
    }
  }
  schedule.time_tile = 1;
  return schedule;
}

}  // namespace stencil::schedule
