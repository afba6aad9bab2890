// Loads objects into memory with LLVM ORC.
#pragma once

#include <memory>
#include <string>

#include "runtime/host/interface.h"

// A loaded object. The destructor unloads its code.
struct StencilHostProgram {
  virtual ~StencilHostProgram() = default;
  virtual StencilHostKernel find(const char* name) = 0;  // null if there is none of this name
};

namespace stencil::host {

// Returns null and sets `error` if the object is damaged or uses a function that is not available
// to kernels. `open`: all functions of the process are available; for C files, not for kernels.
std::unique_ptr<StencilHostProgram> load(const std::string& object, std::string& error,
                                         bool open = false);

}  // namespace stencil::host
