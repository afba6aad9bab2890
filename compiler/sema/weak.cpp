// Real numbers without a type. A value made only of literals, integers and weights of points, such
// as 0.1 * time or sqrt(i), has no type of its own. It takes the type of the operand with which it
// is combined, or of the place where it is stored. The whole value is then computed in that type,
// and its literals are rounded once. Without such a context, the value takes the type `fallback`.
#include <cmath>

#include "compiler/sema/arithmetic.h"

namespace stencil::sema {

// Most values take the type `fallback`, which is the type of the place where the expression is
// stored. Their nodes are added immediately, so that they appear in the graph in text order. If the
// value takes another type, dead-code elimination removes these nodes. If `fallback` cannot hold a
// literal, no node is added here: whether this is an error depends on the type that the context
// gives.
Leaf Arithmetic::weak(WeakOperation operation) {
  std::vector<int64_t> key{static_cast<int64_t>(operation.kind), static_cast<int64_t>(operation.op),
                           operation.set};
  bool fits = true;
  for (const Leaf& operand : operation.operands) {
    append_key(key, operand);
    fits &= fits_quietly(operand, fallback_);
  }
  Weak& value = weak_values_[key];
  if (!value) value = std::make_shared<const WeakOperation>(std::move(operation));
  if (fits) node(value, fallback_, value->span);
  return value;
}

Leaf Arithmetic::as_real(const Leaf& integer, Span span) {
  if (!waits_for_type_) return *convert_scalar(integer, fallback_, span);
  return weak({WeakOperation::Kind::Convert, Op::Convert, {integer}, span});
}

namespace {

double fraction(int64_t bits, int kept) {
  return std::ldexp(static_cast<double>(static_cast<uint64_t>(bits) >> (64 - kept)), -kept);
}

}  // namespace

Leaf Arithmetic::as_fraction(const Leaf& bits, Span span) {
  if (!waits_for_type_) {  // in double
    const auto* known = std::get_if<Constant>(&bits);
    if (known) return Constant{std::nullopt, std::nullopt, fraction(*known->integer, 53)};
    return *node(weak({WeakOperation::Kind::Random, Op::Convert, {bits}, span}), Scalar::F64, span);
  }
  return weak({WeakOperation::Kind::Random, Op::Convert, {bits}, span});
}

Leaf Arithmetic::as_weights(ir::FieldId set, Span span) {
  return weak({WeakOperation::Kind::Weights, Op::Add, {}, span, {}, set});
}

bool Arithmetic::fits_quietly(const Leaf& operand, Scalar type) const {
  if (const auto* weak = std::get_if<Weak>(&operand)) return weak_nodes_.count({*weak, type}) != 0;
  if (std::holds_alternative<ir::NodeId>(operand)) return true;
  for (const Constant& literal : literals_of(operand)) {
    const double size =
        std::fabs(type == Scalar::F32 ? static_cast<float>(literal.real) : literal.real);
    if (!std::isfinite(size) || (size == 0 && literal.real != 0)) return false;
  }
  return true;
}

std::optional<ir::NodeId> Arithmetic::node(const Weak& weak, Scalar to, Span span) {
  const auto known = weak_nodes_.find({weak, to});
  if (known != weak_nodes_.end()) return known->second;
  const auto made = [&](ir::Node node) {
    const ir::NodeId id = graph_.add(std::move(node));
    if (!weak->hint.empty()) graph_.name(id, weak->hint);
    weak_nodes_.emplace(std::pair(weak, to), id);
    return id;
  };
  const Span place = weak->span.valid() ? weak->span : span;
  if (weak->kind == WeakOperation::Kind::Convert) {
    const auto operand = node(weak->operands[0], to, place);
    if (operand) weak_nodes_.emplace(std::pair(weak, to), *operand);
    return operand;
  }
  if (weak->kind == WeakOperation::Kind::Weights) {
    ir::Access access{weak->set, 0, 0, {0}, 0};
    access.in_place = access.at_points = true;
    access.weights_in_double = to == Scalar::F64;
    return made({access, to, place, {}});
  }
  if (weak->kind == WeakOperation::Kind::Random) {
    // Take as many of the highest bits as the type holds, and multiply by the weight of the lowest
    // of these bits.
    const int kept = to == Scalar::F32 ? 24 : 53;
    if (const auto* known = std::get_if<Constant>(&weak->operands[0])) {
      return made({ir::Constant{fraction(*known->integer, kept), 0}, to, place, {}});
    }
    const auto bits = node(weak->operands[0], Scalar::I64, place);
    if (!bits) return std::nullopt;
    const auto number = [&](int64_t value) {
      return graph_.add({ir::Constant{0, value}, Scalar::I64, place, {}});
    };
    const auto operation = [&](Op op, std::vector<ir::NodeId> operands, Scalar type) {
      return graph_.add({ir::Operation{op, std::move(operands)}, type, place, {}});
    };
    const ir::NodeId shifted = operation(Op::Shr, {*bits, number(64 - kept)}, Scalar::I64);
    const ir::NodeId mask = number((int64_t{1} << kept) - 1);
    const ir::NodeId whole = operation(Op::BitAnd, {shifted, mask}, Scalar::I64);
    const ir::NodeId real = operation(Op::Convert, {whole}, to);
    const ir::NodeId unit = graph_.add({ir::Constant{std::ldexp(1.0, -kept), 0}, to, place, {}});
    return made({ir::Operation{Op::Mul, {real, unit}}, to, place, {}});
  }
  ir::Operation operation{weak->op, {}};
  for (const Leaf& operand : weak->operands) {
    const bool condition = weak->op == Op::Select && operation.operands.empty();
    const auto id = node(operand, condition ? Scalar::Bool : to, place);
    if (!id) return std::nullopt;
    operation.operands.push_back(*id);
  }
  return made({std::move(operation), to, place, {}});
}

void Arithmetic::call(const Leaf& leaf, const std::string& hint) {
  if (const auto* id = std::get_if<ir::NodeId>(&leaf)) graph_.name(*id, hint);
  const auto* weak = std::get_if<Weak>(&leaf);
  if (!weak) return;
  if ((*weak)->hint.empty()) (*weak)->hint = hint;
  for (const Scalar type : {Scalar::F32, Scalar::F64}) {
    const auto made = weak_nodes_.find({*weak, type});
    if (made != weak_nodes_.end()) graph_.name(made->second, hint);
  }
}

}  // namespace stencil::sema
