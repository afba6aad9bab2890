// A bound on the time and memory of Clang.
#pragma once

#include <functional>

#include "runtime/host/compile.h"

namespace stencil::host {

// Does `work` in a child process and returns its result. Macros, templates and #include can make
// Clang run for years on a few lines, and nothing but the end of its process stops it. The child
// gets `seconds` of wall time and 4 GiB of memory beyond what this process has.
Compiled in_bounded_child(const std::function<Compiled()>& work, int seconds);

}  // namespace stencil::host
