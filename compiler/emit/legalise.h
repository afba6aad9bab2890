// From the kernels that schedules make to those that a target is given: what it lacks is rewritten.
#pragma once

#include "compiler/emit/dialect.h"
#include "compiler/kernel/plan.h"

namespace stencil::emit {

// The module as the writer (writer.h) spells it, statement by statement. It is sound
// (kernel::verify) if `module` is, and names that it adds are nowhere else in the module.
kernel::Module legalise(kernel::Module module, const Dialect& dialect);

}  // namespace stencil::emit
