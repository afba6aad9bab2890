// On a GPU the tiles that NVRTC compiles anyway are timed. On a CPU, where the model is further off
// and families and T differ more, `explore --measure` is done in little.
//
// The kernel cache keeps what was found and not the tuning database: that is what users have
// measured on purpose, holds at sizes nearby and goes to other machines; a few turns beside a run
// do not bear that.
#include "runtime/tune/timed_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/schedule/settings.h"
#include "compiler/support/numbers.h"
#include "runtime/devices/host_device.h"
#include "runtime/devices/kernel_cache.h"
#include "runtime/tune/compiled_choice.h"
#include "runtime/tune/database.h"
#include "runtime/tune/entry.h"
#include "runtime/tune/field_memory.h"
#include "runtime/tune/free_memory.h"
#include "runtime/tune/search.h"
#include "runtime/tune/timing.h"
#include "runtime/tune/tuned.h"
#include "runtime/tune/turns.h"

namespace stencil::tune {

using runtime::ChosenDevice;
using runtime::KnownLine;

namespace {

// On a CPU, in all, and before anything is learnt from the others.
constexpr size_t kTimedOnCpu = 8, kFirstOnCpu = 5;

// A choice as it is kept: the line, and of how many it was the fastest.
struct Choice {
  std::string line;
  int64_t timed = 0;
};

std::string text_of(const Choice& choice) {
  return fmt::format("{}\n{}", choice.line, choice.timed);
}

std::optional<Choice> choice_of(const std::string& text) {
  const size_t end = text.find('\n');
  if (end == std::string::npos || end == 0) return std::nullopt;
  const auto timed = parse_integer(text.substr(end + 1), 1);
  if (!timed) return std::nullopt;
  return Choice{text.substr(0, end), *timed};
}

bool is_choice(const std::string& text) {
  return choice_of(text).has_value();
}

// Time tiles are never longer than the run, so what was chosen for a short one is not for others.
runtime::CacheKey cache_key(const ir::Program& program, const ChosenDevice& device,
                            const Sizes& sizes, int64_t steps) {
  const Key key = key_of(program, device);
  const int64_t longest = std::min<int64_t>(steps, schedule::kMaxTimeTile);
  return {key.device,
          {"timed choice", code_version(), key.machine, device.info.description, key.program,
           key.real, key.fp, print(sizes), device.device.machine.in_place ? "in place" : "",
           std::to_string(longest)}};
}

// The schedules that are compared.
class Shortlist {
 public:
  Shortlist(const ir::Program& program, const schedule::Machine& machine)
      : scheduler_(program, machine) {
    if (machine.threads_are_loops) {
      space_ = schedule::explore(scheduler_, schedule::Effort::Quick);
      first_ = search_.emplace(scheduler_, space_).first(kFirstOnCpu);
      if (first_.size() == kFirstOnCpu) most_ = kTimedOnCpu;
      return;
    }
    for (const schedule::Schedule& tile : tiles_to_compare(scheduler_)) {
      const auto candidate = schedule::predict(scheduler_, tile);
      first_.push_back({tile, candidate ? candidate->prediction.seconds : 0});
    }
  }

  // The one that is taken otherwise comes first.
  const std::vector<Candidate>& first() const { return first_; }
  // Those that may follow, of which nothing is known yet but how many there are at most.
  size_t following() const { return std::max(most_, first_.size()) - first_.size(); }
  std::optional<Candidate> next(const Timings& timings) {
    if (!search_ || timings.candidates.size() >= most_) return std::nullopt;
    return search_->next(timings);
  }

 private:
  schedule::Scheduler scheduler_;
  schedule::Space space_;
  std::optional<Search> search_;
  std::vector<Candidate> first_;
  size_t most_ = 0;
};

// Seconds that compilers take for each, by the length of its kernels, and for those that follow as
// for the longest.
std::vector<double> compilations_of(const ir::Program& program, const schedule::Machine& machine,
                                    const Shortlist& shortlist) {
  std::vector<double> out;
  double longest = 0;
  for (const Candidate& candidate : shortlist.first()) {
    Diagnostics refusals;
    const auto module =
        runtime::lower(program, candidate.schedule, machine, refusals, schedule::Advice::None);
    out.push_back(module ? compilation_of(runtime::host_source(*module).size()) : 0);
    longest = std::max(longest, out.back());
  }
  out.resize(out.size() + shortlist.following(), longest);
  return out;
}

// All but what compilers take.
Contest contest_of(const ir::Program& program, const runtime::Params& params,
                   const ChosenDevice& device, const Shortlist& shortlist) {
  const schedule::Machine& machine = device.device.machine;
  Contest out;
  out.candidates = shortlist.first().size() + shortlist.following();
  out.compilers = device.device.compile ? wanted_threads() : 1;
  out.compiled = compiles_for_choice(machine);
  out.on_cpu = machine.threads_are_loops;
  for (const Candidate& candidate : shortlist.first()) {
    out.tile = std::max(out.tile, candidate.predicted * std::max(candidate.schedule.time_tile, 1));
  }
  out.bytes = bytes_of_fields(program, params).value_or(std::numeric_limits<int64_t>::max() / 64);
  return out;
}

// The fastest of them; nothing where there is none to compare, or the device is lost.
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
  if (is_tuning_off() || !device.device.runs_kernels) return std::nullopt;
  const auto sizes = sizes_of(program);
  const auto params = runtime::bind_params(program);
  if (!sizes || !params.ok()) return std::nullopt;
  const auto steps =
      run.steps ? Result<int64_t>(*run.steps) : runtime::steps_of(program, params.value());
  if (!steps.ok()) return std::nullopt;
  ChosenDevice used = device;
  used.device.machine.in_place = used.device.machine.in_place || run.dense;

  const runtime::CacheKey key = cache_key(program, used, *sizes, steps.value());
  if (const auto known = runtime::kept(key, is_choice)) {
    const Choice choice = *choice_of(*known);
    return KnownLine{choice.line, fmt::format("the fastest of {} timed before", choice.timed)};
  }
  Shortlist shortlist(program, used.device.machine);
  if (shortlist.first().empty()) return std::nullopt;
  Contest contest = contest_of(program, params.value(), used, shortlist);
  const double expected = shortlist.first().front().predicted * static_cast<double>(steps.value());
  // Lowering takes longer than all that is asked before.
  if (!is_worth(contest, expected) || !has_room(contest, free_memory())) return std::nullopt;
  contest.compilations = compilations_of(program, used.device.machine, shortlist);
  if (!is_worth(contest, expected)) return std::nullopt;
  std::optional<double> seconds;  // that it took; nothing: another process has done it meanwhile
  const auto text = runtime::cached(
      key,
      [&]() -> Result<std::string> {
        if (run.stage) {
          run.stage(fmt::format("timing schedules of {} on {}", program.name, used.device.name));
        }
        TimingOptions options;
        options.budget = budget_of(contest, expected);
        options.next = [&](const Timings& timings) { return shortlist.next(timings); };
        const auto timings =
            time_candidates(program, params.value(), used, shortlist.first(), options);
        if (!timings.ok()) return timings.failure();
        seconds = timings.value().elapsed;
        const auto choice = fastest(timings.value());
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
  if (auto timed = timed_choice(program, device, run)) return timed;
  schedule::Machine machine = device.device.machine;
  machine.in_place = machine.in_place || run.dense;
  return kept_choice(program, machine);
}

}  // namespace stencil::tune
