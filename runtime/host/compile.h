// Compiles C++ text to machine code in memory.
#pragma once

#include <string>

#include "runtime/host/interface.h"

namespace stencil::host {

// Registers LLVM's targets once. Must run before any other use of LLVM: its registry is not
// thread-safe, and any thread may be the first to load a cached object.
void initialise();

// The output of the compiler: the result, or its messages.
struct Compiled {
  bool ok = false;
  std::string text;
};
Compiled compile(const std::string& source, const StencilHostOptions& options);

// Whether the process has the version of Clang that this library was compiled with.
bool is_own_clang();

// See StencilHostInterface.
const std::string& description();
const std::string& target();

}  // namespace stencil::host
