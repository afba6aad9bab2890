// Restricts the calling process to pure computation.
#pragma once

#include <string>

namespace stencil::api {

// Confines the calling child process; this cannot be undone. The process gets its own session.
// Standard input and output become /dev/null, and all descriptors except `keep` are closed; `keep`
// is renumbered. Memory, files, processes and CPU time (`seconds`) are limited, and system calls
// are filtered. Returns "" on success. Otherwise returns why the system cannot confine a process,
// and the process must not run foreign code.
std::string confine(int& keep, int seconds);

}  // namespace stencil::api
