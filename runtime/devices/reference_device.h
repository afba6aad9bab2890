// The `reference` device: the interpreter.
#pragma once

#include "runtime/devices/device.h"

namespace stencil::runtime {

Device reference_device();

}  // namespace stencil::runtime
