// Evaluates a piece at a point: the expression graph becomes lets and one expression per result.
//
// A node becomes a let if it is used more than once, if it has a name in the program, or if its
// expression would become longer than a line or two. Other nodes are written inline. The loop
// follows the graph's topological order, so there is no recursion.
#include "compiler/schedule/common/evaluate.h"

#include <algorithm>

#include "compiler/ir/rewrite.h"
#include "compiler/ir/uniform.h"
#include "compiler/schedule/common/kernel_scope.h"
#include "compiler/schedule/common/tiling.h"

namespace stencil::schedule {

using kernel::Expr;

namespace {

constexpr int kLargestExpression = 40;  // operations per expression before a let is inserted

bool is_leaf(const ir::Node& node) {
  return !std::holds_alternative<ir::Operation>(node.kind);
}

class Evaluator {
 public:
  Evaluator(const Interface& interface, const ir::Graph& graph, const Point& point,
            const Expr& time, const ReadAccess& read, AccessResolver& resolver,
            const ReadReduction& reductions, const ir::Unused& unused)
      : interface_(interface),
        graph_(graph),
        point_(point),
        time_(time),
        read_(read),
        resolver_(resolver),
        reductions_(reductions),
        unused_(unused) {}

  Expr leaf_or_operation(ir::NodeId id, const std::vector<Expr>& values) const {
    struct Visitor {
      const Evaluator& self;
      const ir::NodeId id;
      const ir::Node& node;
      const std::vector<Expr>& values;
      Expr operator()(const ir::Constant& c) const {
        return is_float(node.type) ? kernel::real(c.real, node.type)
                                   : kernel::integer(c.integer, node.type);
      }
      Expr operator()(const ir::ParamRef& p) const { return self.interface_.param(p.param); }
      Expr operator()(const ir::Index& i) const { return self.point_[i.dimension]; }
      Expr operator()(const ir::Time&) const { return self.time_; }
      Expr operator()(const ir::ReductionRef& r) const { return self.reductions_(r); }
      Expr operator()(const ir::Access& access) const {
        if (self.unused_.empty()) return self.read_(access, self.resolver_);
        const ir::Access used = ir::used_part(self.interface_.program(), access, self.unused_[id]);
        return self.read_(used, self.resolver_);
      }
      Expr operator()(const ir::Operation& operation) const {
        std::vector<Expr> operands;
        for (ir::NodeId id : operation.operands) operands.push_back(values[id]);
        if (operation.op == Op::Convert) return kernel::convert(operands[0], node.type);
        return kernel::operation(operation.op, std::move(operands));
      }
    };
    return std::visit(Visitor{*this, id, graph_[id], values}, graph_[id].kind);
  }

 private:
  const Interface& interface_;
  const ir::Graph& graph_;
  const Point& point_;
  const Expr& time_;
  const ReadAccess& read_;
  AccessResolver& resolver_;
  const ReadReduction& reductions_;
  const ir::Unused& unused_;
};

// Equal calls are computed once, however their values are used.
bool is_call(const ir::Node& node) {
  const auto* operation = std::get_if<ir::Operation>(&node.kind);
  return operation && is_transcendental(operation->op);
}

// A negation or conversion of a named value. It needs no name of its own: -a is part of the
// instruction that uses it.
bool is_form_of_named(const Expr& value) {
  const auto* operation = std::get_if<kernel::Operation>(&value->kind);
  return operation && (operation->op == Op::Neg || operation->op == Op::Convert) &&
         !std::holds_alternative<kernel::Operation>(operation->operands[0]->kind);
}

// Counts the uses of the needed nodes. `more_often`: the node has a user that is computed more
// often than the node itself. Such a user is computed at every point, or in every step although the
// node is the same in all steps.
struct Uses {
  std::vector<bool> needed;
  std::vector<int> count;
  std::vector<bool> more_often;

  Uses(const ir::Graph& graph, const std::vector<ir::NodeId>& results, const ir::Uniformity& kinds)
      : needed(ir::reachable(graph, results)),
        count(needed.size(), 0),
        more_often(needed.size(), false) {
    for (ir::NodeId id = 0; id < graph.size(); ++id) {
      if (!needed[id]) continue;
      for (ir::NodeId operand : ir::operands(graph[id])) {
        const bool steady = !kinds.timed[operand];
        const bool per_step = steady && kinds.timed[id];
        use(operand, !kinds.computed_once(graph, id) || per_step);
      }
    }
    for (ir::NodeId result : results) use(result, true);
  }

 private:
  void use(ir::NodeId id, bool often) {
    ++count[id];
    if (often) more_often[id] = true;
  }
};

// Binds a value to a let, so that its operands are loaded before later stores change them. All
// components of a point are then computed from the same state, even if they are stored in place one
// after the other. Storage types (half, byte) exist only in memory, so the value before the
// conversion is bound.
Expr settled(Expr value, Names& names, kernel::Body& body) {
  const auto* operation = std::get_if<kernel::Operation>(&value->kind);
  if (is_storage(value->type)) {
    if (!operation) return value;
    return kernel::convert(settled(operation->operands[0], names, body), value->type);
  }
  if (!operation && !std::holds_alternative<kernel::Load>(value->kind)) return value;
  const std::string name = names.unique("v");
  body.push_back({kernel::Let{name, value}});
  return kernel::variable(name, value->type);
}

}  // namespace

std::vector<Expr> evaluate(const Interface& interface, const ir::Graph& graph,
                           const std::vector<ir::NodeId>& results, const Point& point,
                           const Expr& time_of_step, const ReadAccess& read, KernelScope& scope,
                           Names names, kernel::Body& body, const ReadReduction& reductions,
                           const Residues& residues, const EdgeTests& edges) {
  const bool still = ir::time_stands_still(interface.program());
  const Expr time = still ? first_step() : time_of_step;
  const ir::Uniformity kinds = ir::uniformity(graph);
  const Uses uses(graph, results, kinds);
  AccessResolver resolver(interface, graph, uses.needed, point, time, names, body);
  const Evaluator evaluator(interface, graph, point, time, read, resolver, reductions,
                            edges.unused);
  std::vector<Expr> values(static_cast<size_t>(graph.size()));
  std::vector<int> size(values.size(), 0);  // operations in the expression so far
  std::vector<const ir::Congruence*> congruence(values.size(), nullptr);
  for (const ir::Congruence& one : residues.congruences) {
    congruence[one.node] = &one;
  }
  std::vector<const ir::EdgeCondition*> edge(values.size(), nullptr);
  for (const ir::EdgeCondition& one : edges.conditions) edge[one.node] = &one;
  const auto compute = [&](ir::NodeId id) {
    const size_t i = static_cast<size_t>(id);
    const ir::Node& node = graph[id];
    values[i] = evaluator.leaf_or_operation(id, values);
    size[i] = is_leaf(node) ? 0 : 1;
    for (ir::NodeId operand : ir::operands(node)) size[i] += size[operand];
    if (congruence[i]) values[i] = decided(*congruence[i], residues, values[i]);
    if (edge[i]) values[i] = edges.decide(*edge[i], values[i]);
    const bool access = std::holds_alternative<ir::Access>(node.kind);
    const bool shared = uses.count[i] > 1 && (!is_leaf(node) || access);
    const bool named = !node.hint.empty() && (!is_leaf(node) || access);
    const bool uniform = kinds.computed_once(graph, id);
    const bool apart =
        uniform &&
        (is_call(node) || (uses.more_often[i] && !kinds.known[i] && !is_form_of_named(values[i])));
    if (!shared && !named && !apart && size[i] <= kLargestExpression) return;
    if (is_storage(node.type)) return;
    size[i] = 0;
    if (uniform) {
      const bool loads = std::holds_alternative<kernel::Load>(values[i]->kind);
      if (!loads && !std::holds_alternative<kernel::Operation>(values[i]->kind)) return;  // folded
      values[i] =
          scope.uniform(values[i], node.hint, kinds.timed[i] && !still ? time : nullptr, names);
      return;
    }
    const std::string name = names.name(node.hint);
    body.push_back({kernel::Let{name, values[i]}});
    values[i] = kernel::variable(name, node.type);
  };
  // Uniform values first: their names are valid in the whole kernel, so no let of the body may take
  // these names.
  for (const bool uniform : {true, false}) {
    for (ir::NodeId id = 0; id < graph.size(); ++id) {
      const size_t i = static_cast<size_t>(id);
      if (uses.needed[i] && kinds.uniform[i] == uniform) compute(id);
    }
  }
  std::vector<Expr> out;
  for (ir::NodeId result : results) out.push_back(values[result]);
  if (out.size() > 1) {
    for (Expr& value : out) value = settled(std::move(value), names, body);
  }
  scope.set_apart(names);
  return out;
}

Expr value_on_params(const Interface& interface, const ir::Graph& graph, ir::NodeId value) {
  const Point no_point;
  const ReadAccess no_access = [](const ir::Access&, AccessResolver&) { return Expr(); };
  const Expr no_time;
  const ReadReduction no_reductions;  // these graphs contain no reductions
  const ir::Unused no_accesses;
  Names no_names;
  kernel::Body no_body;
  AccessResolver no_resolver(interface, graph, {}, no_point, no_time, no_names, no_body);
  const Evaluator evaluator(interface, graph, no_point, no_time, no_access, no_resolver,
                            no_reductions, no_accesses);
  std::vector<Expr> values;
  for (ir::NodeId id = 0; id < graph.size(); ++id) {
    values.push_back(evaluator.leaf_or_operation(id, values));
  }
  return values[value];
}

}  // namespace stencil::schedule
