// Legalization: rewrites what a target lacks in the kernels that schedules make.
#pragma once

#include "compiler/emit/dialect.h"
#include "compiler/kernel/plan.h"

namespace stencil::emit {

// Returns a module that the writer (writer.h) can spell statement by statement. It is sound
// (kernel::verify) if `module` is. Names that it adds are unique in the module.
kernel::Module legalise(kernel::Module module, const Dialect& dialect);

}  // namespace stencil::emit
