// Evaluation of integer expressions for given values of the symbols.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "compiler/lift/expr.h"

namespace stencil::lifter {

// `values` maps indices of symbols to numbers. Returns nullopt if a value is missing or the result
// is not an integer.
std::optional<int64_t> number_of(X x, const std::map<int, int64_t>& values);
std::optional<int64_t> number_of(const Poly& p, const std::map<int, int64_t>& values);

// Replaces the leaves of `x` by the results of `leaf` (null keeps the leaf) and evaluates functions
// of constants. If every leaf has a value, the result is a constant.
X evaluated(Pool& pool, X x, const std::function<X(X)>& leaf);

}  // namespace stencil::lifter
