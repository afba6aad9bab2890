// Evaluating a piece at a point: the expression graph becomes lets and one expression per result.
//
// A node that is used once is written where it is used; one that is used more often or carries a
// name from the program becomes a let, and so does one whose expression would grow beyond a line or
// two. The graph is walked in its topological order, so nothing here recurses.
#include <algorithm>

#include "compiler/ir/rewrite.h"
#include "compiler/schedule/blocks.h"

namespace stencil::schedule {

using kernel::Expr;

namespace {

constexpr int kLargestExpression = 40;  // operations written as one expression before a let is made

bool is_leaf(const ir::Node& node) {
  return !std::holds_alternative<ir::Operation>(node.kind);
}

class Evaluator {
 public:
  Evaluator(const Interface& interface, const ir::Graph& graph, const Point& point,
            const Expr& time, const ReadAccess& read, const ReadReduction& reductions)
      : interface_(interface),
        graph_(graph),
        point_(point),
        time_(time),
        read_(read),
        reductions_(reductions) {}

  Expr leaf_or_operation(const ir::Node& node, const std::vector<Expr>& values) const {
    struct Visitor {
      const Evaluator& self;
      const ir::Node& node;
      const std::vector<Expr>& values;
      Expr operator()(const ir::Constant& c) const {
        if (node.type == Scalar::Bool) return kernel::boolean(c.integer != 0);
        return is_integer(node.type) ? kernel::integer(c.integer, node.type)
                                     : kernel::real(c.real, node.type);
      }
      Expr operator()(const ir::ParamRef& p) const { return self.interface_.param(p.param); }
      Expr operator()(const ir::Index& i) const {
        return self.point_[static_cast<size_t>(i.dimension)];
      }
      Expr operator()(const ir::Time&) const { return self.time_; }
      Expr operator()(const ir::ReductionRef& r) const { return self.reductions_(r.reduction); }
      Expr operator()(const ir::Access& access) const { return self.read_(access); }
      Expr operator()(const ir::Operation& operation) const {
        std::vector<Expr> operands;
        for (ir::NodeId id : operation.operands)
          operands.push_back(values[static_cast<size_t>(id)]);
        if (operation.op == Op::Convert) return kernel::convert(operands[0], node.type);
        return kernel::operation(operation.op, std::move(operands));
      }
    };
    return std::visit(Visitor{*this, node, values}, node.kind);
  }

 private:
  const Interface& interface_;
  const ir::Graph& graph_;
  const Point& point_;
  const Expr& time_;
  const ReadAccess& read_;
  const ReadReduction& reductions_;
};

// The value bound to a let, so that stores which follow cannot change what it reads: the components
// of one point are computed from one snapshot, also when they are stored one after the other in
// place. A storage type (half, bfloat) exists in memory only: there the value before its conversion
// is bound.
Expr settled(Expr value, Names& names, kernel::Body& body) {
  const auto* operation = std::get_if<kernel::Operation>(&value->kind);
  if (value->type == Scalar::F16 || value->type == Scalar::BF16) {
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
                           const Expr& time, const ReadAccess& read, Names names,
                           kernel::Body& body, const ReadReduction& reductions) {
  const size_t count = static_cast<size_t>(graph.size());
  const auto needed = ir::reachable(graph, results);
  std::vector<int> uses(count, 0);
  for (size_t i = 0; i < count; ++i) {
    if (!needed[i]) continue;
    for (ir::NodeId operand : ir::operands(graph[static_cast<int>(i)]))
      ++uses[static_cast<size_t>(operand)];
  }
  for (ir::NodeId result : results) ++uses[static_cast<size_t>(result)];

  const Evaluator evaluator(interface, graph, point, time, read, reductions);
  std::vector<Expr> values(count);
  std::vector<int> size(count, 0);  // operations in the expression so far
  for (size_t i = 0; i < count; ++i) {
    if (!needed[i]) continue;
    const ir::Node& node = graph[static_cast<int>(i)];
    values[i] = evaluator.leaf_or_operation(node, values);
    size[i] = is_leaf(node) ? 0 : 1;
    for (ir::NodeId operand : ir::operands(node)) size[i] += size[static_cast<size_t>(operand)];
    const bool access = std::holds_alternative<ir::Access>(node.kind);
    const bool shared = uses[i] > 1 && (!is_leaf(node) || access);
    const bool named = !node.hint.empty() && (!is_leaf(node) || access);
    if (!shared && !named && size[i] <= kLargestExpression) continue;
    if (node.type == Scalar::F16 || node.type == Scalar::BF16) continue;  // storage only
    const std::string name = node.hint.empty() ? names.unique("v") : names.keep(node.hint);
    body.push_back({kernel::Let{name, values[i]}});
    values[i] = kernel::variable(name, node.type);
    size[i] = 0;
  }
  std::vector<Expr> out;
  for (ir::NodeId result : results) out.push_back(values[static_cast<size_t>(result)]);
  if (out.size() > 1) {
    for (Expr& value : out) value = settled(std::move(value), names, body);
  }
  return out;
}

Expr condition_on_params(const Interface& interface, const ir::Graph& graph, ir::NodeId condition) {
  const Point no_point;
  const ReadAccess no_access = [](const ir::Access&) { return Expr(); };
  const Expr no_time;
  const ReadReduction no_reductions;  // not in a requirement
  const Evaluator evaluator(interface, graph, no_point, no_time, no_access, no_reductions);
  std::vector<Expr> values;
  for (const ir::Node& node : graph.nodes())
    values.push_back(evaluator.leaf_or_operation(node, values));
  return values[static_cast<size_t>(condition)];
}

}  // namespace stencil::schedule
