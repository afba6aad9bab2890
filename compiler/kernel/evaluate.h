// Evaluation of integer expressions with known variables: extents, block counts, checks.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "compiler/kernel/kernel.h"

namespace stencil::kernel {

struct Module;  // plan.h

using Environment = std::function<std::optional<int64_t>(const std::string& name)>;

// The value of an expression of type Bool, I32 or I64, computed in 64 bits. nullopt if it reads
// memory, uses floats, names an unknown variable, or overflows.
std::optional<int64_t> evaluate(const Expr& expr, const Environment& environment);

// The value of an expression over the constants of the module; nullopt if it needs parameters.
std::optional<int64_t> known_value(const Expr& expr, const Module& module);

// The largest power of two known to divide an integer expression for all values of its unknown
// variables. At most 2^30; for the value 0 it is 2^30.
int64_t known_power_of_two(const Expr& expr, const Environment& environment);

}  // namespace stencil::kernel
