// The checks that all choices before a run begin with.
#include "runtime/tune/run_ahead.h"

#include "runtime/tune/database.h"
#include "runtime/tune/tuned.h"

namespace stencil::tune {

runtime::ChosenDevice device_for(const runtime::ChosenDevice& device, const RunAhead& run) {
  runtime::ChosenDevice out = device;
  out.device.machine.in_place = out.device.machine.in_place || run.dense;
  return out;
}

std::optional<KnownRun> known_run(const ir::Program& program, const runtime::ChosenDevice& device,
                                  const RunAhead& run) {
  if (is_tuning_off() || !device.device.runs_kernels) return std::nullopt;
  auto sizes = sizes_of(program);
  auto params = runtime::bind_params(program);
  if (!sizes || !params.ok()) return std::nullopt;
  const auto steps =
      run.steps ? Result<int64_t>(*run.steps) : runtime::steps_of(program, params.value());
  if (!steps.ok()) return std::nullopt;
  return KnownRun{device_for(device, run), *std::move(sizes), std::move(params).value(),
                  steps.value()};
}

}  // namespace stencil::tune
