// Random settings for each family, and what is changed in them to serve a program.
#include "tests/property/schedules.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/support/diagnostic.h"
#include "tests/property/many_dimensions.h"

namespace stencil::property {

namespace {

std::string random_streaming(Random& random, int rank, FpMode fp) {
  if (rank < 2 || rank > 3 || random.chance(8))
    return "streaming";  // refused by name; its defaults
  const bool flat = rank == 2;
  const int lanes = random.pick<int>({8, 16, 32, 32});
  const int rows = 32 / lanes * random.pick<int>({1, 1, 2, 4});
  std::string elements = fmt::format("{}", random.pick<int>({1, 2, 3, 4, 4, 8}));
  if (!flat)
    elements = random.pick<std::string>({"1x1", "1x2", "2x1", "2x2", "3x1", "3x3", "4x1", "4x2"});
  const std::string loads =
      random.pick<std::string>({"registers", "async", "bulk", "bulk", "bulk"});
  const int prefetch = random.between(loads == "registers" ? 0 : 1, 4);
  const int steps = random.between(1, 6);
  const std::string chunk = random.pick<std::string>({"auto", "1", "3", "8", "20"});
  const std::string unroll = random.pick<std::string>({"auto", "1", "2", "3"});
  const char* edges = random.chance(60) ? "split" : "tested";
  std::string line = fmt::format(
      "streaming T={} block={}x{} elements={} chunk={} prefetch={} unroll={} loads={} edges={}",
      steps, lanes, rows, elements, chunk, prefetch, unroll, loads, edges);
  if (fp == FpMode::Fast) line += random.chance(60) ? " form=scatter" : " form=gather";
  return line;
}

std::string random_planes(Random& random, int rank) {
  if (rank < 2 || random.chance(8)) return "planes";  // refused by name; its defaults
  Shape block = {random.pick<int>({4, 7, 8, 16, 32})};
  for (size_t axis = 1; axis + 1 < static_cast<size_t>(rank); ++axis) {
    const int threads = random.pick<int>({1, 2, 4, 5, 8});
    if (threads * block.product() <= 256 && (axis < 2 || threads * block.product(2) <= 64)) {
      block[axis] = threads;
    }
  }
  return fmt::format("planes T={} block={} chunk={} edges={}", random.between(1, 6),
                     print(block, rank), random.pick<std::string>({"auto", "1", "2", "5", "20"}),
                     random.chance(60) ? "split" : "tested");
}

// Enlarges a tile that is smaller than its halo: twice the threads in every dimension, or, where a
// block has enough of them, twice the elements; one step less. Elements come second because they
// are unrolled: a compiler that optimises takes a minute over hundreds.
std::optional<schedule::Schedule> enlarge(schedule::Schedule schedule, int rank) {
  constexpr int kThreads = 256, kElements = 64;
  int64_t threads = schedule.block.product();
  int elements = 1;
  for (size_t d = 0; d < static_cast<size_t>(rank); ++d) {
    if (2 * threads <= kThreads) {
      schedule.block[d] *= 2;
      threads *= 2;
    } else {
      schedule.elements[d] *= 2;
    }
    elements *= schedule.elements[d];
  }
  schedule.time_tile = std::max(1, schedule.time_tile - 1);
  if (elements > kElements) return std::nullopt;
  return schedule;
}

// The same for planes, which have threads alone.
std::optional<schedule::Schedule> enlarge_planes(schedule::Schedule schedule, int rank) {
  constexpr int kThreads = 512, kThreadsFromZ = 64;
  for (size_t axis = 0; axis + 1 < static_cast<size_t>(rank); ++axis) {
    if (2 * schedule.block.product() > kThreads) break;
    if (axis > 1 && 2 * schedule.block.product(2) > kThreadsFromZ) break;
    schedule.block[axis] *= 2;
  }
  if (schedule.time_tile == 1 && 2 * schedule.block.product() > kThreads) return std::nullopt;
  schedule.time_tile = std::max(1, schedule.time_tile - 1);
  return schedule;
}

// The same for streaming, whose rows of threads are powers of two up to 32.
std::optional<schedule::Schedule> enlarge_streaming(schedule::Schedule schedule, int rank) {
  constexpr int kThreads = 256, kElements = 32;
  const auto grow = [&](size_t axis, bool by_threads) {
    if (by_threads && 2 * schedule.block[0] * schedule.block[1] <= kThreads) {
      schedule.block[axis] *= 2;
    } else {
      schedule.elements[axis] *= 2;
    }
  };
  grow(0, schedule.block[0] < 32);
  if (rank == 3) grow(1, true);
  schedule.time_tile = std::max(1, schedule.time_tile - 1);
  if (schedule.elements[0] * schedule.elements[1] > kElements) return std::nullopt;
  return schedule;
}

// Fewer steps, then half the elements: less to keep.
std::optional<schedule::Schedule> reduce(schedule::Schedule schedule) {
  if (schedule.time_tile > 1) {
    schedule.time_tile = (schedule.time_tile + 1) / 2;
    return schedule;
  }
  for (size_t axis = 0; axis < kMaxRank; ++axis) {
    if (schedule.elements[axis] == 1) continue;
    schedule.elements[axis] /= 2;
    return schedule;
  }
  return std::nullopt;
}

// What to try instead, by the code of the refusal.
std::optional<schedule::Schedule> amend(schedule::Schedule schedule, const std::string& code,
                                        int rank) {
  const bool streams = schedule.family == "streaming", planes = schedule.family == "planes";
  if (code == "L025") {  // no sizes for bulk copies
    schedule.loads = schedule::Loads::Async;
    return schedule;
  }
  if (code == "L021") {  // nothing linear in one piece
    schedule.form = schedule::Form::Gather;
    return schedule;
  }
  if (code == "L016" && !streams && schedule.time_tile > 1) {  // served by one step, perhaps
    schedule.time_tile = 1;
    return schedule;
  }
  if (code == "L015" || code == "L020") return reduce(schedule);
  if (code != "L014") return std::nullopt;
  if (planes) return enlarge_planes(schedule, rank);
  return streams ? enlarge_streaming(schedule, rank) : enlarge(schedule, rank);
}

std::string random_settings(Random& random, const std::string& family, int rank, FpMode fp) {
  if (family == "streaming") return random_streaming(random, rank, fp);
  if (family == "planes") return random_planes(random, rank);
  if (rank > 3) return random_deep_schedule(random, family, rank);
  const int bx = random.pick<int>({4, 8, 16, 32});
  const int by = random.pick<int>({1, 2, 4});
  const int bz = random.pick<int>({1, 2});
  const int ex = random.pick<int>({1, 1, 2, 3});
  const int ey = random.pick<int>({1, 2, 3, 4});
  const int ez = random.pick<int>({1, 2, 4});
  std::string block = fmt::format("{}", rank == 1 ? bx * 4 : bx);
  std::string elements = fmt::format("{}", ex);
  if (rank > 1) block += fmt::format("x{}", by), elements += fmt::format("x{}", ey);
  if (rank > 2) block += fmt::format("x{}", bz), elements += fmt::format("x{}", ez);
  if (family == "direct") return fmt::format("direct block={} elements={}", block, elements);
  const int steps = random.between(1, 6);
  const char* regions = random.chance(70) ? "shrink" : "hull";
  return fmt::format("overlapped T={} block={} elements={} regions={}", steps, block, elements,
                     regions);
}

}  // namespace

// Rows are padded where that aligns them, unless the schedule says otherwise.
std::string random_schedule(Random& random, const std::string& family, int rank, FpMode fp) {
  const std::string line = random_settings(random, family, rank, fp);
  return random.chance(20) ? line + " rows=dense" : line;
}

std::optional<kernel::Module> lower_somehow(const ir::Program& program,
                                            schedule::Schedule& schedule, std::string& refusal) {
  for (int attempt = 0; attempt < 10; ++attempt) {
    Diagnostics refusals;
    if (auto module =
            schedule::lower(program, schedule, refusals, schedule::gpu(), schedule::Advice::None))
      return module;
    refusal = refusals.items().front().code;
    const auto other = amend(schedule, refusal, program.grid.rank());
    if (!other) return std::nullopt;
    schedule = *other;
  }
  return std::nullopt;
}

}  // namespace stencil::property
