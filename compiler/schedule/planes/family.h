// The `planes` family: T steps in flight along the outermost dimension, planes in cache or shared
// memory.
#pragma once

#include "compiler/schedule/family.h"

namespace stencil::schedule {

Family planes_family();

}  // namespace stencil::schedule
