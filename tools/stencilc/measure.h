// `stencilc devices --measure`.
#pragma once

#include "tools/stencilc/options.h"

namespace stencil::tool {

// Measures the device of the command line, or every one present that runs kernels, and prints each
// as it is done; the exit status. What one of several devices cannot do is said, and the others go
// on. The file of --json has what was measured.
int measure_devices(const Arguments& arguments);

}  // namespace stencil::tool
