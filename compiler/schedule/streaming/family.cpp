// Proposes, checks and costs tiles of the `streaming` family. Code generation is in kernel.cpp.
#include "compiler/schedule/streaming/family.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/schedule/common/rows.h"
#include "compiler/schedule/common/shapes.h"
#include "compiler/schedule/model/predict.h"
#include "compiler/schedule/streaming/chunks.h"
#include "compiler/schedule/streaming/kernel.h"
#include "compiler/schedule/streaming/resources.h"
#include "compiler/schedule/streaming/work.h"

namespace stencil::schedule {

namespace {

Schedule make(int time_tile, const Shape& block, const Shape& elements) {
  Schedule schedule;
  schedule.family = "streaming";
  schedule.time_tile = time_tile;
  schedule.block = block;
  schedule.elements = elements;
  schedule.own = StreamingSettings{.loads = Loads::Async};
  schedule.prefetch = 2;
  return schedule;
}

int64_t block_bytes(const Schedule& schedule, const StreamPlan& plan) {
  return bounded_sum(shared_bytes(schedule, plan), queue_bytes(plan, threads_of(schedule)));
}

// A block reads its tile of every field once per plane and writes its core.
Footprint cost_of(const ir::Program& program, const Schedule& schedule, const StreamPlan& plan) {
  const double chunk = static_cast<double>(cut_chunks(program, schedule, plan).length);
  const double planes = chunk + static_cast<double>(plan.fill + plan.drain);
  double tile = planes;
  double core = chunk;
  Footprint out;
  out.output.push_back(static_cast<int64_t>(chunk));
  for (int axis = plan.rank - 2; axis >= 0; --axis) {
    tile *= static_cast<double>(plan.cover[axis]);
    core *= static_cast<double>(plan.core(axis));
    out.output.push_back(plan.core(axis));
  }
  for (const Quantity& q : plan.quantities) {
    if (q.loaded()) out.bytes_read += size_in_bytes(q.type) * tile;
    if (q.is_output()) out.bytes_written += size_in_bytes(q.type) * core;
  }
  out.bytes_read /= core * schedule.time_tile;
  out.bytes_written /= core * schedule.time_tile;
  out.redundancy = tile / core;
  out.shared_bytes = shared_bytes(schedule, plan);
  out.threads = threads_of(schedule);
  return out;
}

// Whether a tile fits registers (with a margin against spills), shared memory and a CPU's stack,
// and writes at least half of what it computes in each dimension.
bool fits(const Schedule& schedule, const StreamPlan& plan) {
  if (!takes_block(plan.machine, schedule.block) || plan.hopeless || !pays(plan.sides()))
    return false;
  if (block_bytes(schedule, plan) > plan.machine.block_bytes) return false;
  const int limit = register_limit(plan.machine, 1, threads_of(schedule));
  return estimate_registers(plan) <= limit &&
         shared_bytes(schedule, plan) <= plan.machine.shared_bytes;
}

class PlannedStream final : public Plan {
 public:
  PlannedStream(const analysis::TimeTiles& tiles, const Schedule& schedule, StreamPlan plan)
      : tiles_(tiles), schedule_(schedule), plan_(std::move(plan)) {}

  Footprint cost() const override { return cost_of(tiles_.program(), schedule_, plan_); }
  std::optional<TileWork> work() const override { return work_of(tiles_, schedule_, plan_); }
  void lower(kernel::Module& module) const override {
    lower_streaming(tiles_, schedule_, plan_, module);
  }

  // Partial sums are part of the stage that they are computed for.
  std::optional<Stream> stream() const override {
    const int64_t chunk = cut_chunks(tiles_.program(), schedule_, plan_).length;
    Stream out{chunk + plan_.fill + plan_.drain, {}};
    for (const StreamStage& stage : plan_.stages) {
      if (!stage.everywhere) out.lags.push_back(stage.lag);
    }
    return out;
  }

  std::string unrewarding() const override {
    return plan_.machine.threads_are_loops ? "a CPU has too few registers to keep planes in them"
                                           : "";
  }

 private:
  const analysis::TimeTiles& tiles_;
  const Schedule schedule_;
  const StreamPlan plan_;
};

// --- Refusals

void refuse_shape(const ir::Program& program, const Schedule& schedule, Diagnostics& diagnostics) {
  const int lanes = schedule.block[0];
  const bool row = lanes <= 32 && (lanes & (lanes - 1)) == 0;
  if (!row || threads_of(schedule) % 32 != 0 || schedule.block[2] != 1) {
    Diagnostic& error =
        diagnostics.error("L019", {}, "streaming refused: rows of threads do not form whole warps");
    error.expected = "block=XxY with X a power of two up to 32 and X*Y a multiple of 32";
    error.found = fmt::format("block={}x{}x{}", lanes, schedule.block[1], schedule.block[2]);
    error.hint = "neighbours exchange values by warp shuffles along x";
  }
  const bool flat = program.grid().rank() == 2;
  if ((flat && schedule.elements[1] != 1) || schedule.elements[2] != 1) {
    Diagnostic& error = diagnostics.error(
        "L019", {}, "streaming refused: elements must not extend along the streamed dimension");
    error.expected = flat ? "elements=X" : "elements=XxY";
    error.found = fmt::format("elements={}x{}x{}", schedule.elements[0], schedule.elements[1],
                              schedule.elements[2]);
    error.hint = "the outermost dimension is processed plane by plane; see chunk=";
  }
}

void refuse_scatter(const analysis::TimeTiles& tiles, Diagnostics& diagnostics) {
  const ir::Program& program = tiles.program();
  if (program.fp == FpMode::Fast && tiles.kept<ScatterForms>().any()) return;
  Diagnostic& error = diagnostics.error(
      "L021", {},
      program.fp != FpMode::Fast
          ? fmt::format(
                "streaming refused: form=scatter reorders sums, which --fp={} does not allow",
                name(program.fp))
          : "streaming refused: no function can be summed plane by plane for form=scatter");
  error.expected =
      "--fp=fast, and a function with one piece that is a sum of accesses times constants or "
      "params";
  error.hint = "use form=gather";
}

// Bulk copies require certain array layouts and box sizes; see kernel.h.
void refuse_bulk(const ir::Program& program, const Schedule& schedule, const StreamPlan& plan,
                 Diagnostics& diagnostics) {
  const auto error = [&](Span span, const std::string& what) -> Diagnostic& {
    return diagnostics.error("L025", span, "streaming refused: loads=bulk cannot copy " + what);
  };
  const bool wraps = std::find(plan.images.begin(), plan.images.end(), true) != plan.images.end();
  for (const Quantity& q : plan.quantities) {
    if (!plan.bulk || q.ring == 0) continue;
    const ir::Field& field = program.fields[q.field];
    if (wraps) {
      error(field.span, fmt::format("field '{}' across a periodic edge", field.name)).hint =
          "a bulk copy cannot wrap around; use loads=async";
      return;
    }
    const int size = size_in_bytes(q.type);
    if (lay_out_rows(program, field, q.type, schedule.rows).alignment % kernel::kBulkUnit != 0) {
      const ir::Affine row = field.box.ranges.back().high - field.box.ranges.back().low + 1;
      Diagnostic& made = error(field.span, fmt::format("the rows of field '{}'", field.name));
      made.expected =
          fmt::format("rows that are known to be aligned to {} bytes", kernel::kBulkUnit);
      made.found = row.is_constant() ? fmt::format("{} elements of {} bytes", row.constant, size)
                                     : "a length that is known only at run time";
      made.hint = schedule.rows == Rows::Dense
                      ? "use loads=async, or rows=padded"
                      : "use loads=async, or a larger grid (rows this short are not padded)";
      return;
    }
    if (plan.cover[0] * size % kernel::kBulkUnit == 0 && plan.cover[0] <= kernel::kBulkExtent &&
        plan.cover[1] <= kernel::kBulkExtent) {
      continue;
    }
    Diagnostic& made = error({}, "planes of this tile");
    made.expected = fmt::format("at most {0} x {0} points, and rows of a multiple of {1} bytes",
                                kernel::kBulkExtent, kernel::kBulkUnit);
    made.found = fmt::format("{} x {} points of {} bytes", plan.cover[0], plan.cover[1], size);
    made.hint = "use loads=async, or another block or elements";
    return;
  }
}

// Kernels beyond this limit mostly spill. ptxas 13.0 crashed on some, or generated spills to wrong
// addresses (3-D, from 410 registers on). Measured schedules need up to 346 registers. In 2-D the
// estimates are more pessimistic, so the limit is higher.
void refuse_registers(const StreamPlan& plan, Diagnostics& diagnostics) {
  const int most = plan.rank == 2 ? 512 : 384;
  const int expected = plan.hopeless ? 0 : static_cast<int>(expected_registers(plan));
  if (!plan.hopeless && expected <= most) return;
  Diagnostic& error = diagnostics.error(
      "L020", {}, "streaming refused: the planes in flight exceed a thread's registers");
  error.expected = fmt::format("at most {} values of 32 bits per thread", most);
  error.found = plan.hopeless ? "far more" : fmt::format("{}", expected);
  error.hint = "fewer steps per tile or fewer elements per thread";
}

void refuse_rank(const ir::Program& program, Diagnostics& diagnostics) {
  if (program.grid().rank() <= 3) return;
  Diagnostic& error = diagnostics.error(
      "L010", program.domain().span,
      fmt::format("streaming refused: the grid has {} dimensions", program.grid().rank()));
  error.expected = "2 or 3";
  error.hint = "use --schedule overlapped";
}

void refuse_program(const analysis::TimeTiles& tiles, const Schedule& schedule,
                    Diagnostics& diagnostics) {
  const ir::Program& program = tiles.program();
  refuse_advanced_levels(program, schedule, diagnostics);
  if (diagnostics.has_errors()) return;
  refuse_line(program, schedule, diagnostics);
  refuse_rank(program, diagnostics);
  const std::vector<analysis::ReadOutsideHalo> outside_halo = analysis::reads_outside_halo(program);
  if (!outside_halo.empty()) {
    refuse_read_outside_halo(program, schedule, outside_halo[0].field, outside_halo[0].span,
                             diagnostics);
  }
  refuse_shape(program, schedule, diagnostics);
  if (schedule.of<StreamingSettings>().form == Form::Scatter) refuse_scatter(tiles, diagnostics);
}

void refuse_tile(const ir::Program& program, const Schedule& schedule, const StreamPlan& plan,
                 Diagnostics& diagnostics) {
  refuse_small_tile(program, schedule, plan.sides(), diagnostics);
  if (!diagnostics.has_errors()) refuse_long_halo(schedule, plan.halo, diagnostics);
  if (!diagnostics.has_errors()) refuse_bulk(program, schedule, plan, diagnostics);
  if (!diagnostics.has_errors()) refuse_registers(plan, diagnostics);
  if (diagnostics.has_errors()) return;
  refuse_shared_bytes(schedule, "exchanged rows and copied planes", shared_bytes(schedule, plan),
                      plan.machine, diagnostics);
  if (diagnostics.has_errors()) return;
  refuse_block_bytes(schedule, block_bytes(schedule, plan), plan.machine, diagnostics);
}

PlanPtr plan(const analysis::TimeTiles& tiles, const Schedule& schedule, const Machine& machine,
             Diagnostics& diagnostics) {
  refuse_program(tiles, schedule, diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  StreamPlan plan = plan_stream(tiles, schedule, schedule.time_tile, machine);
  refuse_tile(tiles.program(), schedule, plan, diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  return std::make_shared<PlannedStream>(tiles, schedule, std::move(plan));
}

// --- Proposals

// Whether some points are computed differently from others. If not, only the addresses of loads
// need tests, and these few tests do not justify a second variant of the body.
bool tests_points(const ir::Program& program) {
  const std::vector<bool> images = analysis::image_dimensions(program, false);
  return std::find(images.begin(), images.end(), false) != images.end() ||
         std::any_of(
             program.functions.begin(), program.functions.end(), [&](const ir::Function& function) {
               return function.pieces.size() > 1 || !(function.pieces[0].region == program.grid());
             });
}

std::vector<Schedule> candidates(const ir::Program& program, bool scatter) {
  struct Candidate {
    Shape block, elements;
    int deepest;
  };
  const std::vector<Candidate> flat = {
      {{32, 1, 1}, {2, 1, 1}, 8}, {{32, 1, 1}, {4, 1, 1}, 12}, {{32, 1, 1}, {8, 1, 1}, 10}};
  const std::vector<Candidate> deep = {{{32, 16, 1}, {2, 2, 1}, 4}, {{16, 32, 1}, {4, 2, 1}, 4},
                                       {{16, 16, 1}, {4, 4, 1}, 4}, {{32, 8, 1}, {2, 2, 1}, 3},
                                       {{16, 16, 1}, {4, 2, 1}, 3}, {{32, 8, 1}, {1, 2, 1}, 2}};
  const bool split = program.grid().rank() == 2 && tests_points(program);
  std::vector<Schedule> out;
  for (const Candidate& shape : program.grid().rank() == 2 ? flat : deep) {
    for (int t = shape.deepest; t >= 1; --t) {
      Schedule schedule = make(t, shape.block, shape.elements);
      schedule.interior = split ? Interior::Split : Interior::Tested;
      out.push_back(schedule);
      if (!scatter) continue;
      schedule.of<StreamingSettings>().form = Form::Scatter;
      out.push_back(schedule);
    }
  }
  return out;
}

// Fallback for wide halos: one step, few threads and little data per thread, in tiles that are
// mostly halo. If shared memory is too small, the prefetch distance is reduced; the last attempt
// loads directly into registers. Returns the first schedule that can be lowered. If there is none,
// returns a schedule whose refusal will be reported.
Schedule last_resort(const analysis::TimeTiles& tiles, const Machine& machine) {
  struct Tile {
    Shape block, elements;
  };
  const std::vector<Tile> flat = {{{32}, {1}}, {{32}, {2}}, {{32}, {4}}, {{32}, {8}}};
  const std::vector<Tile> deep = {
      {{32, 4}, {1, 4}}, {{32, 4}, {1, 8}}, {{32, 4}, {2, 8}}, {{32, 2}, {1, 8}}};
  bool short_of_memory = false;
  for (const int prefetch : {2, 1, 0}) {
    for (const Tile& tile : tiles.program().grid().rank() == 2 ? flat : deep) {
      Schedule schedule = make(1, tile.block, tile.elements);
      if (!takes_block(machine, schedule.block)) continue;
      schedule.prefetch = prefetch;
      if (prefetch == 0) schedule.of<StreamingSettings>().loads = Loads::Registers;
      Diagnostics refusals;
      if (plan(tiles, schedule, machine, refusals)) return schedule;
      short_of_memory |= refusals.items().front().code == "L015";
    }
    if (!short_of_memory) break;
  }
  return make(1, {32}, {1});
}

// The candidate with the smallest predicted time; a small one if none fits.
Proposal propose(const analysis::TimeTiles& tiles, const Machine& machine) {
  const ir::Program& program = tiles.program();
  Proposal best{make(1, {32}, {1}), ""};
  double least = 0;
  int tried = 0, fit = 0;
  const bool served = program.grid().rank() == 2 || program.grid().rank() == 3;
  const bool scatter = served && program.fp == FpMode::Fast && tiles.kept<ScatterForms>().any();
  for (const Schedule& schedule : served ? candidates(program, scatter) : std::vector<Schedule>()) {
    ++tried;
    const StreamPlan plan = plan_stream(tiles, schedule, schedule.time_tile, machine);
    if (!fits(schedule, plan)) continue;
    const double time = predict(work_of(tiles, schedule, plan), machine).seconds;
    if (fit++ > 0 && time >= least) continue;
    best.schedule = schedule;
    least = time;
  }
  if (fit == 0) {
    if (served) best.schedule = last_resort(tiles, machine);
    best.why =
        "no usual tile fits registers and shared memory with at most half halo; the first small "
        "tile that can be lowered";
  } else {
    best.why = fmt::format("the shortest expected time of {} tiles that fit (of {} tried) for {}",
                           fit, tried, machine.description);
  }
  return best;
}

// Only blocks that consist of whole warps.
Shapes shapes(int rank) {
  Shapes out;
  for (const Shape& block : shapes_of(2, {{{8, 16, 32}, {1, 2, 4, 8, 16}}, 256, 1})) {
    if (block.product() % 32 == 0) out.blocks.push_back(block);
  }
  out.elements = rank == 2 ? shapes_of(1, {{{1, 2, 3, 4, 8}}, 8, 1})
                           : shapes_of(2, {{{1, 2, 3, 4, 8}, {1, 2, 3, 4, 8}}, 32, 1});
  return out;
}

}  // namespace

Family streaming_family() {
  Family out{"streaming",
             "T steps in flight along the outermost dimension, planes in registers",
             streaming_settings(),
             propose,
             plan,
             shapes};
  out.own = StreamingSettings{};
  out.presets = {
      {"schaefer-wavefront",
       "two steps per pass in a pipeline of planes, loaded ahead of their use",
       "Schäfer, Fey 2011, section 3 (pipelined wavefront)",
       {"",
        "streaming T=2 block=32x1 elements=2x1 chunk=64 prefetch=2 loads=registers interior=tested",
        "streaming T=2 block=32x16 elements=1x2 chunk=64 prefetch=2 loads=registers "
        "interior=tested"}},
  };
  return out;
}

}  // namespace stencil::schedule
