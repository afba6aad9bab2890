#include "compiler/schedule/streaming/chunks.h"

#include <algorithm>

#include "compiler/schedule/common/tiling.h"
#include "compiler/schedule/streaming/resources.h"
#include "compiler/support/work.h"

namespace stencil::schedule {

namespace {

// Number of tiles per plane; nullopt if sizes are open.
std::optional<int64_t> tiles(const ir::Program& program, const Schedule& schedule,
                             const StreamPlan& plan) {
  int64_t blocks = 1;
  for (int axis = 0; axis < plan.rank - 1; ++axis) {
    const auto points = known_extent(program, plan.rank - 1 - axis);
    if (!points) return std::nullopt;
    const int64_t rest = std::max<int64_t>(*points - plan.spared(axis), 1);
    int64_t count = divide_up(rest, std::max<int64_t>(plan.core(axis), 1));
    if (plan.rank == 2) count = divide_up(count, schedule.block[1]);
    blocks = bounded_product(blocks, count);
  }
  return blocks;
}

// The greatest number in [first, last] for which `holds`; `holds` must be monotone and true for
// `first`. Doubles the step, then bisects, because the result is usually near `first`.
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

int threads_of(const Schedule& schedule) {
  return schedule.block[0] * schedule.block[1];
}

int64_t shared_bytes(const Schedule& schedule, const StreamPlan& plan) {
  return shared_bytes(plan, plan.rank == 2 ? schedule.block[1] : 1);
}

// Warps are distributed over the schedulers, each with its share of the register file. Registers
// are allocated in units of eight. Near the hardware limit, a few are left to the compiler.
int register_limit(const Machine& machine, int blocks, int threads) {
  constexpr int kUnit = 8, kSpare = 7;
  const int warps_of_block = (threads + machine.warp - 1) / machine.warp;
  const int warps = (blocks * warps_of_block + machine.schedulers - 1) / machine.schedulers;
  const int share = machine.registers / machine.schedulers / machine.warp / warps;
  return std::min(share / kUnit * kUnit, machine.registers_per_thread - kSpare);
}

int occupancy_of(const Schedule& schedule, const StreamPlan& plan) {
  if (schedule.of<StreamingSettings>().occupancy > 0)
    return schedule.of<StreamingSettings>().occupancy;
  const Machine& machine = plan.machine;
  const int threads = threads_of(schedule);
  const int registers = estimate_registers(plan);
  int by_registers = 1;
  while (by_registers < machine.blocks_per_multiprocessor &&
         register_limit(machine, by_registers + 1, threads) >= registers) {
    ++by_registers;
  }
  const int64_t bytes = shared_bytes(schedule, plan);
  const int64_t by_shared = bytes > 0 ? machine.shared_bytes / (bytes + machine.reserved_bytes)
                                      : machine.blocks_per_multiprocessor;
  const int64_t by_threads = machine.threads_per_multiprocessor / threads;
  return static_cast<int>(
      std::clamp<int64_t>(std::min({int64_t{by_registers}, by_shared, by_threads}), 1,
                          machine.blocks_per_multiprocessor));
}

// Blocks run in waves. A wave takes as long as its chunk plus prologue and epilogue, and the chunk
// length with the smallest total time wins. Cutting into more chunks shortens the chunks and never
// reduces the number of waves. So for each number of waves the largest number of chunks is best;
// bisection finds it. With hundreds of waves a partly empty last one no longer matters, so the
// search is limited to kMostTried candidates. It also ends when even full waves, with their
// prologues and epilogues, would take longer than the best.
Chunks cut_chunks(const ir::Program& program, const Schedule& schedule, const StreamPlan& plan) {
  constexpr int64_t kUsual = 256;  // for open sizes
  constexpr int64_t kFewGroups = 8;
  constexpr int kMostTried = 256;
  const auto side_by_side = tiles(program, schedule, plan);
  auto planes = known_extent(program, 0);
  if (planes) planes = *planes - rim_of(program, 0).low - rim_of(program, 0).high;
  Chunks best;
  const bool apart = plan.rank == 2 && schedule.interior == Interior::Split && side_by_side &&
                     planes && *side_by_side >= kFewGroups;
  const auto cut = [&](int64_t length) {
    Chunks chunks{length, length, 0};
    if (apart) chunks = {length, std::max<int64_t>(2 * length / 3, 1), *side_by_side};
    return chunks;
  };
  if (schedule.chunk > 0) return cut(schedule.chunk);
  if (!side_by_side || !planes) return cut(kUsual);
  const int64_t at_once = int64_t{plan.machine.multiprocessors} * occupancy_of(schedule, plan);
  const int64_t extra = plan.fill + plan.drain;
  const int64_t most = std::max<int64_t>(*planes / (2 * extra + 4), 1);
  const auto waves = [&](const Chunks& chunks) {
    int64_t blocks = bounded_product(*side_by_side, divide_up(*planes, chunks.length));
    if (apart) {
      blocks = bounded_sum(bounded_product(*side_by_side - 2, divide_up(*planes, chunks.length)),
                           2 * divide_up(*planes, chunks.boundary_length));
    }
    return blocks / at_once + (blocks % at_once == 0 ? 0 : 1);
  };
  const double least_possible = static_cast<double>(*side_by_side) * static_cast<double>(*planes) /
                                static_cast<double>(at_once);
  double least = 0;
  int64_t count = 1;
  for (int tried = 0; tried < kMostTried; ++tried) {
    support::count_work();
    const int64_t these = waves(cut(divide_up(*planes, count)));
    count = last_where(count, most,
                       [&](int64_t more) { return waves(cut(divide_up(*planes, more))) == these; });
    const Chunks chunks = cut(divide_up(*planes, count));
    const double time = static_cast<double>(these) * static_cast<double>(chunks.length + extra);
    if (tried == 0 || time < least) {
      best = chunks;
      least = time;
    }
    if (++count > most || static_cast<double>(these * extra) + least_possible >= least) break;
  }
  return best;
}

}  // namespace stencil::schedule
