// The `streaming` family towards the rest of the compiler: defaults, refusals and costs.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/linear_form.h"
#include "compiler/schedule/blocks.h"
#include "compiler/schedule/family.h"
#include "compiler/schedule/streaming.h"
#include "compiler/support/work.h"

namespace stencil::schedule {

namespace {

// Registers that a thread may have when so many blocks share a multiprocessor: its warps are dealt
// out to four schedulers, each with a quarter of the registers, given out by eights.
int register_limit(int blocks, int threads) {
  const int warps = (blocks * ((threads + 31) / 32) + 3) / 4;
  return std::min(kRegistersPerMultiprocessor / 4 / 32 / warps / 8 * 8, kRegistersPerThread);
}

int64_t shared_bytes(const Schedule& schedule, const StreamPlan& plan) {
  return schedule::shared_bytes(plan, plan.rank == 2 ? schedule.block[1] : 1);
}

int threads_of(const Schedule& schedule) {
  return schedule.block[0] * schedule.block[1];
}

int64_t block_bytes(const Schedule& schedule, const StreamPlan& plan) {
  return bounded_sum(shared_bytes(schedule, plan), queue_bytes(plan, threads_of(schedule)));
}

std::optional<int64_t> extent(const ir::Program& program, int dimension) {
  const ir::Range& range = program.grid.ranges[static_cast<size_t>(dimension)];
  const ir::Affine length = range.high - range.low + 1;
  if (!length.is_constant()) return std::nullopt;
  return std::max<int64_t>(length.constant, 1);
}

int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

// Tiles side by side in all dimensions but the streamed one; nothing if sizes are open.
std::optional<int64_t> tiles(const ir::Program& program, const Schedule& schedule,
                             const StreamPlan& plan) {
  int64_t blocks = 1;
  for (int axis = 0; axis < plan.rank - 1; ++axis) {
    const auto points = extent(program, plan.rank - 1 - axis);
    if (!points) return std::nullopt;
    const int64_t rest = std::max<int64_t>(*points - plan.spared(axis), 1);
    int64_t count = ceil_div(rest, std::max<int64_t>(plan.core(axis), 1));
    if (plan.rank == 2) count = ceil_div(count, schedule.block[1]);
    blocks = bounded_product(blocks, count);
  }
  return blocks;
}

// The greatest number from `first` to `last` for which `holds`, as it does for `first`, and for all
// numbers up to some limit. Steps grow until they are too long: the limit is near, usually.
template <class Predicate>
int64_t last_where(int64_t first, int64_t last, const Predicate& holds) {
  for (int64_t step = 1; first + step < last; step *= 2) {
    support::count_work();
    if (!holds(first + step)) {
      last = first + step - 1;
      break;
    }
    first += step;
  }
  while (first < last) {
    support::count_work();
    const int64_t middle = first + (last - first + 1) / 2;
    if (holds(middle)) {
      first = middle;
    } else {
      last = middle - 1;
    }
  }
  return first;
}

}  // namespace

int resident_blocks(const Schedule& schedule, const StreamPlan& plan) {
  if (schedule.resident > 0) return schedule.resident;
  const int registers = estimate_registers(plan);
  int by_registers = 1;
  while (by_registers < 32 && register_limit(by_registers + 1, threads_of(schedule)) >= registers) {
    ++by_registers;
  }
  const int64_t bytes = shared_bytes(schedule, plan);
  const int64_t by_shared = bytes > 0 ? plan.machine.shared_bytes / (bytes + 1024) : 32;
  const int by_threads = 2048 / threads_of(schedule);
  return std::clamp<int>(
      std::min<int>({by_registers, static_cast<int>(std::min<int64_t>(by_shared, 32)), by_threads}),
      1, 32);
}

// Blocks run in waves, and a wave takes as long as its chunks with what precedes and follows them:
// the length with the shortest sum of waves wins. More chunks are shorter and make more waves,
// never fewer, so of those that make as many waves the most chunks are best, and are found by
// bisection. Among hundreds of waves the last, perhaps half empty, no longer matters, while every
// chunk costs planes: the search ends after so many. It ends before where as many waves with what
// surrounds each of them take longer than the best, even if none is partly empty.
Chunks cut_chunks(const ir::Program& program, const Schedule& schedule, const StreamPlan& plan) {
  constexpr int64_t kUsual = 256;  // for sizes that are open
  constexpr int64_t kFewGroups = 8;
  constexpr int kMostTried = 256;
  const auto side_by_side = tiles(program, schedule, plan);
  const auto planes = extent(program, 0);
  Chunks best;
  const bool apart = plan.rank == 2 && schedule.edges == Edges::Split && side_by_side && planes &&
                     *side_by_side >= kFewGroups;
  const auto cut = [&](int64_t length) {
    Chunks chunks{length, length, 0};
    if (apart) chunks = {length, std::max<int64_t>(2 * length / 3, 1), *side_by_side};
    return chunks;
  };
  if (schedule.chunk > 0) return cut(schedule.chunk);
  if (!side_by_side || !planes) return cut(kUsual);
  const int64_t at_once = int64_t{plan.machine.multiprocessors} * resident_blocks(schedule, plan);
  const int64_t extra = plan.lead + plan.tail;
  const int64_t most = std::max<int64_t>(*planes / (2 * extra + 4), 1);
  const auto waves = [&](const Chunks& chunks) {
    int64_t blocks = bounded_product(*side_by_side, ceil_div(*planes, chunks.length));
    if (apart) {
      blocks = bounded_sum(bounded_product(*side_by_side - 2, ceil_div(*planes, chunks.length)),
                           2 * ceil_div(*planes, chunks.edge_length));
    }
    return blocks / at_once + (blocks % at_once == 0 ? 0 : 1);
  };
  const double least_possible = static_cast<double>(*side_by_side) * static_cast<double>(*planes) /
                                static_cast<double>(at_once);
  double least = 0;
  int64_t count = 1;
  for (int tried = 0; tried < kMostTried; ++tried) {
    support::count_work();
    const int64_t these = waves(cut(ceil_div(*planes, count)));
    count = last_where(count, most,
                       [&](int64_t more) { return waves(cut(ceil_div(*planes, more))) == these; });
    const Chunks chunks = cut(ceil_div(*planes, count));
    const double time = static_cast<double>(these) * static_cast<double>(chunks.length + extra);
    if (tried == 0 || time < least) {
      best = chunks;
      least = time;
    }
    if (++count > most || static_cast<double>(these * extra) + least_possible >= least) break;
  }
  return best;
}

namespace {

Schedule make(int time_tile, const Shape& block, const Shape& elements) {
  Schedule schedule;
  schedule.family = "streaming";
  schedule.time_tile = time_tile;
  schedule.block = block;
  schedule.elements = elements;
  schedule.loads = Loads::Async;
  schedule.prefetch = 2;
  return schedule;
}

// A block reads its tile of every field once per plane, and writes its core.
Footprint measure_plan(const ir::Program& program, const Schedule& schedule,
                       const StreamPlan& plan) {
  const double chunk = static_cast<double>(cut_chunks(program, schedule, plan).length);
  const double planes = chunk + static_cast<double>(plan.lead + plan.tail);
  double tile = planes;
  double core = chunk;
  Footprint out;
  out.output.push_back(static_cast<int64_t>(chunk));
  for (int axis = plan.rank - 2; axis >= 0; --axis) {
    tile *= static_cast<double>(plan.cover[static_cast<size_t>(axis)]);
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

Footprint measure_streaming(const ir::Program& program, const Schedule& schedule,
                            const Machine& machine) {
  return measure_plan(program, schedule,
                      plan_stream(program, schedule, schedule.time_tile, machine));
}

// Instructions that one point of one step takes, redundant points not counted: the arithmetic, and
// its share of shuffles, shared memory and loop control.
double instructions(const ir::Program& program, const StreamPlan& plan) {
  constexpr double kCall = 12;       // instructions of a correctly rounded division
  constexpr double kMultiplied = 4;  // further instructions of one that is multiplied out
  double arithmetic = 0;
  for (const Stage& stage : plan.stages) {
    if (stage.step > 0) continue;  // all steps are alike
    for (const StagePiece& piece : stage.pieces) {
      const bool wide = piece.graph->size() > 0 &&
                        (*piece.graph)[piece.results[0]].type == Scalar::F64;  // half the rate
      const SlowOperations slow = slow_operations(*piece.graph, piece.results, program.fp);
      arithmetic += (kCall * slow.calls + kMultiplied * slow.multiplied) * (wide ? 2 : 1);
      arithmetic += ir::fused_operations(*piece.graph, piece.results, 0) * (wide ? 2.0 : 1.0);
    }
  }
  double moved = 0;  // values fetched from other threads, per patch
  for (const Quantity& q : plan.quantities) {
    for (const Cells& cells : q.fetched) {
      for (const auto& [row, sides] : cells) {
        const bool own = row >= 0 && row < plan.patch[1];
        moved += (sides.low + sides.high) * (size_in_bytes(q.type) / 4.0) + (own ? 0 : 2);
      }
    }
  }
  const double points = plan.patch[0] * plan.patch[1];
  const double traffic = (moved + 12.0 * static_cast<double>(program.fields.size())) / points;
  return (arithmetic + traffic / plan.steps) * 1.05 + 0.3;
}

// Seconds per useful point and step, by counting: the time to issue instructions and the time to
// move bytes add up, because few warps are there to overlap them. The constants are those of an
// H200 (docs/performance.md); what matters here is the order of candidates.
double expected_time(const ir::Program& program, const Schedule& schedule, const StreamPlan& plan) {
  constexpr double kInstructionsPerSecond = 32e12;
  constexpr double kBytesPerSecond = 4.2e12;
  const Footprint cost = measure_plan(program, schedule, plan);
  const double warps = resident_blocks(schedule, plan) * threads_of(schedule) / 32.0;
  const double busy = std::min(1.0, 0.5 + warps / 32);
  return instructions(program, plan) * cost.redundancy / (kInstructionsPerSecond * busy) +
         (cost.bytes_read + cost.bytes_written) / kBytesPerSecond;
}

// Small enough for registers, with a margin against spills, for shared memory and for a processor's
// stack, and with tiles that write at least half of what they compute in each dimension.
bool fits(const Schedule& schedule, const StreamPlan& plan) {
  if (!takes_block(plan.machine, schedule.block) || plan.hopeless) return false;
  for (int axis = 0; axis < plan.rank - 1; ++axis) {
    if (2 * plan.core(axis) < plan.cover[static_cast<size_t>(axis)]) return false;
  }
  if (block_bytes(schedule, plan) > plan.machine.block_bytes) return false;
  const int limit = register_limit(1, threads_of(schedule));
  return estimate_registers(plan) <= limit &&
         shared_bytes(schedule, plan) <= plan.machine.shared_bytes;
}

// Some point is computed in another way than others. Else nothing is tested but where planes are
// loaded from, which is no reason for a second version of the body.
bool tests_points(const ir::Program& program) {
  const std::vector<bool> images = image_dimensions(program, false);
  return std::find(images.begin(), images.end(), false) != images.end() ||
         std::any_of(
             program.functions.begin(), program.functions.end(), [&](const ir::Function& function) {
               return function.pieces.size() > 1 || !(function.pieces[0].region == program.grid);
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
  const bool split = program.grid.rank() == 2 && tests_points(program);
  std::vector<Schedule> out;
  for (const Candidate& shape : program.grid.rank() == 2 ? flat : deep) {
    for (int t = shape.deepest; t >= 1; --t) {
      Schedule schedule = make(t, shape.block, shape.elements);
      schedule.edges = split ? Edges::Split : Edges::Tested;
      out.push_back(schedule);
      if (!scatter) continue;
      schedule.form = Form::Scatter;
      out.push_back(schedule);
    }
  }
  return out;
}

void refuse(const ir::Program& program, const Schedule& schedule, const Machine& machine,
            Diagnostics& diagnostics);

// For wide halos: a step with few threads, of which each keeps little, in tiles that are mostly
// halo; where shared memory is short, with fewer planes ahead, or none in it. The first that can be
// lowered; failing that, the first, with its refusal.
Schedule last_resort(const ir::Program& program, const Machine& machine) {
  struct Tile {
    Shape block, elements;
  };
  const std::vector<Tile> flat = {{{32}, {1}}, {{32}, {2}}, {{32}, {4}}, {{32}, {8}}};
  const std::vector<Tile> deep = {
      {{32, 4}, {1, 4}}, {{32, 4}, {1, 8}}, {{32, 4}, {2, 8}}, {{32, 2}, {1, 8}}};
  bool short_of_memory = false;
  for (const int prefetch : {2, 1, 0}) {
    for (const Tile& tile : program.grid.rank() == 2 ? flat : deep) {
      Schedule schedule = make(1, tile.block, tile.elements);
      if (!takes_block(machine, schedule.block)) continue;
      schedule.prefetch = prefetch;
      if (prefetch == 0) schedule.loads = Loads::Registers;
      Diagnostics refusals;
      refuse(program, schedule, machine, refusals);
      if (!refusals.has_errors()) return schedule;
      short_of_memory |= refusals.items().front().code == "L015";
    }
    if (!short_of_memory) break;
  }
  return make(1, {32}, {1});
}

struct Choice {
  Schedule schedule;
  double time = 0;         // seconds per useful point and step
  int tried = 0, fit = 0;  // candidates; none that fits: the schedule is another
};

// The candidate with the least expected time; a small one if none fits.
Choice search(const ir::Program& program, const Machine& machine) {
  Choice best{make(1, {32}, {1})};
  if (program.grid.rank() != 2 && program.grid.rank() != 3) return best;
  ScatterForms forms(program);
  for (const Schedule& schedule : candidates(program, program.fp == FpMode::Fast && forms.any())) {
    ++best.tried;
    const StreamPlan plan = plan_stream(program, schedule, schedule.time_tile, forms, machine);
    if (!fits(schedule, plan)) continue;
    const double time = expected_time(program, schedule, plan);
    if (best.fit++ > 0 && time >= best.time) continue;
    best.schedule = schedule;
    best.time = time;
  }
  if (best.fit == 0) best.schedule = last_resort(program, machine);
  return best;
}

Schedule defaults(const ir::Program& program, const Machine& machine) {
  return search(program, machine).schedule;
}

std::string rationale(const ir::Program& program, const Machine& machine) {
  const Choice choice = search(program, machine);
  if (choice.fit == 0) {
    return "none of the usual tiles fits registers, shared memory and at most half halo; the first "
           "small one that can be lowered";
  }
  return fmt::format(
      "the least expected time, {:.3g} ps per point and step, of {} tiles that fit (of {} tried): "
      "instructions counted, bytes counted, as on an H100 or H200",
      choice.time * 1e12, choice.fit, choice.tried);
}

// One sweep per function moves every field once; that is hard to beat where functions and fields
// are many and little is computed.
std::string unrewarding(const ir::Program& program, const Machine& machine) {
  constexpr double kBytesPerSecond = 3.2e12;  // what `direct` reaches
  if (machine.threads_are_loops) return "a processor has few registers, and caches";
  if (program.grid.rank() != 2 && program.grid.rank() != 3) return "";
  const Schedule schedule = defaults(program, machine);
  const Schedule sweeps = direct_family().defaults(program, machine);
  const Footprint cost = direct_family().measure(program, sweeps, machine);
  const double by_sweeps = (cost.bytes_read + cost.bytes_written) / kBytesPerSecond;
  const StreamPlan plan = plan_stream(program, schedule, schedule.time_tile, machine);
  if (fits(schedule, plan) && expected_time(program, schedule, plan) < by_sweeps) return "";
  return "moving the planes of all fields through registers costs more than it saves";
}

void refuse_features(const ir::Program& program, Diagnostics& diagnostics) {
  if (program.grid.rank() < 2) {
    diagnostics.error("L018", program.grid_span, "streaming refused: the grid has one dimension")
        .hint = "there is nothing to tile beside the streamed dimension; use --schedule overlapped";
  }
  if (program.grid.rank() > 3) {
    Diagnostic& error = diagnostics.error(
        "L010", program.grid_span,
        fmt::format("streaming refused: the grid has {} dimensions", program.grid.rank()));
    error.expected = "2 or 3";
    error.hint = "use --schedule overlapped";
  }
  for (const FarRead& read : far_reads(program)) {
    diagnostics
        .error("L016", read.span,
               fmt::format("streaming refused: the boundary of '{}' may lead far from the point",
                           program.fields[static_cast<size_t>(read.field)].name))
        .hint = "declare the field on the whole grid, or use --schedule overlapped or direct";
    return;
  }
}

void refuse_shape(const ir::Program& program, const Schedule& schedule, Diagnostics& diagnostics) {
  const int lanes = schedule.block[0];
  const bool row = lanes <= 32 && (lanes & (lanes - 1)) == 0;
  if (!row || threads_of(schedule) % 32 != 0 || schedule.block[2] != 1) {
    Diagnostic& error =
        diagnostics.error("L019", {}, "streaming refused: rows of threads do not make whole warps");
    error.expected = "block=XxY with X a power of two up to 32 and X*Y a multiple of 32";
    error.found = fmt::format("block={}x{}x{}", lanes, schedule.block[1], schedule.block[2]);
    error.hint = "neighbours exchange values by warp shuffles along x";
  }
  const bool flat = program.grid.rank() == 2;
  if ((flat && schedule.elements[1] != 1) || schedule.elements[2] != 1) {
    Diagnostic& error = diagnostics.error(
        "L019", {}, "streaming refused: a patch does not extend along the streamed dimension");
    error.expected = flat ? "elements=X" : "elements=XxY";
    error.found = fmt::format("elements={}x{}x{}", schedule.elements[0], schedule.elements[1],
                              schedule.elements[2]);
    error.hint = "planes of the outermost dimension pass one after the other; see chunk=";
  }
}

void refuse_scatter(const ir::Program& program, Diagnostics& diagnostics) {
  if (program.fp == FpMode::Fast && ScatterForms(program).any()) return;
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

// Bulk copies take arrays and boxes of certain sizes only; see kernel.h.
void refuse_bulk(const ir::Program& program, const Schedule& schedule, const StreamPlan& plan,
                 Diagnostics& diagnostics) {
  const auto error = [&](Span span, const std::string& what) -> Diagnostic& {
    return diagnostics.error("L025", span, "streaming refused: loads=bulk cannot copy " + what);
  };
  const bool wraps = std::find(plan.images.begin(), plan.images.end(), true) != plan.images.end();
  for (const Quantity& q : plan.quantities) {
    if (!plan.bulk || q.staged == 0) continue;
    const ir::Field& field = program.fields[static_cast<size_t>(q.field)];
    if (wraps) {
      error(field.span, fmt::format("field '{}' around a periodic grid", field.name)).hint =
          "a box ends where the field ends; use loads=async";
      return;
    }
    const int size = size_in_bytes(q.type);
    if (lay_out_rows(program, field, q.type, schedule.rows).alignment % kernel::kBulkUnit != 0) {
      const ir::Affine row = field.box.ranges.back().high - field.box.ranges.back().low + 1;
      Diagnostic& made = error(field.span, fmt::format("the rows of field '{}'", field.name));
      made.expected =
          fmt::format("rows that lie at known multiples of {} bytes in memory", kernel::kBulkUnit);
      made.found = row.is_constant() ? fmt::format("{} elements of {} bytes", row.constant, size)
                                     : "a length that is known at run time";
      made.hint = schedule.rows == Rows::Dense
                      ? "use loads=async, or rows=padded"
                      : "use loads=async, or a larger grid: so short rows are not padded";
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

void refuse(const ir::Program& program, const Schedule& schedule, const Machine& machine,
            Diagnostics& diagnostics) {
  // Beyond these a kernel does little but spill, and ptxas 13.0 was seen to crash on such kernels,
  // or to compute in the stack pointer and so spill to wrong addresses (3-D, from 410 on). Measured
  // schedules go up to 346; in 2-D, estimates are the more cautious.
  const int most_registers = program.grid.rank() == 2 ? 512 : 384;
  refuse_features(program, diagnostics);
  refuse_shape(program, schedule, diagnostics);
  if (schedule.form == Form::Scatter) refuse_scatter(program, diagnostics);
  if (diagnostics.has_errors()) return;
  const StreamPlan plan = plan_stream(program, schedule, schedule.time_tile, machine);
  for (int axis = 0; axis < plan.rank - 1; ++axis) {
    if (plan.core(axis) >= 1) continue;
    const analysis::Reach margin = plan.margin[static_cast<size_t>(axis)];
    Diagnostic& error = diagnostics.error(
        "L014", {},
        fmt::format("streaming refused: the tile is smaller than its halo in {}",
                    axis_names(plan.rank)[static_cast<size_t>(plan.rank - 1 - axis)]));
    error.expected = fmt::format("block x elements of at least {} for T={}",
                                 margin.low + margin.high + 1, schedule.time_tile);
    error.found = fmt::format("{}", plan.cover[static_cast<size_t>(axis)]);
    error.hint = "fewer steps per tile, a larger block or more elements per thread";
    return;
  }
  refuse_long_halo("L026", schedule, plan.halo, diagnostics);
  if (!diagnostics.has_errors()) refuse_bulk(program, schedule, plan, diagnostics);
  if (diagnostics.has_errors()) return;
  if (plan.hopeless || estimate_registers(plan) > most_registers) {
    Diagnostic& error = diagnostics.error(
        "L020", {}, "streaming refused: the planes in flight exceed what a thread can keep");
    error.expected = fmt::format("at most {} values of 32 bits per thread", most_registers);
    error.found = plan.hopeless ? "many times that" : fmt::format("{}", estimate_registers(plan));
    error.hint = "fewer steps per tile or fewer elements per thread";
    return;
  }
  if (shared_bytes(schedule, plan) > machine.shared_bytes) {
    Diagnostic& error = diagnostics.error(
        "L015", {}, "streaming refused: exchanged rows and staged planes exceed shared memory");
    error.expected = fmt::format("at most {} bytes per block", machine.shared_bytes);
    error.found = fmt::format("{} bytes", shared_bytes(schedule, plan));
    error.hint = "fewer steps per tile or a smaller block";
    return;
  }
  refuse_block_bytes(schedule, block_bytes(schedule, plan), machine, diagnostics);
}

}  // namespace

Family streaming_family() {
  return {"streaming",
          "T steps in flight along the outermost dimension, planes in registers",
          {Setting::TimeTile, Setting::Block, Setting::Elements, Setting::Chunk, Setting::Prefetch,
           Setting::Unroll, Setting::Resident, Setting::Loads, Setting::Form, Setting::Edges,
           Setting::Rows},
          defaults,
          rationale,
          unrewarding,
          refuse,
          lower_streaming,
          measure_streaming};
}

}  // namespace stencil::schedule
