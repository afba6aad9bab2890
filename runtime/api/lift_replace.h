// Generates a function with the name and parameters of the original that runs the lifted program.
#pragma once

#include <string>

#include "compiler/lift/lift.h"
#include "stencil/result.h"

namespace stencil::api {

struct DropIn {
  std::string declaration;  // with its ';'
  std::string definition;   // to be placed after the emitted entry points
};

// `name`: the program's name; the function calls NAME_run. `emitted`: the C++ or CUDA text of the
// program. `device`: arrays are in GPU memory (CUDA). U040 if the signature cannot be kept.
Result<DropIn> drop_in(const lifter::Lifted& lifted, const std::string& name,
                       const std::string& emitted, bool device);

}  // namespace stencil::api
