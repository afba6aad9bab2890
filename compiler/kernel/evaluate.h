// Integer expressions whose variables are known: extents, block counts, checks.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "compiler/kernel/kernel.h"

namespace stencil::kernel {

using Environment = std::function<std::optional<int64_t>(const std::string& name)>;

// The value of an expression of type Bool, I32 or I64 (computed in 64 bits); nothing if it reads
// memory, uses floats, names an unknown variable, or overflows.
std::optional<int64_t> evaluate(const Expr& expr, const Environment& environment);

}  // namespace stencil::kernel
