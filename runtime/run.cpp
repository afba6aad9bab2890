// From a program in stencil IR to a finished run.
//
//   bind_params -> prepare_state -> prepare (device, schedule, kernels) -> execute
//
// A run is cut into chunks of whole time tiles (which may end where a reduction is due) so that it
// can report and be interrupted. Devices are given long chunks, because each ends with a wait for
// the device: the first is one time tile, and the chunks grow until one takes a quarter of a
// second.
#include "runtime/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "compiler/ir/passes.h"
#include "compiler/kernel/passes.h"
#include "compiler/reference/interpreter.h"

namespace stencil::runtime {

// --- Params
// ------------------------------------------------------------------------------------------

namespace {

bool parse_integer(const std::string& text, Scalar type, int64_t& value) {
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end) return false;
  if (type == Scalar::Bool) return value == 0 || value == 1;
  return type == Scalar::I64 || value == static_cast<int32_t>(value);
}

bool parse_real(const std::string& text, double& value) {
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(value);
}

}  // namespace

Result<Params> bind_params(const ir::Program& program,
                           const std::map<std::string, std::string>& values) {
  Params params;
  for (const ir::Param& param : program.params) {
    int64_t integer = param.integer_value.value_or(0);
    double real = param.real_value.value_or(0);
    const bool known = param.integer_value || param.real_value;
    const auto given = values.find(param.name);
    if (!known && given == values.end()) {
      return Failure{"R050", fmt::format("param '{}' has no value", param.name),
                     fmt::format("give it with -D {}=...", param.name)};
    }
    if (!known) {
      const bool parsed = is_float(param.type) ? parse_real(given->second, real)
                                               : parse_integer(given->second, param.type, integer);
      if (!parsed) {
        return Failure{"R051",
                       fmt::format("'{}' is no value of param '{}', which is {}", given->second,
                                   param.name, name(param.type)),
                       ""};
      }
    }
    params.integers.push_back(integer);
    params.reals.push_back(real);
  }
  return params;
}

Result<reference::State> prepare_state(const ir::Program& program, const Params& params,
                                       Diagnostics& diagnostics) {
  const Diagnostics failed = ir::failed_checks(program, params.integers, params.reals);
  for (const Diagnostic& diagnostic : failed.items()) diagnostics.add(diagnostic);
  if (failed.has_errors()) return Failure{"", "the program's checks do not hold", ""};
  std::string error;
  auto state = reference::allocate(program, params.integers, params.reals, error);
  if (!state) return Failure{"R052", "the fields cannot be allocated: " + error, ""};
  reference::initialise(program, *state);
  return std::move(*state);
}

Result<int64_t> steps_of(const ir::Program& program, const Params& params) {
  if (!program.steps) {
    return Failure{"R053", "the program gives no number of steps", "give it with --steps"};
  }
  const auto steps = ir::evaluate(*program.steps, params.integers);
  if (!steps || *steps < 0) {
    return Failure{"R053",
                   steps ? fmt::format("the number of steps is {}", *steps)
                         : std::string("the number of steps overflows"),
                   "give another with --steps"};
  }
  return *steps;
}

// --- Device, schedule, kernels
// -----------------------------------------------------------------------

namespace {

// The module for the schedule line; on failure nothing and errors.
std::shared_ptr<const kernel::Module> lower(const ir::Program& program, const std::string& line,
                                            const schedule::Machine& machine,
                                            std::optional<schedule::Schedule>& schedule,
                                            Diagnostics& diagnostics) {
  const bool automatic = line.empty() || line == "auto";
  schedule = automatic ? schedule::choose(program, nullptr, machine)
                       : schedule::parse(line, program, diagnostics, machine);
  if (!schedule) return nullptr;
  auto module = schedule::lower(program, *schedule, diagnostics, machine);
  if (!module) return nullptr;
  const auto problems = kernel::verify(*module);
  for (const std::string& problem : problems) {
    diagnostics.error("K001", {}, "internal error: unsound kernel: " + problem);
  }
  if (!problems.empty()) return nullptr;
  return std::make_shared<kernel::Module>(std::move(*module));
}

}  // namespace

Result<Prepared> prepare(const ir::Program& program, const std::string& device,
                         const std::string& schedule_line, Diagnostics& diagnostics) {
  Prepared out;
  auto chosen = choose_device(device);
  if (!chosen.ok()) return chosen.failure();
  out.device = std::move(chosen).value();
  if (out.device.device.runs_kernels) {
    out.module =
        lower(program, schedule_line, out.device.device.machine, out.schedule, diagnostics);
    if (!out.module) return Failure{"", "the schedule cannot serve the program", ""};
  }
  auto loaded = out.device.device.load({program, out.module.get()}, out.device.selector);
  if (!loaded.ok()) return loaded.failure();
  out.loaded = std::move(loaded).value();
  return out;
}

// --- The run
// -----------------------------------------------------------------------------------------

namespace {

double points_of(const ir::Program& program, const reference::State& state) {
  const auto box = reference::concrete(program.grid, state.integer_params);
  const auto points = box ? reference::count_points(*box) : std::nullopt;
  return static_cast<double>(points.value_or(0));
}

// The steps of as many tiles as it takes for `wanted` steps, at most `left`.
int64_t whole_tiles(const Prepared& prepared, int64_t step, int64_t wanted, int64_t left) {
  if (!prepared.module || prepared.module->plan.reductions.empty()) return wanted;
  int64_t taken = 0;
  while (taken < wanted) {
    taken += kernel::steps_of_tile(prepared.module->plan, left - taken, step + taken);
  }
  return taken;
}

}  // namespace

Result<RunReport> execute(const ir::Program& program, const Prepared& prepared,
                          reference::State& state, int64_t steps,
                          const ProgressCallback& progress) {
  using Clock = std::chrono::steady_clock;
  constexpr double kChunkSeconds = 0.25;
  auto session = prepared.loaded->start(state);
  if (!session.ok()) return session.failure();
  const double points = points_of(program, state);
  const int64_t tile = prepared.module ? prepared.module->plan.time_tile : 1;
  int64_t chunk = tile;
  RunReport report;
  while (report.steps < steps && !report.interrupted && !report.stopped) {
    const auto begin = Clock::now();
    const int64_t wanted = whole_tiles(prepared, state.step, std::min(chunk, steps - report.steps),
                                       steps - report.steps);
    const auto done = session.value()->advance(wanted);
    if (!done.ok()) return done.failure();
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    report.steps += done.value();
    report.seconds += session.value()->seconds().value_or(seconds);
    report.updates = static_cast<double>(report.steps) * points;
    report.stopped = state.stopped;
    if (seconds < kChunkSeconds && chunk < INT64_MAX / 4) {
      chunk *= seconds < kChunkSeconds / 8 ? 4 : 2;
    } else if (seconds > 2 * kChunkSeconds) {
      chunk = std::max(tile, chunk / 2 / tile * tile);
    }
    if (!progress) continue;
    const bool proceed = progress({report.steps, steps, report.seconds, report.updates});
    report.interrupted = !proceed && report.steps < steps && !report.stopped;
  }
  const Status finished = session.value()->finish();
  if (!finished.ok()) return finished.failure();
  return report;
}

}  // namespace stencil::runtime
