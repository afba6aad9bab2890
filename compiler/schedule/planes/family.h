// The `planes` family: T steps in flight along the streaming dimension, planes kept in cache or
// shared memory.
#pragma once

#include "compiler/schedule/family.h"

namespace stencil::schedule {

Family planes_family();

}  // namespace stencil::schedule
