// The values of boundary rules, and the conditions under which accesses may meet the rules.
//
// A value is an expression at the place that an access reads. It is elaborated once, as a graph on
// the rule (ir::RuleValue); lowering evaluates it for each access (ir/lower/boundaries.h). Whether
// an access is in bounds depends on the rules: a reflection must give a point of the field, and a
// profile in a value must have a value there. The elaborator therefore expands each access that
// meets such a rule in the same way as lowering does, and only keeps the errors and checks.
#include <utility>

#include <fmt/format.h>

#include "compiler/ir/lower/boundaries.h"
#include "compiler/sema/elaborate.h"
#include "compiler/sema/prove.h"

namespace stencil::sema {

// Elaborates an expression from elsewhere in the program, moved by `shift`. The expression does not
// see the local names and functions of the place that uses it.
Value Elaborator::elsewhere(const ast::Expr& expr, const Site& site, std::vector<int> shift,
                            const Type* expected) {
  Frame global;
  Frame* const frame = std::exchange(frame_, &global);
  const Site own_site = std::exchange(site_, site);
  shift = std::exchange(shift_, std::move(shift));
  const int function = std::exchange(current_function_, static_cast<int>(env_.functions.size()));
  Value value = elaborate(expr, expected);
  current_function_ = function;
  shift_ = std::move(shift);
  site_ = own_site;
  frame_ = frame;
  return value;
}

std::optional<std::vector<ir::NodeId>> Elaborator::rule_value(const ast::Expr& expr,
                                                              ir::FieldId id) {
  in_boundary_ = true;
  const TypePtr type = env_.field_types[id];
  const Value value = elaborate(expr, type.get());
  if (!value.ok()) return std::nullopt;
  const std::vector<ir::Component>& components = env_.program.fields[id].components;
  if (value.leaves.size() != 1 && value.leaves.size() != components.size()) {
    env_.report.error("S018", expr.span, "the boundary value and the field have different shapes")
        .found = describe(*value.type);
    return std::nullopt;
  }
  std::vector<ir::NodeId> out;
  for (size_t c = 0; c < components.size(); ++c) {
    const Scalar to = arithmetic_type(components[c].type);
    const auto stored =
        arithmetic_.store(Value::of_leaf(leaf_of(value, c)), *scalar_type(to), expr.span);
    if (!stored) return std::nullopt;
    out.push_back(stored->front());
  }
  return out;
}

namespace {

// A constant whose value turns out to be numbers is a plain rule.
bool take_numbers(ir::BoundaryRule& rule, const ir::RuleValue& value) {
  if (!rule.row().plain()) return false;
  std::vector<double> numbers;
  for (const ir::NodeId id : value.results) {
    const ir::Node& node = value.graph[id];
    const auto* constant = std::get_if<ir::Constant>(&node.kind);
    if (!constant) return false;
    numbers.push_back(is_float(node.type) ? constant->real
                                          : static_cast<double>(constant->integer));
  }
  rule.values = std::move(numbers);
  return true;
}

// Elaborates the values of a field's rules. `made`: by expression, because one rule may stand for
// several sides.
bool make_values(Environment& env, ir::FieldId id) {
  std::unordered_map<const ast::Expr*, std::shared_ptr<const ir::RuleValue>> made;
  bool ok = true;
  // The value belongs to the grid of the field, whatever grid reads it first.
  const auto levelled = env.levelled.find(id);
  const AtLevel level(env, levelled == env.levelled.end() ? 0 : levelled->second.level);
  const InDomain domain(env, env.program.fields[id].domain);
  // A value that reads a reduction of the previous step has this meaning for every reader.
  const uint32_t reader = std::exchange(env.reader, std::numeric_limits<uint32_t>::max());
  const size_t rank = env.field_side_values[id].size();
  for (size_t d = 0; d < rank; ++d) {
    for (const bool low : {true, false}) {
      const SideValues sides = env.field_side_values[id][d];
      const ast::Expr* const expr = low ? sides.low : sides.high;
      if (!expr) continue;
      auto& value = made[expr];
      if (!value) {
        auto graph = std::make_shared<ir::RuleValue>();
        Elaborator elaborator(env, kBoundarySite, graph->graph);
        auto results = elaborator.rule_value(*expr, id);
        ok &= results.has_value();
        if (!results) continue;
        graph->results = std::move(*results);
        value = std::move(graph);
      }
      ir::Boundary& rules = env.program.fields[id].boundary[d];
      ir::BoundaryRule& rule = low ? rules.low : rules.high;
      if (!take_numbers(rule, *value)) rule.value = value;
    }
  }
  env.reader = reader;
  return ok;
}

}  // namespace

bool elaborate_rules(Environment& env, ir::FieldId field) {
  const auto [known, fresh] = env.rules_known.try_emplace(field, true);
  if (!fresh) return known->second;
  return env.rules_known[field] = make_values(env, field);
}

void elaborate_all_rules(Environment& env) {
  for (size_t f = 0; f < env.field_side_values.size(); ++f) {
    const auto level = env.levelled.find(static_cast<ir::FieldId>(f));
    const ir::FieldId finest =
        level == env.levelled.end() ? static_cast<ir::FieldId>(f) : level->second.finest;
    const auto declared = env.names.find(env.program.fields[finest].name);
    const bool sound = declared != env.names.end() && !declared->second.broken;
    if (sound && env.field_types[f]) elaborate_rules(env, static_cast<ir::FieldId>(f));
  }
}

// --- Accesses that meet rules --------------------------------------------------------------------

// Proves the accesses that lowering will make, and reports those that are out of bounds.
class Elaborator::MetBounds final : public ir::AccessBounds {
 public:
  explicit MetBounds(Elaborator& self) : self_(self), prover_(*self.prover_) {}

  std::optional<uint32_t> escapes(const ir::Access& access, Span span) override {
    return prover_.prove(access, span, applied_at(span));
  }
  bool image_inside(const ir::Access& access, size_t d, bool low, int inside, Span span) override {
    return prover_.prove_image(access, d, low, inside, span, applied_at(span));
  }
  std::vector<ir::Excess> excess(ir::FieldId field) override { return prover_.excess(field); }
  bool may_reach_edge(const ir::Access& access, size_t d, bool low) override {
    return prover_.may_reach_edge(access, d, low);
  }
  bool always_on_edge(const ir::Access& access, size_t d, bool low) const override {
    return prover_.always_on_edge(access, d, low);
  }
  bool settle_level(ir::Access& access, Span span) override {
    const auto made = self_.env_.reduction_into(access.field);
    return !made || self_.may_read(*made, access.level, span);
  }
  Diagnostic& refuse(const char* code, Span span, const char* message) override {
    return self_.env_.report.error(code, span, message);
  }

  Span met = {};  // the access as written

 private:
  // Accesses in the value of a rule are applied at the access that meets the rule.
  std::vector<Span> applied_at(Span span) const {
    std::vector<Span> out = self_.applied_at_;
    if (span != met) out.push_back(met);
    return out;
  }

  Elaborator& self_;
  AccessProver& prover_;
};

bool Elaborator::rules_allow(const ir::Access& access, Span span) {
  const bool known = elaborate_rules(env_, access.field);
  if (!ir::needs_expansion(env_.program.fields[access.field], access.escapes)) return known;
  ir::Graph scratch;
  MetBounds bounds(*this);
  bounds.met = span;
  ir::BoundaryExpander expander(env_.program, scratch, &bounds, site_.edges_stored);
  return !expander.read(access, span).empty() && known;
}

bool Elaborator::edges_allow(ir::FieldId field, Span span) {
  if (!env_.program.fields[field].fixed()) return true;
  const std::vector<ir::IndexMap> here(env_.program.fields[field].box.ranges.size());
  return rules_allow({field, 0, 0, here, 0}, span);
}

}  // namespace stencil::sema
