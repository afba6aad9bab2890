// Creates states and simulations, also on user arrays.
#pragma once

#include <memory>

#include "runtime/api/kernel.h"
#include "runtime/api/program.h"
#include "runtime/api/simulation.h"
#include "stencil/simulation.h"

namespace stencil::api {

// Implementations of Program::initial_state, Kernel::start(State), Kernel::attach and
// attach_device.
Result<State> make_state(std::shared_ptr<const ProgramData> source, const ParamValues& values);
Result<Simulation> start(std::shared_ptr<const KernelData> kernel, State state);
Result<Simulation> attach(std::shared_ptr<const KernelData> kernel, const Arrays& arrays,
                          const std::vector<std::string>& initialise, SimulationData::Arrays where,
                          void* stream, const ParamValues& values);

}  // namespace stencil::api
