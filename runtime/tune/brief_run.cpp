// Clang takes 20 s for some kernels of `planes` and under a second for `direct`. If the run itself
// takes a tenth of a second, the user waits for the compiler alone. The choice does not depend on
// what the kernel cache holds, so equal runs take equal schedules.
#include "runtime/tune/brief_run.h"

#include "runtime/tune/compilation.h"
#include "runtime/tune/search.h"

namespace stencil::tune {

namespace {

constexpr size_t kCompared = 5;      // the model's choice, and the best of each family
constexpr double kNoticeable = 0.5;  // seconds

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
  const std::vector<Candidate> candidates = search.first(kCompared);
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
  return runtime::KnownLine{schedule::print(soonest->schedule, program.grid.rank()),
                            "compiles sooner than a faster one would save"};
}

}  // namespace stencil::tune
