#include "compiler/schedule/overlapped/plan.h"

#include <algorithm>

#include "compiler/schedule/common/tiling.h"

namespace stencil::schedule {

using analysis::Margin;
using analysis::Reach;

namespace {

// How many functions, from the first one on, a tile can compute without sweeps in between.
size_t tiled_functions(const ir::Program& program) {
  size_t tiled = program.functions.size();
  for (const analysis::ReadOutsideHalo& read : analysis::reads_outside_halo(program)) {
    for (size_t f = 0; f < read.function; ++f) {
      if (ir::writes(program.functions[f], read.field)) tiled = std::min(tiled, read.function);
    }
  }
  return tiled;
}

ir::Program first_functions(ir::Program program, size_t count) {
  program.functions.resize(count);
  program.run.body = ir::applied_in_order(count);
  return program;
}

std::vector<Sweep> sweeps_from(const ir::Program& program, size_t first) {
  std::vector<Sweep> sweeps = plan_sweeps(program);
  sweeps.erase(sweeps.begin(), sweeps.begin() + static_cast<std::ptrdiff_t>(first));
  return sweeps;
}

}  // namespace

OverlappedStep::OverlappedStep(const ir::Program& program)
    : whole(program),
      swept(sweeps_from(program, tiled_functions(program))),
      tiled(first_functions(program, tiled_functions(program))),
      tiles(tiled) {}

OverlappedTile::OverlappedTile(std::shared_ptr<const OverlappedStep> divided,
                               const Schedule& of_schedule)
    : step(std::move(divided)), schedule(of_schedule) {
  const analysis::TimeTile& tile = time_tile();
  const int rank = program().grid().rank();
  for (int d = 0; d < rank; ++d) {
    const int64_t cover =
        int64_t{along(schedule.block, rank, d)} * along(schedule.elements, rank, d);
    sides.push_back({d, cover, tile.hull[d]});
  }
  images = analysis::image_dimensions(program(), true);
  for (ir::FieldId field = 0; field < static_cast<ir::FieldId>(program().fields.size()); ++field) {
    if (!ir::is_written(program(), field)) continue;
    held[field] = *analysis::needed_of(tile, field);
    levels[field] = analysis::levels_kept(program(), tile, field);
  }
  if (schedule.of<OverlappedSettings>().regions == Regions::Shrink) return;
  // With regions=hull every function computes the hull at every step. Its operands must be
  // allocated even where the results are unused.
  for (const std::vector<analysis::Reads>& function : tile.reads) {
    for (const analysis::Reads& reads : function) {
      const auto entry = held.find(reads.field);
      if (entry == held.end()) continue;
      entry->second = analysis::hull(entry->second, analysis::reached(tile.hull, reads));
    }
  }
  for (auto& [field, margin] : held) margin = analysis::hull(margin, tile.hull);
}

std::vector<int64_t> OverlappedTile::core() const {
  std::vector<int64_t> out;
  for (const TileSide& side : sides) out.push_back(side.core());
  return out;
}

int64_t shared_bytes(const OverlappedTile& tile) {
  int64_t bytes = 0;
  for (const auto& [field, margin] : tile.held) {
    int64_t points = tile.levels.at(field);
    for (size_t d = 0; d < margin.size(); ++d) {
      points = bounded_product(points, tile.sides[d].core() + margin[d].low + margin[d].high);
    }
    const int64_t each = bytes_per_point(tile.program().fields[field]);
    bytes = bounded_sum(bytes, bounded_product(points, each));
  }
  return bytes;
}

int64_t result_bytes(const OverlappedTile& tile) {
  int64_t bytes = 0;
  for (const auto& [field, margin] : tile.held) {
    int64_t points = bytes_per_point(tile.program().fields[field]);
    for (const TileSide& side : tile.sides) points = bounded_product(points, side.cover);
    bytes = bounded_sum(bytes, points);
  }
  return bytes;
}

}  // namespace stencil::schedule
