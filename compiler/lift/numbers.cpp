// Expressions folded with numbers in the place of symbols.
#include "compiler/lift/numbers.h"

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
      product *= *value;
    }
    out += product;
  }
  return out;
}

}  // namespace stencil::lifter
