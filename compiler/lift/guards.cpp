#include "compiler/lift/guards.h"

#include <algorithm>

#include "compiler/lift/ranges.h"

namespace stencil::lifter {

namespace {

constexpr size_t kMostGuards = 64;

class Narrowing {
 public:
  Narrowing(Pool& pool, const Execution& execution, std::vector<Domain> domain)
      : pool_(pool), execution_(execution), domain_(std::move(domain)), ranges_(pool) {
    facts_ = execution.facts;
    for (const Domain& d : domain_) facts_.push_back(d.high - d.low);
    ranges_.assume(facts_);
  }

  std::vector<Domain> run(const Guards& guards) {
    for (const auto& [condition, holds] : guards) apply(condition, holds);
    return domain_;
  }
  // Whether the guards other than calls() hold at all points of the domain that run() returned.
  bool exact() const { return exact_; }
  // The guards that do not depend on the point.
  const Guards& calls() const { return calls_; }

 private:
  void apply(X c, bool holds) {
    if (!applied_.insert({c, holds}).second) return;
    if (c->kind == XKind::Unary && c->text == "!") return apply(c->args[0], !holds);
    if (c->kind == XKind::Binary && c->text == (holds ? "&&" : "||")) {
      for (X part : c->args) apply(part, holds);
      return;
    }
    if (of_the_call(c)) {
      calls_.insert({c, holds});
      return;
    }
    if (c->kind != XKind::Binary || !is_comparison(c->text) || !is_integer(c->args[0]->type) ||
        !plain(c->args[0]) || !plain(c->args[1])) {
      exact_ = false;
      return;
    }
    const Poly d = Poly::of(c->args[0]) - Poly::of(c->args[1]);
    const std::string& op = c->text;
    if (op == "==" || op == "!=") {
      if (holds == (op == "==")) {
        at_least(d);
        at_least(-d);
      } else {
        differs(d);
      }
      return;
    }
    const bool less = (op[0] == '<') == holds;      // d < 0 or d <= 0
    const bool strict = (op.size() == 1) == holds;  // the opposite of < is >=
    at_least((less ? -d : d) - Poly(strict ? 1 : 0));
  }

  // Whether a condition depends only on arguments of the call.
  static bool of_the_call(X c) {
    bool out = true;
    each_node(c, [&](X n) {
      out = out && (n->kind == XKind::Symbol || n->kind == XKind::Int || n->kind == XKind::Real ||
                    n->kind == XKind::Unary || n->kind == XKind::Binary || n->kind == XKind::Cast ||
                    n->kind == XKind::Select);
    });
    return out;
  }

  // Whether the polynomial of an expression equals the value that C computes, because nothing wraps
  // around.
  bool plain(X x) {
    bool out = true;
    each_node(x, [&](X n) {
      if (!is_integer(n->type) || n->kind == XKind::Load) {
        out = false;
      } else if (n->kind == XKind::Cast || is_unsigned(n->type)) {
        out = out && !ranges_.wraps(n);
      }
    });
    return out;
  }

  // The loop whose counter is the only index in the polynomial. Its factor must be 1 or -1.
  Domain* loop_of(const Poly& p, int64_t& factor, Poly& rest) {
    Domain* found = nullptr;
    for (X atom : p.atoms()) {
      if (atom->kind == XKind::Symbol) continue;
      if (atom->kind != XKind::Index || found != nullptr) return nullptr;
      const auto one = p.linear_in(atom);
      if (!one || (*one != 1 && *one != -1)) return nullptr;
      for (Domain& d : domain_) {
        if (d.index == atom->id) found = &d;
      }
      if (found == nullptr) return nullptr;
      factor = *one;
      rest = p.without(atom);
    }
    return found;
  }

  bool known(const Poly& p) const { return proved(p, facts_); }

  // Applies the condition p >= 0.
  void at_least(const Poly& p) {
    int64_t factor = 0;
    Poly rest;
    Domain* loop = loop_of(p, factor, rest);
    if (loop == nullptr) {
      exact_ = exact_ && known(p);
      return;
    }
    Poly& bound = factor > 0 ? loop->low : loop->high;
    const Poly limit = factor > 0 ? -rest : rest;
    // Number of points that the condition removes.
    const Poly cut = factor > 0 ? limit - bound : bound - limit;
    if (known(cut)) {
      exact_ = exact_ && (loop->stride == 1 || cut.zero());
      bound = limit;
    } else {
      exact_ = exact_ && known(-cut);
    }
  }

  // Applies the condition p != 0, which can remove the first or last point of a loop.
  void differs(const Poly& p) {
    int64_t factor = 0;
    Poly rest;
    Domain* loop = loop_of(p, factor, rest);
    const Poly at = loop == nullptr ? Poly() : factor > 0 ? -rest : rest;
    if (loop != nullptr && loop->stride == 1 && at == loop->low) {
      loop->low = loop->low + Poly(1);
    } else if (loop != nullptr && loop->stride == 1 && at == loop->high) {
      loop->high = loop->high - Poly(1);
    } else {
      exact_ = false;
    }
  }

  Pool& pool_;
  const Execution& execution_;
  std::vector<Domain> domain_;
  std::vector<Poly> facts_;
  Guards applied_;
  Ranges ranges_;
  bool exact_ = true;
  Guards calls_;
};

// Finds the guards under which C evaluates each load of these values. Each value has guards of its
// own.
std::map<X, Guards> guards_of_loads(const std::vector<std::pair<X, Guards>>& values) {
  std::map<X, Guards> out;
  std::vector<X> nodes;
  std::set<X> seen;
  for (const auto& [value, with] : values) each_node(value, seen, [&](X n) { nodes.push_back(n); });
  // Nodes are created after their operands, so this order has parents before children.
  std::sort(nodes.begin(), nodes.end(), [](X a, X b) { return a->order > b->order; });
  std::map<X, Guards> guards;  // guards that hold wherever C evaluates a node
  const auto note = [&](X child, const Guards& with) {
    const auto [entry, fresh] = guards.try_emplace(child, with);
    if (fresh) return;
    Guards both;
    std::set_intersection(entry->second.begin(), entry->second.end(), with.begin(), with.end(),
                          std::inserter(both, both.end()));
    entry->second = std::move(both);
  };
  for (const auto& [value, with] : values) note(value, with);
  for (X n : nodes) {
    const Guards here = guards[n];
    if (n->kind == XKind::Load) out[n] = here;
    const bool logical = n->kind == XKind::Binary && (n->text == "&&" || n->text == "||");
    for (size_t i = 0; i < n->args.size(); ++i) {
      Guards with = here;
      if (with.size() < kMostGuards && i > 0) {
        if (n->kind == XKind::Select) with.insert({n->args[0], i == 1});
        if (logical) with.insert({n->args[0], n->text == "&&"});
      }
      note(n->args[i], with);
    }
  }
  return out;
}

}  // namespace

std::map<X, std::vector<Domain>> domains_of_loads(Pool& pool, const Execution& execution, X value,
                                                  const std::vector<Domain>& domain,
                                                  std::set<X>* guarded) {
  std::map<X, std::vector<Domain>> out;
  for (const auto& [load, guards] : guards_of_loads({{value, {}}})) {
    out[load] = guards.empty() ? domain : Narrowing(pool, execution, domain).run(guards);
    if (!guards.empty() && guarded != nullptr) guarded->insert(load);
  }
  return out;
}

namespace {

// Evaluates conditions as Boolean functions of their comparisons.
class Truth {
 public:
  bool value(X c) {
    if (c->kind == XKind::Int) return c->integer != 0;
    if (c->kind == XKind::Unary && c->text == "!") return !value(c->args[0]);
    if (c->kind != XKind::Binary) return atom({"", {c}});
    if (c->text == "&&" || c->text == "||") {
      const bool a = value(c->args[0]),
                 b = value(c->args[1]);  // evaluates both operands to find all atoms
      return c->text == "&&" ? a && b : a || b;
    }
    // Exactly one of two opposite integer comparisons holds, so they share one atom.
    static const std::map<std::string, std::string> kOpposite = {
        {">=", "<"}, {"<=", ">"}, {"!=", "=="}};
    const auto other = kOpposite.find(c->text);
    if (other != kOpposite.end() && is_integer(c->args[0]->type))
      return !atom({other->second, c->args});
    return atom({c->text, c->args});
  }
  size_t atoms() const { return numbers_.size(); }
  uint32_t assignment = 0;  // one bit per atom

 private:
  bool atom(const std::pair<std::string, std::vector<X>>& key) {
    const size_t number = numbers_.try_emplace(key, numbers_.size()).first->second;
    return number < 32 && ((assignment >> number) & 1) != 0;
  }
  std::map<std::pair<std::string, std::vector<X>>, size_t> numbers_;
};

}  // namespace

bool hold_always(const std::vector<Guards>& some) {
  constexpr size_t kMostAtoms = 10;
  Truth truth;
  const auto one_holds = [&] {
    bool any = false;
    for (const Guards& guards : some) {
      bool all = true;
      for (const auto& [condition, holds] : guards) all = (truth.value(condition) == holds) && all;
      any = any || all;
    }
    return any;
  };
  for (const Guards& guards : some) {
    for (const auto& [condition, holds] : guards) truth.value(condition);  // collects the atoms
  }
  if (truth.atoms() > kMostAtoms) return false;
  for (; truth.assignment < uint32_t{1} << truth.atoms(); ++truth.assignment) {
    if (!one_holds()) return false;
  }
  return true;
}

std::vector<Touch> touches_of(Pool& pool, const Execution& execution, const Store& store) {
  std::vector<std::pair<X, Guards>> values = {{store.value, {}}};
  Guards own;
  if (store.guarded && store.value->kind == XKind::Select) {
    own = {{store.value->args[0], true}};
    values = {{store.value->args[0], {}}, {store.value->args[1], own}};
  } else if (store.guarded) {  // constant folding has removed the condition
    own = {{store.value, true}};
    values = {{store.value, own}};
  }
  std::vector<Touch> out;
  const auto add = [&](int array, const std::vector<X>& subscripts, const Guards& guards) {
    if (guards.empty()) {
      out.push_back({array, subscripts, store.domain, store.domain, true});
      return;
    }
    Narrowing narrowing(pool, execution, store.domain);
    std::vector<Domain> domain = narrowing.run(guards);
    out.push_back({array, subscripts, std::move(domain), store.domain, narrowing.exact(), guards,
                   narrowing.calls()});
  };
  for (const auto& [load, guards] : guards_of_loads(values)) add(load->id, load->args, guards);
  if (store.array >= 0) add(store.array, store.subscripts, own);
  return out;
}

}  // namespace stencil::lifter
