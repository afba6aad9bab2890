// The `direct` family: one kernel per stencil function and step, a thread per point, per few points
// or per column of planes.
//
// Every step reads and writes global memory, so its speed ends at the copy bound; it serves any
// program a kernel can serve, and it is what time tiling has to beat. What threads keep and share
// of what they read (tile.h) are the kernels of a decade of papers (presets.h).
#include "compiler/schedule/sweeps/direct.h"

#include <algorithm>

#include "compiler/schedule/parts/limits.h"
#include "compiler/schedule/parts/operations.h"
#include "compiler/schedule/parts/shapes.h"
#include "compiler/schedule/sweeps/tile.h"
#include "compiler/schedule/sweeps/tile_kernel.h"
#include "compiler/schedule/sweeps/work.h"

namespace stencil::schedule {

namespace {

// Whether some piece has so many terms in double precision that points of one thread must not be
// unrolled: compilers keep the constants of all terms at hand for the next point, and spill.
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

// Up to rank 3 the fastest of those measured on an H200 (docs/performance.md).
Schedule usual(const ir::Program& program, const Machine& machine) {
  Schedule schedule;
  schedule.family = "direct";
  if (machine.threads_are_loops) {  // long rows, and enough of them to keep a thread busy
    schedule.block = program.grid.rank() == 1 ? Shape{16384} : Shape{1024, 16};
    return schedule;
  }
  if (program.grid.rank() == 1) schedule.block = {256, 1, 1};
  if (program.grid.rank() >= 2) schedule.block = {64, 4, 1};
  if (program.grid.rank() >= 4) schedule.block = {32, 4, 2};  // grids have short sides
  const bool one = too_long_to_unroll(program);
  if (program.grid.rank() == 2 && !one) schedule.elements = {1, 4, 1};
  if (program.grid.rank() == 3 && !one) schedule.elements = {1, 1, 4};
  if (program.grid.rank() >= 4 && !one) schedule.elements = {1, 1, 2, 2};
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
        sweeps_(plan_sweeps(program_)),
        sweep_tiles_(plan_tiles(program_, sweeps_, schedule_)) {}
  PlannedSweeps(const PlannedSweeps&) = delete;  // tiles refer to sweeps

  Footprint cost() const override {
    Footprint out;
    count_sweeps(program_, sweeps_, out);
    for (int d = 0; d < program_.grid.rank(); ++d) {
      int64_t least = 0;
      for (const SweepTile& tile : sweep_tiles_) {
        least = least == 0 ? tile.core(d) : std::min(least, tile.core(d));
      }
      out.output.push_back(std::min(least, usual_extent(program_, d)));
    }
    for (const SweepTile& tile : sweep_tiles_) {
      out.shared_bytes = std::max(out.shared_bytes, tile.shared_bytes(program_));
    }
    out.threads = static_cast<int>(schedule_.block.product());
    return out;
  }

  std::optional<TileWork> work() const override {
    return TileWork{1, usual_points(program_), work_of(tiles_, sweep_tiles_)};
  }

  const std::vector<SweepTile>& sweep_tiles() const { return sweep_tiles_; }

  void lower(kernel::Module& module) const override {
    append_sweeps(Interface(program_, schedule_.rows), sweep_tiles_, module);
  }

 private:
  const analysis::TimeTiles& tiles_;
  const ir::Program& program_;
  const Schedule schedule_;
  const std::vector<Sweep> sweeps_;
  const std::vector<SweepTile> sweep_tiles_;
};

Proposal propose(const analysis::TimeTiles& tiles, const Machine& machine) {
  return {usual(tiles.program(), machine),
          "a block of the shape that is usual for the grid's rank"};
}

PlanPtr plan(const analysis::TimeTiles& tiles, const Schedule& schedule, const Machine& machine,
             Diagnostics& diagnostics) {
  refuse_tile(tiles.program(), schedule, machine, diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  const auto out = std::make_shared<PlannedSweeps>(tiles, schedule);
  for (const SweepTile& tile : out->sweep_tiles()) {
    refuse_tile(tiles.program(), tile, machine, diagnostics);
    if (diagnostics.has_errors()) return nullptr;
  }
  return out;
}

// A block that sweeps is a plane: what is left out does not extend along the sweep.
void complete(Schedule& schedule, const std::vector<Setting>& given, int rank) {
  if (schedule.chunk == 0) return;
  const auto is_given = [&](Setting setting) {
    return std::find(given.begin(), given.end(), setting) != given.end();
  };
  const size_t swept = static_cast<size_t>(rank) - 1;  // x first
  if (!is_given(Setting::Block)) schedule.block[swept] = 1;
  if (!is_given(Setting::Elements)) schedule.elements[swept] = 1;
}

Shapes shapes(int rank) {
  return {shapes_of(rank, {{{4, 8, 16, 32, 64}, {1, 2, 4, 8}, {1, 2}}, 256, 64}),
          shapes_of(rank, {{{1, 2, 3}, {1, 2, 3, 4}, {1, 2, 4}, {1, 2}}, 24, 8})};
}

}  // namespace

Family direct_family() {
  return {"direct",
          "one sweep per stencil function and step; a thread per point or column",
          {Setting::Block, Setting::Elements, Setting::Chunk, Setting::Prefetch, Setting::Column,
           Setting::Operands, Setting::Halo, Setting::Rows},
          propose,
          plan,
          shapes,
          {Setting::Chunk, Setting::Prefetch, Setting::Column, Setting::Operands, Setting::Halo,
           Setting::Rows},
          complete};
}

}  // namespace stencil::schedule
