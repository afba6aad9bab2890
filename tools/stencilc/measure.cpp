#include "tools/stencilc/measure.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "runtime/devices/device_table.h"
#include "runtime/io/file_writer.h"
#include "runtime/measure/measure.h"
#include "tools/stencilc/console.h"
#include "tools/stencilc/progress.h"

namespace stencil::tool {

namespace {

// The devices to measure. `named`: the user named the device, so failures are errors.
Result<std::vector<runtime::ChosenDevice>> wanted(const std::string& name, bool named) {
  std::vector<std::string> names;
  if (named) names.push_back(name);
  for (const runtime::Device& device : runtime::device_table()) {
    if (!named && device.runs_kernels) names.push_back(device.name);
  }
  std::vector<runtime::ChosenDevice> out;
  for (const std::string& each : names) {
    auto chosen = runtime::choose_device(each);
    if (chosen.ok() && chosen.value().device.runs_kernels) {
      out.push_back(std::move(chosen).value());
    } else if (named || (!chosen.ok() && chosen.failure().code != "R041")) {
      if (!chosen.ok()) return chosen.failure();
      return Failure{"R045",
                     fmt::format("device '{}' runs no kernels: there is nothing to measure", name),
                     "'stencilc devices' lists those that do"};
    }
  }
  if (out.empty()) {
    return Failure{"R041", "no device that runs kernels is present", "'stencilc devices' says why"};
  }
  return out;
}

}  // namespace

int measure_devices(const Arguments& arguments) {
  const bool named = arguments.device != "auto";
  const auto devices = wanted(arguments.device, named);
  if (!devices.ok()) return report(devices.failure());
  InterruptGuard guard;
  // Open the file before the measurement, which takes a while.
  std::optional<runtime::FileWriter> json;
  if (!arguments.json.empty()) {
    auto file = runtime::FileWriter::create(arguments.json);
    if (!file.ok()) return report(file.failure());
    json.emplace(std::move(file).value());
  }
  std::vector<measure::Report> reports;
  ExitStatus status = kSuccess;
  for (const runtime::ChosenDevice& device : devices.value()) {
    std::optional<Activity> activity(std::in_place);
    const auto measured = measure::measure(device, {}, [&](const std::string& what) {
      activity->now(fmt::format("measuring {}: {}", device.device.name, what));
    });
    activity.reset();
    if (!measured.ok()) {
      status = report(measured.failure());
      continue;
    }
    const std::string apart = reports.empty() ? "" : "\n";
    const ExitStatus printed = print_out(apart + print(measured.value()));
    if (printed != kSuccess) return printed;
    reports.push_back(measured.value());
  }
  warn_of_cache();
  if (!json || reports.empty()) return status;
  Status written = json->write(measure::to_json(reports));
  if (written.ok()) written = json->commit();
  return written.ok() ? status : report(written.failure());
}

}  // namespace stencil::tool
