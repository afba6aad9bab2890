// The `streaming` family towards the rest of the compiler: defaults, refusals and costs.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/schedule/blocks.h"
#include "compiler/schedule/family.h"
#include "compiler/schedule/streaming.h"

namespace stencil::schedule {

std::vector<int> tile_sizes(int time_tile) {
  std::vector<int> sizes;
  for (int size = time_tile; size >= 1; size /= 2) sizes.push_back(size);
  return sizes;
}

namespace {

// Registers are given out to warps in units of 8 per thread.
int rounded_registers(int registers) {
  return std::clamp((registers + 7) / 8 * 8, 32, kRegistersPerThread + 1);
}

int64_t shared_bytes(const Schedule& schedule, const StreamPlan& plan) {
  return schedule::shared_bytes(plan, plan.rank == 2 ? schedule.block[1] : 1);
}

int threads_of(const Schedule& schedule) {
  return schedule.block[0] * schedule.block[1];
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
    const analysis::Reach margin = plan.margin[static_cast<size_t>(axis)];
    const int64_t rest = std::max<int64_t>(*points - margin.low - margin.high, 1);
    int64_t count = ceil_div(rest, std::max<int64_t>(plan.core(axis), 1));
    if (plan.rank == 2) count = ceil_div(count, schedule.block[1]);
    blocks *= count;
  }
  return blocks;
}

}  // namespace

int resident_blocks(const Schedule& schedule, const StreamPlan& plan) {
  if (schedule.resident > 0) return schedule.resident;
  const int registers = rounded_registers(estimate_registers(plan));
  const int by_registers = kRegistersPerMultiprocessor / (registers * threads_of(schedule));
  const int64_t bytes = shared_bytes(schedule, plan);
  const int64_t by_shared = bytes > 0 ? kSharedPerBlock / (bytes + 1024) : 32;
  const int by_threads = 2048 / threads_of(schedule);
  return std::clamp<int>(
      std::min<int>({by_registers, static_cast<int>(std::min<int64_t>(by_shared, 32)), by_threads}),
      1, 32);
}

// Blocks run in waves, and a wave takes as long as its chunks with what precedes and follows them:
// the length with the shortest sum of waves wins.
Chunks cut_chunks(const ir::Program& program, const Schedule& schedule, const StreamPlan& plan) {
  constexpr int64_t kUsual = 256;  // for sizes that are open
  constexpr int64_t kFewGroups = 8;
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
  const int64_t at_once = int64_t{kMultiprocessors} * resident_blocks(schedule, plan);
  const int64_t extra = plan.lead + plan.tail;
  double least = 0;
  for (int64_t count = 1; count <= std::max<int64_t>(*planes / (2 * extra + 4), 1); ++count) {
    const Chunks chunks = cut(ceil_div(*planes, count));
    int64_t blocks = *side_by_side * ceil_div(*planes, chunks.length);
    if (apart) {
      blocks = (*side_by_side - 2) * ceil_div(*planes, chunks.length) +
               2 * ceil_div(*planes, chunks.edge_length);
    }
    const int64_t waves = ceil_div(blocks, at_once);
    const double time = static_cast<double>(waves) * static_cast<double>(chunks.length + extra);
    if (count > 1 && time >= least) continue;
    best = chunks;
    least = time;
  }
  return best;
}

namespace {

Schedule make(int time_tile, std::array<int, 3> block, std::array<int, 3> elements) {
  Schedule schedule;
  schedule.family = "streaming";
  schedule.time_tile = time_tile;
  schedule.block = block;
  schedule.elements = elements;
  schedule.loads = Loads::Async;
  schedule.prefetch = 2;
  return schedule;
}

// The output box is at least half the tile in every dimension.
bool pays(const StreamPlan& plan) {
  for (int axis = 0; axis < plan.rank - 1; ++axis) {
    if (2 * plan.core(axis) < plan.cover[static_cast<size_t>(axis)]) return false;
  }
  return true;
}

Schedule defaults(const ir::Program& program) {
  const bool flat = program.grid.rank() <= 2;
  const std::array<int, 3> block = flat ? std::array{32, 1, 1} : std::array{16, 16, 1};
  const std::array<int, 3> elements = flat ? std::array{4, 1, 1} : std::array{4, 2, 1};
  if (program.grid.rank() != 2 && program.grid.rank() != 3) return make(1, block, elements);
  for (int t = flat ? 10 : 3; t > 1; --t) {
    const Schedule schedule = make(t, block, elements);
    const StreamPlan plan = plan_stream(program, schedule, t);
    if (pays(plan) && estimate_registers(plan) <= (flat ? 168 : 200) &&
        shared_bytes(schedule, plan) <= kSharedPerBlock) {
      return schedule;
    }
  }
  return make(1, block, elements);
}

std::string unrewarding(const ir::Program&) {
  return "";
}

void refuse_features(const ir::Program& program, Diagnostics& diagnostics) {
  if (program.grid.rank() < 2) {
    diagnostics.error("L018", program.grid_span, "streaming refused: the grid has one dimension")
        .hint = "there is nothing to tile beside the streamed dimension; use --schedule overlapped";
  }
  for (size_t f = 0; f < program.fields.size(); ++f) {
    const ir::Field& field = program.fields[f];
    const bool reaches_far =
        field.boundary == ir::BoundaryKind::Mirror || field.boundary == ir::BoundaryKind::Periodic;
    if (field.history > 1) {
      diagnostics
          .error("L012", field.span,
                 fmt::format("streaming refused: field '{}' has history {}", field.name,
                             field.history))
          .hint = "only one time level is kept in a tile; use --schedule direct";
    }
    if (reaches_far) {
      diagnostics
          .error("L013", field.span,
                 fmt::format("streaming refused: field '{}' has a {} boundary", field.name,
                             field.boundary == ir::BoundaryKind::Mirror ? "mirror" : "periodic"))
          .hint = "the boundary reads points that the tile does not hold; use --schedule direct";
    }
  }
  refuse_far_boundaries(program, "streaming", false, diagnostics);
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
  const bool some =
      std::any_of(program.functions.begin(), program.functions.end(),
                  [&](const ir::Function& function) { return scatters(program, function); });
  if (program.fp == FpMode::Fast && some) return;
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

void refuse(const ir::Program& program, const Schedule& schedule, Diagnostics& diagnostics) {
  constexpr int kMostRegisters = 1024;  // beyond this a kernel does nothing but spill
  refuse_common(program, "streaming", diagnostics);
  refuse_features(program, diagnostics);
  refuse_shape(program, schedule, diagnostics);
  if (schedule.form == Form::Scatter) refuse_scatter(program, diagnostics);
  if (diagnostics.has_errors()) return;
  const StreamPlan plan = plan_stream(program, schedule, schedule.time_tile);
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
  if (estimate_registers(plan) > kMostRegisters) {
    Diagnostic& error = diagnostics.error(
        "L020", {}, "streaming refused: the planes in flight exceed what a thread can keep");
    error.expected = fmt::format("at most {} values of 32 bits per thread", kMostRegisters);
    error.found = fmt::format("{}", estimate_registers(plan));
    error.hint = "fewer steps per tile or fewer elements per thread";
    return;
  }
  if (shared_bytes(schedule, plan) > kSharedPerBlock) {
    Diagnostic& error = diagnostics.error(
        "L015", {}, "streaming refused: exchanged rows and staged planes exceed shared memory");
    error.expected = fmt::format("at most {} bytes per block", kSharedPerBlock);
    error.found = fmt::format("{} bytes", shared_bytes(schedule, plan));
    error.hint = "fewer steps per tile or a smaller block";
  }
}

// A block reads its tile of every field once per plane, and writes its core.
Footprint measure_streaming(const ir::Program& program, const Schedule& schedule) {
  const StreamPlan plan = plan_stream(program, schedule, schedule.time_tile);
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
    if (q.output) out.bytes_written += size_in_bytes(q.type) * core;
  }
  out.bytes_read /= core * schedule.time_tile;
  out.bytes_written /= core * schedule.time_tile;
  out.redundancy = tile / core;
  out.shared_bytes = shared_bytes(schedule, plan);
  out.threads = threads_of(schedule);
  return out;
}

}  // namespace

Family streaming_family() {
  return {"streaming",
          "T steps in flight along the outermost dimension, planes in registers",
          {Setting::TimeTile, Setting::Block, Setting::Elements, Setting::Chunk, Setting::Prefetch,
           Setting::Unroll, Setting::Resident, Setting::Loads, Setting::Form, Setting::Edges},
          defaults,
          unrewarding,
          refuse,
          lower_streaming,
          measure_streaming};
}

}  // namespace stencil::schedule
