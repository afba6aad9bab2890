// Flattens expressions into linear forms, and the passes built on them.
//
// The graph is walked once in topological order. Each floating-point node that is linear in others
// has a form over the new graph. The form is written as nodes only where something needs its value:
// a user that is not linear, a result, or several users at once. Writing may make nodes of
// different sums equal, and a node with two users is not flattened further. The pass is therefore
// repeated until nothing changes.
#include "compiler/ir/reassociate.h"

#include <cmath>

#include "compiler/ir/rewrite.h"

namespace stencil::ir {

namespace {

bool is_arithmetic_float(Scalar type) {
  return type == Scalar::F32 || type == Scalar::F64;
}

class Flattener {
 public:
  enum class Shared {
    Written,   // a sum with several users is computed once
    Absorbed,  // a sum with several users becomes part of each
  };

  Flattener(const Graph& graph, const std::vector<NodeId>& roots, int stream_dimension,
            Shared shared)
      : in_(graph),
        stream_dimension_(stream_dimension),
        shared_(shared),
        in_places_(graph, stream_dimension),
        out_places_(out_, stream_dimension),
        facts_(static_cast<size_t>(graph.size())),
        forms_(static_cast<size_t>(graph.size())),
        values_(static_cast<size_t>(graph.size()), kNoNode) {
    const std::vector<bool> needed = reachable(graph, roots);
    for (NodeId root : roots) {
      ++facts(root).uses;
      facts(root).users_take_sign = false;
    }
    for (NodeId id = 0; id < graph.size(); ++id) {
      if (needed[id]) note_uses(id);
    }
    for (NodeId id = 0; id < graph.size(); ++id) {
      if (needed[id]) visit(id);
    }
  }

  // The form of a node, collected.
  LinearForm form(NodeId id) { return collect(out_, in_[id].type, take_form(id)); }

  // The node of the new graph that has the value of `id`.
  NodeId value(NodeId id) {
    NodeId& value = values_[id];
    if (value == kNoNode) {
      value = with_sign(write(id), in_[id].type);
      if (!in_[id].hint.empty()) out_.name(value, in_[id].hint);
    }
    return value;
  }

  NodeId write(const LinearForm& form, Scalar type) {
    return with_sign(write_sum(out_, out_places_, type, form, stream_dimension_), type);
  }

  Translates& places() { return out_places_; }
  Graph& graph() { return out_; }

 private:
  struct Facts {
    int uses = 0;
    int uses_as_divisor = 0;
    bool users_take_sign = true;
  };

  Facts& facts(NodeId id) { return facts_[id]; }
  LinearForm& stored_form(NodeId id) { return forms_[id]; }

  void note_uses(NodeId id) {
    const auto* operation = std::get_if<Operation>(&in_[id].kind);
    if (!operation) return;
    const Op op = operation->op;
    const bool takes_sign = op == Op::Add || op == Op::Sub || op == Op::Neg || op == Op::Mul;
    for (NodeId operand : operation->operands) {
      ++facts(operand).uses;
      if (!takes_sign) facts(operand).users_take_sign = false;
    }
    if (op == Op::Div) ++facts(operation->operands[1]).uses_as_divisor;
  }

  // Moves the form out if it has only one user.
  LinearForm take_form(NodeId id) {
    return facts(id).uses > 1 ? stored_form(id) : std::move(stored_form(id));
  }

  NodeId add(Op op, std::vector<NodeId> operands, Scalar type) {
    return out_.add({Operation{op, std::move(operands)}, type, {}, ""});
  }

  NodeId with_sign(SignedNode signed_node, Scalar type) {
    return signed_node.negative ? add(Op::Neg, {signed_node.node}, type) : signed_node.node;
  }

  SignedNode write(NodeId id) {
    return write_sum(out_, out_places_, in_[id].type, form(id), stream_dimension_);
  }

  void visit(NodeId id) {
    const Node& node = in_[id];
    if (!is_arithmetic_float(node.type) || in_places_[id].uniform) return copy(id);
    const auto* operation = std::get_if<Operation>(&node.kind);
    std::optional<LinearForm> form;
    if (operation) form = flatten(*operation, node.type);
    if (!form) return copy(id);
    stored_form(id) = std::move(*form);
    if (facts(id).uses > 1 && stored_form(id).terms.size() > 1) share(id);
  }

  // Copies the node with its new operands.
  void copy(NodeId id) {
    Node node = in_[id];
    if (auto* operation = std::get_if<Operation>(&node.kind)) {
      for (NodeId& operand : operation->operands) operand = value(operand);
    }
    const auto* constant = std::get_if<Constant>(&node.kind);
    const bool is_float = is_arithmetic_float(node.type);
    const double number = constant ? constant->real : 1;
    const NodeId copied = out_.add(std::move(node));
    if (!in_[id].hint.empty()) out_.name(copied, in_[id].hint);
    values_[id] = copied;
    if (!is_float) return;
    if (constant) {
      stored_form(id) = {{Term{{number, kNoNode}, kNoNode}}};
    } else if (in_places_[id].uniform) {
      stored_form(id) = {{Term{{1, copied}, kNoNode}}};
    } else {
      stored_form(id) = {{Term{{1, kNoNode}, copied}}};
    }
  }

  void share(NodeId id) {
    LinearForm& form = stored_form(id);
    form = collect(out_, in_[id].type, form);
    if (shared_ == Shared::Absorbed || form.terms.size() < 2) return;
    const bool turn = facts(id).users_take_sign && has_larger_first(form);
    if (turn) {
      for (Term& term : form.terms) term.coefficient.number *= -1;
    }
    const SignedNode sum = write_sum(out_, out_places_, in_[id].type, form, stream_dimension_);
    if (!in_[id].hint.empty()) out_.name(sum.node, in_[id].hint);
    form = {{Term{{sum.negative != turn ? -1.0 : 1.0, kNoNode}, sum.node}}};
  }

  // True for a - b if b precedes a: both are accesses to the same field and b has the smaller
  // offset, or neither is an access and b has the smaller id.
  bool has_larger_first(const LinearForm& form) const {
    if (form.terms.size() != 2) return false;
    NodeId values[2] = {kNoNode, kNoNode};  // positive, negative
    for (const Term& term : form.terms) {
      const Coefficient& c = term.coefficient;
      if (std::fabs(c.number) != 1 || c.factor != kNoNode) return false;
      values[c.number < 0] = term.value;
    }
    if (values[0] == kNoNode || values[1] == kNoNode) return false;
    const auto* left = std::get_if<Access>(&out_[values[0]].kind);
    const auto* right = std::get_if<Access>(&out_[values[1]].kind);
    if (!left && !right) return values[0] > values[1];
    return left && right && !left->in_place && left->field == right->field &&
           left->component == right->component && left->level == right->level &&
           offsets_of(left->maps) > offsets_of(right->maps);
  }

  std::optional<LinearForm> flatten(const Operation& operation, Scalar type) {
    const auto& operands = operation.operands;
    switch (operation.op) {
      case Op::Neg:
        return scaled(take_form(operands[0]), {-1, kNoNode}, type);
      case Op::Add:
      case Op::Sub: {
        LinearForm sum = take_form(operands[0]);
        // If both operands are the same node, it has two users, so take_form copies it.
        LinearForm right = take_form(operands[1]);
        const double sign = operation.op == Op::Sub ? -1 : 1;
        for (Term& term : right.terms) {
          term.coefficient.number *= sign;
          sum.terms.push_back(term);
        }
        return sum;
      }
      case Op::Mul:
        for (int uniform : {0, 1}) {
          const NodeId factor = operands[uniform];
          const NodeId other = operands[1 - uniform];
          if (!in_places_[factor].uniform) continue;
          return scaled(stored_form(other), stored_form(factor).terms[0].coefficient, type);
        }
        return product(operands[0], operands[1], type);
      case Op::Div:
        return quotient(operands[0], operands[1], type);
      default:
        return std::nullopt;
    }
  }

  // The product of the factors of two coefficients.
  NodeId factors(NodeId left, NodeId right, Scalar type) {
    if (left == kNoNode) return right;
    return right == kNoNode ? left : add(Op::Mul, {left, right}, type);
  }

  // form * by. nullopt if a coefficient leaves the range of the type, because its product with the
  // value may still be in range.
  std::optional<LinearForm> scaled(LinearForm form, Coefficient by, Scalar type) {
    for (Term& term : form.terms) {
      Coefficient& own = term.coefficient;
      const bool was_zero = own.number == 0 || by.number == 0;
      own.number *= by.number;
      const double rounded = type == Scalar::F32 ? static_cast<float>(own.number) : own.number;
      const bool sound =
          type == Scalar::F32 ? std::isnormal(static_cast<float>(rounded)) : std::isnormal(rounded);
      if (!sound && !was_zero) return std::nullopt;
      own.factor = factors(own.factor, by.factor, type);
    }
    std::erase_if(form.terms, [](const Term& term) { return term.coefficient.number == 0; });
    return form;
  }

  // The value of a factor of a product. Its sign moves to `coefficient`; so does the rest of its
  // coefficient, unless another user computes the factor anyway.
  NodeId factor(NodeId id, Coefficient& coefficient, Scalar type) {
    const LinearForm& form = stored_form(id);
    if (form.terms.size() == 1 && form.terms[0].value != kNoNode) {
      const Coefficient own = form.terms[0].coefficient;
      const bool is_sign = std::fabs(own.number) == 1 && own.factor == kNoNode;
      if (is_sign || facts(id).uses == 1) {
        coefficient.number *= own.number;
        coefficient.factor = factors(coefficient.factor, own.factor, type);
        return form.terms[0].value;
      }
    }
    if (facts(id).uses > 1) return value(id);
    const SignedNode written = write(id);
    if (!in_[id].hint.empty() && !written.negative) out_.name(written.node, in_[id].hint);
    if (written.negative) coefficient.number *= -1;
    return written.node;
  }

  LinearForm product(NodeId left, NodeId right, Scalar type) {
    if (stored_form(left).terms.empty() || stored_form(right).terms.empty()) return {};  // 0
    Coefficient coefficient;
    const NodeId left_value = factor(left, coefficient, type);
    const NodeId right_value = factor(right, coefficient, type);
    return {{Term{coefficient, add(Op::Mul, {left_value, right_value}, type)}}};
  }

  std::optional<LinearForm> quotient(NodeId dividend, NodeId divisor, Scalar type) {
    if (in_places_[divisor].uniform) {
      Coefficient by = stored_form(divisor).terms[0].coefficient;
      by.number = 1 / by.number;
      if (!std::isfinite(by.number)) return std::nullopt;
      if (by.factor != kNoNode) {
        by.factor = add(Op::Div, {add_constant(out_, type, 1), by.factor}, type);
      }
      return scaled(stored_form(dividend), by, type);
    }
    const auto* root = std::get_if<Operation>(&in_[divisor].kind);
    const Facts& of_divisor = facts(divisor);
    const bool is_root =
        root && root->op == Op::Sqrt && of_divisor.uses == of_divisor.uses_as_divisor;
    if (!is_root) return std::nullopt;
    const NodeId reciprocal = add(Op::Rsqrt, {value(root->operands[0])}, type);
    if (in_places_[dividend].uniform) {
      return LinearForm{{Term{stored_form(dividend).terms[0].coefficient, reciprocal}}};
    }
    Coefficient coefficient;
    const NodeId left = factor(dividend, coefficient, type);
    return LinearForm{{Term{coefficient, add(Op::Mul, {left, reciprocal}, type)}}};
  }

  const Graph& in_;
  int stream_dimension_;
  Shared shared_;
  Graph out_;
  Translates in_places_, out_places_;
  std::vector<Facts> facts_;       // by node of the old graph, like all below
  std::vector<LinearForm> forms_;  // of floating-point nodes
  std::vector<NodeId> values_;     // kNoNode: not written down yet
};

// Rebuilds the graph with only the nodes that the results need, operands from left to right before
// their user. This order depends on the expressions only, not on how they were built.
Piece in_order_of_use(const Piece& piece) {
  Piece result = piece;
  result.graph = Graph();
  std::vector<NodeId> moved_to(static_cast<size_t>(piece.graph.size()), kNoNode);
  std::vector<std::pair<NodeId, size_t>> path;  // nodes being visited, with their next operand
  for (NodeId& root : result.results) {
    path.emplace_back(root, 0);
    while (!path.empty()) {
      const NodeId id = path.back().first;
      NodeId& moved = moved_to[id];
      const std::vector<NodeId>& needs = operands(piece.graph[id]);
      if (moved == kNoNode && path.back().second < needs.size()) {
        const NodeId next = needs[path.back().second++];
        path.emplace_back(next, 0);
        continue;
      }
      path.pop_back();
      if (moved != kNoNode) continue;
      Node node = piece.graph[id];
      if (auto* operation = std::get_if<Operation>(&node.kind)) {
        for (NodeId& operand : operation->operands) operand = moved_to[operand];
      }
      const std::string hint = node.hint;
      moved = result.graph.add(std::move(node));
      if (!hint.empty()) result.graph.name(moved, hint);
    }
    root = moved_to[root];
  }
  return result;
}

bool same_expressions(const Piece& a, const Piece& b) {
  if (a.results != b.results || a.graph.size() != b.graph.size()) return false;
  for (NodeId id = 0; id < a.graph.size(); ++id) {
    const Node& left = a.graph[id];
    const Node& right = b.graph[id];
    if (left.type != right.type || left.hint != right.hint || left.kind != right.kind) return false;
  }
  return true;
}

Piece reassociate_once(const Piece& piece, int stream_dimension) {
  Flattener flattener(piece.graph, piece.results, stream_dimension, Flattener::Shared::Written);
  Piece result = piece;
  for (NodeId& root : result.results) root = flattener.value(root);
  result.graph = std::move(flattener.graph());
  return in_order_of_use(result);
}

Piece reassociate_piece(const Piece& piece, int stream_dimension) {
  constexpr int kMostRounds = 8;  // two or three rounds were enough in all known cases
  const Piece original = in_order_of_use(piece);
  Piece current = original;
  for (int round = 0; round < kMostRounds; ++round) {
    Piece next = reassociate_once(current, stream_dimension);
    const bool settled = same_expressions(current, next);
    current = std::move(next);
    if (settled) break;
  }
  const auto cost = [&](const Piece& p) {
    return fused_operations(p.graph, p.results, stream_dimension);
  };
  return cost(current) <= cost(original) ? current : original;
}

}  // namespace

Program reassociate(const Program& program, int stream_dimension) {
  Program result = program;
  for (Function& function : result.functions) {
    for (Piece& piece : function.pieces) piece = reassociate_piece(piece, stream_dimension);
  }
  return result;
}

std::optional<PlaneSplit> split_by_plane(const Piece& piece, int dimension) {
  if (piece.results.size() != 1) return std::nullopt;
  const Scalar type = piece.graph[piece.results[0]].type;
  if (!is_arithmetic_float(type)) return std::nullopt;
  Flattener flattener(piece.graph, piece.results, dimension, Flattener::Shared::Absorbed);
  const LinearForm form = flattener.form(piece.results[0]);
  std::map<int, LinearForm> planes;
  std::vector<Term> addends;
  for (const Term& term : form.terms) {
    const bool is_free = term.value == kNoNode || flattener.places()[term.value].position.empty();
    if (is_free) {
      addends.push_back(term);
    } else if (const auto* access = std::get_if<Access>(&flattener.graph()[term.value].kind)) {
      planes[access->offset(dimension)].terms.push_back(term);
    } else {
      return std::nullopt;
    }
  }
  if (planes.size() < 2) return std::nullopt;
  constexpr int kMostPlanes = 64;
  if (planes.rbegin()->first - planes.begin()->first >= kMostPlanes) return std::nullopt;
  auto& home = planes.contains(0) ? planes[0] : planes.begin()->second;
  home.terms.insert(home.terms.end(), addends.begin(), addends.end());
  PlaneSplit split;
  for (int offset = planes.begin()->first; offset <= planes.rbegin()->first; ++offset) {
    const auto plane = planes.find(offset);
    if (plane == planes.end()) {
      split.planes.push_back({offset, kNoNode, true});
    } else {
      split.planes.push_back({offset, flattener.write(plane->second, type), false});
    }
  }
  split.graph = std::move(flattener.graph());
  return split;
}

std::vector<int> equal_planes(const PlaneSplit& split, int dimension) {
  Translates translates(split.graph, dimension, Translates::Along::Dimension);
  std::map<int, int> first_of_shape;
  std::vector<int> same;
  for (int i = 0; i < static_cast<int>(split.planes.size()); ++i) {
    const PlaneSum& plane = split.planes[i];
    same.push_back(
        plane.empty ? i : first_of_shape.emplace(translates[plane.sum].shape, i).first->second);
  }
  return same;
}

}  // namespace stencil::ir
