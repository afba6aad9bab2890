// Modules of modules.h on a device, under the clock.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "runtime/devices/device_table.h"
#include "runtime/measure/modules.h"
#include "stencil/result.h"

namespace stencil::measure {

// How long is measured: the median counts of so many samples, each of as many launches in a row as
// take so long, and the first launch of all is not counted.
struct Effort {
  double seconds = 0.011;  // of a sample, at least
  int samples = 5;
  int64_t most_bytes = int64_t{1} << 30;  // that are read, for memory beyond all caches
};

// A module on a device. Failures are those of Device::load and of sessions.
class Subject {
 public:
  explicit Subject(kernel::Module module) : module_(std::move(module)) {}
  Subject(const Subject&) = delete;

  // Compiles ahead of load(), where the device does. For any thread, one at a time.
  void compile(const runtime::ChosenDevice& device);
  Status load(const runtime::ChosenDevice& device);

  // Seconds of one of many launches in a row.
  Result<double> seconds(const Work& work, const Effort& effort) const;

  // Seconds from the end of a launch to the start of the next: what `launches` of them take longer
  // than one with as many passes as all of them together, by each pair. At least 0.
  Result<double> seconds_between(const Work& work, int launches, const Effort& effort) const;

  const kernel::Module& module() const { return module_; }

 private:
  const kernel::Module module_;
  std::optional<Result<std::string>> machine_code_;
  std::unique_ptr<runtime::LoadedProgram> program_;  // null until it is loaded
};

}  // namespace stencil::measure
