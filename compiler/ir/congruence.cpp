// Finds values that repeat every few points along each dimension. For every node that consists of
// sums, differences and multiples by constants, it computes an affine form of the coordinates. A
// remainder of such a form by a constant is a congruence. `%` has the sign of its dividend, so the
// bounds of the region decide whether the remainder can be negative.
//
// at_residue() replaces the congruences by their values for one residue of the coordinates.
#include "compiler/ir/congruence.h"

#include <numeric>

#include "compiler/ir/known.h"
#include "compiler/ir/rewrite.h"
#include "compiler/support/magnitude.h"

namespace stencil::ir {

namespace {

constexpr int64_t kLargestModulus = 64;
// Coefficients are capped here so that sums of products cannot overflow.
constexpr int64_t kLargestCoefficient = int64_t{1} << 20;

int64_t positive_remainder(int64_t value, int64_t modulus) {
  const int64_t rest = value % modulus;
  return rest < 0 ? rest + modulus : rest;
}

struct Form {
  std::vector<int64_t> coefficients;
  int64_t constant = 0;

  bool is_constant() const {
    for (const int64_t coefficient : coefficients) {
      if (coefficient != 0) return false;
    }
    return true;
  }
};

class Forms {
 public:
  Forms(const Graph& graph, int rank) : rank_(static_cast<size_t>(rank)) {
    for (const Node& node : graph.nodes()) forms_.push_back(form_of(node));
  }
  const std::optional<Form>& operator[](NodeId id) const { return forms_[id]; }
  // The value of a node that does not depend on the coordinates.
  std::optional<int64_t> number(NodeId id) const {
    const auto& form = (*this)[id];
    if (!form || !form->is_constant()) return std::nullopt;
    return form->constant;
  }

 private:
  std::optional<Form> form_of(const Node& node) const {
    if (!is_integer(node.type) || is_storage(node.type)) return std::nullopt;
    Form out{std::vector<int64_t>(rank_, 0), 0};
    if (const auto* constant = std::get_if<Constant>(&node.kind)) {
      out.constant = constant->integer;
      return small(std::move(out));
    }
    if (const auto* index = std::get_if<Index>(&node.kind)) {
      out.coefficients[index->dimension] = 1;
      return out;
    }
    const auto* operation = std::get_if<Operation>(&node.kind);
    if (!operation) return std::nullopt;
    for (const NodeId operand : operation->operands) {
      if (!(*this)[operand]) return std::nullopt;
    }
    const Form& a = *(*this)[operation->operands.front()];
    const Form& b = *(*this)[operation->operands.back()];
    switch (operation->op) {
      case Op::Convert:
        return a;
      case Op::Neg:
        return small(sum(out, a, -1));
      case Op::Add:
        return small(sum(a, b, 1));
      case Op::Sub:
        return small(sum(a, b, -1));
      case Op::Mul:
        if (b.is_constant()) return small(sum(out, a, b.constant));
        if (a.is_constant()) return small(sum(out, b, a.constant));
        return std::nullopt;
      default:
        return std::nullopt;
    }
  }

  static Form sum(Form a, const Form& b, int64_t times) {
    for (size_t d = 0; d < a.coefficients.size(); ++d) {
      a.coefficients[d] += times * b.coefficients[d];
    }
    a.constant += times * b.constant;
    return a;
  }
  static std::optional<Form> small(Form form) {
    for (const int64_t coefficient : form.coefficients) {
      if (magnitude(coefficient) > kLargestCoefficient) return std::nullopt;
    }
    if (magnitude(form.constant) > kLargestCoordinate) return std::nullopt;
    return form;
  }

  const size_t rank_;
  std::vector<std::optional<Form>> forms_;
};

// True if the bounds of the region show that the form is never negative in it.
bool is_natural(const Form& form, const Box& region) {
  int64_t least = form.constant;
  for (size_t d = 0; d < form.coefficients.size(); ++d) {
    const int64_t times = form.coefficients[d];
    if (times == 0) continue;
    const Affine& end = times > 0 ? region.ranges[d].low : region.ranges[d].high;
    if (!end.is_constant()) return false;
    least += times * end.constant;
  }
  return least >= 0;
}

bool is_operation(const Node& node, Op op) {
  const auto* operation = std::get_if<Operation>(&node.kind);
  return operation && operation->op == op;
}

class Finder {
 public:
  Finder(const Graph& graph, const Box& region)
      : graph_(graph), region_(region), forms_(graph, region.rank()) {}

  std::optional<Congruence> of(NodeId id) const {
    const auto* operation = std::get_if<Operation>(&graph_[id].kind);
    if (!operation) return std::nullopt;
    switch (operation->op) {
      case Op::Mod: {
        const auto out = remainder(id);
        return out && is_natural(*forms_[operation->operands[0]], region_) ? out : std::nullopt;
      }
      case Op::BitAnd:
        if (auto out = masked(id, operation->operands[0], operation->operands[1])) return out;
        return masked(id, operation->operands[1], operation->operands[0]);
      case Op::Eq:
      case Op::Ne: {
        const auto kind =
            operation->op == Op::Eq ? Congruence::Kind::Equal : Congruence::Kind::Different;
        if (auto out = compared(id, operation->operands[0], operation->operands[1], kind)) {
          return out;
        }
        return compared(id, operation->operands[1], operation->operands[0], kind);
      }
      default:
        return std::nullopt;
    }
  }

 private:
  std::optional<Congruence> make(NodeId node, NodeId value, int64_t modulus) const {
    const auto& form = forms_[value];
    if (!form || form->is_constant() || modulus < 2 || modulus > kLargestModulus) {
      return std::nullopt;
    }
    Congruence out;
    out.node = node;
    out.modulus = modulus;
    out.constant = positive_remainder(form->constant, modulus);
    for (const int64_t coefficient : form->coefficients) {
      out.coefficients.push_back(positive_remainder(coefficient, modulus));
    }
    return out;
  }
  // The remainder of a division by a constant, for dividends of either sign.
  std::optional<Congruence> remainder(NodeId id) const {
    if (!is_operation(graph_[id], Op::Mod)) return std::nullopt;
    const std::vector<NodeId>& of = operands(graph_[id]);
    const auto by = forms_.number(of[1]);
    return by ? make(id, of[0], *by) : std::nullopt;
  }
  std::optional<Congruence> masked(NodeId id, NodeId value, NodeId by) const {
    const auto mask = forms_.number(by);
    if (!mask || *mask < 1 || (*mask & (*mask + 1)) != 0) return std::nullopt;
    return make(id, value, *mask + 1);
  }
  std::optional<Congruence> compared(NodeId id, NodeId rest, NodeId with,
                                     Congruence::Kind kind) const {
    auto out = remainder(rest);
    const auto to = forms_.number(with);
    if (!out || !to || magnitude(*to) >= out->modulus) return std::nullopt;
    if (is_natural(*forms_[operands(graph_[rest])[0]], region_))
      return std::nullopt;  // of() finds the remainder itself
    out->node = id;
    out->kind = kind;
    out->to = positive_remainder(*to, out->modulus);
    out->partly = *to != 0;
    return out;
  }

  const Graph& graph_;
  const Box& region_;
  const Forms forms_;
};

}  // namespace

int64_t Congruence::period(int d) const {
  return modulus / std::gcd(modulus, coefficients[d]);
}

std::vector<Congruence> congruences(const Graph& graph, const Box& region) {
  std::vector<Congruence> out;
  bool divides = false;  // most graphs have no such operation
  for (const Node& node : graph.nodes()) {
    divides = divides || is_operation(node, Op::Mod) || is_operation(node, Op::BitAnd);
  }
  if (!divides) return out;
  const Finder finder(graph, region);
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (auto found = finder.of(id)) out.push_back(std::move(*found));
  }
  return out;
}

std::optional<int64_t> value_at(const Congruence& congruence, const Residue& residue) {
  int64_t sum = congruence.constant;
  for (size_t d = 0; d < residue.modulus.size(); ++d) {
    if (residue.modulus[d] % congruence.period(static_cast<int>(d)) != 0) return std::nullopt;
    sum += congruence.coefficients[d] * residue.remainder[d];
  }
  const int64_t rest = positive_remainder(sum, congruence.modulus);
  if (congruence.kind == Congruence::Kind::Remainder) return rest;
  const bool equal = rest == congruence.to;
  if (congruence.partly && equal) return std::nullopt;
  return (congruence.kind == Congruence::Kind::Equal) == equal ? 1 : 0;
}

Residual at_residue(const Graph& graph, const std::vector<NodeId>& results,
                    const std::vector<Congruence>& congruences, const Residue& residue) {
  std::vector<std::optional<int64_t>> values(static_cast<size_t>(graph.size()));
  for (const Congruence& congruence : congruences) {
    values[congruence.node] = value_at(congruence, residue);
  }
  return with_values(graph, results, values);
}

Residual with_values(const Graph& graph, const std::vector<NodeId>& results,
                     const std::vector<std::optional<int64_t>>& values) {
  Residual out;
  std::vector<NodeId> moved_to;
  for (NodeId id = 0; id < graph.size(); ++id) {
    Node node = graph[id];
    if (const auto value = values[id]) {
      node.kind = Constant{0, *value};
    } else if (auto* operation = std::get_if<Operation>(&node.kind)) {
      for (NodeId& operand : operation->operands) operand = moved_to[operand];
    }
    moved_to.push_back(add_known(out.graph, std::move(node)));
  }
  for (const NodeId result : results) {
    out.results.push_back(moved_to[result]);
  }
  return out;
}

}  // namespace stencil::ir
