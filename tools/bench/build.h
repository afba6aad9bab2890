// Programs compiled ahead of their runs, by several threads.
#pragma once

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/support/workers.h"
#include "runtime/run/run.h"
#include "tools/bench/suite.h"

namespace stencil::bench {

// What is compiled: a program, params and a schedule line.
struct BuildRequest {
  std::string file;  // of the program
  std::string name;  // of its functions
  Json define;       // params: name -> number
  Scalar real = Scalar::F32;
  FpMode fp = FpMode::Contract;
  std::string schedule;
  int64_t run_steps = INT64_MAX;  // of the run that "auto" chooses for
  bool alone = false;  // nothing else uses the device meanwhile: "auto" may time schedules on it
  bool operator==(const BuildRequest&) const = default;
};

// A program and its kernels, or why there are none.
struct Build {
  std::optional<ir::Program> program;
  runtime::Params params;
  std::optional<schedule::Schedule> schedule;
  std::string chosen;                            // how "auto" came to it; "": by rules
  std::shared_ptr<const kernel::Module> module;  // null: `refused` or `error` says why
  std::string machine_code;                      // empty on a device that compiles as it loads
  std::unique_ptr<runtime::LoadedProgram> loaded;
  double seconds = 0;   // that the device's compiler took, and loading
  std::string refused;  // by the schedule, in words
  std::string error;
};

// The program and its kernels for `machine`, as far as no device is needed; `known`: what "auto"
// takes, else rules choose.
using KnownLine = std::function<std::optional<runtime::KnownLine>(const ir::Program& program)>;
Build lower(const BuildRequest& request, const schedule::Machine& machine,
            const KnownLine& known = nullptr);

// Compiles `request`; on a device that compiles as it loads, loads it too.
Build compile(const BuildRequest& request, const runtime::ChosenDevice& device);

// Loads what has been compiled, unless it is loaded or failed. A device that is too small for the
// schedule (R043) refuses it.
void load(Build& build, const runtime::ChosenDevice& device);

// Builds in the order in which they were requested. Not for several threads at once.
class Builder {
 public:
  // `device` must outlive it.
  Builder(const runtime::ChosenDevice& device, int threads) : device_(device), workers_(threads) {}

  using Pending = std::shared_future<std::shared_ptr<Build>>;
  Pending request(const BuildRequest& request);
  // Until nothing is being compiled.
  void wait() { workers_.wait(); }

 private:
  const runtime::ChosenDevice& device_;
  Workers workers_;
};

}  // namespace stencil::bench
