// Objects into memory, by ORC.
#pragma once

#include <memory>
#include <string>

#include "runtime/host/interface.h"

// A loaded object. Its code goes when it does.
struct StencilHostProgram {
  virtual ~StencilHostProgram() = default;
  virtual StencilHostKernel find(const char* name) = 0;  // null: none of this name
};

namespace stencil::host {

// Null, and `error` says why, if the object is damaged or names a function that kernels do not get.
// `open`: functions of the process may be used as well, which is for C files and not for kernels.
std::unique_ptr<StencilHostProgram> load(const std::string& object, std::string& error,
                                         bool open = false);

}  // namespace stencil::host
