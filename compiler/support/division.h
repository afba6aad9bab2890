// Division by constants without a division, with exactly the bits of a division.
#pragma once

#include <optional>

#include "compiler/support/scalar.h"

namespace stencil {

// How x / c is computed for every x of the type, including zeros, subnormal numbers and results,
// infinities and NaN, from z = `reciprocal`, which is 1 / c rounded to the type. Products and sums
// are fused (fma) unless stated otherwise; division.cpp has the proofs.
struct MultipliedDivision {
  enum class Kind {
    Exact,  // x z
    Odd,    // c > 0: with q = x z, rounded, and r = q c - x: q - r z
    Even,   // also q - r z, but r z is rounded as a normal number first, so that ties stay ties
  };
  Kind kind;
  double reciprocal;
};

// nullopt if no form is proved correct. Forms are proved for powers of two with a normal
// reciprocal, and for integers below 2^20 (float) and 2^49 (double). Kinds Odd and Even use the
// magnitude of a negative divisor: x / c is -x / -c.
std::optional<MultipliedDivision> multiply_out(double divisor, Scalar type);

}  // namespace stencil
