// Execution of a plan (compiler/kernel/plan.h) on an accelerator.
#pragma once

#include <memory>

#include "compiler/kernel/plan.h"
#include "compiler/reference/state.h"
#include "runtime/devices/accelerator.h"
#include "runtime/devices/communicator.h"
#include "runtime/devices/device.h"

namespace stencil::runtime {

// A session that executes the module's plan. `accelerator` and `module` must outlive it. Where
// memory runs out, the failure says how much each field needs.
Result<std::unique_ptr<Session>> start_plan(Accelerator& accelerator, const kernel::Module& module,
                                            reference::State& state);

// What a session may have besides.
struct PlanOptions {
  DeviceArrays arrays = {};       // LoadedProgram::attach; R045 if the module pads their rows
  const Session* like = nullptr;  // LoadedProgram::start_like
  Communicator* parts = nullptr;  // of a module that is a part of a decomposed program
};
// The same with an accelerator that belongs to the session.
Result<std::unique_ptr<Session>> start_plan(std::unique_ptr<Accelerator> accelerator,
                                            const kernel::Module& module, reference::State& state,
                                            const PlanOptions& options = {});

}  // namespace stencil::runtime
