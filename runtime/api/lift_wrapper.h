// Generates C text that calls the original with given arrays and values.
#pragma once

#include <string>
#include <vector>

#include "compiler/lift/lift.h"

namespace stencil::api {

// Appended to the file, it defines `stencil_lift_call(void* const* arguments, long, long)`.
// `arguments` are the addresses of the symbols of the execution, then its arrays, then an array of
// long with the lengths of all dimensions, then memory for final scalars, then kNoise numbers for
// parameters that the program does not use.
struct CallOfOriginal {
  std::string text;
  std::string impossible;  // the reason if it cannot be called; otherwise ""
};
CallOfOriginal call_of_original(const lifter::Lifted& lifted);

}  // namespace stencil::api
