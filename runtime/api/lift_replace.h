// A function with the name and the parameters of the original that runs the lifted program.
#pragma once

#include <string>

#include "compiler/lift/lift.h"
#include "stencil/result.h"

namespace stencil::api {

struct DropIn {
  std::string declaration;  // with its ';'
  std::string definition;   // behind the emitted entry points of the program
};

// `name`: of the program, whose NAME_run it calls; `emitted`: its text in C++ or CUDA. `device`:
// arrays are in the memory of a GPU (CUDA). U040 where the signature cannot be kept.
Result<DropIn> drop_in(const lifter::Lifted& lifted, const std::string& name,
                       const std::string& emitted, bool device);

}  // namespace stencil::api
