// C text that calls what was lifted with arrays and values of ours.
#pragma once

#include <string>
#include <vector>

#include "compiler/lift/lift.h"

namespace stencil::api {

// Added behind the file, it defines `stencil_lift_call(void* const* arguments, long, long)`:
// `arguments` are the symbols of the execution, by address, then its arrays, then their lengths (an
// array of long, those of all dimensions one after the other), where scalars are left, and kNoise
// numbers for parameters that the program does not use.
struct CallOfOriginal {
  std::string text;
  std::string impossible;  // why there is none; "": there is
};
CallOfOriginal call_of_original(const lifter::Lifted& lifted);

}  // namespace stencil::api
