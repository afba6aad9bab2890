// A comparison of a coordinate with an affine bound is `index < bound` or its opposite, which
// splits the grid at `bound`. If few points lie on one side of it, the condition is one of that
// edge. Bounds of open size are compared with the grid's symbolically.
#include "compiler/ir/edges.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "compiler/ir/known.h"
#include "compiler/ir/rewrite.h"
#include "compiler/support/magnitude.h"

namespace stencil::ir {

namespace {

constexpr int64_t kNear = 8;  // points
constexpr int64_t kLargestFactor = 1 << 16;
constexpr int64_t kNowhereUsed = std::numeric_limits<int64_t>::max();

// The value of an integer node that depends on sizes alone. Arithmetic that wraps is exact if its
// result is near a bound of the grid, because bounds fit 32 bits.
std::optional<Affine> affine_of(const Graph& graph, NodeId id) {
  const Node& node = graph[id];
  if (!is_integer(node.type) || is_storage(node.type)) return std::nullopt;
  if (const auto* constant = std::get_if<Constant>(&node.kind))
    return Affine{constant->integer, {}};
  if (const auto* param = std::get_if<ParamRef>(&node.kind)) return Affine{0, {{param->param, 1}}};
  const auto* operation = std::get_if<Operation>(&node.kind);
  if (!operation || operation->operands.size() > 2) return std::nullopt;
  const auto a = affine_of(graph, operation->operands.front());
  const auto b = affine_of(graph, operation->operands.back());
  if (!a || !b) return std::nullopt;
  const auto times = [](const Affine& affine, const Affine& factor) -> std::optional<Affine> {
    if (!factor.is_constant() || magnitude(factor.constant) > kLargestFactor) return std::nullopt;
    return affine * factor.constant;
  };
  switch (operation->op) {
    case Op::Convert:
      return a;
    case Op::Neg:
    case Op::WrapNeg:
      return *a * -1;
    case Op::Add:
    case Op::WrapAdd:
      return *a + *b;
    case Op::Sub:
    case Op::WrapSub:
      return *a - *b;
    case Op::Mul:
    case Op::WrapMul:
      return b->is_constant() ? times(*a, *b) : times(*b, *a);
    default:
      return std::nullopt;
  }
}

// The operator for exchanged operands.
Op exchanged(Op op) {
  switch (op) {
    case Op::Lt:
      return Op::Gt;
    case Op::Le:
      return Op::Ge;
    case Op::Gt:
      return Op::Lt;
    case Op::Ge:
      return Op::Le;
    default:
      return op;
  }
}

// The condition `index op bound`.
std::optional<EdgeCondition> condition(const Range& grid, Op op, const Affine& bound) {
  const auto near = [](const Affine& distance) -> std::optional<int64_t> {
    const bool known = distance.is_constant() && distance.constant >= 0;
    return known && distance.constant <= kNear ? std::optional(distance.constant) : std::nullopt;
  };
  EdgeCondition out;
  if (op == Op::Eq || op == Op::Ne) {
    out.inverted = op == Op::Ne;
    for (const bool low : {true, false}) {
      const auto place = near(low ? bound - grid.low : grid.high - bound);
      if (!place || *place == kNear) continue;
      out.low = low;
      out.within = *place + 1;
      out.first = *place == 0 ? 1 : 0;
      return out;
    }
    return std::nullopt;
  }
  // The comparison is `index < from`, or its opposite.
  const bool less = op == Op::Lt || op == Op::Le;
  const Affine from = op == Op::Le || op == Op::Gt ? bound + 1 : bound;
  if (const auto points = near(from - grid.low)) {
    out.low = true;
    out.within = out.first = *points;
    out.inverted = !less;
    return out;
  }
  if (const auto points = near(grid.high - from + 1)) {
    out.low = false;
    out.within = out.first = *points;
    out.inverted = less;
    return out;
  }
  return std::nullopt;
}

const Operation* operation_at(const Graph& graph, NodeId id) {
  return std::get_if<Operation>(&graph[id].kind);
}

// What holds at the points where a node is used.
class Users {
 public:
  Users(const Graph& graph, size_t rank, const std::vector<EdgeCondition>& conditions)
      : graph_(graph), conditions_(static_cast<size_t>(graph.size()), nullptr) {
    for (const EdgeCondition& one : conditions) conditions_[one.node] = &one;
    unused_.assign(static_cast<size_t>(graph.size()),
                   std::vector<Excess>(rank, {kNowhereUsed, kNowhereUsed}));
  }

  Unused from(const std::vector<NodeId>& results) {
    for (const NodeId result : results) use(result, nowhere());
    for (NodeId id = graph_.size(); id-- > 0;) {
      const Operation* operation = operation_at(graph_, id);
      if (!operation) continue;
      for (size_t i = 0; i < operation->operands.size(); ++i) {
        std::vector<Excess> at = unused_[id];
        if (operation->op == Op::Select && i > 0) leave_out(operation->operands[0], i == 1, at);
        use(operation->operands[i], at);
      }
    }
    return std::move(unused_);
  }

 private:
  std::vector<Excess> nowhere() const {
    return std::vector<Excess>(unused_.front().size(), {0, 0});
  }

  void use(NodeId id, const std::vector<Excess>& at) {
    for (size_t d = 0; d < at.size(); ++d) {
      Excess& known = unused_[id][d];
      known.below = std::min(*known.below, *at[d].below);
      known.above = std::min(*known.above, *at[d].above);
    }
  }

  // Adds to `at` the points where the condition does not have this value.
  void leave_out(NodeId condition, bool value, std::vector<Excess>& at) const {
    if (const EdgeCondition* edge = conditions_[condition]) {
      if (value != edge->inverted) return;  // is at the edge
      Excess& known = at[static_cast<size_t>(edge->dimension)];
      auto& side = edge->low ? known.below : known.above;
      side = std::max(*side, edge->first);
      return;
    }
    const Operation* operation = operation_at(graph_, condition);
    if (!operation) return;
    if (operation->op == Op::Not) return leave_out(operation->operands[0], !value, at);
    // Both operands of an And that is true are true, and both of an Or that is false are false.
    if (operation->op != (value ? Op::And : Op::Or)) return;
    for (const NodeId operand : operation->operands) leave_out(operand, value, at);
  }

  const Graph& graph_;
  std::vector<const EdgeCondition*> conditions_;
  Unused unused_;
};

}  // namespace

std::vector<EdgeCondition> edge_conditions(const Program& program, const Graph& graph) {
  std::vector<EdgeCondition> out;
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Operation* operation = operation_at(graph, id);
    if (!operation || !is_comparison(operation->op)) continue;
    for (const size_t of : {0, 1}) {
      const auto* index = std::get_if<Index>(&graph[operation->operands[of]].kind);
      if (!index) continue;
      const auto bound = affine_of(graph, operation->operands[1 - of]);
      if (!bound) continue;
      const Op op = of == 0 ? operation->op : exchanged(operation->op);
      auto found = condition(program.grid().ranges[index->dimension], op, *bound);
      if (!found) continue;
      found->node = id;
      found->dimension = index->dimension;
      out.push_back(*found);
      break;
    }
  }
  return out;
}

Residual away_from_edges(const Graph& graph, const std::vector<NodeId>& results,
                         const std::vector<EdgeCondition>& conditions) {
  std::vector<std::optional<int64_t>> values(static_cast<size_t>(graph.size()));
  for (const EdgeCondition& one : conditions) values[one.node] = one.value_inside();
  return with_values(graph, results, values);
}

Unused unused_at_edges(const Graph& graph, const std::vector<NodeId>& results, size_t rank,
                       const std::vector<EdgeCondition>& conditions) {
  return Users(graph, rank, conditions).from(results);
}

Access used_part(const Program& program, Access access, const std::vector<Excess>& unused) {
  if (access.escapes == 0 || access.in_place) return access;
  const Field& field = program.fields[access.field];
  for (size_t d = 0; d < access.maps.size(); ++d) {
    const int dimension = field.dimension(d);
    if (dimension < 0) continue;
    // Only if the points of the field are those of the grid.
    if (!(field.box.ranges[d] == program.grid().ranges[dimension])) continue;
    const Excess& known = unused[static_cast<size_t>(dimension)];
    const int64_t offset = access.offset(d);
    if (-offset <= *known.below) access.escapes &= ~(uint32_t{1} << (2 * d));
    if (offset <= *known.above) access.escapes &= ~(uint32_t{2} << (2 * d));
  }
  return access;
}

}  // namespace stencil::ir
