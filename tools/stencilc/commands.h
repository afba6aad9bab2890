// The subcommands, one file each. All return the exit status.
#pragma once

#include "tools/stencilc/options.h"

namespace stencil::tool {

int compile_command(const Arguments& arguments);
int check_command(const Arguments& arguments);
int format_command(const Arguments& arguments);
int explain_command(const Arguments& arguments);
int explore_command(const Arguments& arguments);
int run_command(const Arguments& arguments);
int verify_command(const Arguments& arguments);
int lift_command(const Arguments& arguments);
int devices_command(const Arguments& arguments);
int cache_command(const Arguments& arguments);
int tuned_command(const Arguments& arguments);

}  // namespace stencil::tool
