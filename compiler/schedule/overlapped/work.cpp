#include "compiler/schedule/overlapped/work.h"

#include <algorithm>
#include <cmath>

#include "compiler/schedule/common/operations.h"
#include "compiler/schedule/common/tiling.h"
#include "compiler/schedule/direct/work.h"

namespace stencil::schedule {

using analysis::Margin;

TileWork work_of(const analysis::TimeTiles& tiles, const OverlappedTile& tile) {
  const ir::Program& program = tile.program();
  const analysis::TimeTile& time_tile = tile.time_tile();
  const std::vector<int64_t> core = tile.core();
  const int rank = program.grid().rank();
  Work work;
  work.row =
      static_cast<int>(std::min<int64_t>(tile.schedule.block[0], usual_extent(program, rank - 1)));
  work.threads = static_cast<int>(tile.schedule.block.product());
  work.points = static_cast<double>(tile.schedule.elements.product());
  work.shared_bytes = shared_bytes(tile);
  const double elements = static_cast<double>(tile.schedule.elements.product());
  double covered = 1;  // points held by threads
  for (const TileSide& side : tile.sides) covered *= static_cast<double>(side.cover);
  const double threads = work.threads;

  // A thread visits all its elements and computes those in the stage's box. Warps extend along x,
  // so where the box is narrower, some threads of a warp only wait.
  const bool hull = tile.schedule.of<OverlappedSettings>().regions == Regions::Hull;
  const auto held = [&](ir::FieldId field) { return tile.held.count(field) > 0; };
  for (const analysis::Stage& stage : time_tile.stages) {
    if (stage.computed.empty() && !hull) continue;
    const Margin& box = hull ? time_tile.hull : stage.computed;
    const size_t x = box.size() - 1;
    const double row = static_cast<double>(core[x] + box[x].low + box[x].high);
    const double points =
        analysis::points(core, box) / row * static_cast<double>(tile.sides[x].cover) / threads;
    work.iteration.add(at_point(tiles, program.functions[stage.function], held), points);
    work.iteration.points += 0.5 * rank * rank * (covered / threads - points);
    work.planes_read += points * bytes_of_planes(program, program.functions[stage.function]);
    work.barriers += 2;
  }
  work.stages = static_cast<double>(time_tile.stages.size());
  work.held_bytes = static_cast<double>(work.shared_bytes);

  double bytes = 0, once = 0, widest = 1;
  for (size_t f = 0; f < program.fields.size(); ++f) {
    const ir::FieldId id = static_cast<ir::FieldId>(f);
    const ir::Field& field = program.fields[f];
    const double each = static_cast<double>(bytes_per_point(field));
    const auto tiled = tile.held.find(id);
    const auto needed = analysis::needed_of(time_tile, id);
    if (!needed) continue;
    const double inner = analysis::points(core, Margin(core.size()));
    const double levels = analysis::levels_loaded(time_tile, id);
    const Margin& around = tiled == tile.held.end() ? *needed : tiled->second;
    const double loaded = analysis::points(core, around) * each * levels;
    const double row = static_cast<double>(core.back() + around.back().low + around.back().high);
    const double in_sectors = sectors(row * each) / (row * each);
    bytes += loaded * in_sectors;
    once += inner * each * levels;
    widest = std::max(widest, each / 4);
    if (tiled == tile.held.end()) continue;
    work.iteration.loads += loaded / 4 / threads;
    work.iteration.shared += loaded / 4 / threads;
    work.iteration.accesses += 2 * loaded / each / threads;
    const double written = inner * each * analysis::levels_made(field, tile.schedule.time_tile);
    bytes += written;
    once += written;
    work.iteration.stores += written / 4 / threads;
    work.iteration.shared += written / 4 / threads;
    work.iteration.accesses += 2 * written / each / threads;
  }
  work.registers = 24 + 2 * elements * widest;
  work.bytes = bytes;
  work.compulsory = bytes > 0 ? once / bytes : 1;
  work.footprint = footprint(program);
  for (int d = 0; d < rank; ++d) {
    const double length = static_cast<double>(std::max<int64_t>(core[d], 1));
    const auto extent = static_cast<double>(written_extent(program, d));
    const double blocks = std::ceil(extent / length);
    work.blocks *= blocks;
    // For a tile longer than the grid, only the work inside the grid counts.
    const TileSide& side = tile.sides[d];
    const double around = static_cast<double>(side.cover) - length;
    const double done = std::min(extent, extent / blocks + around);
    work.inside *= std::min(1.0, done / static_cast<double>(side.cover));
  }
  TileWork out{tile.schedule.time_tile, written_points(program), {work}};
  for (Work& sweep : work_of(tiles, tile.step->swept, tile.schedule)) {
    out.kernels.push_back(std::move(sweep));
  }
  return out;
}

}  // namespace stencil::schedule
