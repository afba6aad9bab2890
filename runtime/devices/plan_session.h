// Execution of a plan (compiler/kernel/plan.h) on an accelerator.
#pragma once

#include <memory>

#include "compiler/kernel/plan.h"
#include "compiler/reference/state.h"
#include "runtime/devices/accelerator.h"
#include "runtime/devices/communicator.h"
#include "runtime/devices/device.h"

namespace stencil::runtime {

// A session that executes the module's plan. `accelerator` and `module` must outlive it. If memory
// does not suffice, the failure lists the memory that each field needs.
Result<std::unique_ptr<Session>> start_plan(Accelerator& accelerator, const kernel::Module& module,
                                            reference::State& state);

// Optional arguments of a session.
struct PlanOptions {
  DeviceArrays arrays = {};       // LoadedProgram::attach; R045 if the module pads their rows
  const Session* like = nullptr;  // LoadedProgram::start_like
  Session* giver = nullptr;       // LoadedProgram::take_over
  Communicator* communicator = nullptr;  // for a module that is a subdomain of a decomposed program
};
// Like the function above, but the session owns the accelerator.
Result<std::unique_ptr<Session>> start_plan(std::unique_ptr<Accelerator> accelerator,
                                            const kernel::Module& module, reference::State& state,
                                            const PlanOptions& options = {});

}  // namespace stencil::runtime
