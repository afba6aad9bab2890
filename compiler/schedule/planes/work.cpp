#include "compiler/schedule/planes/work.h"

#include <algorithm>
#include <cmath>

#include "compiler/schedule/common/operations.h"

namespace stencil::schedule {

namespace {

// Average size of a block after clipping to the grid. Tiles at the far ends may be shorter, and a
// tile larger than the grid is clipped to it.
struct Cut {
  double extent = 1, blocks = 1, length = 1;  // of the grid; number of tiles; points per tile

  double with(const analysis::Reach& around) const {
    return std::min(length + static_cast<double>(around.low + around.high), extent);
  }
};

double points(const std::vector<Cut>& cuts, const analysis::Margin& margin) {
  double out = 1;
  for (size_t d = 0; d < cuts.size(); ++d) out *= cuts[d].with(margin[d]);
  return out;
}

std::vector<Cut> cut(const ir::Program& program, const PlanesPlan& plan) {
  std::vector<Cut> out;
  for (int d = 0; d < program.grid().rank(); ++d) {
    const int64_t core = d == 0 ? plan.chunk : plan.core(d);
    Cut each;
    each.extent =
        static_cast<double>(d == 0 ? written_extent(program, d) : usual_extent(program, d));
    const double rest = each.extent - static_cast<double>(d == 0 ? 0 : plan.spared(d));
    each.blocks = std::max(1.0, std::ceil(rest / static_cast<double>(std::max<int64_t>(core, 1))));
    each.length = std::max(rest, 1.0) / each.blocks;
    out.push_back(each);
  }
  return out;
}

}  // namespace

TileWork work_of(const analysis::TimeTiles& tiles, const Schedule& schedule,
                 const PlanesPlan& plan) {
  const ir::Program& program = tiles.program();
  const int rank = program.grid().rank();
  const std::vector<Cut> cuts = cut(program, plan);

  Work work;
  work.shared_bytes = ring_bytes(program, plan);
  work.stages = static_cast<double>(plan.stages.size());
  work.barriers = work.stages;
  work.footprint = footprint(program);
  work.iterations = cuts[0].length + static_cast<double>(plan.halo);
  double covered = 1;
  for (int axis = 0; axis + 1 < rank; ++axis) {
    const double extent = cuts[rank - 1 - axis].extent;
    const double side = schedule.block[axis];
    if (axis == 0) work.row = static_cast<int>(std::min(side, extent));
    covered *= std::min(side, extent);
  }
  work.threads = static_cast<int>(covered);
  const double of_thread = work.iterations * work.threads;
  for (const PlanesStage& stage : plan.stages) {
    if (stage.computed.empty()) continue;
    const Operations each = at_point(tiles, program.functions[stage.function],
                                     [&](ir::FieldId id) { return ir::is_written(program, id); });
    const double computed = points(cuts, stage.computed) / of_thread;
    work.iteration.add(each, computed);
    work.planes_read += computed * bytes_of_planes(program, program.functions[stage.function]);
  }
  const double output = points(cuts, analysis::Margin(cuts.size()));
  double bytes = 0, once = 0;
  for (const PlanesVersion& version : plan.versions) {
    const ir::Field& field = program.fields[version.field];
    const double each = static_cast<double>(bytes_per_point(field));
    if (version.in_memory() && version.needed) {
      bytes += each * points(cuts, *version.needed);
      once += each * output;
    }
    if (version.output >= 0) bytes += each * output, once += each * output;
  }
  // Working set: the rings, and the planes in memory that the first step's stages read.
  work.held_bytes = static_cast<double>(work.shared_bytes);
  for (const PlanesStage& stage : plan.stages) {
    if (stage.step > 0) continue;
    work.held_bytes += covered * bytes_of_planes(program, program.functions[stage.function]);
  }
  work.bytes = bytes / work.iterations;
  work.compulsory = bytes > 0 ? std::min(1.0, once / bytes) : 1;
  for (const Cut& each : cuts) work.blocks *= each.blocks;
  return {plan.steps, written_points(program), {work}};
}

}  // namespace stencil::schedule
