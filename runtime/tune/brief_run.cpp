// Clang takes 20 s for some kernels of `planes` and under a second for `direct`. If the run itself
// takes a tenth of a second, the user waits for the compiler alone. The choice does not depend on
// what the kernel cache holds, so equal runs take equal schedules.
#include "runtime/tune/brief_run.h"

#include "compiler/support/diagnostic.h"
#include "runtime/devices/host_device.h"
#include "runtime/tune/database.h"
#include "runtime/tune/entry.h"
#include "runtime/tune/search.h"
#include "runtime/tune/tuned.h"
#include "runtime/tune/worth.h"

namespace stencil::tune {

namespace {

constexpr size_t kCompared = 5;      // the model's choice, and the best of each family
constexpr double kNoticeable = 0.5;  // seconds

// Seconds to compile a candidate; nullopt if its device refuses it.
std::optional<double> compilation(const ir::Program& program, const Candidate& candidate,
                                  const schedule::Machine& machine) {
  Diagnostics refusals;
  const auto module =
      runtime::lower(program, candidate.schedule, machine, refusals, schedule::Advice::None);
  if (!module) return std::nullopt;
  return compilation_of(runtime::host_source(*module).size());
}

}  // namespace

std::optional<runtime::KnownLine> brief_choice(const ir::Program& program,
                                               const runtime::ChosenDevice& device,
                                               const RunAhead& run) {
  schedule::Machine machine = device.device.machine;
  machine.in_place = machine.in_place || run.dense;
  if (is_tuning_off() || !device.device.runs_kernels || !machine.threads_are_loops ||
      !sizes_of(program)) {
    return std::nullopt;
  }
  const auto params = runtime::bind_params(program);
  if (!params.ok()) return std::nullopt;
  const auto steps =
      run.steps ? Result<int64_t>(*run.steps) : runtime::steps_of(program, params.value());
  if (!steps.ok()) return std::nullopt;

  schedule::Scheduler scheduler(program, machine);
  const schedule::Space space = schedule::explore(scheduler, schedule::Effort::Quick);
  Search search(scheduler, space);
  const std::vector<Candidate> candidates = search.first(kCompared);
  std::optional<double> usual, least;
  const Candidate* soonest = nullptr;
  for (const Candidate& candidate : candidates) {
    const auto compiling = compilation(program, candidate, machine);
    if (!compiling) continue;
    const double end = *compiling + candidate.predicted * static_cast<double>(steps.value());
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
