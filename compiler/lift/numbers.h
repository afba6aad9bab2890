// Integer expressions at given values of the symbols.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "compiler/lift/expr.h"

namespace stencil::lifter {

// By the number of the symbol. Nothing if a value is missing or the expression is no such.
std::optional<int64_t> number_of(X x, const std::map<int, int64_t>& values);
std::optional<int64_t> number_of(const Poly& p, const std::map<int, int64_t>& values);

// `x` with values in the places of its leaves, as `leaf` says (null: none), functions of constants
// computed. It is a constant if nothing is missing.
X evaluated(Pool& pool, X x, const std::function<X(X)>& leaf);

}  // namespace stencil::lifter
