// Clang takes 20 s for some kernels of `planes` and under a second for `direct`. If the run itself
// takes a tenth of a second, the user waits for the compiler alone. The choice does not depend on
// what the kernel cache holds, so equal runs take equal schedules.
#include "runtime/tune/brief_run.h"

#include <set>
#include <string>
#include <vector>

#include "runtime/tune/compilation.h"
#include "runtime/tune/search.h"

namespace stencil::tune {

namespace {

constexpr size_t kCompared = 5;      // besides the best of each family
constexpr double kNoticeable = 0.5;  // seconds

// The model's choice first.
std::vector<Candidate> candidates_of(Search& search, const schedule::Space& space) {
  std::vector<Candidate> out = search.first(kCompared);
  std::set<std::string> families;
  for (const Candidate& candidate : out) families.insert(candidate.schedule.family);
  for (const schedule::Candidate& candidate : space.ranked) {
    if (!families.insert(candidate.schedule.family).second) continue;
    if (auto given = search.give(candidate.schedule)) out.push_back(*std::move(given));
  }
  return out;
}

}  // namespace

std::optional<runtime::KnownLine> brief_choice(const ir::Program& program,
                                               const runtime::ChosenDevice& device,
                                               const RunAhead& run) {
  if (!device.device.machine.threads_are_loops) return std::nullopt;
  const auto known = known_run(program, device, run);
  if (!known) return std::nullopt;
  const schedule::Machine& machine = known->device.device.machine;
  schedule::Scheduler scheduler(program, machine);
  const schedule::Space space = schedule::explore(scheduler, schedule::Effort::Quick);
  Search search(scheduler, space);
  const std::vector<Candidate> candidates = candidates_of(search, space);
  std::optional<double> usual, least;
  const Candidate* soonest = nullptr;
  for (const Candidate& candidate : candidates) {
    const auto compiling = compilation_of(program, candidate.schedule, machine);
    if (!compiling) continue;
    const double end = *compiling + candidate.predicted * static_cast<double>(known->steps);
    if (&candidate == &candidates.front()) {
      usual = end;
      if (*compiling < kNoticeable) return std::nullopt;
    }
    if (least && end >= *least) continue;
    least = end;
    soonest = &candidate;
  }
  if (!usual || *usual - *least < kNoticeable) return std::nullopt;
  return runtime::KnownLine{schedule::print(soonest->schedule, program.grid().rank()),
                            "compiles sooner than a faster one would save"};
}

}  // namespace stencil::tune
