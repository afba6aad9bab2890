// If compiling is separate from loading (cuda, host), a build ends with machine code. Loading would
// disturb measurements on the device, so the measuring thread does it.
#include "tools/bench/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "compiler/driver/frontend.h"
#include "runtime/io/files.h"
#include "runtime/tune/compiled_choice.h"
#include "runtime/tune/timed_choice.h"

namespace stencil::bench {

using runtime::ChosenDevice;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_from(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// A JSON number or string as text for -D.
std::string value_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

ProgramOptions options_of(const BuildRequest& request) {
  ProgramOptions options;
  options.name = request.name;
  options.real = request.real;
  options.fp = request.fp;
  for (const auto& item : request.define.items()) {
    options.definitions[item.key()] = value_text(item.value());
  }
  return options;
}

void note(Build& build, const Failure& failure) {
  (failure.code == "R043" ? build.refused : build.error) = failure.code + " " + failure.message;
}

// The choice of "auto".
std::optional<runtime::KnownLine> automatic(const BuildRequest& request, const ir::Program& program,
                                            const ChosenDevice& device) {
  if (request.schedule != "auto") return std::nullopt;
  if (!request.alone) return tune::kept_choice(program, device.device.machine);
  return tune::automatic_line(program, device, {.steps = request.run_steps});
}

void lower(const BuildRequest& request, const schedule::Machine& machine, const KnownLine& known,
           Build& build) {
  auto text = runtime::read_file(request.file, int64_t{64} << 20);
  if (!text.ok()) return note(build, text.failure());
  const Source source(request.file, std::move(text).value());
  Diagnostics diagnostics;
  build.program = load_program(source, options_of(request), diagnostics);
  if (!build.program) {
    build.error = render(source, diagnostics);
    return;
  }
  auto params = runtime::bind_params(*build.program);
  if (!params.ok()) return note(build, params.failure());
  build.params = std::move(params).value();
  const auto chosen = known ? known(*build.program) : std::nullopt;
  if (chosen) build.chosen = chosen->origin;
  build.module = runtime::lower(*build.program, chosen ? chosen->line : request.schedule, machine,
                                build.schedule, diagnostics);
  if (build.module) return;
  // A malformed line is an error, not a refusal.
  const auto& items = diagnostics.items();
  const bool refusal = std::any_of(items.begin(), items.end(), [](const Diagnostic& diagnostic) {
    const std::string& code = diagnostic.code;
    return code.starts_with("L") && code != "L001" && code != "L002";
  });
  (refusal ? build.refused : build.error) = render(source, diagnostics);
}

}  // namespace

Build lower(const BuildRequest& request, const schedule::Machine& machine, const KnownLine& known) {
  Build build;
  lower(request, machine, known, build);
  return build;
}

Build compile(const BuildRequest& request, const ChosenDevice& device) {
  Build build = lower(request, device.device.machine, [&](const ir::Program& program) {
    return automatic(request, program, device);
  });
  if (!build.module) return build;
  if (!device.device.compile) {
    load(build, device);
    return build;
  }
  const auto begin = Clock::now();
  auto code = device.device.compile({*build.program, build.module.get()}, device.selector);
  build.seconds = seconds_from(begin);
  if (code.ok()) {
    build.machine_code = std::move(code).value();
  } else {
    note(build, code.failure());
  }
  return build;
}

void load(Build& build, const ChosenDevice& device) {
  if (build.loaded || !build.error.empty() || !build.refused.empty()) return;
  const auto begin = Clock::now();
  const std::string* code = build.machine_code.empty() ? nullptr : &build.machine_code;
  auto loaded = device.device.load({*build.program, build.module.get(), code}, device.selector);
  build.seconds += seconds_from(begin);
  if (loaded.ok()) {
    build.loaded = std::move(loaded).value();
  } else {
    note(build, loaded.failure());
  }
}

Builder::Pending Builder::request(const BuildRequest& request) {
  return workers_
      .start([this, request] { return std::make_shared<Build>(compile(request, device_)); })
      .share();
}

}  // namespace stencil::bench
