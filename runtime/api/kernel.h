// The implementation of Kernel.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "runtime/api/program.h"
#include "runtime/run/run.h"
#include "runtime/tune/racing_program.h"
#include "stencil/simulation.h"

namespace stencil::api {

struct KernelData {
  std::shared_ptr<const ProgramData> source;
  Program program;             // the public handle of `source`
  runtime::Prepared prepared;  // owns the module; refers to the program
  Device device;
  std::string schedule;
  std::function<Status()> serve;              // null on rank 0 and without KernelOptions::ranks
  const tune::RacingProgram* race = nullptr;  // prepared.loaded, if its schedule may change

  static Kernel wrap(std::shared_ptr<const KernelData> data) { return Kernel(std::move(data)); }
};

// Compiles the program; `data` is its implementation.
Result<Kernel> compile(const Program& program, std::shared_ptr<const ProgramData> data,
                       const KernelOptions& options);

}  // namespace stencil::api
