// Division by constants without dividing, every bit as a division gives it.
#pragma once

#include <optional>

#include "compiler/support/scalar.h"

namespace stencil {

// How x / c is computed for every x of the type, with zeros, subnormal numbers and results,
// infinities and NaN, from z = `reciprocal`, which is 1 / c rounded to the type. Products and sums
// are those of fma unless said otherwise; division.cpp has the proofs.
struct MultipliedDivision {
  enum class Kind {
    Exact,  // x z
    Odd,    // c > 0: with q = x z, rounded, and r = q c - x: q - r z
    Even,   // likewise q - r z, but r z is first rounded as a normal number, so that ties stay ties
  };
  Kind kind;
  double reciprocal;
};

// Nothing if no such form is known to be right: for other divisors than powers of two with a normal
// reciprocal and integers below 2^20 (float) and 2^49 (double), and for other types. Kinds Odd and
// Even serve the magnitude of a negative divisor: x / c is -x / -c.
std::optional<MultipliedDivision> multiply_out(double divisor, Scalar type);

}  // namespace stencil
