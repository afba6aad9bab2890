// The comment at the top of a file without host code: what a host must do to run the kernels.
#pragma once

#include "compiler/emit/names.h"
#include "compiler/emit/text.h"
#include "compiler/host_ir/passes.h"

namespace stencil::emit {

// The host program that the comment describes. It waits for the stop condition after every tile.
inline constexpr host_ir::Options kDescribedHost{true, false};

// `names`: those of the kernels in the file.
void plan_comment(Text& out, const kernel::Module& module, Names& names);

}  // namespace stencil::emit
