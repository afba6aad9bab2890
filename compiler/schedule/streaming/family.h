// The `streaming` family: T steps in flight along the streaming dimension, planes in registers.
#pragma once

#include "compiler/schedule/family.h"

namespace stencil::schedule {

Family streaming_family();

}  // namespace stencil::schedule
