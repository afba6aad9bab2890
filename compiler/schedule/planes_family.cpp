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

Footprint measure_planes(const ir::Program& program, const Schedule& schedule) {
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

// Shapes of a processor's tiles: long rows, and of planes as many rows as leave a cache room for
// what passes through it.
std::vector<Shape> shapes_on_processor(const ir::Program& program) {
  const int x = row_length(program);
  const int rank = program.grid.rank();
  if (rank == 2) return {{1024}, {512}};
  std::vector<Shape> out;
  for (const int y : {96, 64, 48, 40, 32, 24, 16, 12, 8}) {
    if (rank == 3) out.push_back({x, y});
    if (rank > 3) out.push_back(Shape{x, std::min(y, 12), std::min(y, 12)});
  }
  return out;
}

// Time per point and step in arbitrary units: what is computed in cache, and what passes between
// it and memory, which all threads share.
double expected_time(const Footprint& cost) {
  constexpr double kComputed = 1, kByte = 0.25;
  return kComputed * cost.redundancy + kByte * (cost.bytes_read + 2 * cost.bytes_written);
}

Schedule defaults_on_processor(const ir::Program& program, const Machine& machine) {
  constexpr int kDeepest = 12;
  constexpr size_t kMostStages = 16;  // compilers take a while over more, and remainders double it
  Schedule best = make(1, {64}, Edges::Split);
  double least = 0;
  for (const Shape& block : shapes_on_processor(program)) {
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

Schedule defaults(const ir::Program& program, const Machine& machine) {
  if (program.grid.rank() < 2) return make(1, {64}, Edges::Tested);
  if (machine.threads_are_loops) return defaults_on_processor(program, machine);
  const Shape block = program.grid.rank() == 2 ? Shape{256} : Shape{32, 16};
  for (int t = 4; t > 1; --t) {
    const Schedule schedule = make(t, block, Edges::Tested);
    const PlanesPlan plan = plan_planes(program, schedule, t);
    if (pays(program, plan) && ring_bytes(program, plan) <= machine.shared_bytes) return schedule;
  }
  return make(1, block, Edges::Tested);
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
  if (program.grid.rank() < 2) return "";
  return defaults(program, machine).time_tile > 1 ? "" : "planes of so many fields leave a cache";
}

}  // namespace

Family planes_family() {
  return {"planes",
          "T steps in flight along the outermost dimension, planes in cache or shared memory",
          {Setting::TimeTile, Setting::Block, Setting::Chunk, Setting::Edges, Setting::Rows},
          defaults,
          unrewarding,
          refuse,
          lower_planes,
          measure_planes};
}

}  // namespace stencil::schedule
