// Expressions of stencil programs written in C++ (builder.h): literals, operators, and the functions of
// the language (docs/language.md, "Expressions"), which stand for themselves.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace stencil::dsl {

// For the library itself.
struct Access;
namespace detail {
struct Node;
struct State;
struct TypeNode;
struct Built;
}  // namespace detail

// All that follows is exported from the shared library.
#pragma GCC visibility push(default)

// A place in C++ source. As a default argument, current() is the place of the call. (What
// std::source_location is, for compilers that lack it.)
struct Place {
  const char* file = "";  // lives as long as the program, like all __FILE__s
  std::uint32_t line = 0;

  static constexpr Place current(const char* file = __builtin_FILE(),
                                 std::uint32_t line = __builtin_LINE()) {
    return {file, line};
  }
};

// C++ numbers that have a literal in the language.
template <typename T>
concept LiteralNumber = std::is_same_v<T, bool> || std::is_same_v<T, float> ||
    std::is_same_v<T, double> ||
    (std::is_integral_v<T> && sizeof(T) > 1 && !std::is_same_v<T, wchar_t> &&
     !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>);

// --- Expressions -----------------------------------------------------------------------------

// An expression of the language. Values share what they are made of, so copying costs nothing; an
// expression used n times is n times in the program, and computed once.
//
// Operators are those of the language under its C++ spelling: + - * / %, == != < <= > >=, && || !
// (or and, or, not), & | ^ ~ << >>. They build expressions in the shape that C++ gives them.
class Expr {
 public:
  // A literal: integers are integral literals, `float` and `double` are real ones of exactly the
  // same value, `bool` is true or false. Like all literals they have no type of their own: next to
  // a `float` field 0.1 is a float. Infinities, NaN and integers beyond 64 bits signed have no
  // literal (P022).
  template <LiteralNumber T>
  Expr(T value) : node_(literal(value)) {}

  Expr(const Expr&) = default;  // and no moves: an expression is never empty
  Expr& operator=(const Expr&) = default;

  // base[o1, ..., on]: the value of a field that many points away (one offset per dimension); the
  // call of a function with field arguments, moved; an element of a table.
  template <typename... Rest>
  requires(std::convertible_to<const Rest&, Expr>&&...) Expr operator()(const Expr& first,
                                                                        const Rest&... rest) const {
    return at_indices({first, Expr(rest)...});
  }
  // The same for a number of indices known at run time of the C++ program; at least one (P023).
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

// Built-in functions: docs/language.md, "Expressions".
Expr select(const Expr& condition, const Expr& if_true, const Expr& if_false);
Expr abs(const Expr& x);
Expr sqrt(const Expr& x);
Expr rsqrt(const Expr& x);
Expr floor(const Expr& x);
Expr ceil(const Expr& x);
Expr round(const Expr& x);  // halves away from zero
Expr trunc(const Expr& x);
Expr sign(const Expr& x);
Expr lshr(const Expr& x, const Expr& count);  // zeros come in at the top
// A number in [0, 1) that integer coordinates and a seed decide.
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
Expr min_of(const std::vector<Expr>& operands);  // taken from the left
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

// `time`: the index of the running step, from 0.
Expr step_index();

// Physical coordinates, of the dimension of an Index: where the point lies, and what the grid
// declares. The latter two take the number of a dimension as well.
Expr position(const Expr& index);
Expr origin(const Expr& dimension);
Expr spacing(const Expr& dimension);

// offset within bound: an offset that varies, of at most `bound` points either way. It stands among
// the indices of a field alone: U(within(d, 2), 0).
Expr within(const Expr& offset, const Expr& bound);

// {a, b, ...}: a vector, a row of a table, or the members of a structure in their order.
Expr values(const std::vector<Expr>& elements);

struct NamedValue {
  std::string name;
  Expr value;
};
// {a = x, b = y, ...}: a structure by its members' names.
Expr record(const std::vector<NamedValue>& members);

#pragma GCC visibility pop

}  // namespace stencil::dsl
