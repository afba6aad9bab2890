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

// The largest power of two known to divide an integer expression, whatever the values of the
// variables that have none; at most 2^30, also of 0.
int64_t known_power_of_two(const Expr& expr, const Environment& environment);

}  // namespace stencil::kernel
