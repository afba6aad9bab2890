#include "compiler/lift/guards.h"

#include <algorithm>

#include "compiler/lift/ranges.h"

namespace stencil::lifter {

namespace {

using Guard = std::pair<X, bool>;  // a condition, and whether it holds
using Guards = std::set<Guard>;
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

 private:
  void apply(X c, bool holds) {
    if (!applied_.insert({c, holds}).second) return;
    if (c->kind == XKind::Unary && c->text == "!") return apply(c->args[0], !holds);
    if (c->kind != XKind::Binary) return;
    if (c->text == (holds ? "&&" : "||")) {
      for (X part : c->args) apply(part, holds);
      return;
    }
    if (!is_comparison(c->text) || !is_integer(c->args[0]->type)) return;
    if (!plain(c->args[0]) || !plain(c->args[1])) return;
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

  // Whether a sum is what C computes: nothing in it wraps around.
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

  // The loop whose counter stands in a sum alone, with the factor 1 or -1.
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

  // p >= 0
  void at_least(const Poly& p) {
    int64_t factor = 0;
    Poly rest;
    Domain* loop = loop_of(p, factor, rest);
    if (loop == nullptr) return;
    if (factor > 0) {
      if (known(-rest - loop->low)) loop->low = -rest;
    } else if (known(loop->high - rest)) {
      loop->high = rest;
    }
  }

  // p != 0: an end of the loop that it names is left out
  void differs(const Poly& p) {
    int64_t factor = 0;
    Poly rest;
    Domain* loop = loop_of(p, factor, rest);
    if (loop == nullptr || loop->stride != 1) return;
    const Poly at = factor > 0 ? -rest : rest;
    if (at == loop->low) {
      loop->low = loop->low + Poly(1);
    } else if (at == loop->high) {
      loop->high = loop->high - Poly(1);
    }
  }

  Pool& pool_;
  const Execution& execution_;
  std::vector<Domain> domain_;
  std::vector<Poly> facts_;
  Guards applied_;
  Ranges ranges_;
};

}  // namespace

std::map<X, std::vector<Domain>> domains_of_loads(Pool& pool, const Execution& execution, X value,
                                                  const std::vector<Domain>& domain,
                                                  std::set<X>* guarded) {
  std::map<X, std::vector<Domain>> out;
  std::vector<X> nodes;
  each_node(value, [&](X n) { nodes.push_back(n); });
  // parents ahead of their children: nodes are made after what they are made of
  std::sort(nodes.begin(), nodes.end(), [](X a, X b) { return a->order > b->order; });
  std::map<X, Guards> guards;  // what holds wherever a node is evaluated
  guards[value] = {};
  const auto note = [&](X child, const Guards& with) {
    const auto [slot, fresh] = guards.try_emplace(child, with);
    if (fresh) return;
    Guards both;
    std::set_intersection(slot->second.begin(), slot->second.end(), with.begin(), with.end(),
                          std::inserter(both, both.end()));
    slot->second = std::move(both);
  };
  for (X n : nodes) {
    const Guards here = guards[n];
    if (n->kind == XKind::Load) {
      out[n] = here.empty() ? domain : Narrowing(pool, execution, domain).run(here);
      if (!here.empty() && guarded != nullptr) guarded->insert(n);
    }
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

}  // namespace stencil::lifter
