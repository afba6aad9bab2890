// Limits the time and memory that Clang uses.
#pragma once

#include <functional>

#include "runtime/host/compile.h"

namespace stencil::host {

// Runs `work` in a child process and returns its result. A few lines of macros, templates and
// #include can keep Clang busy for years, and only the end of the process stops Clang. The child
// may use `seconds` of wall time, and 4 GiB of memory more than this process.
Compiled in_bounded_child(const std::function<Compiled()>& work, int seconds);

}  // namespace stencil::host
