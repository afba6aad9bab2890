// Random settings for each family, and what is changed in them to serve a program.
#include "tests/property/schedules.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/support/diagnostic.h"

namespace stencil::property {

namespace {

std::string random_streaming(Random& random, int rank) {
  if (rank < 2) return "streaming";  // refused by name
  const bool flat = rank == 2;
  const int lanes = random.pick<int>({8, 16, 32});
  const int rows = 32 / lanes * random.pick<int>({1, 1, 2, 4});
  std::string elements = fmt::format("{}", random.pick<int>({1, 2, 3, 4, 4, 8}));
  if (!flat) elements += fmt::format("x{}", random.pick<int>({1, 2, 3, 4}));
  return fmt::format(
      "streaming T={} block={}x{} elements={} chunk={} prefetch={} unroll={} "
      "loads={} edges={}",
      random.between(1, 6), lanes, rows, elements,
      random.pick<std::string>({"auto", "3", "8", "20"}), random.between(0, 2),
      random.pick<std::string>({"auto", "1", "2", "3"}),
      random.pick<std::string>({"registers", "async", "bulk", "bulk", "bulk"}),
      random.chance(80) ? "split" : "tested");
}

// Enlarges a tile that is smaller than its halo: twice the threads in every dimension, or, where a
// block has enough of them, twice the elements; one step less. Elements come second because they
// are unrolled: a compiler that optimises takes a minute over hundreds.
std::optional<schedule::Schedule> enlarge(schedule::Schedule schedule, int rank) {
  constexpr int kThreads = 256, kElements = 64;
  int threads = schedule.block[0] * schedule.block[1] * schedule.block[2];
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

bool has_code(const Diagnostics& diagnostics, const std::string& code) {
  for (const Diagnostic& d : diagnostics.items()) {
    if (d.code == code) return true;
  }
  return false;
}

}  // namespace

std::string random_schedule(Random& random, const std::string& family, int rank) {
  if (family == "streaming") return random_streaming(random, rank);
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
  return fmt::format("overlapped T={} block={} elements={} regions={}", random.between(1, 6), block,
                     elements, random.chance(70) ? "shrink" : "hull");
}

std::optional<kernel::Module> lower_somehow(const ir::Program& program,
                                            schedule::Schedule& schedule) {
  for (int attempt = 0; attempt < 6; ++attempt) {
    Diagnostics refusals;
    if (auto module = schedule::lower(program, schedule, refusals)) return module;
    if (has_code(refusals, "L025")) {  // no sizes for bulk copies
      schedule.loads = schedule::Loads::Async;
      continue;
    }
    if (has_code(refusals, "L016") && schedule.time_tile > 1) {  // served by one step, perhaps
      schedule.time_tile = 1;
      continue;
    }
    if (!has_code(refusals, "L014")) return std::nullopt;
    const auto larger = enlarge(schedule, program.grid.rank());
    if (!larger) return std::nullopt;
    schedule = *larger;
  }
  return std::nullopt;
}

}  // namespace stencil::property
