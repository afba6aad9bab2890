#include "compiler/lift/ranges.h"

#include <algorithm>
#include <cmath>

namespace stencil::lifter {

namespace {

constexpr long double kTwo30 = 1073741824.0L;  // bounds of a grid lie within +-2^30
constexpr long double kTwo62 = 4611686018427387904.0L;
constexpr long double kTwo64 = 18446744073709551616.0L;

Interval joined(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

long double magnitude(const Interval& a) {
  return std::max(std::fabs(a.low), std::fabs(a.high));
}

// The smallest 2^k - 1 that is >= value.
long double all_ones(long double value) {
  long double out = 1;
  while (out - 1 < value) out *= 2;
  return out - 1;
}

}  // namespace

Interval range_of_type(CScalar type) {
  if (!is_integer(type)) return {-INFINITY, INFINITY};
  if (type == CScalar::Bool) return {0, 1};
  const int bits = bits_of(type);
  if (is_unsigned(type)) return {0, std::ldexp(1.0L, bits) - 1};
  return {-std::ldexp(1.0L, bits - 1), std::ldexp(1.0L, bits - 1) - 1};
}

Interval Ranges::binary(X x) {
  const std::string& op = x->text;
  if (op == "&&" || op == "||" || is_comparison(op)) return {0, 1};
  const Interval a = of(x->args[0]), b = of(x->args[1]);
  const Interval all = range_of_type(x->type);
  if (op == "+") return {a.low + b.low, a.high + b.high};
  if (op == "-") return {a.low - b.high, a.high - b.low};
  if (op == "*") {
    const auto [low, high] =
        std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
    return {low, high};
  }
  if (op == "/") {
    if (a.low >= 0 && b.low >= 0) return {0, std::floor(a.high / std::max(b.low, 1.0L))};
    return {-magnitude(a), magnitude(a)};
  }
  if (op == "%") {
    const long double most = std::min(magnitude(a), std::max(magnitude(b) - 1, 0.0L));
    return {a.low < 0 ? -most : 0, a.high > 0 ? most : 0};
  }
  if (op == "&") {
    if (a.low >= 0 && b.low >= 0) return {0, std::min(a.high, b.high)};
    if (a.low >= 0) return {0, a.high};
    if (b.low >= 0) return {0, b.high};
    return all;
  }
  if (op == "|" || op == "^") {
    if (a.low >= 0 && b.low >= 0) return {0, all_ones(std::max(a.high, b.high))};
    return all;
  }
  const bool number = b.low == b.high && b.low >= 0 && b.low < bits_of(x->type);
  if (op == "<<" && number) {
    const long double by = std::ldexp(1.0L, static_cast<int>(b.low));
    return {a.low * by, a.high * by};
  }
  if (op == ">>" && number) {
    const long double by = std::ldexp(1.0L, static_cast<int>(b.low));
    return {std::floor(a.low / by), std::floor(a.high / by)};
  }
  if (op == ">>") return {std::min(a.low, 0.0L), std::max(a.high, 0.0L)};
  return is_unsigned(x->type) && op == "<<" ? Interval{0, kTwo64} : all;
}

void Ranges::assume(const std::vector<Poly>& facts) {
  for (const Poly& fact : facts) {  // for example n - 3 >= 0
    const XSet atoms = fact.atoms();
    if (atoms.size() != 1 || (*atoms.begin())->kind != XKind::Symbol) continue;
    if (fact.linear_in(*atoms.begin()) != std::optional<int64_t>(1)) continue;
    const auto bound = static_cast<long double>(-fact.constant());
    const auto [entry, fresh] = least_.try_emplace((*atoms.begin())->id, bound);
    if (!fresh) entry->second = std::max(entry->second, bound);
  }
}

Interval Ranges::exact(X x) {
  const Interval all = range_of_type(x->type);
  switch (x->kind) {
    case XKind::Int: {
      long double value = static_cast<long double>(x->integer);
      if (x->type == CScalar::U64 && x->integer < 0) value += kTwo64;
      return {value, value};
    }
    case XKind::Symbol: {
      // The type of the program's param holds no larger values.
      Interval out = x->type == CScalar::U64 ? Interval{0, kTwo62} : all;
      if (const auto known = least_.find(x->id); known != least_.end())
        out.low = std::max(out.low, std::min(known->second, out.high));
      return out;
    }
    case XKind::Index:
      return {pool_.counts_from_zero(x->id) ? 0 : -kTwo30, kTwo30};
    case XKind::Edge:
      return {-kTwo30, kTwo30};
    case XKind::Time:
      return {0, range_of_type(CScalar::I32).high};
    case XKind::Unary: {
      const Interval a = of(x->args[0]);
      if (x->text == "!") return {0, 1};
      if (x->text == "-") return {-a.high, -a.low};
      return is_unsigned(x->type) ? all : Interval{-a.high - 1, -a.low - 1};
    }
    case XKind::Binary:
      return binary(x);
    case XKind::Cast:
      return is_integer(x->args[0]->type) ? of(x->args[0]) : all;
    case XKind::Select:
      return joined(of(x->args[1]), of(x->args[2]));
    default:
      return all;
  }
}

const Interval& Ranges::of(X x) {
  if (const auto found = known_.find(x); found != known_.end()) return found->second;
  const Interval all = range_of_type(x->type);
  Interval out = exact(x);
  if (!out.within(all)) {
    const bool undefined = !is_unsigned(x->type) && x->kind != XKind::Cast;
    out = undefined ? Interval{std::max(out.low, all.low), std::min(out.high, all.high)} : all;
    if (out.low > out.high) out = all;
  }
  return known_[x] = out;
}

}  // namespace stencil::lifter
