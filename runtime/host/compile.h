// C++ text to machine code, in memory.
#pragma once

#include <string>

#include "runtime/host/interface.h"

namespace stencil::host {

// Registers the targets of LLVM, once: its list of them is no safe place for several threads, of
// which each may be the first to load an object that was kept.
void initialise();

// What was made, or the messages of the compiler.
struct Compiled {
  bool ok = false;
  std::string text;
};
Compiled compile(const std::string& source, const StencilHostOptions& options);

// See StencilHostInterface.
const std::string& description();
const std::string& target();

}  // namespace stencil::host
