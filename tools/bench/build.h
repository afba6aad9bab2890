// Compiles programs ahead of their runs, in several threads.
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

// A program, its params and a schedule line.
struct BuildRequest {
  std::string file;  // path of the program
  std::string name;  // name of its functions
  Json define;       // params: name -> number
  Scalar real = Scalar::F32;
  FpMode fp = FpMode::Contract;
  std::string schedule;
  int64_t run_steps = INT64_MAX;  // length of the run that "auto" assumes
  bool alone = false;  // the device is otherwise idle, so "auto" may time schedules on it
  bool operator==(const BuildRequest&) const = default;
};

// A program and its kernels, or why there are none.
struct Build {
  std::optional<ir::Program> program;
  runtime::Params params;
  std::optional<schedule::Schedule> schedule;
  std::string chosen;                            // origin of the "auto" choice; "": the model
  std::shared_ptr<const kernel::Module> module;  // null: see `refused` or `error`
  std::string machine_code;                      // empty if the device compiles while loading
  std::unique_ptr<runtime::LoadedProgram> loaded;
  double seconds = 0;   // for compiling and loading
  std::string refused;  // refusal of the schedule, as text
  std::string error;
};

// The program and its kernels for `machine`, without using a device. `known` resolves "auto"; if it
// is null, the model does.
using KnownLine = std::function<std::optional<runtime::KnownLine>(const ir::Program& program)>;
Build lower(const BuildRequest& request, const schedule::Machine& machine,
            const KnownLine& known = nullptr);

// Compiles `request`; if the device compiles while loading, also loads it.
Build compile(const BuildRequest& request, const runtime::ChosenDevice& device);

// Loads a compiled build, unless it has been loaded or has failed. If the device is too small for
// the schedule (R043), the build counts as refused.
void load(Build& build, const runtime::ChosenDevice& device);

// Compiles builds in the order of the requests. Not thread-safe.
class Builder {
 public:
  // `device` must outlive it.
  Builder(const runtime::ChosenDevice& device, int threads) : device_(device), workers_(threads) {}

  using Pending = std::shared_future<std::shared_ptr<Build>>;
  Pending request(const BuildRequest& request);
  // Waits until nothing is being compiled.
  void wait() { workers_.wait(); }

 private:
  const runtime::ChosenDevice& device_;
  Workers workers_;
};

}  // namespace stencil::bench
