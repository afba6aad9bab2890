// Evaluation of integer expressions for given values of the symbols.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "compiler/lift/expr.h"

namespace stencil::lifter {

// `values` are indexed by symbol. Returns nullopt if a value is missing or the result is not an
// integer.
std::optional<int64_t> number_of(X x, const std::map<int, int64_t>& values);
std::optional<int64_t> number_of(const Poly& p, const std::map<int, int64_t>& values);

// `x` with leaves replaced by the values that `leaf` returns (null keeps the leaf) and functions of
// constants evaluated. It becomes a constant if every leaf has a value.
X evaluated(Pool& pool, X x, const std::function<X(X)>& leaf);

}  // namespace stencil::lifter
