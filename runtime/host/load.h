// Loads objects into memory with LLVM ORC.
#pragma once

#include <memory>
#include <string>

#include "runtime/host/interface.h"

// A loaded object. The destructor unloads the code of the object.
struct StencilHostProgram {
  virtual ~StencilHostProgram() = default;
  // Null if there is no kernel with this name.
  virtual StencilHostKernel find(const char* name) = 0;
};

namespace stencil::host {

// Returns null and sets `error` if the object is damaged or uses a function that kernels cannot
// use. `open`: the object may use all functions of the process. This is meant for C files and not
// for kernels.
std::unique_ptr<StencilHostProgram> load(const std::string& object, std::string& error,
                                         bool open = false);

}  // namespace stencil::host
