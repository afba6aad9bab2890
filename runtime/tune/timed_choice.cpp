// A small version of `explore --measure`, for as long as the run justifies.
//
// The result goes to the kernel cache, not to the tuning database. The database holds deliberate
// measurements, which are applied at nearby sizes and exported to other machines; a few timed
// runs before a run are not reliable enough for that.
#include "runtime/tune/timed_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/support/try.h"
#include "runtime/tune/brief_run.h"
#include "runtime/tune/by_phases.h"
#include "runtime/tune/candidate_timer.h"
#include "runtime/tune/compilation.h"
#include "runtime/tune/compiled_choice.h"
#include "runtime/tune/field_memory.h"
#include "runtime/tune/free_memory.h"
#include "runtime/tune/shortlist.h"
#include "runtime/tune/stored_timing.h"
#include "runtime/tune/timing.h"
#include "runtime/tune/tuned.h"

namespace stencil::tune {

using runtime::ChosenDevice;
using runtime::KnownLine;

namespace {

constexpr size_t kFewest = 2;    // initial candidates at least, if some take long to compile
constexpr int kSideBySide = 5;   // following ones; further ones could not use their results
constexpr int kManyThreads = 8;  // enough to compile further tiles along with the first

// Expected seconds of compilation per candidate.
std::vector<double> compilations_of(const ir::Program& program, const schedule::Machine& machine,
                                    const Shortlist& shortlist) {
  std::vector<double> out;
  for (const Candidate& candidate : shortlist.first()) {
    out.push_back(compilation_of(program, candidate.schedule, machine).value_or(0));
  }
  return out;
}

// How many of the first candidates are compiled and cached even without timing.
size_t compiled_anyway(const schedule::Machine& machine, size_t candidates) {
  if (runtime::cache_settings().directory.empty()) return 0;
  return std::min<size_t>(candidates, compiles_for_choice(machine) ? kTilesCompared : 1);
}

// Describes the initial candidates, before anything is lowered.
Contest contest_of(const ir::Program& program, const runtime::Params& params,
                   const ChosenDevice& device, const Shortlist& shortlist) {
  const schedule::Machine& machine = device.device.machine;
  Contest out;
  out.candidates = shortlist.first().size();
  const int most = std::max(kSideBySide, static_cast<int>(out.candidates));
  out.compilers = device.device.compile ? std::min(wanted_threads(), most) : 1;
  out.compiled = compiled_anyway(machine, out.candidates);
  out.on_cpu = machine.threads_are_loops;
  out.threads = wanted_threads();
  for (const Candidate& candidate : shortlist.first()) {
    out.tile = std::max(out.tile, candidate.predicted * std::max(candidate.schedule.time_tile, 1));
  }
  out.bytes = bytes_of_fields(program, params).value_or(std::numeric_limits<int64_t>::max() / 64);
  return out;
}

// Removes candidates until timing pays or few are left. Candidates that are compiled even without
// timing stay. The candidates with the longest compilation go first, weighted by how slow they are
// predicted to be. So a simple schedule that compiles quickly does not displace one that
// is nearly the best.
void leave_out_slow_ones(Contest& contest, Shortlist& shortlist, double expected) {
  const size_t fewest = std::max(contest.compiled, kFewest);
  std::vector<double>& seconds = contest.compilations;
  while (!is_worth(contest, expected) && contest.candidates > fewest) {
    const double best = shortlist.first().front().predicted;
    size_t worst = contest.compiled;
    double most = -1;
    for (size_t i = contest.compiled; i < seconds.size(); ++i) {
      const double ratio = shortlist.first()[i].predicted / best;
      if (seconds[i] * ratio * ratio <= most) continue;
      most = seconds[i] * ratio * ratio;
      worst = i;
    }
    shortlist.leave_out(worst);
    seconds.erase(seconds.begin() + static_cast<std::ptrdiff_t>(worst));
    --contest.candidates;
  }
}

// The timing that a run of `expected` seconds justifies, if any. If the run is long enough, further
// candidates follow the initial ones; the longer the run, the more. A shorter run times only
// initial candidates, without those that take too long to compile.
std::optional<Contest> worthwhile(const ir::Program& program, const runtime::Params& params,
                                  const ChosenDevice& device, Shortlist& shortlist,
                                  double expected) {
  const int64_t room = free_memory();
  Contest first = contest_of(program, params, device, shortlist);
  Contest fewest = first;
  fewest.follow = shortlist.follow();
  // Lowering takes longer than the checks so far, so avoid it if timing cannot pay. If each
  // compiler has to compile several candidates, the candidates compiled in any case always take
  // less time than the others.
  const bool may_wait = 2 * first.compiled >= first.candidates ||
                        2 * static_cast<size_t>(first.compilers) > first.candidates;
  if (!has_room(first, room) || !(may_wait || is_worth(fewest, expected))) return std::nullopt;
  if (device.device.compile && wanted_threads() >= kManyThreads) {
    shortlist.begin_with_further_tiles();
    first = contest_of(program, params, device, shortlist);
  }
  first.compilations = compilations_of(program, device.device.machine, shortlist);
  fewest = first;
  fewest.follow = shortlist.follow();
  if (!has_room(fewest, room) || !is_worth(fewest, expected)) {
    leave_out_slow_ones(first, shortlist, expected);
    return is_worth(first, expected) ? std::optional(first) : std::nullopt;
  }
  Contest most = fewest;
  most.follow += more_worth(fewest, shortlist.most_follow() - fewest.follow, expected);
  return has_room(most, room) ? most : fewest;
}

// The fastest candidate; nullopt if there is nothing to compare or the device is lost.
std::optional<Choice> fastest(const Timings& timings) {
  if (!timings.best || timings.end == End::Lost) return std::nullopt;
  const auto timed = std::count_if(timings.candidates.begin(), timings.candidates.end(),
                                   [](const Timed& each) { return each.runs > 0; });
  if (timed < 2) return std::nullopt;
  return Choice{timings.candidates[*timings.best].line, timed};
}

}  // namespace

std::optional<KnownLine> timed_choice(const ir::Program& program, const ChosenDevice& device,
                                      const RunAhead& run) {
  const auto ahead = known_run(program, device, run);
  if (!ahead) return std::nullopt;
  const auto& [used, sizes, params, steps] = *ahead;
  const runtime::CacheKey key = key_of_choice(program, *ahead);
  if (const auto known = runtime::kept(key, is_choice)) {
    const Choice choice = *choice_of(*known);
    return KnownLine{choice.line, fmt::format("the fastest of {} timed before", choice.timed)};
  }
  if (run.only_stored) return std::nullopt;
  Shortlist shortlist(program, used.device.machine);
  if (shortlist.first().empty()) return std::nullopt;
  const double expected = shortlist.first().front().predicted * static_cast<double>(steps);
  const auto contest = worthwhile(program, params, used, shortlist, expected);
  if (!contest) return std::nullopt;
  std::optional<double> seconds;  // duration; nullopt: another process has done it meanwhile
  const auto text = runtime::cached(
      key,
      [&]() -> Result<std::string> {
        if (run.stage) {
          run.stage(fmt::format("timing schedules of {} on {}", program.name, used.device.name));
        }
        TimingOptions options;
        options.budget = budget_of(*contest, expected);
        options.threads = contest->compilers + (contest->on_cpu ? 0 : 1);  // one launches kernels
        options.side_by_side = kSideBySide;
        options.next = [&](const Timings& timings) {
          const bool enough = timings.candidates.size() >= contest->candidates + contest->follow;
          return enough ? std::nullopt : shortlist.next(timings);
        };
        const auto timings =
            TRY(time_candidates(program, params, used, shortlist.first(), options));
        seconds = timings.elapsed;
        auto choice = fastest(timings);
        if (choice) choice->seconds = expected;
        if (!choice) return Failure{"R044", "no schedules could be compared", ""};
        return text_of(*choice);
      },
      is_choice);
  if (!text.ok()) return std::nullopt;
  const Choice choice = *choice_of(text.value());
  const std::string when = seconds ? fmt::format("in {:.1f} s", *seconds) : "before";
  return KnownLine{choice.line, fmt::format("the fastest of {} timed {}", choice.timed, when)};
}

std::optional<KnownLine> automatic_line(const ir::Program& program, const ChosenDevice& device,
                                        const RunAhead& run) {
  if (auto tuned = tuned_line(program, device)) return tuned;
  const schedule::Machine machine = device_for(device, run).device.machine;
  const schedule::Scheduler scheduler(program, machine);
  if (is_chosen_by_phases(scheduler)) {
    const auto ahead = known_run(program, device, run);
    return line_by_phases(scheduler, [&](const ir::Program& phase) {
      RunAhead of_phase = run;
      const int64_t iterations = phase.origin.phase->phase.iterations_per_step();
      if (ahead) of_phase.steps = ahead->steps * iterations;
      return automatic_line(phase, device, of_phase);
    });
  }
  if (auto timed = timed_choice(program, device, run)) return timed;
  if (auto brief = brief_choice(program, device, run)) return brief;
  return run.only_stored ? stored_choice(program, machine) : kept_choice(program, machine);
}

}  // namespace stencil::tune
