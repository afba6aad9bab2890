// Quotients of open params in bounds, such as N/2.
//
// Bounds must be affine, and a quotient is not affine. The quotient therefore becomes a derived
// param, as if the program declared `param H : integer = N/2`. It is computed from the other params
// before a run. Known inequalities of quotients are added as facts for proofs. They are also added
// as checks (S067), so a run that gives the param another value is refused.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/sema/bounds.h"
#include "compiler/sema/elaborate.h"
#include "compiler/sema/prove.h"
#include "compiler/support/escape.h"

namespace stencil::sema {
namespace {

// The name of the param: N_over_2, or "quotient" if the dividend is not a single param. The name
// differs from all names of the program.
std::string name_of(const Environment& env, const ir::Affine& of, int64_t by) {
  const bool one = of.constant == 0 && of.terms.size() == 1 && of.terms[0].second == 1;
  std::string name = "quotient";
  if (one) {
    const ir::Param& param = env.program.params[of.terms[0].first];
    name = fmt::format("{}_over_{}", param.name, by);
  }
  const auto taken = [&](const std::string& wanted) {
    const auto& params = env.program.params;
    return env.is_declared(wanted) ||
           std::any_of(params.begin(), params.end(),
                       [&](const ir::Param& param) { return param.name == wanted; });
  };
  std::string unique = name;
  for (int n = 2; taken(unique); ++n) unique = fmt::format("{}_{}", name, n);
  return unique;
}

// Adds facts about q = a/b: the division truncates, so |a - b*q| < b. If a >= 0, then a - b*q >= 0.
void assume_quotient(Environment& env, const ir::Affine& a, int64_t b, ir::ParamId q,
                     const std::string& text, Span span) {
  const ir::Affine multiple{0, {{q, b}}};
  const bool positive = decide(env.facts, a) == Verdict::Holds;
  const ir::Affine least = a - multiple + (positive ? 0 : b - 1);
  const ir::Affine most = multiple - a + (b - 1);
  const std::string& name = env.program.params[q].name;
  env.facts.insert(env.facts.end(), {least, most});
  env.add_check({{least}, "S067", fmt::format("param '{}' is more than {}", name, text), span});
  env.add_check({{most}, "S067", fmt::format("param '{}' is less than {}", name, text), span});
}

bool divides(int64_t by, const ir::Affine& affine) {
  return affine.constant % by == 0 &&
         std::all_of(affine.terms.begin(), affine.terms.end(),
                     [&](const auto& term) { return term.second % by == 0; });
}

// The quotient if no param needs to be made.
std::optional<ir::Affine> known_quotient(const Environment& env, const ir::Affine& of, int64_t by) {
  if (divides(by, of)) {
    ir::Affine exact = of;
    exact.constant /= by;
    for (auto& [param, coefficient] : exact.terms) coefficient /= by;
    return exact;
  }
  for (const Quotient& known : env.quotients) {
    if (known.of == of && known.by == by) return ir::Affine{0, {{known.param, 1}}};
  }
  return std::nullopt;
}

ir::Affine make_quotient(Environment& env, const ir::Affine& of, int64_t by, ir::Derivation derived,
                         Scalar type, Span span) {
  const std::string text = derived.text;
  const auto id = static_cast<ir::ParamId>(env.program.params.size());
  ir::Param param{name_of(env, of, by), type, {}, {}, span};
  param.derived = std::move(derived);
  env.program.params.push_back(std::move(param));
  env.quotients.push_back({of, by, id});
  assume_quotient(env, of, by, id, text, span);
  return ir::Affine{0, {{id, 1}}};
}

}  // namespace

ir::Affine quotient_of(Environment& env, const ir::Affine& of, int64_t by, const std::string& text,
                       Span span) {
  if (of.is_constant()) return {of.constant / by, {}};
  if (const auto known = known_quotient(env, of, by)) return *known;
  const bool narrow = std::all_of(of.terms.begin(), of.terms.end(), [&](const auto& term) {
    return env.program.params[term.first].type == Scalar::I32;
  });
  const Scalar type = narrow ? Scalar::I32 : Scalar::I64;
  ir::Derivation derived{{}, 0, text};
  const auto add = [&](auto kind) { return derived.graph.add({kind, type, span, {}}); };
  const auto number = [&](int64_t value) { return add(ir::Constant{0, value}); };
  ir::NodeId sum = number(of.constant);
  for (const auto& [param, coefficient] : of.terms) {
    const Scalar own = env.program.params[param].type;
    ir::NodeId term = derived.graph.add({ir::ParamRef{param}, own, span, {}});
    if (own != type) term = add(ir::Operation{Op::Convert, {term}});
    if (coefficient != 1) term = add(ir::Operation{Op::Mul, {term, number(coefficient)}});
    sum = add(ir::Operation{Op::Add, {sum, term}});
  }
  derived.value = add(ir::Operation{Op::Div, {sum, number(by)}});
  return make_quotient(env, of, by, std::move(derived), type, span);
}

std::optional<ir::Affine> quotient_in_bound(Environment& env, const ast::Expr& expr,
                                            const ir::Affine& of, int64_t by, bool make) {
  if (auto known = known_quotient(env, of, by)) return known;
  if (!make) return std::nullopt;
  const std::string text = on_one_line(env.text(expr.span));
  ir::Derivation derived{{}, 0, text};
  Elaborator elaborator(env, kDefaultSite, derived.graph);
  const Value value = elaborator.elaborate(expr);
  if (!value.ok()) return std::nullopt;
  const Scalar type = elaborator.arithmetic().natural_type(value.leaves[0]);
  const auto stored = elaborator.arithmetic().store(value, *scalar_type(type), expr.span);
  if (!stored) return std::nullopt;
  derived.value = stored->front();
  return make_quotient(env, of, by, std::move(derived), type, expr.span);
}

}  // namespace stencil::sema
