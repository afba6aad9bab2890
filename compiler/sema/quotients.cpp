// Quotients of open params in bounds: N/2.
//
// Bounds are affine, and a quotient is not. So it becomes a param of its own, as `param H : integer
// = N/2` would be, computed from the others before a run; what is known about quotients makes the
// proofs. A run that gives the param some other value than the quotient fails a check, so nothing
// depends on who computed it.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/sema/bounds.h"
#include "compiler/sema/elaborate.h"
#include "compiler/sema/prove.h"
#include "compiler/support/escape.h"

namespace stencil::sema {
namespace {

// N_over_2, or quotient where more than a param is divided; no name of the program.
std::string name_of(const Environment& env, const ir::Affine& of, int64_t by) {
  const bool one = of.constant == 0 && of.terms.size() == 1 && of.terms[0].second == 1;
  std::string name = "quotient";
  if (one) {
    const ir::Param& param = env.program.params[static_cast<size_t>(of.terms[0].first)];
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

// a/b truncates: |a - b*q| < b, and where a is not negative, a - b*q is none either.
void assume_quotient(Environment& env, const ir::Affine& a, int64_t b, ir::ParamId q,
                     const std::string& text, Span span) {
  const ir::Affine multiple{0, {{q, b}}};
  const bool positive = decide(env.facts, a) == Verdict::Holds;
  const ir::Affine least = a - multiple + (positive ? 0 : b - 1);
  const ir::Affine most = multiple - a + (b - 1);
  const std::string& name = env.program.params[static_cast<size_t>(q)].name;
  env.facts.insert(env.facts.end(), {least, most});
  env.add_check({{least}, "S067", fmt::format("param '{}' is more than {}", name, text), span});
  env.add_check({{most}, "S067", fmt::format("param '{}' is less than {}", name, text), span});
}

bool divides(int64_t by, const ir::Affine& affine) {
  return affine.constant % by == 0 &&
         std::all_of(affine.terms.begin(), affine.terms.end(),
                     [&](const auto& term) { return term.second % by == 0; });
}

}  // namespace

std::optional<ir::Affine> quotient_in_bound(Environment& env, const ast::Expr& expr,
                                            const ir::Affine& of, int64_t by, bool make) {
  if (divides(by, of)) {
    ir::Affine exact = of;
    exact.constant /= by;
    for (auto& [param, coefficient] : exact.terms) coefficient /= by;
    return exact;
  }
  for (const Quotient& known : env.quotients) {
    if (known.of == of && known.by == by) return ir::Affine{0, {{known.param, 1}}};
  }
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
  const auto id = static_cast<ir::ParamId>(env.program.params.size());
  ir::Param param{name_of(env, of, by), type, {}, {}, expr.span};
  param.derived = std::move(derived);
  env.program.params.push_back(std::move(param));
  env.quotients.push_back({of, by, id});
  assume_quotient(env, of, by, id, text, expr.span);
  return ir::Affine{0, {{id, 1}}};
}

}  // namespace stencil::sema
