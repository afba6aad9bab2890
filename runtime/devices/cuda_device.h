// The `cuda` device: GPUs by the driver API.
#pragma once

#include "runtime/devices/device.h"

namespace stencil::runtime {

Device cuda_device();

}  // namespace stencil::runtime
