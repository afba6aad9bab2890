// On a CPU one thread executes a block, and GPU shared memory becomes an array in the thread's
// second-level cache.
//
// Threads become loops, so a tile has one thread per point and no elements. Rows in x are then
// contiguous inner loops, which compilers vectorize. The cache is several times as large as shared
// memory, so tiles are larger and deeper. In 1-D these tiles are the fastest measured; in more
// dimensions `planes` is faster (docs/design/performance.md, "A CPU").
#include "compiler/schedule/overlapped/cpu.h"

#include <algorithm>

#include "compiler/schedule/common/limits.h"

namespace stencil::schedule {

namespace {

struct Tile {
  int time_tile;
  Shape points;  // points computed per step
};

// Tiles to try for a rank, fastest first. Later ones suit more fields and wider halos.
std::vector<Tile> tiles(int rank) {
  if (rank == 1) return {{16, {4096}}, {8, {2048}}, {4, {1024}}, {2, {512}}};
  if (rank == 2) return {{12, {512, 96}}, {6, {512, 48}}, {3, {256, 32}}, {2, {128, 32}}};
  if (rank == 3) return {{4, {512, 20, 20}}, {2, {256, 12, 12}}, {1, {128, 12, 12}}};
  return {{1, {32, 8, 4, 4}}};
}

// The shared tiles, and as much again for the results that wait until the old values have been
// read.
int64_t bytes_of(const OverlappedTile& tile) {
  return bounded_product(2, shared_bytes(tile));
}

// Whether at most half of the computed points are halo.
bool mostly_core(const OverlappedTile& tile) {
  double useful = 1, computed = 1;
  for (const TileSide& side : tile.sides) {
    if (side.core() < 1) return false;
    useful *= static_cast<double>(side.core());
    computed *= static_cast<double>(side.cover);
  }
  return 2 * useful >= computed;
}

}  // namespace

Schedule overlapped_on_cpu(const std::shared_ptr<const OverlappedStep>& step,
                           const Machine& machine, int deepest) {
  Schedule schedule;
  schedule.family = "overlapped";
  schedule.own = OverlappedSettings{.regions = Regions::Hull};
  for (const Tile& tile : tiles(step->tiled.grid().rank())) {
    schedule.time_tile = std::min(tile.time_tile, deepest);
    schedule.block = tile.points;
    const OverlappedTile made(step, schedule);
    if (mostly_core(made) && bytes_of(made) <= machine.shared_bytes) return schedule;
  }
  schedule.time_tile = 1;
  return schedule;
}

}  // namespace stencil::schedule
