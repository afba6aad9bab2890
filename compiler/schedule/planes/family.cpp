// Proposes, checks and costs tiles of the `planes` family. Code generation is in kernel.cpp.
#include "compiler/schedule/planes/family.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/schedule/common/shapes.h"
#include "compiler/schedule/planes/kernel.h"
#include "compiler/schedule/planes/work.h"

namespace stencil::schedule {

namespace {

Schedule make(int time_tile, const Shape& block, Interior interior) {
  Schedule schedule;
  schedule.family = "planes";
  schedule.own = PlanesSettings{};
  schedule.time_tile = time_tile;
  schedule.block = block;
  schedule.interior = interior;
  return schedule;
}

bool pays(const PlanesPlan& plan) {
  return schedule::pays(plan.sides()) && plan.halo <= kMostHaloPlanes;
}

Footprint cost_of(const ir::Program& program, const Schedule& schedule, const PlanesPlan& plan) {
  Footprint out;
  out.output.push_back(plan.chunk);
  for (const TileSide& side : plan.sides()) out.output.push_back(side.core());
  const double core = analysis::points(out.output, analysis::Margin(out.output.size()));
  for (const PlanesVersion& version : plan.versions) {
    const ir::Field& field = program.fields[version.field];
    const double bytes = static_cast<double>(bytes_per_point(field));
    if (version.in_memory() && version.needed) {
      out.bytes_read += bytes * analysis::points(out.output, *version.needed);
    }
    if (version.output >= 0) out.bytes_written += bytes * core;
  }
  double computed = 0;
  for (const PlanesStage& stage : plan.stages) {
    computed += analysis::points(out.output, stage.computed);
  }
  out.redundancy = computed / (core * static_cast<double>(std::max<size_t>(plan.stages.size(), 1)));
  out.bytes_read /= core * plan.steps;
  out.bytes_written /= core * plan.steps;
  out.shared_bytes = ring_bytes(program, plan);
  out.threads = static_cast<int>(schedule.block.product());
  return out;
}

class PlannedPlanes final : public Plan {
 public:
  PlannedPlanes(const analysis::TimeTiles& tiles, const Schedule& schedule, PlanesPlan plan,
                const Machine& machine)
      : tiles_(tiles), schedule_(schedule), plan_(std::move(plan)), machine_(machine) {}

  Footprint cost() const override { return cost_of(tiles_.program(), schedule_, plan_); }
  // On GPUs the `streaming` family is the better choice, and these counts would be inaccurate.
  std::optional<TileWork> work() const override {
    if (!machine_.threads_are_loops) return std::nullopt;
    return work_of(tiles_, schedule_, plan_);
  }
  void lower(kernel::Module& module) const override {
    lower_planes(tiles_, schedule_, plan_, module);
  }
  std::optional<Stream> stream() const override {
    Stream out{plan_.chunk + plan_.halo, {}};
    for (const PlanesStage& stage : plan_.stages) out.lags.push_back(stage.lag);
    return out;
  }
  std::string unrewarding() const override {
    if (!machine_.threads_are_loops) return "this family is meant for CPUs";
    const int rank = tiles_.program().grid().rank();
    if (rank > 3) return fmt::format("in {}-D recomputing the halo costs more than it saves", rank);
    // Planes in cache pay off even with T=1: several functions share them, and each plane is read
    // for several planes of results.
    return "";
  }

 private:
  const analysis::TimeTiles& tiles_;
  const Schedule schedule_;
  const PlanesPlan plan_;
  const Machine machine_;
};

// --- Refusals

// Refuses reads outside the halo whose values memory does not hold, because steps of the current
// tile produce them.
void refuse_reads_outside_halo(const ir::Program& program, const Schedule& schedule,
                               Diagnostics& diagnostics) {
  for (const analysis::ReadOutsideHalo& read : analysis::reads_outside_halo(program)) {
    bool made = schedule.time_tile > 1 && ir::is_written(program, read.field);
    for (size_t f = 0; f < read.function; ++f) made |= ir::writes(program.functions[f], read.field);
    if (made)
      return refuse_read_outside_halo(program, schedule, read.field, read.span, diagnostics);
  }
}

void refuse_shape(const ir::Program& program, const Schedule& schedule, Diagnostics& diagnostics) {
  if (schedule.block[static_cast<size_t>(program.grid().rank()) - 1] == 1) return;
  Diagnostic& error = diagnostics.error(
      "L019", {}, "planes refused: the block must not extend along the streamed dimension");
  error.expected = fmt::format("a block of up to {} dimensions", program.grid().rank() - 1);
  error.found = "block=" + stencil::print(schedule.block, program.grid().rank());
  error.hint = "the outermost dimension is processed plane by plane; see chunk=";
}

PlanPtr plan(const analysis::TimeTiles& tiles, const Schedule& schedule, const Machine& machine,
             Diagnostics& diagnostics) {
  const ir::Program& program = tiles.program();
  refuse_advanced_levels(program, schedule, diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  refuse_line(program, schedule, diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  refuse_shape(program, schedule, diagnostics);
  refuse_reads_outside_halo(program, schedule, diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  PlanesPlan plan = plan_planes(tiles, schedule, schedule.time_tile);
  refuse_long_halo(schedule, plan.halo, diagnostics);
  if (!diagnostics.has_errors()) {
    refuse_small_tile(program, schedule, plan.sides(), diagnostics);
  }
  if (!diagnostics.has_errors()) {
    refuse_shared_bytes(schedule, "the rings", ring_bytes(program, plan), machine, diagnostics);
  }
  if (diagnostics.has_errors()) return nullptr;
  return std::make_shared<PlannedPlanes>(tiles, schedule, std::move(plan), machine);
}

// --- Proposals

// Tiles cover whole rows unless rows are too long. In whole rows nothing is recomputed in x, and
// vectorized loops span the row.
int row_length(const ir::Program& program) {
  constexpr int64_t kWhole = 1024, kUsual = 512;
  const ir::Range& range = program.grid().ranges.back();
  const ir::Affine extent = range.high - range.low + 1;
  if (!extent.is_constant() || extent.constant > kWhole) return kUsual;
  return static_cast<int>(std::max<int64_t>(extent.constant, 1));
}

// A tile of `x` points in x and `side` points in each other tiled dimension.
Shape tile_of(int rank, int x, int side) {
  Shape out = {x};
  for (int axis = 1; axis + 1 < rank; ++axis) out[axis] = side;
  return out;
}

// Tile shapes for a CPU: long rows, and numbers of rows from many to few, for caches of different
// size.
std::vector<Shape> shapes_on_cpu(int rank, int row, const Machine& machine) {
  if (rank == 2) return {{1024}, {512}};
  std::vector<Shape> out;
  for (const int side : {96, 64, 48, 40, 32, 24, 16, 12, 8, 6, 4}) {
    if (rank == 3 && side >= 8) out.push_back({row, side});
    const Shape shape = tile_of(rank, row, side);
    if (rank > 3 && side <= 16 && shape.product() <= machine.threads) out.push_back(shape);
  }
  return out;
}

// Tile shapes for a GPU, limited by the threads per block, especially from z on.
std::vector<Shape> shapes_on_gpu(int rank, const Machine& machine) {
  std::vector<Shape> out;
  if (rank <= 3) {
    for (Shape shape : rank == 2 ? std::vector<Shape>{{256}, {128}, {64}, {32}}
                                 : std::vector<Shape>{{32, 16}, {32, 8}, {16, 8}, {8, 8}}) {
      if (takes_block(machine, shape)) out.push_back(shape);
    }
    out.resize(1, {1});
    return out;
  }
  for (const int side : {8, 4, 3, 2}) {
    const Shape rows = tile_of(rank, 1, side);
    int x = 32;
    while (x > 1 && x * rows.product() > machine.threads) x /= 2;
    const Shape shape = tile_of(rank, x, side);
    if (x >= side && takes_block(machine, shape)) out.push_back(shape);
  }
  if (out.empty()) out.push_back({1});
  return out;
}

// Time per point and step in arbitrary units: computation in cache, and traffic to memory, which
// all threads share.
double expected_time(const Footprint& cost) {
  constexpr double kComputed = 1, kByte = 0.25;
  return kComputed * cost.redundancy + kByte * (cost.bytes_read + 2 * cost.bytes_written);
}

Schedule best_on_cpu(const analysis::TimeTiles& tiles, const Machine& machine, int row) {
  constexpr int kDeepest = 12;
  constexpr size_t kMostStages = 16;  // compile time; kernels for fewer steps double it
  const ir::Program& program = tiles.program();
  Schedule best = make(1, {64}, Interior::Split);
  double least = 0;
  for (const Shape& block : shapes_on_cpu(program.grid().rank(), row, machine)) {
    for (int t = 1; t <= kDeepest; ++t) {
      const Schedule schedule = make(t, block, Interior::Split);
      const PlanesPlan plan = plan_planes(tiles, schedule, t);
      if (t > 1 && plan.stages.size() > kMostStages) break;
      if (!pays(plan) || 2 * ring_bytes(program, plan) > machine.shared_bytes) break;
      const double time = expected_time(cost_of(program, schedule, plan));
      if (least > 0 && time >= least) continue;
      best = schedule;
      least = time;
    }
  }
  return best;
}

// From 4-D on, tiles have halos on many sides, so rows are shortened if no deeper tile fits.
Schedule usual_on_cpu(const analysis::TimeTiles& tiles, const Machine& machine) {
  constexpr int kShortest = 16;
  const ir::Program& program = tiles.program();
  int row = row_length(program);
  Schedule best = best_on_cpu(tiles, machine, row);
  while (program.grid().rank() > 3 && best.time_tile == 1 && row > kShortest) {
    row = std::max(row / 2, kShortest);
    best = best_on_cpu(tiles, machine, row);
  }
  return best;
}

Schedule usual_on_gpu(const analysis::TimeTiles& tiles, const Machine& machine) {
  const ir::Program& program = tiles.program();
  const std::vector<Shape> blocks = shapes_on_gpu(program.grid().rank(), machine);
  for (int t = 4; t > 1; --t) {
    for (const Shape& block : blocks) {
      const Schedule schedule = make(t, block, Interior::Tested);
      const PlanesPlan plan = plan_planes(tiles, schedule, t);
      if (pays(plan) && ring_bytes(program, plan) <= machine.shared_bytes) return schedule;
    }
  }
  // One step needs no halo. Prefer a block that would also support two steps.
  for (const Shape& block : blocks) {
    Diagnostics refusals;
    if (plan(tiles, make(2, block, Interior::Tested), machine, refusals)) {
      return make(1, block, Interior::Tested);
    }
  }
  return make(1, blocks.front(), Interior::Tested);
}

Proposal propose(const analysis::TimeTiles& tiles, const Machine& machine) {
  Proposal out;
  out.schedule = make(1, {64}, Interior::Tested);
  if (tiles.program().grid().rank() >= 2) {
    out.schedule =
        machine.threads_are_loops ? usual_on_cpu(tiles, machine) : usual_on_gpu(tiles, machine);
  }
  out.why = machine.threads_are_loops
                ? "the shortest expected time among tiles whose planes fill at most half of the "
                  "second-level cache"
                : "the deepest of a few usual tiles that is at most half halo and fits shared "
                  "memory";
  return out;
}

Shapes shapes(int rank) {
  return {shapes_of(rank - 1, {{{4, 7, 8, 16, 32, 64}, {1, 2, 4, 5, 8, 16}, {1, 2, 4}}, 512, 64})};
}

}  // namespace

Family planes_family() {
  return {"planes",
          "T steps in flight along the outermost dimension, planes in cache or shared memory",
          planes_settings(),
          propose,
          plan,
          shapes,
          nullptr,
          PlanesSettings{}};
}

}  // namespace stencil::schedule
