// Helpers for what support/scalar.h promises and C does not: minimum and maximum as selections,
// division that never traps, saturating conversions, half and bfloat as stored bits. A file defines
// only the helpers that it uses. A dialect's own helpers (dialect_*.cpp) replace those of the same
// name here.
//
// A conversion from double to half or bfloat must round once. It goes through a float rounded to
// odd, which makes the second rounding correct (Boldo and Melquiond, "When double rounding is
// odd").
//
// support/division.cpp proves that the divisions by constants give the bits of a division. Their
// products are only factors or addends of an fma, so a compiler has no sum to fuse them into. For
// floats, a maximum (one GPU instruction) replaces a NaN remainder; for doubles, a test for NaN is
// faster.
#include "compiler/emit/helpers.h"

namespace stencil::emit {

namespace {

const std::vector<Helper>& common_helpers() {
  static const std::vector<Helper> helpers = {
      // always_inline: a function of its own would not get the instruction set of the clones that
      // call it.
      {"cases",
       {},
       "template <bool b>\n"
       "struct stencil_bool {\n"
       "  static constexpr bool value = b;\n"
       "};\n"
       "\n"
       "// Calls the instance of the body for the value of the condition.\n"
       "template <class Body>\n"
       "$fn__attribute__((always_inline)) void stencil_cases(bool condition, const Body& body) {\n"
       "  if (condition) {\n"
       "    body(stencil_bool<true>());\n"
       "  } else {\n"
       "    body(stencil_bool<false>());\n"
       "  }\n"
       "}"},
      {"float_bits",
       {},
       "$fnuint32_t stencil_float_bits(float x) {\n"
       "  uint32_t bits;\n"
       "  memcpy(&bits, &x, sizeof bits);\n"
       "  return bits;\n"
       "}"},
      {"bits_float",
       {},
       "$fnfloat stencil_bits_float(uint32_t bits) {\n"
       "  float x;\n"
       "  memcpy(&x, &bits, sizeof x);\n"
       "  return x;\n"
       "}"},
      {"half_to_float",
       {"float_bits", "bits_float"},
       "$fnfloat stencil_half_to_float($half bits) {\n"
       "  const unsigned sign = (bits & 0x8000u) << 16;\n"
       "  const unsigned exponent = (bits >> 10) & 0x1fu;\n"
       "  const unsigned mantissa = bits & 0x3ffu;\n"
       "  if (exponent == 0) {  // subnormal: a multiple of 2^-24\n"
       "    return stencil_bits_float(sign | stencil_float_bits(mantissa * "
       "5.9604644775390625e-8f));\n"
       "  }\n"
       "  const unsigned rebased = exponent == 0x1fu ? 0xffu : exponent + 112u;\n"
       "  return stencil_bits_float(sign | (rebased << 23) | (mantissa << 13));\n"
       "}"},
      {"float_to_half",
       {"float_bits", "bits_float"},
       "// To nearest even.\n"
       "$fn$half stencil_float_to_half(float value) {\n"
       "  const unsigned bits = stencil_float_bits(value);\n"
       "  const unsigned sign = (bits >> 16) & 0x8000u;\n"
       "  unsigned magnitude = bits & 0x7fffffffu;\n"
       "  if (magnitude > 0x7f800000u) return ($half)(sign | 0x7e00u);   // NaN\n"
       "  if (magnitude >= 0x47800000u) return ($half)(sign | 0x7c00u);  // from 2^16: infinity\n"
       "  if (magnitude < 0x38800000u) {  // subnormal: the addition rounds to a multiple of "
       "2^-24\n"
       "    const unsigned units = stencil_float_bits(stencil_bits_float(magnitude) + 0.5f);\n"
       "    return ($half)(sign | (units - 0x3f000000u));\n"
       "  }\n"
       "  magnitude += 0xfffu + ((magnitude >> 13) & 1u);\n"
       "  return ($half)(sign | ((magnitude - 0x38000000u) >> 13));\n"
       "}"},
      {"bfloat_to_float",
       {"bits_float"},
       "$fnfloat stencil_bfloat_to_float($half bits) {\n"
       "  return stencil_bits_float((unsigned)bits << 16);\n"
       "}"},
      {"float_to_bfloat",
       {"float_bits"},
       "// To nearest even.\n"
       "$fn$half stencil_float_to_bfloat(float value) {\n"
       "  const unsigned bits = stencil_float_bits(value);\n"
       "  if ((bits & 0x7fffffffu) > 0x7f800000u) return ($half)((bits >> 16) | 0x40u);  // NaN\n"
       "  return ($half)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);\n"
       "}"},
      {"double_to_odd_float",
       {"float_bits", "bits_float"},
       "// Rounds to odd, so that a second rounding gives the result of a single one.\n"
       "$fnfloat stencil_double_to_odd_float(double value) {\n"
       "  const float nearest = (float)value;\n"
       "  if ((double)nearest == value || value != value) return nearest;\n"
       "  const bool beyond = value < 0 ? (double)nearest < value : (double)nearest > value;\n"
       "  return stencil_bits_float((stencil_float_bits(nearest) - (beyond ? 1u : 0u)) | 1u);\n"
       "}"},
      {"double_to_half",
       {"double_to_odd_float", "float_to_half"},
       "$fn$half stencil_double_to_half(double value) {\n"
       "  return stencil_float_to_half(stencil_double_to_odd_float(value));\n"
       "}"},
      {"double_to_bfloat",
       {"double_to_odd_float", "float_to_bfloat"},
       "$fn$half stencil_double_to_bfloat(double value) {\n"
       "  return stencil_float_to_bfloat(stencil_double_to_odd_float(value));\n"
       "}"},
      {"long_to_bfloat",
       {"double_to_bfloat"},
       "// Past 2^53 the low bits are merged into one, so that the value rounds once.\n"
       "$fn$half stencil_long_to_bfloat($long value) {\n"
       "  const bool large = value > 9007199254740992 || value < -9007199254740992;\n"
       "  const $long low = large ? value & 0xfff : 0;\n"
       "  return stencil_double_to_bfloat((double)((value - low) | (low != 0 ? 0x1000 : 0)));\n"
       "}"},
      {"divide_odd_float",
       {},
       "// x / c, rounded once, for an odd integer c and z = 1 / c. The residual r is exact. If x "
       "is\n"
       "// infinite, r is NaN, and any finite value may replace it.\n"
       "$fnfloat stencil_divide_odd_float(float x, float c, float z) {\n"
       "  const float q = x * z;\n"
       "  const float r = fma(q, c, -x);\n"
       "  return fma(-0x1p106f < r ? r : -0x1p106f, -z, q);\n"
       "}"},
      {"divide_even_float",
       {},
       "// x / c, rounded once, for an even integer c and z = 1 / c. The residual r is exact. If x "
       "is\n"
       "// infinite, r is NaN, and any finite value may replace it. The correction is rounded at "
       "a\n"
       "// scale at which a subnormal tie stays a tie.\n"
       "$fnfloat stencil_divide_even_float(float x, float c, float z) {\n"
       "  const float q = x * z;\n"
       "  const float r = fma(q, c, -x);\n"
       "  return fma((-0x1p106f < r ? r : -0x1p106f) * (z * -0x1p24f), 0x1p-24f, q);\n"
       "}"},
      {"divide_odd_double",
       {},
       "// x / c, rounded once, for an odd integer c and z = 1 / c. The residual r is exact. If x "
       "is\n"
       "// infinite, r is NaN, and any finite value may replace it.\n"
       "$fndouble stencil_divide_odd_double(double x, double c, double z) {\n"
       "  const double q = x * z;\n"
       "  const double r = fma(q, c, -x);\n"
       "  return fma(r == r ? r : 0.0, -z, q);\n"
       "}"},
      {"divide_even_double",
       {},
       "// x / c, rounded once, for an even integer c and z = 1 / c. The residual r is exact. If x "
       "is\n"
       "// infinite, r is NaN, and any finite value may replace it. The correction is rounded at "
       "a\n"
       "// scale at which a subnormal tie stays a tie.\n"
       "$fndouble stencil_divide_even_double(double x, double c, double z) {\n"
       "  const double q = x * z;\n"
       "  const double r = fma(q, c, -x);\n"
       "  return fma((r == r ? r : 0.0) * (z * -0x1p53), 0x1p-53, q);\n"
       "}"},
  };
  return helpers;
}

// Helpers with one version per type: T is the operand's type, R the result's.
struct TypedHelper {
  std::string_view name;
  std::string_view text;
};
constexpr TypedHelper kTypedHelpers[] = {
    {"min", "$fn$T stencil_min_$t($T a, $T b) { return b < a ? b : a; }"},
    {"max", "$fn$T stencil_max_$t($T a, $T b) { return a < b ? b : a; }"},
    {"clamp",
     "// x, but at most `high` and at least `low`.\n"
     "$fn$T stencil_clamp_$t($T x, $T low, $T high) { return $max($min(x, high), low); }"},
    {"abs", "$fn$T stencil_abs_$t($T a) { return a < 0 ? -a : a; }"},
    {"wrap_abs", "$fn$T stencil_wrap_abs_$t($T a) { return a < 0 ? ($T)(0 - ($U)a) : a; }"},
    {"div",
     "// Truncates towards zero; a division by zero gives 0.\n"
     "$fn$T stencil_div_$t($T a, $T b) {\n"
     "  return b == 0 ? 0 : b == -1 ? ($T)(0 - ($U)a) : a / b;\n"
     "}"},
    {"mod",
     "// Has the sign of a; 0 if b is 0.\n"
     "$fn$T stencil_mod_$t($T a, $T b) {\n"
     "  return b == 0 || b == -1 ? 0 : a % b;\n"
     "}"},
};
constexpr std::string_view kSaturating =
    "// Truncates, saturates at the ends, and maps NaN to 0.\n"
    "$fn$R stencil_$t_to_$r($T x) {\n"
    "  if (x != x) return 0;\n"
    "  if (x >= $above) return $most;\n"
    "  if (x < -$above) return -$most - 1;\n"
    "  return ($R)x;\n"
    "}";

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

struct TypeName {
  std::string_view name;
  Scalar type;
};
constexpr TypeName kTypeNames[] = {
    {"int", Scalar::I32}, {"long", Scalar::I64}, {"float", Scalar::F32}, {"double", Scalar::F64}};

std::string typed_text(const std::string& name, const Dialect& dialect) {
  for (const TypeName& type : kTypeNames) {
    for (const TypedHelper& helper : kTypedHelpers) {
      if (name != std::string(helper.name) + "_" + std::string(type.name)) continue;
      std::string text(helper.text);
      replace_all(text, "$T", dialect.type(type.type));
      replace_all(text, "$U", dialect.bits_type(type.type));
      replace_all(text, "$t", type.name);
      return text;
    }
    for (const TypeName& result : kTypeNames) {
      if (name != std::string(type.name) + "_to_" + std::string(result.name)) continue;
      const bool wide = result.type == Scalar::I64;
      std::string text(kSaturating);
      const std::string suffix = type.type == Scalar::F32 ? ".0f" : ".0";
      replace_all(text, "$above", (wide ? "9223372036854775808" : "2147483648") + suffix);
      replace_all(text, "$most", wide ? "9223372036854775807" : "2147483647");
      replace_all(text, "$R", dialect.type(result.type));
      replace_all(text, "$T", dialect.type(type.type));
      replace_all(text, "$r", result.name);
      replace_all(text, "$t", type.name);
      return text;
    }
  }
  return "";
}

const Helper* find(std::string_view name, const Dialect& dialect) {
  for (const Helper& helper : dialect.helpers) {
    if (helper.name == name) return &helper;
  }
  for (const Helper& helper : common_helpers()) {
    if (helper.name == name) return &helper;
  }
  return nullptr;
}

void define(const std::string& name, const Dialect& dialect, std::set<std::string>& done,
            std::string& out);

// Replaces $min and $max by the target's functions for integers, or else by helpers, which it
// defines.
void call_min_max(std::string& text, const std::string& type, const Dialect& dialect,
                  std::set<std::string>& done, std::string& out) {
  for (const auto& [mark, name, op] :
       {std::tuple{"$min", "min_", Op::Min}, std::tuple{"$max", "max_", Op::Max}}) {
    if (text.find(mark) == std::string::npos) continue;
    std::string function;
    for (const Intrinsic& row : dialect.intrinsics) {
      if (row.op == op) function = type == "int" ? row.integer : row.wide;
    }
    if (function.empty()) {
      define(name + type, dialect, done, out);
      function = "stencil_" + (name + type);
    }
    replace_all(text, mark, function);
  }
}

void define(const std::string& name, const Dialect& dialect, std::set<std::string>& done,
            std::string& out) {
  if (!done.insert(name).second) return;
  std::string text;
  if (const Helper* helper = find(name, dialect)) {
    for (std::string_view needed : helper->needs) define(std::string(needed), dialect, done, out);
    text = helper->text;
  } else {
    text = typed_text(name, dialect);
    call_min_max(text, name.substr(name.rfind('_') + 1), dialect, done, out);
  }
  replace_all(text, "$fn", dialect.function);
  replace_all(text, "$long", dialect.type(Scalar::I64));
  replace_all(text, "$half", dialect.type(Scalar::F16));
  out += text + "\n\n";
}

}  // namespace

std::string helper_text(const std::set<std::string>& names, const Dialect& dialect) {
  std::string out;
  std::set<std::string> done;
  for (const std::string& name : names) define(name, dialect, done, out);
  return out;
}

}  // namespace stencil::emit
