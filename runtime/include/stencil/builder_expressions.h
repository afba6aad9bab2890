// Expressions of stencil programs written in C++ (builder.h): literals, operators, and the built-in
// functions of the language under their own names (docs/reference/language.md, "Expressions").
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace stencil::dsl {

// Implementation details.
struct Access;
namespace detail {
struct Node;
struct State;
struct TypeNode;
struct Built;
}  // namespace detail

// Everything below is exported from the shared library.
#pragma GCC visibility push(default)

// A place in C++ source. Used as a default argument, current() gives the place of the call, like
// std::source_location, which some supported compilers lack.
struct Place {
  const char* file = "";  // static lifetime, as from __FILE__
  std::uint32_t line = 0;

  static constexpr Place current(const char* file = __builtin_FILE(),
                                 std::uint32_t line = __builtin_LINE()) {
    return {file, line};
  }
};

// C++ number types that have literals in the language.
template <typename T>
concept LiteralNumber = std::is_same_v<T, bool> || std::is_same_v<T, float> ||
    std::is_same_v<T, double> ||
    (std::is_integral_v<T> && sizeof(T) > 1 && !std::is_same_v<T, wchar_t> &&
     !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>);

// --- Expressions -----------------------------------------------------------------------------

// An expression of the language. Copies share the expression graph and are cheap. An expression
// used n times appears n times in the program text but is computed once.
//
// Operators are the language's, in C++ spelling: + - * / %, == != < <= > >=, && || ! (or and, or,
// not), & | ^ ~ << >>. C++ precedence decides the shape of the expression.
class Expr {
 public:
  // A literal: integers become integral literals, `float` and `double` real literals of exactly the
  // same value, `bool` true or false. Like all literals they are untyped: next to a `float` field,
  // 0.1 is a float. Infinities, NaN and integers beyond signed 64 bits have no literal (P022).
  template <LiteralNumber T>
  Expr(T value) : node_(literal(value)) {}

  Expr(const Expr&) = default;  // no moves: an expression is never empty
  Expr& operator=(const Expr&) = default;

  // base[o1, ..., on]: reads a field at an offset in grid points (one per dimension), shifts the
  // call of a function with field arguments, or takes an element of a table.
  template <typename... Rest>
  requires(std::convertible_to<const Rest&, Expr>&&...) Expr operator()(const Expr& first,
                                                                        const Rest&... rest) const {
    return at_indices({first, Expr(rest)...});
  }
  // Like operator(), with a vector of indices, for ranks known only at run time; not empty (P023).
  Expr at_indices(const std::vector<Expr>& indices) const;

  // base[i]: a component of a vector, an element of a table.
  Expr operator[](const Expr& index) const { return at_indices({index}); }
  // base.name: a member of a structure.
  Expr member(const std::string& name) const;

  Expr& operator+=(const Expr& other);
  Expr& operator-=(const Expr& other);
  Expr& operator*=(const Expr& other);
  Expr& operator/=(const Expr& other);

 private:
  friend struct Access;
  using NodePtr = std::shared_ptr<const detail::Node>;
  explicit Expr(NodePtr node) : node_(std::move(node)) {}

  template <LiteralNumber T>
  static NodePtr literal(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      return boolean_literal(value);
    } else if constexpr (std::is_floating_point_v<T>) {
      return real_literal(static_cast<double>(value));
    } else if constexpr (std::is_signed_v<T>) {
      return integer_literal(static_cast<std::int64_t>(value));
    } else {
      return unsigned_literal(static_cast<std::uint64_t>(value));
    }
  }
  static NodePtr boolean_literal(bool value);
  static NodePtr real_literal(double value);
  static NodePtr integer_literal(std::int64_t value);
  static NodePtr unsigned_literal(std::uint64_t value);

  NodePtr node_;
};

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);
Expr operator%(const Expr& a, const Expr& b);
Expr operator==(const Expr& a, const Expr& b);
Expr operator!=(const Expr& a, const Expr& b);
Expr operator<(const Expr& a, const Expr& b);
Expr operator<=(const Expr& a, const Expr& b);
Expr operator>(const Expr& a, const Expr& b);
Expr operator>=(const Expr& a, const Expr& b);
Expr operator&&(const Expr& a, const Expr& b);  // both sides are evaluated
Expr operator||(const Expr& a, const Expr& b);
Expr operator&(const Expr& a, const Expr& b);
Expr operator|(const Expr& a, const Expr& b);
Expr operator^(const Expr& a, const Expr& b);
Expr operator<<(const Expr& a, const Expr& b);
Expr operator>>(const Expr& a, const Expr& b);
Expr operator-(const Expr& a);
Expr operator!(const Expr& a);
Expr operator~(const Expr& a);

// Built-in functions: docs/reference/language.md, "Expressions".
Expr select(const Expr& condition, const Expr& if_true, const Expr& if_false);
Expr abs(const Expr& x);
Expr sqrt(const Expr& x);
Expr rsqrt(const Expr& x);
Expr floor(const Expr& x);
Expr ceil(const Expr& x);
Expr round(const Expr& x);  // halves away from zero
Expr trunc(const Expr& x);
Expr sign(const Expr& x);
Expr lshr(const Expr& x, const Expr& count);  // fills with zeros from the top
// A pseudo-random number in [0, 1), determined by integer coordinates and a seed.
Expr random(std::vector<Expr> coordinates, const Expr& seed);
Expr exp(const Expr& x);
Expr exp2(const Expr& x);
Expr log(const Expr& x);
Expr log2(const Expr& x);
Expr log10(const Expr& x);
Expr pow(const Expr& x, const Expr& y);
Expr cbrt(const Expr& x);
Expr hypot(const Expr& x, const Expr& y);
Expr sin(const Expr& x);
Expr cos(const Expr& x);
Expr tan(const Expr& x);
Expr asin(const Expr& x);
Expr acos(const Expr& x);
Expr atan(const Expr& x);
Expr atan2(const Expr& y, const Expr& x);
Expr sinh(const Expr& x);
Expr cosh(const Expr& x);
Expr tanh(const Expr& x);
Expr asinh(const Expr& x);
Expr acosh(const Expr& x);
Expr atanh(const Expr& x);
Expr erf(const Expr& x);
Expr erfc(const Expr& x);
Expr pi();  // the constant
Expr fma(const Expr& a, const Expr& b, const Expr& c);
Expr min_of(const std::vector<Expr>& operands);  // folded from the left
Expr max_of(const std::vector<Expr>& operands);
template <typename... Rest>
requires(std::convertible_to<const Rest&, Expr>&&...) Expr
    min(const Expr& a, const Expr& b, const Rest&... rest) {
  return min_of({a, b, Expr(rest)...});
}
template <typename... Rest>
requires(std::convertible_to<const Rest&, Expr>&&...) Expr
    max(const Expr& a, const Expr& b, const Rest&... rest) {
  return max_of({a, b, Expr(rest)...});
}

// `time`: the index of the current step, from 0.
Expr step_index();

// `level`: the number of the level on which a function or a block runs, in a program with levels.
Expr level();
// `first` and `last`: the bounds of the grid or of the parent sub-grid, in a box.
Expr first();
Expr last();

// Physical coordinates. position() is the point's coordinate along an Index's dimension; origin()
// and spacing() are the grid's declared values and also accept a dimension number.
Expr position(const Expr& index);
Expr origin(const Expr& dimension);
Expr spacing(const Expr& dimension);

// offset within bound: an offset computed at run time, at most `bound` points in either direction.
// Allowed only as an index of a field: U(within(d, 2), 0).
Expr within(const Expr& offset, const Expr& bound);

// {a, b, ...}: a vector, a row of a table, or the members of a structure in declaration order.
Expr values(const std::vector<Expr>& elements);

struct NamedValue {
  std::string name;
  Expr value;
};
// {a = x, b = y, ...}: a structure by member names.
Expr record(const std::vector<NamedValue>& members);

#pragma GCC visibility pop

}  // namespace stencil::dsl
