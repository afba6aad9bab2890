#include "compiler/schedule/planes/work.h"

#include <algorithm>
#include <cmath>

#include "compiler/schedule/parts/operations.h"

namespace stencil::schedule {

TileWork work_of(const analysis::TimeTiles& tiles, const Schedule& schedule,
                 const PlanesPlan& plan) {
  const ir::Program& program = tiles.program();
  const int rank = program.grid.rank();
  std::vector<int64_t> core = {plan.chunk};
  for (int d = 1; d < rank; ++d) core.push_back(std::max<int64_t>(plan.core(d), 1));
  const double output = analysis::points(core, analysis::Margin(core.size()));

  Work work;
  work.row = schedule.block[0];
  work.threads = static_cast<int>(schedule.block.product());
  work.shared_bytes = ring_bytes(program, plan);
  work.stages = static_cast<double>(plan.stages.size());
  work.barriers = work.stages;
  work.footprint = footprint(program);
  work.iterations = static_cast<double>(plan.chunk + plan.halo);
  const double of_thread = work.iterations * work.threads;
  for (const PlanesStage& stage : plan.stages) {
    if (stage.computed.empty()) continue;
    const Operations each = at_point(tiles, program.functions[stage.function],
                                     [&](ir::FieldId id) { return ir::is_written(program, id); });
    work.iteration.add(each, analysis::points(core, stage.computed) / of_thread);
  }
  double bytes = 0, once = 0;
  for (const PlanesVersion& version : plan.versions) {
    const ir::Field& field = program.fields[static_cast<size_t>(version.field)];
    const double each = static_cast<double>(bytes_per_point(field));
    if (version.in_memory() && version.needed) {
      bytes += each * analysis::points(core, *version.needed);
      once += each * output;
    }
    if (version.output >= 0) bytes += each * output, once += each * output;
  }
  work.bytes = bytes / work.iterations;
  work.compulsory = bytes > 0 ? std::min(1.0, once / bytes) : 1;
  for (int d = 0; d < rank; ++d) {
    const double rest =
        static_cast<double>(usual_extent(program, d) - (d == 0 ? 0 : plan.spared(d)));
    const double length = static_cast<double>(core[static_cast<size_t>(d)]);
    work.blocks *= std::max(1.0, std::ceil(rest / length));
  }
  return {plan.steps, usual_points(program), {work}};
}

}  // namespace stencil::schedule
