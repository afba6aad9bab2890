// Numbers that users write outside of programs, the same in every locale: a program that uses the
// library may have called setlocale, and then the C library's strtod wants "0,5".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stencil {

// The value of the whole text, a decimal integer that may have a sign. Nothing for other texts and
// for values that the type cannot hold.
std::optional<int64_t> parse_integer(std::string_view text);

// The double nearest to the whole text: a sign, digits, fraction and exponent, of which the digits
// or the fraction must be there. Nothing for other texts, for infinities and NaN, and for values
// that are out of a double's range, as in programs (P002).
std::optional<double> parse_real(std::string_view text);

}  // namespace stencil
