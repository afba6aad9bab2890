// A device whose kernels do nothing and whose clock the test controls.
#pragma once

#include <functional>
#include <memory>

#include "runtime/devices/device_table.h"
#include "runtime/measure/modules.h"

namespace stencil::measure::fake {

// The launches of one call of advance().
struct Launches {
  const kernel::Module& module;
  const reference::State& state;
  int64_t count;
  int64_t kernel() const { return state.integer_params[0]; }
  int64_t blocks() const { return state.integer_params[1]; }
  int64_t passes() const { return state.integer_params[2]; }
  int64_t chunks() const { return state.integer_params[3]; }
};
using Clock = std::function<double(const Launches&)>;

// Tests set these before each use of the device. `loads` decides by the module's name whether it
// can be loaded.
inline Clock clock;
inline std::function<bool(const std::string& module)> loads;
inline int prepared = 0;  // number of preparations of memory

class Session : public runtime::Session {
 public:
  Session(const kernel::Module& module, reference::State& state) : module_(module), state_(state) {}
  Result<int64_t> advance(int64_t steps) override {
    const int of_launch = steps_of_launch(module_);
    if (steps < of_launch) {
      ++prepared;
      return steps;
    }
    seconds_ = clock({module_, state_, steps / of_launch});
    return steps;
  }
  Status finish() override { return Done{}; }
  std::optional<double> seconds() const override { return seconds_; }

 private:
  const kernel::Module& module_;
  reference::State& state_;
  double seconds_ = 0;
};

class Program : public runtime::LoadedProgram {
 public:
  explicit Program(const kernel::Module& module) : module_(module) {}
  Result<std::unique_ptr<runtime::Session>> start(reference::State& state) const override {
    return std::unique_ptr<runtime::Session>(std::make_unique<Session>(module_, state));
  }

 private:
  const kernel::Module& module_;
};

inline runtime::ChosenDevice device(const schedule::Machine& machine) {
  runtime::Device device;
  device.name = "fake";
  device.probe = nullptr;
  device.load = [](const runtime::Job& job,
                   const std::string&) -> Result<std::unique_ptr<runtime::LoadedProgram>> {
    if (loads && !loads(job.module->name)) return Failure{"R042", "no " + job.module->name, ""};
    return std::unique_ptr<runtime::LoadedProgram>(std::make_unique<Program>(*job.module));
  };
  device.machine = machine;
  return {device, "", {"fake", "a fake device", true, "", "", 1e9}};
}

}  // namespace stencil::measure::fake
