// --main: a program that calls the entry points: it initialises, runs, times and checks.
#pragma once

#include "compiler/emit/host_api.h"
#include "compiler/emit/text.h"

namespace stencil::emit {

// The self-check functions, then main().
void main_program(Text& out, const kernel::Module& module, const HostApi& api,
                  const HostModules& host, const Dialect& dialect);

}  // namespace stencil::emit
