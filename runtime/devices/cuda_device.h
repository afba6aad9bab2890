// The `cuda` device: GPUs through the CUDA driver API.
#pragma once

#include "runtime/devices/device.h"

namespace stencil::runtime {

Device cuda_device();

}  // namespace stencil::runtime
