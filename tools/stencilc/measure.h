// `stencilc devices --measure`.
#pragma once

#include "tools/stencilc/options.h"

namespace stencil::tool {

// Measures the device of the command line, or all available devices that run kernels, and prints
// each report when complete. If several devices are measured, a failure is printed and the others
// continue. Writes the file of --json. Returns the exit status.
int measure_devices(const Arguments& arguments);

}  // namespace stencil::tool
