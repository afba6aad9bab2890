// Marks at round numbers. The labels of an axis have the same number of decimals. Common parts are
// factored out: a power of ten, and for a narrow range far from zero a round offset. Powers use
// long double, whose range includes the steps between the largest and the smallest doubles.
#include "runtime/picture/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stencil::runtime {
namespace {

constexpr int kMostDigits = 6;       // per label, without a common offset
constexpr int kLargestExponent = 5;  // labels from 10^-3 (next line) to below
constexpr int kLeastExponent = -3;   // 10^6 need no common power
constexpr int kMostWholeDigits = 7;

const char* const kMinus = "\u2212";

long double power_of_ten(int exponent) {
  return std::pow(10.0L, static_cast<long double>(exponent));
}

// The exponent of the leading digit. Requires value != 0.
int exponent_of(double value) {
  const int near = static_cast<int>(std::floor(std::log10(std::abs(value))));
  const long double size = std::abs(static_cast<long double>(value)) * (1 + 1e-14L);
  return size >= power_of_ten(near + 1) ? near + 1 : size < power_of_ten(near) ? near - 1 : near;
}

std::string superscript(int number) {
  static const char* const kDigits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                        "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  std::string out = number < 0 ? "\u207b" : "";
  for (const char digit : std::to_string(std::abs(number))) out += kDigits[digit - '0'];
  return out;
}

std::string power(int exponent) {
  return "\u00d710" + superscript(exponent);
}

// Replaces the sign by a typographic minus. Zero gets no sign.
std::string with_minus(std::string text) {
  if (text.empty() || text[0] != '-') return text;
  text.erase(0, 1);
  return text.find_first_of("123456789") == std::string::npos ? text : kMinus + text;
}

std::string fixed(long double value, int decimals) {
  return with_minus(fmt::format("{:.{}f}", static_cast<double>(value), std::max(decimals, 0)));
}

// mantissa * 10^exponent.
struct Step {
  int mantissa = 1, exponent = 0;
  long double size() const { return mantissa * power_of_ten(exponent); }
  // Division by an exact power instead of multiplication by an inexact one: 3 steps of 0.1 are 0.3.
  double times(long double k) const {
    const long double whole = k * mantissa;
    return static_cast<double>(exponent < 0 ? whole / power_of_ten(-exponent)
                                            : whole * power_of_ten(exponent));
  }
};

// The smallest round step that gives at most `most` marks, wherever the range starts.
Step step_for(long double low, long double high, int most, bool whole) {
  const long double span = high - low;
  const auto marks = [&](const Step& step) {
    const long double slack = span * 1e-9L;
    return std::floor((high + slack) / step.size()) - std::ceil((low - slack) / step.size()) + 1;
  };
  Step step{1, static_cast<int>(std::floor(std::log10(span / most))) - 1};
  if (whole) step.exponent = std::max(step.exponent, 0);
  while (marks(step) > most) {
    if (step.mantissa == 5) ++step.exponent;
    step.mantissa = step.mantissa == 1 ? 2 : step.mantissa == 2 ? 5 : 1;
  }
  return step;
}

// For low == high.
Ticks one_mark(double value) {
  return {{{value + 0.0, print_number(value)}}, ""};
}

// Fixed notation without trailing zeros of a fraction.
std::string shortest(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, std::max(decimals, 0));
  if (text.find('.') == std::string::npos) return with_minus(text);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return with_minus(text);
}

}  // namespace

std::string print_number(double value, int digits) {
  if (value == 0) return "0";
  const int exponent = exponent_of(value);
  if (exponent <= kLargestExponent && exponent >= kLeastExponent) {
    return shortest(value, digits - 1 - exponent);
  }
  const auto mantissa = static_cast<double>(value / power_of_ten(exponent));
  const std::string text = shortest(mantissa, digits - 1);
  if (text == "10") return "1" + power(exponent + 1);  // rounded up
  if (text == kMinus + std::string("10")) return kMinus + ("1" + power(exponent + 1));
  return text + power(exponent);
}

Ticks ticks_between(double low, double high, int most, bool whole) {
  if (low == high) return one_mark(low);
  most = std::max(most, 1);
  const Step step = step_for(low, high, most, whole);
  const long double slack = (static_cast<long double>(high) - low) * 1e-9L;
  const auto first = std::ceil((low - slack) / step.size());
  const auto last = std::floor((high + slack) / step.size());
  Ticks ticks;
  for (long double k = first; k <= last; ++k) {
    const double value = std::clamp(step.times(k), low, high);                // undoes the slack
    if (!ticks.marks.empty() && value <= ticks.marks.back().value) continue;  // equal as doubles
    ticks.marks.push_back({value + 0.0, ""});
  }
  if (ticks.marks.empty()) return ticks_between(low, high, most + 1, whole);  // 1.9 to 4.1: 2 or 0
  const double largest = std::max(std::abs(low), std::abs(high));
  const int exponent = exponent_of(largest);
  // Narrow range far from zero.
  const int most_digits = whole ? kMostWholeDigits : kMostDigits;
  if (exponent - step.exponent + 1 > most_digits) {
    const Step coarse{1, exponent_of(high - low) + 1};
    const double offset = coarse.times(std::floor(low / coarse.size() + 1e-9L));
    const int small = exponent_of(high - offset);
    const int taken = small < kLeastExponent || small > kLargestExponent ? small : 0;
    for (Tick& mark : ticks.marks) {
      mark.label = fixed((static_cast<long double>(mark.value) - offset) / power_of_ten(taken),
                         taken - step.exponent);
    }
    ticks.common = taken == 0 ? "" : power(taken) + " ";
    ticks.common += offset < 0 ? kMinus + std::string(" ") : std::string("+ ");
    ticks.common += print_number(std::abs(offset), 15);
    return ticks;
  }
  const bool plain =
      exponent <= (whole ? kMostWholeDigits - 1 : kLargestExponent) && exponent >= kLeastExponent;
  const int taken = plain ? 0 : exponent;
  for (Tick& mark : ticks.marks) {
    mark.label = fixed(mark.value / power_of_ten(taken), taken - step.exponent);
  }
  if (taken != 0) ticks.common = power(taken);
  return ticks;
}

}  // namespace stencil::runtime
