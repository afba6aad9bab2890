// Times the modules of modules.h on a device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "runtime/devices/device_table.h"
#include "runtime/measure/modules.h"
#include "stencil/result.h"

namespace stencil::measure {

// Extent of a measurement. The result is the median of several samples, each with as many launches
// in a row as fill its minimum duration. The very first launch is not counted.
struct Effort {
  double seconds = 0.011;  // minimum per sample
  int samples = 5;
  int64_t most_bytes = int64_t{1} << 30;  // limit of working sets beyond all caches
};

// A module on a device. Failures are those of Device::load and of sessions.
class Subject {
 public:
  explicit Subject(kernel::Module module) : module_(std::move(module)) {}
  Subject(const Subject&) = delete;

  // Compiles before load(), if the device supports it. May run in any thread, one at a time.
  void compile(const runtime::ChosenDevice& device);
  Status load(const runtime::ChosenDevice& device);

  // Seconds per launch, averaged over many launches in a row.
  Result<double> seconds(const Work& work, const Effort& effort) const;

  // Seconds between the end of a launch and the start of the next one. Takes the time of `launches`
  // launches, subtracts the time of one launch with the same total number of passes, and divides by
  // the number of gaps. At least 0.
  Result<double> seconds_between(const Work& work, int launches, const Effort& effort) const;

  const kernel::Module& module() const { return module_; }

 private:
  const kernel::Module module_;
  std::optional<Result<std::string>> machine_code_;
  std::unique_ptr<runtime::LoadedProgram> program_;  // null before load()
};

}  // namespace stencil::measure
