// Takes from the calling process what a computation does not need.
#pragma once

#include <string>

namespace stencil::api {

// For a child process, once and for all: its own session, standard input and output at /dev/null,
// no descriptor but `keep` (which gets another number), limits on memory, files, processes and CPU
// time, and a filter of system calls. "", or what the system lacks; then the process must not run
// foreign code.
std::string confine(int& keep, int seconds);

}  // namespace stencil::api
