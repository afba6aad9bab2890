// The `direct` family: one kernel per stencil function and step. A thread computes one point or a
// few points.
//
// Every step reads and writes global memory, so the speed is limited by the copy bandwidth. The
// family supports every program that a kernel can express and is the baseline for time tiling.
#include "compiler/schedule/direct/family.h"

#include <algorithm>

#include "compiler/schedule/common/limits.h"
#include "compiler/schedule/common/operations.h"
#include "compiler/schedule/common/shapes.h"
#include "compiler/schedule/direct/kernel.h"
#include "compiler/schedule/direct/work.h"

namespace stencil::schedule {

namespace {

// Whether some piece has more than 512 double-precision terms. The loop over a thread's points must
// then not be unrolled: compilers would keep the constants of all terms live for the next point,
// and spill.
bool too_long_to_unroll(const ir::Program& program) {
  constexpr int64_t kTerms = 512;
  for (const ir::Function& function : program.functions) {
    for (const ir::Piece& piece : function.pieces) {
      int64_t terms = 0;
      for (const ir::Node& node : piece.graph.nodes()) {
        terms += node.type == Scalar::F64 && std::holds_alternative<ir::Access>(node.kind) ? 1 : 0;
      }
      if (terms > kTerms) return true;
    }
  }
  return false;
}

// Up to rank 3, the fastest schedules measured on an H200 (docs/design/performance.md).
Schedule usual(const ir::Program& program, const Machine& machine) {
  Schedule schedule;
  schedule.family = "direct";
  if (machine.threads_are_loops) {  // long rows, and enough of them to keep a thread busy
    schedule.block = program.grid().rank() == 1 ? Shape{16384} : Shape{1024, 16};
    return schedule;
  }
  if (program.grid().rank() == 1) schedule.block = {256, 1, 1};
  if (program.grid().rank() >= 2) schedule.block = {64, 4, 1};
  if (program.grid().rank() >= 4) schedule.block = {32, 4, 2};  // 4-D grids have short sides
  const bool one = too_long_to_unroll(program);
  if (program.grid().rank() == 2 && !one) schedule.elements = {1, 4, 1};
  if (program.grid().rank() == 3 && !one) schedule.elements = {1, 1, 4};
  if (program.grid().rank() >= 4 && !one) schedule.elements = {1, 1, 2, 2};
  const Shape elements = schedule.elements;
  schedule = with_fewer_threads(schedule, machine);
  schedule.elements = elements;  // a smaller tile costs nothing
  return schedule;
}

class PlannedSweeps final : public Plan {
 public:
  PlannedSweeps(const analysis::TimeTiles& tiles, const Schedule& schedule)
      : tiles_(tiles),
        program_(tiles.program()),
        schedule_(schedule),
        sweeps_(plan_sweeps(program_)) {}

  Footprint cost() const override {
    Footprint out;
    count_sweeps(program_, sweeps_, out);
    out.output = points_of_block(schedule_, program_.grid().rank());
    for (int d = 0; d < program_.grid().rank(); ++d) {
      int64_t& points = out.output[static_cast<size_t>(d)];
      points = std::min(points, usual_extent(program_, d));
    }
    out.threads = static_cast<int>(schedule_.block.product());
    return out;
  }

  std::optional<TileWork> work() const override {
    return TileWork{1, usual_points(program_), work_of(tiles_, sweeps_, schedule_)};
  }

  void lower(kernel::Module& module) const override {
    append_direct(Interface(program_, schedule_.rows), sweeps_, schedule_, module);
  }

 private:
  const analysis::TimeTiles& tiles_;
  const ir::Program& program_;
  const Schedule schedule_;
  const std::vector<Sweep> sweeps_;
};

Proposal propose(const analysis::TimeTiles& tiles, const Machine& machine) {
  return {usual(tiles.program(), machine), "the usual block for the grid's rank"};
}

PlanPtr plan(const analysis::TimeTiles& tiles, const Schedule& schedule, const Machine&,
             Diagnostics&) {
  return std::make_shared<PlannedSweeps>(tiles, schedule);
}

Shapes shapes(int rank) {
  return {shapes_of(rank, {{{4, 8, 16, 32, 64}, {1, 2, 4, 8}, {1, 2}}, 256, 64}),
          shapes_of(rank, {{{1, 2, 3}, {1, 2, 3, 4}, {1, 2, 4}, {1, 2}}, 24, 8})};
}

}  // namespace

Family direct_family() {
  return {"direct",
          "one sweep per stencil function and step; a thread per point or a few points",
          direct_settings(),
          propose,
          plan,
          shapes};
}

}  // namespace stencil::schedule
