// The boundary rules of stencil/builder.h.
// tools/generate writes this file from compiler/support/boundaries.def.
#pragma once

#include <optional>

#include "stencil/builder_expressions.h"

namespace stencil::dsl {

#pragma GCC visibility push(default)

// The value that an access beyond a field's edge reads: docs/reference/language.md, "Accesses and
// boundaries".
struct Rule {
  enum class Kind {
    None,
    Constant,
    Clamp,
    Mirror,
    Odd,
    Symmetric,
    Antisymmetric,
    Gradient,
    MirrorGradient,
    Fixed,
    Linear,
    Periodic,
    Antiperiodic
  } kind = Kind::None;
  std::optional<Expr> value = {};  // of a rule that takes one
};
struct PlainRule {
  Rule::Kind kind;
  operator Rule() const { return {kind, {}}; }
};

// The keywords of all rules, in the order of Rule::Kind.
// clang-format off
inline constexpr const char* kRuleKeywords[] = {
    "none",
    "constant",
    "clamp",
    "mirror",
    "odd",
    "symmetric",
    "antisymmetric",
    "gradient",
    "mirror gradient",
    "fixed",
    "linear",
    "periodic",
    "antiperiodic",
};
// clang-format on

// none: an error; the default.
inline constexpr PlainRule none{Rule::Kind::None};

// constant c: `c`, a constant (for a vector or structure: a value of its shape, or a scalar for all
// components), or a computed value.
inline Rule constant(const Expr& value) {
  return {Rule::Kind::Constant, value};
}

// clamp: the value of the edge point.
inline constexpr PlainRule clamp{Rule::Kind::Clamp};

// mirror: reflected about the edge point, which is not repeated: index -1 reads 1, -2 reads 2.
inline constexpr PlainRule mirror{Rule::Kind::Mirror};

// odd: as `mirror`, with the opposite sign: index -1 reads minus 1.
inline constexpr PlainRule odd{Rule::Kind::Odd};

// symmetric: reflected about the edge of the edge point's cell, which is repeated: index -1 reads
// 0, -2 reads 1.
inline constexpr PlainRule symmetric{Rule::Kind::Symmetric};

// antisymmetric: as `symmetric`, with the opposite sign: index -1 reads minus 0.
inline constexpr PlainRule antisymmetric{Rule::Kind::Antisymmetric};

// gradient g: as `symmetric`, plus the rise of the slope `g` along the outward normal: index -1
// reads `u0 + g * h`, -2 reads `u1 + 3 * (g * h)`.
inline Rule gradient(const Expr& value) {
  return {Rule::Kind::Gradient, value};
}

// mirror gradient g: as `mirror`, plus that rise: index -1 reads `u1 + 2 * (g * h)`, -2 reads `u2 +
// 4 * (g * h)`.
inline Rule mirror_gradient(const Expr& value) {
  return {Rule::Kind::MirrorGradient, value};
}

// fixed c: the edge point itself has the value `c`; index -k reads `2 * c - uk`.
inline Rule fixed(const Expr& value) {
  return {Rule::Kind::Fixed, value};
}

// linear: on the line through the edge point and its neighbour: index -k is `u0 + k * (u0 - u1)`.
inline constexpr PlainRule linear{Rule::Kind::Linear};

// periodic: wraps around.
inline constexpr PlainRule periodic{Rule::Kind::Periodic};

// antiperiodic: as `periodic`, with the opposite sign: index -1 reads minus the last point.
inline constexpr PlainRule antiperiodic{Rule::Kind::Antiperiodic};

#pragma GCC visibility pop

}  // namespace stencil::dsl
