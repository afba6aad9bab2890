// Integer polynomials, and proofs from inequalities between them.
#include <algorithm>
#include <cmath>

#include "compiler/lift/expr.h"

namespace stencil::lifter {

Poly::Poly(int64_t constant) {
  if (constant != 0) terms_[{}] = constant;
}
Poly Poly::atom(X x) {
  Poly out;
  out.terms_[{x}] = 1;
  return out;
}

bool holds(CScalar type, int64_t number) {
  const int bits = bits_of(type);
  if (bits >= 64) return true;
  const int64_t most = int64_t{1} << (is_unsigned(type) ? bits : bits - 1);
  return number < most && number >= -(int64_t{1} << (bits - 1));
}

namespace {

int64_t sum_of(int64_t a, int64_t b) {
  int64_t out = 0;
  if (__builtin_add_overflow(a, b, &out)) throw TooLarge{};
  return out;
}
int64_t product_of(int64_t a, int64_t b) {
  int64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out)) throw TooLarge{};
  return out;
}

// Larger polynomials become one atom; subscripts and bounds are far smaller.
constexpr size_t kMostTerms = 200, kMostFactors = 12;

bool is_large(const Poly& p) {
  if (p.terms().size() > kMostTerms) return true;
  return std::any_of(p.terms().begin(), p.terms().end(),
                     [](const auto& term) { return term.first.size() > kMostFactors; });
}

Poly sum_of_products(X x, std::map<X, Poly>& done);

Poly poly_of(X x, std::map<X, Poly>& done) {
  if (x->kind == XKind::Int) return Poly(x->integer);
  // Nodes are shared, so each node is converted once.
  if (const auto found = done.find(x); found != done.end()) return found->second;
  Poly out;
  try {
    out = sum_of_products(x, done);
  } catch (const TooLarge&) {
    out = Poly::atom(x);
  }
  return done[x] = out;
}

Poly sum_of_products(X x, std::map<X, Poly>& done) {
  const auto of = [&](size_t i) { return poly_of(x->args[i], done); };
  Poly out = Poly::atom(x);
  if (x->kind == XKind::Cast && is_integer(x->args[0]->type) && bits_of(x->type) >= 32) {
    out = of(0);
  } else if (x->kind == XKind::Unary && x->text == "-") {
    out = -of(0);
  } else if (x->kind == XKind::Binary) {
    if (x->text == "+") out = of(0) + of(1);
    if (x->text == "-") out = of(0) - of(1);
    if (x->text == "*") {
      const Poly a = of(0), b = of(1);
      if (a.terms().size() * b.terms().size() <= kMostTerms) out = a * b;
    }
    if (x->text == "<<" && x->args[1]->kind == XKind::Int && x->args[1]->integer >= 0 &&
        x->args[1]->integer < 31) {
      out = of(0) * Poly(int64_t{1} << x->args[1]->integer);
    }
  }
  if (is_large(out)) out = Poly::atom(x);
  return out;
}

}  // namespace

// Treats integer conversions as value-preserving and unsigned sums as exact. For subscripts this is
// valid: subscripts lie within an array, or the original is undefined. Other callers must use
// Executor::exact, which proves these properties.
Poly Poly::of(X x) {
  std::map<X, Poly> done;
  return poly_of(x, done);
}

void Poly::add(const Monomial& monomial, int64_t factor) {
  if (factor == 0) return;
  int64_t& term = terms_[monomial];
  term = sum_of(term, factor);
  if (term == 0) terms_.erase(monomial);
}

bool Poly::is_constant() const {
  return terms_.empty() || (terms_.size() == 1 && terms_.begin()->first.empty());
}
int64_t Poly::constant() const {
  const auto found = terms_.find({});
  return found == terms_.end() ? 0 : found->second;
}

Poly Poly::operator+(const Poly& other) const {
  Poly out = *this;
  for (const auto& [monomial, factor] : other.terms_) out.add(monomial, factor);
  return out;
}
Poly Poly::operator-(const Poly& other) const {
  Poly out = *this;
  for (const auto& [monomial, factor] : other.terms_) {
    out.add(monomial, product_of(factor, -1));
  }
  return out;
}
Poly Poly::operator*(const Poly& other) const {
  Poly out;
  for (const auto& [a, factor] : terms_) {
    for (const auto& [b, by] : other.terms_) {
      Monomial both = a;
      both.insert(both.end(), b.begin(), b.end());
      std::sort(both.begin(), both.end(), XLess());
      out.add(both, product_of(factor, by));
    }
  }
  return out;
}

std::optional<int64_t> Poly::linear_in(X atom) const {
  std::optional<int64_t> out = 0;
  for (const auto& [monomial, factor] : terms_) {
    if (std::find(monomial.begin(), monomial.end(), atom) == monomial.end()) continue;
    if (monomial.size() != 1) return std::nullopt;
    out = factor;
  }
  return out;
}
Poly Poly::coefficient(X atom) const {
  Poly out;
  for (const auto& [monomial, factor] : terms_) {
    if (std::count(monomial.begin(), monomial.end(), atom) != 1) continue;
    Monomial rest = monomial;
    rest.erase(std::find(rest.begin(), rest.end(), atom));
    out.add(rest, factor);
  }
  return out;
}
Poly Poly::without(X atom) const {
  Poly out;
  for (const auto& [monomial, factor] : terms_) {
    if (std::count(monomial.begin(), monomial.end(), atom) == 0) out.add(monomial, factor);
  }
  return out;
}
int Poly::degree_in(X atom) const {
  long most = 0;
  for (const auto& [monomial, factor] : terms_) {
    most = std::max(most, std::count(monomial.begin(), monomial.end(), atom));
  }
  return static_cast<int>(most);
}
XSet Poly::atoms() const {
  XSet out;
  for (const auto& [monomial, factor] : terms_) out.insert(monomial.begin(), monomial.end());
  return out;
}

namespace {

// Orders monomials by degree, then by atoms; true if `a` leads `b`.
bool leads(const Poly::Monomial& a, const Poly::Monomial& b) {
  return a.size() != b.size() ? a.size() > b.size() : Poly::Before()(a, b);
}

std::optional<Poly::Monomial> quotient_of(const Poly::Monomial& a, const Poly::Monomial& b) {
  Poly::Monomial out = a;
  for (X atom : b) {
    const auto found = std::find(out.begin(), out.end(), atom);
    if (found == out.end()) return std::nullopt;
    out.erase(found);
  }
  return out;
}

}  // namespace

std::optional<int64_t> Poly::remainder(int64_t divisor) const {
  Poly left = *this;
  for (X atom : atoms()) {  // for example, n - n % 4 is a multiple of 4
    if (atom->kind != XKind::Binary || atom->text != "%" || atom->args[1]->kind != XKind::Int)
      continue;
    const auto factor = linear_in(atom);
    if (!factor || *factor * atom->args[1]->integer % divisor != 0) continue;
    left = left - (Poly::atom(atom) - Poly::of(atom->args[0])) * Poly(*factor);
  }
  for (const auto& [monomial, factor] : left.terms_) {
    if (!monomial.empty() && factor % divisor != 0) return std::nullopt;
  }
  const int64_t rest = left.constant() % divisor;
  return rest < 0 ? rest + divisor : rest;
}

Poly::Division Poly::divided_by(const Poly& divisor) const {
  Division out;
  if (divisor.zero()) return {Poly(), *this};
  auto lead = divisor.terms_.begin();
  for (auto it = divisor.terms_.begin(); it != divisor.terms_.end(); ++it) {
    if (leads(it->first, lead->first)) lead = it;
  }
  Poly left = *this;
  for (int guard = 0; guard < 1000 && !left.zero(); ++guard) {
    const std::pair<const Monomial, int64_t>* next = nullptr;
    Monomial by;
    for (const auto& term : left.terms_) {
      if (term.second % lead->second != 0 && !lead->first.empty()) continue;
      const auto quotient = quotient_of(term.first, lead->first);
      if (!quotient || (next != nullptr && !leads(term.first, next->first))) continue;
      if (lead->first.empty() && term.second / lead->second == 0) continue;
      next = &term;
      by = *quotient;
    }
    if (next == nullptr) break;
    Poly step;
    step.add(by, next->second / lead->second);
    out.quotient = out.quotient + step;
    left = left - step * divisor;
  }
  out.rest = left;
  return out;
}

bool Poly::fits_program() const {
  return std::all_of(terms_.begin(), terms_.end(),
                     [](const auto& term) { return std::abs(term.second) <= INT32_MAX; });
}

X Poly::expression(Pool& pool, CScalar type) const {
  for (const auto& [monomial, factor] : terms_) {
    const bool written = holds(type, factor) && factor != INT64_MIN && holds(type, -factor);
    if (!written && !(terms_.size() == 1 && holds(type, factor))) throw TooLarge{factor, type};
  }
  X out = nullptr;
  const auto join = [&](const char* op, X value) {
    out = out == nullptr ? value : pool.binary(op, out, value, type);
  };
  std::vector<std::pair<Monomial, int64_t>> ordered(terms_.begin(), terms_.end());
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    if (a.first.empty() != b.first.empty()) return b.first.empty();  // the constant comes last
    if ((a.second > 0) != (b.second > 0)) return a.second > 0;
    return leads(a.first, b.first);
  });
  for (const auto& [monomial, factor] : ordered) {
    X value = nullptr;
    for (X atom : monomial) {
      value = value == nullptr ? pool.cast(atom, type)
                               : pool.binary("*", value, pool.cast(atom, type), type);
    }
    const bool minus = factor < 0 && out != nullptr;
    const int64_t times = minus ? -factor : factor;
    if (value == nullptr) {
      value = pool.integer(times, type);
    } else if (times != 1) {
      value = pool.binary("*", pool.integer(times, type), value, type);
    }
    join(minus ? "-" : "+", value);
  }
  return out == nullptr ? pool.integer(0, type) : out;
}

namespace {

bool follows(const Poly& p, const std::vector<Poly>& facts, std::set<size_t>* used, int depth);
bool eliminated(std::vector<Poly> facts);

}  // namespace

bool proved(const Poly& p, const std::vector<Poly>& facts, std::set<size_t>* used, int depth) {
  try {
    return follows(p, facts, used, depth);
  } catch (const TooLarge&) {
    return false;
  }
}

namespace {

bool follows(const Poly& p, const std::vector<Poly>& facts, std::set<size_t>* used, int depth) {
  if (p.is_constant()) return p.constant() >= 0;
  if (depth == 0) return false;
  if (depth > 2 && facts.size() > 12) depth = 2;
  for (size_t f = 0; f < facts.size(); ++f) {
    for (const auto& [monomial, factor] : facts[f].terms()) {
      const auto mine = p.terms().find(monomial);
      if (monomial.empty() || mine == p.terms().end() || (mine->second > 0) != (factor > 0))
        continue;
      const int64_t times = mine->second / factor;
      if (times < 1 || times > 1000) continue;
      if (!follows(p - Poly(times) * facts[f], facts, used, depth - 1)) continue;
      if (used != nullptr) used->insert(f);
      return true;
    }
  }
  return false;
}

}  // namespace

bool bounds_from_above(const Poly& p) {
  return std::any_of(p.terms().begin(), p.terms().end(),
                     [](const auto& term) { return !term.first.empty() && term.second < 0; });
}

bool contradictory(std::vector<Poly> facts) {
  try {
    return eliminated(std::move(facts));
  } catch (const TooLarge&) {
    return false;
  }
}

namespace {

// Fourier-Motzkin elimination. Products of sizes count as separate variables.
bool eliminated(std::vector<Poly> facts) {
  constexpr size_t kMostFacts = 200;
  constexpr int64_t kMostFactor = 1 << 20;
  const auto never = [](const Poly& p) { return p.is_constant() && p.constant() < 0; };
  for (;;) {
    if (std::any_of(facts.begin(), facts.end(), never)) return true;
    const auto open =
        std::find_if(facts.begin(), facts.end(), [](const Poly& p) { return !p.is_constant(); });
    if (open == facts.end()) return false;
    const auto& terms = open->terms();
    const Poly::Monomial gone = std::find_if(terms.begin(), terms.end(), [](const auto& term) {
                                  return !term.first.empty();
                                })->first;
    std::vector<Poly> left, rising, falling;
    const auto factor = [&](const Poly& p) {
      const auto found = p.terms().find(gone);
      return found == p.terms().end() ? 0 : found->second;
    };
    for (const Poly& p : facts) {
      const int64_t f = factor(p);
      // Dropping a fact weakens the proof but keeps it valid.
      if (std::abs(f) > kMostFactor) continue;
      (f == 0 ? left : f > 0 ? rising : falling).push_back(p);
    }
    for (const Poly& up : rising) {
      for (const Poly& down : falling) {
        const Poly sum = Poly(-factor(down)) * up + Poly(factor(up)) * down;
        if (std::find(left.begin(), left.end(), sum) == left.end()) left.push_back(sum);
      }
    }
    if (left.size() > kMostFacts) return false;
    facts = std::move(left);
  }
}

}  // namespace

std::string Poly::text() const {
  Pool scratch;
  return describe(expression(scratch, CScalar::I64));
}

}  // namespace stencil::lifter
