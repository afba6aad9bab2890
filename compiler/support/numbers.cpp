// std::from_chars does not depend on the locale.
#include "compiler/support/numbers.h"

#include <cmath>

namespace stencil {

std::optional<double> parse_real(std::string_view text) {
  const std::optional<double> value = parse_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<int64_t> parse_integer(std::string_view text, Scalar type) {
  if (type == Scalar::Bool) return parse_integer(text, 0, 1);
  if (type == Scalar::I32) return parse_integer(text, INT32_MIN, INT32_MAX);
  return parse_integer(text);
}

std::optional<double> parse_real(std::string_view text, Scalar type) {
  const std::optional<double> value = parse_real(text);
  if (!value || type != Scalar::F32) return value;
  const auto rounded = static_cast<float>(*value);
  return std::isfinite(rounded) && (rounded != 0 || *value == 0) ? value : std::nullopt;
}

bool beyond_double(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  return error == std::errc::result_out_of_range && at == end;
}

const char* numbers_of(Scalar type) {
  switch (type) {
    case Scalar::Bool:
      return "0 or 1";
    case Scalar::I8:
    case Scalar::U8:
    case Scalar::I16:
    case Scalar::U16:
    case Scalar::I32:
      return "a 32-bit integer";
    case Scalar::I64:
      return "a 64-bit integer";
    case Scalar::F32:
      return "a number that a float can hold, from 1.4e-45 to 3.4e38, or 0";
    case Scalar::F16:
    case Scalar::BF16:
    case Scalar::F64:
      return "a number such as 0.25 or 1e-3";
  }
  return "";
}

}  // namespace stencil
