// Evaluates expressions with numbers substituted for symbols.
#include "compiler/lift/numbers.h"

#include <cmath>

namespace stencil::lifter {

std::optional<int64_t> number_of(X x, const std::map<int, int64_t>& values) {
  Pool pool;
  std::map<X, X> done;
  X value = transformed(pool, x, done, [&](X n) -> X {
    if (n->kind != XKind::Symbol) return nullptr;
    const auto found = values.find(n->id);
    return found == values.end() ? nullptr : pool.integer(found->second, n->type);
  });
  return value->kind == XKind::Int ? std::optional(value->integer) : std::nullopt;
}

std::optional<int64_t> number_of(const Poly& p, const std::map<int, int64_t>& values) {
  int64_t out = 0;
  for (const auto& [monomial, factor] : p.terms()) {
    int64_t product = factor;
    for (X atom : monomial) {
      const auto value = number_of(atom, values);
      if (!value) return std::nullopt;
      if (__builtin_mul_overflow(product, *value, &product)) return std::nullopt;
    }
    if (__builtin_add_overflow(out, product, &out)) return std::nullopt;
  }
  return out;
}

X evaluated(Pool& pool, X x, const std::function<X(X)>& leaf) {
  std::map<X, X> done;
  return transformed(pool, x, done, [&](X n) -> X {
    if (n->kind != XKind::Call) return leaf(n);
    std::vector<double> a;
    for (X arg : n->args) {
      if (arg->kind != XKind::Real) return nullptr;
      a.push_back(arg->real);
    }
    const bool single = n->type == CScalar::F32;
    const std::string& f = n->text;
    std::optional<double> value;
    if (a.size() == 1) {
      if (f == "sqrt") value = single ? std::sqrt(static_cast<float>(a[0])) : std::sqrt(a[0]);
      if (f == "abs") value = std::abs(a[0]);
      if (f == "exp") value = std::exp(a[0]);
      if (f == "log") value = std::log(a[0]);
    } else if (a.size() == 2) {
      if (f == "max") value = a[0] < a[1] ? a[1] : a[0];
      if (f == "min") value = a[1] < a[0] ? a[1] : a[0];
      // For zeros of different signs, fmax and fmin return the zero that programs return.
      if (f == "fmax") value = a[0] != a[0] || a[0] < a[1] ? a[1] : a[0];
      if (f == "fmin") value = a[0] != a[0] || a[1] < a[0] ? a[1] : a[0];
      if (f == "pow") value = std::pow(a[0], a[1]);
    }
    if (!value) return nullptr;
    return pool.real(single ? static_cast<double>(static_cast<float>(*value)) : *value, n->type);
  });
}

}  // namespace stencil::lifter
