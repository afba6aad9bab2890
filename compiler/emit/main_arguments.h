// The command line of an emitted program.
#pragma once

#include "compiler/emit/host_api.h"
#include "compiler/emit/text.h"

namespace stencil::emit {

// The struct `arguments`: what the command line sets, with defaults, including `params`.
void main_arguments(Text& out, const kernel::Module& module, const HostApi& api);

// The functions usage() and parse(), which fills in `arguments`; both print to stderr.
void main_parser(Text& out, const kernel::Module& module, const HostApi& api);

}  // namespace stencil::emit
