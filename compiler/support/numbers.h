// Parsing of numbers that users write outside of programs, independent of the locale: a program
// that uses the library may have called setlocale, and the C library's strtod may then expect
// "0,5".
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "compiler/support/scalar.h"

namespace stencil {

// The value of the whole text as a number of the type, with an optional sign ('+' too, which
// std::from_chars does not accept). nullopt for other texts and for values that the type cannot
// represent.
template <class Value>
std::optional<Value> parse_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  Value value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

// A decimal integer from `least` to `most`.
inline std::optional<int64_t> parse_integer(std::string_view text, int64_t least = INT64_MIN,
                                            int64_t most = INT64_MAX) {
  const auto value = parse_number<int64_t>(text);
  return value && *value >= least && *value <= most ? value : std::nullopt;
}

// The double nearest to a decimal number such as -1, .5 or 2.5e-3, which must be the whole text.
// nullopt for other texts, for infinities and NaN, and for values outside a double's range, as in
// programs (P002).
std::optional<double> parse_real(std::string_view text);

// Values of the given type: parse_integer() reads Bool (0 or 1) and integer types, parse_real()
// floating-point types. Values of floating-point params are rounded where they are used. Finite
// values that would be rounded to infinity, and nonzero values that would be rounded to 0, are
// therefore rejected.
std::optional<int64_t> parse_integer(std::string_view text, Scalar type);
std::optional<double> parse_real(std::string_view text, Scalar type);

// True if the whole text is a real number outside a double's range.
bool beyond_double(std::string_view text);

// What parse_integer() and parse_real() accept for a type, for messages: "a 32-bit integer".
const char* numbers_of(Scalar type);

}  // namespace stencil
