// Conditions on loop counters. They are decided from the loop bounds or by splitting a loop. This
// file also handles subscripts that follow boundary rules at the ends of an array.
#include <fmt/format.h>

#include "compiler/lift/edge.h"
#include "compiler/lift/executor.h"

namespace stencil::lifter {

bool Executor::known_at_least_zero(const Poly& p) const {
  if (p.is_constant()) return p.constant() >= 0;
  const bool large = !(p + Poly(1)).fits_program() || !(p - Poly(1)).fits_program();
  std::vector<Poly> facts = out_.facts;
  for (const Active& loop : active_) facts.push_back(loop.domain.high - loop.domain.low);
  for (X atom : p.atoms()) {
    const bool by_type = atom->kind == XKind::Symbol && is_unsigned(atom->type);
    if (by_type || atom->kind == XKind::Time) facts.push_back(Poly::atom(atom));
    // The limits of n's type decide comparisons with constants outside of that type: n <=
    // 2147483647.
    if (large && atom->kind == XKind::Symbol && bits_of(atom->type) <= 32) {
      const Interval all = range_of_type(atom->type);
      facts.push_back(Poly(static_cast<int64_t>(all.high)) - Poly::atom(atom));
      facts.push_back(Poly::atom(atom) - Poly(static_cast<int64_t>(all.low)));
    }
  }
  return proved(p, facts);
}

// The largest or smallest value of `p` over the domains of the active loops. Other atoms remain in
// the result. An index with a non-constant factor remains as well.
Poly Executor::extreme(Poly p, bool largest) const {
  for (const Active& loop : active_) {
    X index = pool_.leaf(XKind::Index, CScalar::I64, loop.domain.index, loop.name);
    const auto factor = p.linear_in(index);
    if (!factor || *factor == 0) continue;
    const bool high = (*factor > 0) == largest;
    p = p.without(index) + Poly(*factor) * (high ? loop.domain.high : loop.domain.low);
  }
  return p;
}

std::optional<bool> Executor::decide_compare(const std::string& op, Poly d, bool may_split) {
  if (op == ">") return decide_compare("<", -d, may_split);
  if (op == ">=") return decide_compare("<", -d - Poly(1), may_split);
  if (op == "<=") return decide_compare("<", d - Poly(1), may_split);
  if (op == "!=") {
    const auto equal = decide_compare("==", d, may_split);
    return equal ? std::optional(!*equal) : std::nullopt;
  }
  const Poly most = extreme(d, true), least = extreme(d, false);
  if (op == "<") {
    if (known_at_least_zero(-most - Poly(1))) return true;
    if (known_at_least_zero(least)) return false;
  } else {
    if (known_at_least_zero(-most - Poly(1)) || known_at_least_zero(least - Poly(1))) return false;
    if (most.zero() && least.zero()) return true;
  }
  if (!may_split || !split_ || !in_nest_) return std::nullopt;
  const Active* of = nullptr;
  for (const Active& loop : active_) {
    X index = pool_.leaf(XKind::Index, CScalar::I64, loop.domain.index, loop.name);
    if (d.degree_in(index) == 0) continue;
    if (of != nullptr) return std::nullopt;
    of = &loop;
  }
  if (of == nullptr || of->domain.stride != 1) return std::nullopt;
  X index = pool_.leaf(XKind::Index, CScalar::I64, of->domain.index, of->name);
  const auto factor = d.linear_in(index);
  if (!factor || (*factor != 1 && *factor != -1)) return std::nullopt;
  const Poly rest = d.without(index);
  for (X atom : rest.atoms()) {
    if (atom->kind != XKind::Symbol) return std::nullopt;
  }
  Poly at;
  if (op == "==") {
    at = *factor == 1 ? -rest : rest;
    if (known_at_least_zero(of->domain.low - at)) at = at + Poly(1);
  } else {
    at = *factor == 1 ? -rest : rest + Poly(1);  // the two cases are i + rest < 0 and rest - i < 0
  }
  if (!at.fits_program()) return std::nullopt;
  // Splitting at an end of the domain makes no progress, so the condition remains undecided.
  if (at == of->domain.low || at == of->domain.high + Poly(1)) return std::nullopt;
  // Splitting is valid only if the condition changes within the loop. The program may require sizes
  // large enough for such a change. It never requires sizes to be small. If only small sizes allow
  // the change, the condition becomes a select at each point.
  for (const auto& [slack, text] : {std::pair{at - of->domain.low, "begins before"},
                                    std::pair{of->domain.high + Poly(1) - at, "ends after"}}) {
    if (proved(slack, out_.facts)) continue;
    if (slack.is_constant() || bounds_from_above(slack) || !slack.fits_program()) throw NoSplit();
    require(slack, fmt::format("the loop over '{}' {} the point where a condition in it changes",
                               of->name, text));
    const bool known = std::find(out_.facts.begin(), out_.facts.end(), slack) != out_.facts.end();
    if (!known && out_.facts.size() < 24) out_.facts.push_back(slack);
  }
  throw Split{of->key, at};
}

std::optional<bool> Executor::decide(X condition) {
  std::map<X, std::optional<bool>> done;
  return decide(condition, done);
}

// Decides a condition. Conditions share subexpressions, so `done` keeps the result for each of
// them.
std::optional<bool> Executor::decide(X condition, std::map<X, std::optional<bool>>& done) {
  const auto [entry, fresh] = done.try_emplace(condition, std::nullopt);
  if (!fresh) return entry->second;
  const std::optional<bool> known = decide_anew(condition, done);
  return done[condition] = known;
}

std::optional<bool> Executor::decide_anew(X condition, std::map<X, std::optional<bool>>& done) {
  if (condition->kind == XKind::Int) return condition->integer != 0;
  if (condition->kind == XKind::Unary && condition->text == "!") {
    const auto known = decide(condition->args[0], done);
    return known ? std::optional(!*known) : std::nullopt;
  }
  if (condition->kind != XKind::Binary) return std::nullopt;
  const std::string& op = condition->text;
  if (op == "&&" || op == "||") {
    const auto a = decide(condition->args[0], done), b = decide(condition->args[1], done);
    const bool absorbing = op == "||";
    if ((a && *a == absorbing) || (b && *b == absorbing)) return absorbing;
    if (a && b) return !absorbing;
    return std::nullopt;
  }
  X l = condition->args.size() == 2 ? condition->args[0] : nullptr;
  X r = condition->args.size() == 2 ? condition->args[1] : nullptr;
  const bool comparison =
      op == "<" || op == "<=" || op == ">" || op == ">=" || op == "==" || op == "!=";
  if (!comparison || !is_integer(l->type) || !is_integer(r->type)) return std::nullopt;
  for (X side : {l, r}) {
    bool plain = true;
    each_node(side, [&](X n) {
      plain = plain && n->kind != XKind::Load && n->kind != XKind::Carried && n->kind != XKind::Sum;
    });
    if (!plain) return std::nullopt;
  }
  if (const auto known = decided_by_ranges(op, l, r)) return known;
  const auto a = exact(l), b = exact(r);
  if (!a || !b) return std::nullopt;
  try {
    return decide_compare(op, *a - *b, true);
  } catch (const TooLarge&) {
    return std::nullopt;
  }
}

// Decides a comparison from the ranges of both sides: `i < 4294967299` holds for any int,
// regardless of the loop bounds.
std::optional<bool> Executor::decided_by_ranges(const std::string& op, X l, X r) {
  if (op == ">" || op == ">=") return decided_by_ranges(op == ">" ? "<" : "<=", r, l);
  const Interval a = ranges_.of(l), b = ranges_.of(r);
  const bool below = a.high<b.low, above = a.low> b.high;
  if (op == "<")
    return below ? std::optional(true) : a.low >= b.high ? std::optional(false) : std::nullopt;
  if (op == "<=")
    return a.high <= b.low ? std::optional(true) : above ? std::optional(false) : std::nullopt;
  if (below || above) return op == "!=";
  return std::nullopt;
}

std::optional<bool> Executor::decide_as_it_is(X condition) {
  const bool split = split_;
  split_ = false;
  const auto known = decide(condition);
  split_ = split;
  return known;
}

// Returns a select that consists of counters and sizes only, otherwise null.
X Executor::choice_of_index(X condition, X yes, X no) const {
  bool plain = split_, counts = false;
  for (X part : {condition, yes, no}) {
    each_node(part, [&](X n) {
      counts = counts || n->kind == XKind::Index;
      plain = plain && n->kind != XKind::Load && n->kind != XKind::Time &&
              n->kind != XKind::Carried && n->kind != XKind::Sum && n->kind != XKind::Unknown &&
              n->kind != XKind::Call && !is_floating(n->type);
    });
  }
  return plain && counts ? pool_.select(condition, yes, no) : nullptr;
}

// Some parts of a subscript wrap or reflect at the ends of an array. This function rewrites them as
// a boundary rule, or decides them by splitting the loop.
X Executor::bent(X subscript) {
  for (int guard = 0; guard < 8; ++guard) {
    X found = nullptr;
    std::set<X> seen;
    const auto look = [&](X n, const auto& self) -> void {
      if (found != nullptr || !seen.insert(n).second || n->kind == XKind::Edge ||
          n->kind == XKind::Load)
        return;
      const bool remainder =
          n->kind == XKind::Binary && n->text == "%" && contains(n, XKind::Index);
      const bool choice = n->kind == XKind::Select && contains(n->args[0], XKind::Index) &&
                          !contains(n, XKind::Load);
      if (remainder || choice) {
        found = n;
        return;
      }
      for (X arg : n->args) self(arg, self);
    };
    look(subscript, look);
    if (found == nullptr) return subscript;
    X other = nullptr;
    for (const Active& loop : active_) {
      X index = pool_.leaf(XKind::Index, CScalar::I64, loop.domain.index, loop.name);
      if (other == nullptr && contains_index(found, loop.domain.index) &&
          parts_.count(loop.key) == 0 && loop.domain.stride == 1) {
        other = edge_of(pool_, found, index, loop.domain);
      }
    }
    if (other == nullptr && found->kind == XKind::Select) {
      if (const auto known = decide(found->args[0])) other = found->args[*known ? 1 : 2];
    } else if (other == nullptr) {
      other = remainder_of(found, true);
      if (other == found) other = nullptr;
    }
    if (other == nullptr) return subscript;
    std::map<X, X> done;
    subscript =
        transformed(pool_, subscript, done, [&](X n) { return n == found ? other : nullptr; });
  }
  return subscript;
}

// Replaces a % m, where `a` contains an index: by a where 0 <= a < m, and by a - m where m <= a <
// 2*m. Splits the loop at the ends of these ranges.
X Executor::remainder_of(X x, bool may_split) {
  if (x->kind != XKind::Binary || !contains(x->args[0], XKind::Index)) return x;
  const auto dividend = exact(x->args[0]), divisor = exact(x->args[1]);
  if (!dividend || !divisor) return x;
  const Poly &a = *dividend, &m = *divisor;
  const auto below = decide_compare("<", a, may_split);
  if (!below || *below) return x;
  const auto once = decide_compare("<", a - m, may_split);
  if (!once) return x;
  if (*once) return a.expression(pool_, x->type);
  const auto twice = decide_compare("<", a - m - m, false);
  return twice && *twice ? (a - m).expression(pool_, x->type) : x;
}

X Executor::resolved(X subscript, const CNode& at) {
  if (subscript->kind == XKind::Unknown) {
    refuse("C013", at, "a subscript cannot be determined: " + subscript->text);
  }
  X out = in_nest_ ? bent(subscript) : subscript;
  keeps_values(out, at);
  return out;
}

// Refuses conversions of a counter to a narrow type: the loop may be longer than the type allows.
void Executor::keeps_values(X subscript, const CNode& at) const {
  std::set<X> seen;
  each_node_of(
      subscript, seen, [](X n) { return n->kind != XKind::Load; },
      [&](X n) {
        const bool narrow = n->kind == XKind::Cast && is_integer(n->type) && bits_of(n->type) < 32;
        if (!narrow || !is_integer(n->args[0]->type) || is_condition(n->args[0])) return;
        if (!contains(n, XKind::Index) || contains(n, XKind::Load)) return;
        refuse("C013", at,
               fmt::format("a subscript is converted to '{}', whose largest value is {}",
                           name_of(n->type), static_cast<int64_t>(range_of_type(n->type).high)),
               "compute subscripts as int or long");
      });
}

void Executor::require(X condition, const std::string& why) {
  for (const auto& [known, reason] : out_.requirements) {
    if (known == condition) return;
  }
  out_.requirements.emplace_back(condition, why);
}

}  // namespace stencil::lifter
