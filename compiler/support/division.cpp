// Correctly rounded division by an integer c >= 3 in four or five operations, without a branch. The
// scheme is Markstein's: a quotient q, its exact residual, and one correction (Markstein,
// "Computation of elementary functions on the IBM RISC System/6000 processor", 1990; Brisebarre,
// Muller and Raina, "Accelerating correctly rounded floating-point division when the divisor is
// known in advance", IEEE ToC 2004). Those theorems exclude underflow. The following proof includes
// it, for integers below 2^(p-4), where p is the precision.
//
// Let u = 2^-p, v = x / c, h the smallest subnormal number, ulp(v) >= h the spacing of numbers near
// v, z = (1 + e) / c with |e| < u, and q = x z rounded. By symmetry x > 0.
//
//   |q - v| < 1.5 ulp(v), since |x z - v| < u v; for a subnormal v even |q - v| < h.
//   r = q c - x is exact. It is a multiple of h, because c is an integer. Let c = 2^k C with an odd
//     C. For a normal v, r is a multiple of ulp(v) 2^k / 2, and |r| is less than 3 C times this
//     unit. For a subnormal v, |r| is at most c h.
//   t = q - r z, without rounding, differs from v by |t - v| = |q - v| |e| < 1.5 u ulp(v).
//
// So t rounds like v unless a midpoint m of two neighbours lies at v or between v and t. For a
// normal v, x - m c is an odd multiple of ulp(v) 2^k / 2 or more, so |v - m| >= ulp(v) / 2C, which
// is more than 8 u ulp(v); midpoints outside the binade of v are no nearer than ulp(v) / 4. For a
// subnormal v and an odd c the distance is at least h / 2C by the same argument. This proves kind
// Odd, which takes one fma for t and its rounding.
//
// For a subnormal v and an even c, either |v - m| >= h / c > 16 u h, or v is itself the midpoint,
// and t misses it because z is inexact. Kind Even therefore rounds r z before the addition, scaled
// by 2^p: r z 2^p is then normal or nearly so, with a relative error of u or an absolute error of h
// / 2. On a tie r = c h / 2, the product is (1 + e) 2^(p-1) h, where numbers are h apart, and
// rounds to 2^(p-1) h. Scaled back in the last fma it is the exact tie, which goes to even.
// Otherwise the sum of all errors, 3.1 u ulp(v) + u h / 2, is smaller than the distance of m.
//
// Signs of zero: q has the right sign. If r = q c - x is 0, it is +0, so q - r z is q plus -0.
// Infinities: q is infinite and r is NaN, and a selection replaces r by a finite value. In float
// the selection is the maximum of r and -2^106. It changes no r of a finite x, because
// |r| < 1.5 c ulp(v) <= 1.5 2^105. Either value times z 2^p is still finite. Nothing else
// overflows, because |v| <= |x| / 3.
#include "compiler/support/division.h"

#include <cmath>
#include <limits>

namespace stencil {

namespace {

template <class Real>
std::optional<MultipliedDivision> multiply_out_as(double divisor) {
  using Kind = MultipliedDivision::Kind;
  const Real c = static_cast<Real>(divisor);
  if (!std::isfinite(c) || c == 0) return std::nullopt;
  const Real reciprocal = 1 / c;
  int exponent = 0;
  if (std::fabs(std::frexp(c, &exponent)) == Real(0.5)) {
    if (!std::isnormal(reciprocal)) return std::nullopt;
    return MultipliedDivision{Kind::Exact, reciprocal};
  }
  const Real magnitude = std::fabs(c);
  constexpr int kPrecision = std::numeric_limits<Real>::digits;
  const bool proved =
      magnitude == std::floor(magnitude) && magnitude < std::ldexp(Real(1), kPrecision - 4);
  if (!proved) return std::nullopt;
  return MultipliedDivision{std::fmod(magnitude, Real(2)) == 0 ? Kind::Even : Kind::Odd,
                            reciprocal};
}

}  // namespace

std::optional<MultipliedDivision> multiply_out(double divisor, Scalar type) {
  if (type == Scalar::F32) return multiply_out_as<float>(divisor);
  if (type == Scalar::F64) return multiply_out_as<double>(divisor);
  return std::nullopt;
}

}  // namespace stencil
