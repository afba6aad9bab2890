// A simulation as Python holds it.
#pragma once

#include <atomic>

#include "stencil/simulation.h"

namespace stencil::python {

// Calls release the GIL, and a Simulation may be used by one thread at a time. `busy` refuses a
// second thread, and a progress function that uses the simulation that calls it.
struct Run {
  explicit Run(Simulation&& from) : simulation(std::move(from)) {}
  Simulation simulation;
  std::atomic<bool> busy = false;
};

}  // namespace stencil::python
