#include "runtime/tune/compiled_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "compiler/ir/passes.h"
#include "compiler/schedule/explore.h"
#include "compiler/support/threads.h"
#include "compiler/support/try.h"
#include "runtime/devices/cuda_driver.h"
#include "runtime/devices/kernel_cache.h"
#include "runtime/devices/nvrtc.h"
#include "runtime/tune/by_phases.h"
#include "runtime/tune/compiled.h"
#include "runtime/tune/entry.h"

namespace stencil::tune {

using runtime::KnownLine;

namespace {

// After this time no compilation is started: kernels may be huge and threads few.
constexpr auto kCompilePatience = std::chrono::seconds(10);

std::vector<std::string> lines_of(const std::vector<schedule::Schedule>& schedules, int rank) {
  std::vector<std::string> out;
  for (const auto& schedule : schedules) out.push_back(schedule::print(schedule, rank));
  return out;
}

// The fastest compiled schedule according to the model.
Result<std::string> choose(schedule::Scheduler& scheduler,
                           const std::vector<schedule::Schedule>& tiles) {
  const auto begin = std::chrono::steady_clock::now();
  const auto compiled = TRY(compile_candidates(
      scheduler.program(), tiles, scheduler.machine(),
      std::min(wanted_threads(), static_cast<int>(tiles.size())), [&](const CompiledProgress&) {
        return std::chrono::steady_clock::now() - begin < kCompilePatience;
      }));
  std::optional<schedule::Candidate> best;
  std::string error;
  for (size_t t = 0; t < tiles.size(); ++t) {
    const Compiled& one = compiled[t];
    if (error.empty()) error = one.error + one.refused;
    if (one.registers == 0) continue;
    const auto candidate = schedule::predict(scheduler, tiles[t], for_model(one));
    if (candidate && (!best || schedule::is_faster(*candidate, *best))) best = candidate;
  }
  if (best) return schedule::print(best->schedule, scheduler.program().grid().rank());
  return Failure{"R042", "none of the best schedules compiles: " + error, ""};
}

// The tiles to compare, and the key of the choice in the kernel cache.
struct Comparison {
  std::vector<schedule::Schedule> tiles;
  runtime::CacheKey key;
  runtime::KnownLine choice(std::string line) const {
    return {std::move(line), fmt::format("the fastest predicted of {} compiled", tiles.size())};
  }
};

Result<Comparison> comparison(schedule::Scheduler& scheduler) {
  const int driver = runtime::cuda::driver().version;
  const auto nvrtc = TRY(runtime::find_nvrtc(driver));
  Comparison out;
  out.tiles = schedule::best_of_tiles(schedule::explore(scheduler, schedule::Effort::Quick),
                                      kTilesCompared);
  out.key = {"cuda",
             {"choice", code_version(), nvrtc.identity, std::to_string(driver),
              scheduler.machine().name, ir::print(scheduler.program())}};
  for (std::string& line : lines_of(out.tiles, scheduler.program().grid().rank())) {
    out.key.parts.push_back(std::move(line));
  }
  return out;
}

}  // namespace

Result<runtime::KnownLine> compiled_choice(const ir::Program& program,
                                           const schedule::Machine& machine) {
  schedule::Scheduler scheduler(program, machine);
  if (is_chosen_by_phases(scheduler)) {
    std::optional<Failure> failure;
    const auto line =
        line_by_phases(scheduler, [&](const ir::Program& phase) -> std::optional<KnownLine> {
          auto one = compiled_choice(phase, machine);
          if (!one.ok() && !failure) failure = one.failure();
          return one.ok() ? std::optional(std::move(one).value()) : std::nullopt;
        });
    if (line) return *line;
    return failure.value_or(Failure{"R042", "none of the best schedules compiles", ""});
  }
  const auto compared = TRY(comparison(scheduler));
  auto line = TRY(runtime::cached(compared.key, [&] { return choose(scheduler, compared.tiles); }));
  return compared.choice(std::move(line));
}

bool compiles_for_choice(const schedule::Machine& machine) {
  return machine.name.starts_with("sm_") && !runtime::cache_settings().directory.empty();
}

std::optional<runtime::KnownLine> kept_choice(const ir::Program& program,
                                              const schedule::Machine& machine) {
  if (!compiles_for_choice(machine)) return std::nullopt;
  auto choice = compiled_choice(program, machine);
  return choice.ok() ? std::optional(std::move(choice).value()) : std::nullopt;
}

std::optional<runtime::KnownLine> stored_choice(const ir::Program& program,
                                                const schedule::Machine& machine) {
  if (!compiles_for_choice(machine)) return std::nullopt;
  schedule::Scheduler scheduler(program, machine);
  if (is_chosen_by_phases(scheduler)) {
    return line_by_phases(scheduler,
                          [&](const ir::Program& phase) { return stored_choice(phase, machine); });
  }
  const auto compared = comparison(scheduler);
  if (!compared.ok()) return std::nullopt;
  auto line = runtime::kept(compared.value().key);
  return line ? std::optional(compared.value().choice(std::move(*line))) : std::nullopt;
}

}  // namespace stencil::tune
