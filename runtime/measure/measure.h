// Calibration: measures the numbers of a machine that the choice of schedules uses
// (schedule::Machine), and further inputs of cost models. docs/design/measure.md describes how each
// follows from times.
#pragma once

#include <functional>
#include <string>

#include "runtime/measure/report.h"
#include "runtime/measure/timer.h"

namespace stencil::measure {

// `progress` is called before each measurement. Fails as Device::load if nothing can be measured;
// otherwise the report lists what could not be measured, with the reason.
Result<Report> measure(const runtime::ChosenDevice& device, const Effort& effort = {},
                       const std::function<void(const std::string&)>& progress = {});

}  // namespace stencil::measure
