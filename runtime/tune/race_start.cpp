// On a GPU, compiling takes about the same time for all schedules, so a run begins with the model's
// favourite. On a CPU it begins with the schedule that has done most by the time at which the
// favourite would be compiled: Clang takes 20 s for some kernels and under a second for others.
#include "runtime/tune/race_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/tune/by_phases.h"
#include "runtime/tune/compilation.h"
#include "runtime/tune/shortlist.h"
#include "runtime/tune/tuned.h"

namespace stencil::tune {

namespace {

constexpr double kShortest = 0.3, kShortestOnCpu = 3;  // seconds of a run
constexpr double kLonger = 2;  // times the length of the run that a stored choice is good for
constexpr double kBesides =
    2;  // times the time of a compilation, if the run uses the CPU meanwhile

// Seconds by which the run is late at the end if it begins with a schedule, compared with one that
// begins with the favourite at once.
double delay(double compiling, double predicted, double of_favourite, double best, double run) {
  const double until_ready = std::min(kBesides * of_favourite, run);
  return compiling + until_ready * (1 - best / predicted);
}

const Candidate& soonest(const ir::Program& program, const Shortlist& shortlist,
                         const schedule::Machine& machine, double run) {
  const std::vector<Candidate>& all = shortlist.first();
  const Candidate* out = &all.front();
  const auto of_favourite = compilation_of(program, out->schedule, machine);
  if (!machine.threads_are_loops || !of_favourite) return *out;
  double least = *of_favourite;
  for (const Candidate& candidate : all) {
    const auto compiling = compilation_of(program, candidate.schedule, machine);
    if (!compiling || &candidate == &all.front()) continue;
    const double late =
        delay(*compiling, candidate.predicted, *of_favourite, all.front().predicted, run);
    if (late >= least) continue;
    least = late;
    out = &candidate;
  }
  return *out;
}

}  // namespace

std::optional<RaceStart> race_start(const ir::Program& program, const runtime::ChosenDevice& device,
                                    const RunAhead& run) {
  if (run.dense || run.only_stored || program.fp == FpMode::Fast) return std::nullopt;
  if (!device.device.compile || tuned_line(program, device)) return std::nullopt;
  const auto known = known_run(program, device, run);
  if (!known) return std::nullopt;
  const schedule::Machine& machine = known->device.device.machine;
  if (is_chosen_by_phases(schedule::Scheduler(program, machine))) return std::nullopt;
  const auto key = key_of_choice(program, *known);
  const auto stored = runtime::kept(key, is_choice);
  const auto before = stored ? choice_of(*stored) : std::nullopt;
  const Shortlist shortlist(program, machine);
  if (shortlist.first().empty()) return std::nullopt;
  const auto steps = static_cast<double>(known->steps);
  RaceStart out;
  out.run = {known->device, known->steps, shortlist.first().front().predicted * steps,
             [key](const Choice& choice) { keep(key, choice); }};
  const double expected = out.run.expected;
  if (expected < (machine.threads_are_loops ? kShortestOnCpu : kShortest)) return std::nullopt;
  if (before) {
    if (expected < kLonger * before->seconds) return std::nullopt;
    out.line = {before->line, fmt::format("the fastest of {} timed before", before->timed)};
    return out;
  }
  const Candidate& first = soonest(program, shortlist, machine, expected);
  out.line = {schedule::print(first.schedule, program.grid().rank()), ""};
  return out;
}

}  // namespace stencil::tune
