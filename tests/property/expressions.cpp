// Expressions made from forms (forms.h).
#include <fmt/format.h>

#include "tests/property/forms.h"
#include "tests/property/generator_parts.h"

namespace stencil::property {

std::string Generator::pick_form(const std::vector<Form>& forms, Site& site, int depth) {
  constexpr int kDeepest = 2, kAttempts = 20;
  std::vector<int> weights;
  for (const Form& form : forms) {
    weights.push_back(depth <= kDeepest || !form.nests() ? form.weight : 0);
  }
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Form& form = forms[random_.weighted(weights)];
    const std::string text = filled(form.text, site, depth);
    if (text.empty()) continue;
    if (form.construct) covers(form.construct);
    return text;
  }
  return filled(forms[0].text, site, depth);
}

// Fills the holes of the form from left to right; "" if a hole cannot be filled.
std::string Generator::filled(const std::string& form, Site& site, int depth) {
  std::string out;
  for (size_t at = 0; at < form.size(); ++at) {
    if (form[at] != '$') {
      out += form[at];
      continue;
    }
    const std::string value = hole(form[++at], site, depth);
    if (value.empty()) return "";
    out += value;
  }
  return out;
}

std::string Generator::hole(char kind, Site& site, int depth) {
  switch (kind) {
    case 'x':
      return fmt::format("({})", floating(site, depth + 1));
    case 'r':
      return floating_access(site);
    case 'i':
      return integer(site);
    case 'b':
      return access(is_condition, site);
    case 'c':
      return fmt::format("({})", pick_form(condition_forms(), site, depth + 1));
    case 'U':
      return fmt::format("({})", pick_form(uniform_forms(), site, depth + 1));
    case 'I':
      return fmt::format("({})", pick_form(uniform_integer_forms(), site, depth + 1));
    case 'D':
      return fmt::format("({})", pick_form(uniform_condition_forms(), site, depth + 1));
    case 'o':
      return random_.pick<std::string>({"<", "<=", ">", ">=", "==", "!="});
    case 'u':
      return fmt::format("{:.3f}", random_.unit());
    case 'n':
      return index_name(site);
    case 'M':
      return congruence(site);
    case 'p':
      return position(site);
    case 'd':
      return dimension(site);
    case 'C':
      return comprehension(site);
    case 'N':
      return nested_comprehension(site);
    case 'a':
      return profile_read(site);
    case 's':
      return series_read(false);
    case 'S':
      return series_read(true);
    case 'P':
      return points_read();
    case 't':
      return statistic_read(site);
    case 'T':
      return table_sum(site);
    case 'L':
      return let(site, depth);
    case 'F':
      return call(site, depth);
  }
  return "";
}

std::string Generator::floating(Site& site, int depth) {
  return pick_form(floating_forms(), site, depth);
}

// Integers are scaled to the magnitude of floating-point values.
std::string Generator::floating_access(Site& site) {
  const bool integers = random_.chance(15);
  const auto found = random_operand(integers ? is_integer : is_floating);
  const auto operand = found ? found : random_operand(integers ? is_floating : is_integer);
  if (!operand) return fmt::format("real({})", access(is_condition, site));
  const std::string read = access(*operand->field, site) + operand->component.path;
  switch (operand->component.number) {
    case Number::Integer:
      covers("promotion");
      return "0.0625 * " + read;
    case Number::Long:
      covers("promotion");
      return "0.000002 * " + read;
    case Number::Byte:
    case Number::Ubyte:
      covers("promotion");
      return "0.0078125 * " + read;
    case Number::Short:
    case Number::Ushort:
      covers("promotion");
      return "0.00003 * " + read;
    default:
      return read;
  }
}

std::string Generator::index_name(Site& site) {
  if (!site.names_allowed) return "";
  const int d = random_.below(out_.rank);
  site.names.insert(d);
  return fmt::format("i{}", d);
}

// A condition on coordinates modulo a small number, like colours and strides.
std::string Generator::congruence(Site& site) {
  std::string sum;
  const int terms = random_.between(1, std::min(out_.rank, 3));
  for (int term = 0; term < terms; ++term) {
    const std::string name = index_name(site);
    if (name.empty()) return "";
    const int times = random_.pick<int>({1, 1, 1, 2, 3, 5});
    const bool minus = random_.chance(30);
    const std::string product = times == 1 ? name : fmt::format("{} * {}", times, name);
    sum += (minus ? " - " : term > 0 ? " + " : "") + product;
  }
  const int number = random_.between(-7, 7);
  if (number != 0) sum += fmt::format(" {} {}", number < 0 ? '-' : '+', std::abs(number));
  const int modulus = random_.between(2, 4);
  const std::string compared = random_.pick<std::string>({"==", "==", "!="});
  if (modulus != 3 && random_.chance(20)) {
    return fmt::format("(({}) & {}) {} {}", sum, modulus - 1, compared,
                       random_.between(0, modulus - 1));
  }
  const int to = random_.chance(50) ? 0 : random_.between(1 - modulus, modulus - 1);
  return fmt::format("({}) % {} {} {}", sum, modulus, compared, to);
}

// --- Integers ---

std::string Generator::integer_value(Number number, Site& site) {
  const int terms = random_.between(1, 3);
  std::string sum = pick_form(integer_forms(), site, 0);
  for (int t = 1; t < terms; ++t) {
    sum += random_.chance(60) ? " + " : " - ";
    sum += pick_form(integer_forms(), site, 0);
  }
  if (number == Number::Integer) return fmt::format("({}) % 97", sum);
  if (is_small(number)) {  // a constant would have to fit the type
    covers("integers that wrap around");
    return fmt::format("({}) * 37 + time", sum);
  }
  return fmt::format("(long({}) * 40961) % 1000003", sum);
}

// Below a million in magnitude, and below a thousand in 32 bits.
std::string Generator::integer(Site& site) {
  const int roll = random_.below(100);
  if (roll < 8 && site.names_allowed) return index_name(site);
  if (roll < 14) {
    covers("time");
    return "time";
  }
  if (roll < 20) {
    covers("integer param");
    return "m";
  }
  const std::string read = roll < 28 ? "" : access(is_integer, site);
  if (!read.empty()) return read;
  if (random_.chance(25)) {
    covers("integers out of range");
    const std::string value = floating_access(site);
    switch (random_.below(4)) {
      case 0:
        return fmt::format("((integer(1e9 * {}) * 1103515245 + 12345) % 97)", value);
      case 1:
        return fmt::format("(abs(integer(4e9 * {}) - 7) % 97)", value);
      case 2:
        return fmt::format("(-(integer(4e9 * {}) + 9) % 97)", value);
      default:
        return fmt::format("(integer((long(4e18 * {}) * 6364136223846793005 - 11) >> 33) % 97)",
                           value);
    }
  }
  covers("conversion to an integer");
  if (random_.chance(40)) return fmt::format("(long(1000 * {}) % 1000003)", floating_access(site));
  return fmt::format("(integer(8 * {}) % 97)", floating_access(site));
}

}  // namespace stencil::property
