// Restricts the calling process to pure computation.
#pragma once

#include <string>

namespace stencil::api {

// For a child process; cannot be undone. It gets its own session, standard input and output at
// /dev/null, and no descriptor but `keep`, which is renumbered. Memory, files, processes and CPU
// time (`seconds`) are limited, and system calls are filtered. Returns "", or why the system cannot
// do this; then the process must not run foreign code.
std::string confine(int& keep, int seconds);

}  // namespace stencil::api
