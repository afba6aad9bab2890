// Describes the plan in a comment, for files without a driver.
#pragma once

#include "compiler/emit/names.h"
#include "compiler/emit/text.h"
#include "compiler/kernel/plan.h"

namespace stencil::emit {

void plan_comment(Text& out, const kernel::Module& module, Names& names);

}  // namespace stencil::emit
