// The numbers of a machine, measured: what schedules are chosen by (schedule::Machine), and what
// the models of their cost would take besides. docs/measure.md has how each follows from times.
#pragma once

#include <functional>
#include <string>

#include "runtime/measure/report.h"
#include "runtime/measure/timer.h"

namespace stencil::measure {

// `progress` is told what is being done. Fails as Device::load does if nothing at all can be
// measured; otherwise what could not is left out by name, with the reason.
Result<Report> measure(const runtime::ChosenDevice& device, const Effort& effort = {},
                       const std::function<void(const std::string&)>& progress = {});

}  // namespace stencil::measure
