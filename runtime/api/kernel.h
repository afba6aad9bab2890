// What stands behind a Kernel.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "runtime/api/program.h"
#include "runtime/run/run.h"
#include "stencil/simulation.h"

namespace stencil::api {

struct KernelData {
  std::shared_ptr<const ProgramData> source;
  Program program;             // the same, as users see it
  runtime::Prepared prepared;  // refers to the program, and owns the module
  Device device;
  std::string schedule;
  std::function<Status()> serve;  // KernelOptions::ranks; null: none, or rank 0

  static Kernel wrap(std::shared_ptr<const KernelData> data) { return Kernel(std::move(data)); }
};

// Compiles the program, whose data are `data`.
Result<Kernel> compile(const Program& program, std::shared_ptr<const ProgramData> data,
                       const KernelOptions& options);

}  // namespace stencil::api
