// The `planes` family towards the rest of the compiler: defaults, refusals and costs.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/schedule/blocks.h"
#include "compiler/schedule/family.h"
#include "compiler/schedule/planes.h"

namespace stencil::schedule {

namespace {

Schedule make(int time_tile, const Shape& block, Edges edges) {
  Schedule schedule;
  schedule.family = "planes";
  schedule.time_tile = time_tile;
  schedule.block = block;
  schedule.edges = edges;
  return schedule;
}

// Tiles that write at least half of what they compute in each dimension.
bool pays(const ir::Program& program, const PlanesPlan& plan) {
  for (int d = 1; d < program.grid.rank(); ++d) {
    if (2 * plan.core(d) < plan.cover[static_cast<size_t>(d)]) return false;
  }
  return plan.halo <= kMostHaloPlanes;
}

double points_of(const PlanesPlan& plan, const analysis::Margin& margin) {
  double points = static_cast<double>(plan.chunk + margin[0].low + margin[0].high);
  for (size_t d = 1; d < margin.size(); ++d) {
    points *= static_cast<double>(plan.core(static_cast<int>(d)) + margin[d].low + margin[d].high);
  }
  return points;
}

Footprint measure_plan(const ir::Program& program, const Schedule& schedule,
                       const PlanesPlan& plan) {
  const double core = points_of(plan, analysis::Margin(plan.cover.size()));
  Footprint out;
  for (const PlanesVersion& version : plan.versions) {
    const ir::Field& field = program.fields[static_cast<size_t>(version.field)];
    const double bytes = static_cast<double>(bytes_per_point(field));
    if (version.in_memory() && version.needed) {
      out.bytes_read += bytes * points_of(plan, *version.needed);
    }
    if (version.output >= 0) out.bytes_written += bytes * core;
  }
  double computed = 0;
  for (const PlanesStage& stage : plan.stages) computed += points_of(plan, stage.computed);
  out.redundancy = computed / (core * static_cast<double>(std::max<size_t>(plan.stages.size(), 1)));
  out.bytes_read /= core * plan.steps;
  out.bytes_written /= core * plan.steps;
  out.shared_bytes = ring_bytes(program, plan);
  out.threads = static_cast<int>(schedule.block.product());
  out.output.push_back(plan.chunk);
  for (int d = 1; d < program.grid.rank(); ++d) out.output.push_back(plan.core(d));
  return out;
}

Footprint measure_planes(const ir::Program& program, const Schedule& schedule, const Machine&) {
  return measure_plan(program, schedule, plan_planes(program, schedule, schedule.time_tile));
}

// --- Defaults ---

// Rows of a tile are whole if they are not too long for that: nothing then is recomputed in x, and
// vectors run from end to end.
int row_length(const ir::Program& program) {
  constexpr int64_t kWhole = 1024, kUsual = 512;
  const ir::Range& range = program.grid.ranges.back();
  const ir::Affine extent = range.high - range.low + 1;
  if (!extent.is_constant() || extent.constant > kWhole) return kUsual;
  return static_cast<int>(std::max<int64_t>(extent.constant, 1));
}

// A tile of so many points in x, and of `side` in each of the other dimensions that are tiled.
Shape tile_of(int rank, int x, int side) {
  Shape out = {x};
  for (int axis = 1; axis + 1 < rank; ++axis) out[static_cast<size_t>(axis)] = side;
  return out;
}

// Shapes of a processor's tiles: long rows, and of planes as many rows as leave a cache room for
// what passes through it.
std::vector<Shape> shapes_on_processor(int rank, int row, const Machine& machine) {
  if (rank == 2) return {{1024}, {512}};
  std::vector<Shape> out;
  for (const int side : {96, 64, 48, 40, 32, 24, 16, 12, 8, 6, 4}) {
    if (rank == 3 && side >= 8) out.push_back({row, side});
    const Shape shape = tile_of(rank, row, side);
    if (rank > 3 && side <= 16 && shape.product() <= machine.threads) out.push_back(shape);
  }
  return out;
}

// Those of a GPU's: what a block may have of threads, in z and beyond above all.
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

// Time per point and step in arbitrary units: what is computed in cache, and what passes between
// it and memory, which all threads share.
double expected_time(const Footprint& cost) {
  constexpr double kComputed = 1, kByte = 0.25;
  return kComputed * cost.redundancy + kByte * (cost.bytes_read + 2 * cost.bytes_written);
}

Schedule best_on_processor(const ir::Program& program, const Machine& machine, int row) {
  constexpr int kDeepest = 12;
  constexpr size_t kMostStages = 16;  // compilers take a while over more, and remainders double it
  Schedule best = make(1, {64}, Edges::Split);
  double least = 0;
  for (const Shape& block : shapes_on_processor(program.grid.rank(), row, machine)) {
    for (int t = 1; t <= kDeepest; ++t) {
      const Schedule schedule = make(t, block, Edges::Split);
      const PlanesPlan plan = plan_planes(program, schedule, t);
      if (t > 1 && plan.stages.size() > kMostStages) break;
      if (!pays(program, plan) || 2 * ring_bytes(program, plan) > machine.shared_bytes) break;
      const double time = expected_time(measure_plan(program, schedule, plan));
      if (least > 0 && time >= least) continue;
      best = schedule;
      least = time;
    }
  }
  return best;
}

// From 4-D on a halo on so many sides needs room, so rows are shorter if they must be.
Schedule defaults_on_processor(const ir::Program& program, const Machine& machine) {
  constexpr int kShortest = 16;
  int row = row_length(program);
  Schedule best = best_on_processor(program, machine, row);
  while (program.grid.rank() > 3 && best.time_tile == 1 && row > kShortest) {
    row = std::max(row / 2, kShortest);
    best = best_on_processor(program, machine, row);
  }
  return best;
}

void refuse(const ir::Program& program, const Schedule& schedule, const Machine& machine,
            Diagnostics& diagnostics);

Schedule defaults(const ir::Program& program, const Machine& machine) {
  if (program.grid.rank() < 2) return make(1, {64}, Edges::Tested);
  if (machine.threads_are_loops) return defaults_on_processor(program, machine);
  const std::vector<Shape> blocks = shapes_on_gpu(program.grid.rank(), machine);
  for (int t = 4; t > 1; --t) {
    for (const Shape& block : blocks) {
      const Schedule schedule = make(t, block, Edges::Tested);
      const PlanesPlan plan = plan_planes(program, schedule, t);
      if (pays(program, plan) && ring_bytes(program, plan) <= machine.shared_bytes) return schedule;
    }
  }
  // One step needs no halo; the block is one that serves two, if there is any.
  for (const Shape& block : blocks) {
    const Schedule schedule = make(2, block, Edges::Tested);
    Diagnostics refusals;
    refuse(program, schedule, machine, refusals);
    if (!refusals.has_errors()) return make(1, block, Edges::Tested);
  }
  return make(1, blocks.front(), Edges::Tested);
}

std::string rationale(const ir::Program&, const Machine& machine) {
  return machine.threads_are_loops
             ? "the least expected time of the tiles whose planes fill at most half of the "
               "second-level cache"
             : "the deepest of a few usual tiles that is at most half halo and fits shared memory";
}

// --- Refusals ---

void refuse_features(const ir::Program& program, const Schedule& schedule,
                     Diagnostics& diagnostics) {
  if (program.grid.rank() < 2) {
    diagnostics.error("L018", program.grid_span, "planes refused: the grid has one dimension")
        .hint = "there is nothing to tile beside the streamed dimension; use --schedule overlapped";
    return;
  }
  if (schedule.block[static_cast<size_t>(program.grid.rank()) - 1] != 1) {
    Diagnostic& error = diagnostics.error(
        "L019", {}, "planes refused: a tile does not extend along the streamed dimension");
    error.expected = fmt::format("a block of up to {} dimensions", program.grid.rank() - 1);
    error.found = "block=" + stencil::print(schedule.block, program.grid.rank());
    error.hint = "planes of the outermost dimension pass one after the other; see chunk=";
  }
  // Such a read takes what is in memory, where the steps of a tile are not.
  for (const FarRead& read : far_reads(program)) {
    bool made = schedule.time_tile > 1 && ir::is_written(program, read.field);
    for (size_t f = 0; f < read.function; ++f) made |= program.functions[f].target == read.field;
    if (!made) continue;
    diagnostics
        .error("L016", read.span,
               fmt::format("planes refused: the boundary of '{}' may lead far from the point",
                           program.fields[static_cast<size_t>(read.field)].name))
        .hint = "declare the field on the whole grid, or use --schedule overlapped or direct";
    return;
  }
}

void refuse(const ir::Program& program, const Schedule& schedule, const Machine& machine,
            Diagnostics& diagnostics) {
  refuse_features(program, schedule, diagnostics);
  if (diagnostics.has_errors()) return;
  const PlanesPlan plan = plan_planes(program, schedule, schedule.time_tile);
  refuse_long_halo("L026", schedule, plan.halo, diagnostics);
  if (diagnostics.has_errors()) return;
  for (int d = 1; d < program.grid.rank(); ++d) {
    if (plan.core(d) >= 1) continue;
    const analysis::Reach margin = plan.margin[static_cast<size_t>(d)];
    Diagnostic& error =
        diagnostics.error("L014", {},
                          fmt::format("planes refused: the tile is smaller than its halo in {}",
                                      axis_names(program.grid.rank())[static_cast<size_t>(d)]));
    error.expected = fmt::format("a block of at least {} for T={}", margin.low + margin.high + 1,
                                 schedule.time_tile);
    error.found = fmt::format("{}", plan.cover[static_cast<size_t>(d)]);
    error.hint = "fewer steps per tile or a larger block";
    return;
  }
  const int64_t bytes = ring_bytes(program, plan);
  if (bytes > machine.shared_bytes) {
    Diagnostic& error =
        diagnostics.error("L015", {}, "planes refused: the rings exceed shared memory");
    error.expected = fmt::format("at most {} bytes per block", machine.shared_bytes);
    error.found = fmt::format("{} bytes", bytes);
    error.hint = "fewer steps per tile or a smaller block";
  }
}

std::string unrewarding(const ir::Program& program, const Machine& machine) {
  if (!machine.threads_are_loops) return "it is for the caches of processors";
  const int rank = program.grid.rank();
  if (rank < 2) return "";
  if (rank > 3) return fmt::format("in {}-D recomputing the halo costs more than it saves", rank);
  return defaults(program, machine).time_tile > 1 ? "" : "planes of so many fields leave a cache";
}

}  // namespace

Family planes_family() {
  return {"planes",
          "T steps in flight along the outermost dimension, planes in cache or shared memory",
          {Setting::TimeTile, Setting::Block, Setting::Chunk, Setting::Edges, Setting::Rows},
          defaults,
          rationale,
          unrewarding,
          refuse,
          lower_planes,
          measure_planes};
}

}  // namespace stencil::schedule
