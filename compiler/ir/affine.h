// Affine functions of the open integer params, used for the bounds of all boxes.
//
// Semantic analysis folds integer params that have a value (a default or -D) into the constant. If
// all sizes are known, every affine function is constant: fixed and open sizes take the same path
// through the compiler.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/support/ids.h"

namespace stencil::ir {

using ParamId = Id<struct Param>;

// constant + sum of coefficient * param. Terms are sorted by param; no coefficient is zero.
struct Affine {
  int64_t constant = 0;
  std::vector<std::pair<ParamId, int64_t>> terms;

  bool is_constant() const { return terms.empty(); }
  friend bool operator==(const Affine&, const Affine&) = default;
};

Affine operator+(const Affine& a, const Affine& b);
Affine operator-(const Affine& a, const Affine& b);
Affine operator+(const Affine& a, int64_t b);
Affine operator-(const Affine& a, int64_t b);
Affine operator*(const Affine& a, int64_t b);

// The value for the given params (by ParamId); nullopt if the arithmetic overflows 64 bits.
std::optional<int64_t> evaluate(const Affine& affine, const std::vector<int64_t>& params);

// "N - 2", "0", "2*N + M - 1"; `names` is indexed by ParamId.
std::string print(const Affine& affine, const std::vector<std::string>& names);

// True if `goal` >= 0 for all integer params that satisfy every assumption (each >= 0). Proved by
// Fourier-Motzkin elimination on the assumptions and goal <= -1, which is sound and, over the
// rationals, complete. Also false if the system grows beyond a fixed size.
bool implies_nonnegative(const std::vector<Affine>& assumptions, const Affine& goal);

}  // namespace stencil::ir
