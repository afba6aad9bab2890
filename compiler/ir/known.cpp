// Constant folding with the bits of the interpreter (compiler/reference/kernels.cpp). Every
// operation is computed in its own type and rounded once, as compiler/support/scalar.h defines.
// Float arithmetic is done in float, because computing a fused multiply-add or a power in double
// would round it twice. Integers wrap around.
#include "compiler/ir/known.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/ir/random.h"
#include "compiler/support/evaluate.h"

namespace stencil::ir {
namespace {

int64_t to_integer(Scalar to, double value) {
  if (std::isnan(value)) return 0;
  const bool narrow = to == Scalar::I32;
  const double low = narrow ? std::numeric_limits<int32_t>::min() : -0x1p63;
  const double high = narrow ? std::numeric_limits<int32_t>::max() : 0x1p63;
  if (value <= low) return narrow ? std::numeric_limits<int32_t>::min() : INT64_MIN;
  if (value >= high) return narrow ? std::numeric_limits<int32_t>::max() : INT64_MAX;
  return static_cast<int64_t>(value);
}

Constant known_integer(Scalar type, int64_t value) {
  return {0, type == Scalar::I32 ? static_cast<int32_t>(value) : value};
}

Constant convert(Scalar to, Scalar from, const Constant& value) {
  if (to == Scalar::Bool) return {0, is_float(from) ? value.real != 0 : value.integer != 0};
  if (!is_float(to)) {
    return known_integer(to, is_float(from) ? to_integer(to, value.real) : value.integer);
  }
  if (is_float(from)) return known_real(to, value.real);
  const bool narrow = to == Scalar::F32;
  return {narrow ? static_cast<float>(value.integer) : static_cast<double>(value.integer), 0};
}

template <typename T>
double in_type(Op op, const Constant& a, const Constant& b, const Constant& c) {
  return evaluate_real(op, static_cast<T>(a.real), static_cast<T>(b.real), static_cast<T>(c.real));
}

}  // namespace

Constant known_real(Scalar type, double value) {
  return {type == Scalar::F32 ? static_cast<float>(value) : value, 0};
}

Constant evaluate_known(Op op, Scalar type, Scalar from, const std::vector<Constant>& operands) {
  const auto operand = [&](size_t i) { return i < operands.size() ? operands[i] : Constant{}; };
  const Constant a = operand(0), b = operand(1), c = operand(2);
  if (op == Op::Random) {
    std::vector<int64_t> words;
    for (const Constant& operand : operands) words.push_back(operand.integer);
    return {0, random_bits(words)};
  }
  if (op == Op::Select) return a.integer != 0 ? b : c;
  if (op == Op::Convert) return convert(type, from, a);
  if (is_comparison(op)) {
    return {0, is_float(from) ? evaluate_comparison(op, a.real, b.real)
                              : evaluate_comparison(op, a.integer, b.integer)};
  }
  if (type == Scalar::F32) return {in_type<float>(op, a, b, c), 0};
  if (type == Scalar::F64) return {in_type<double>(op, a, b, c), 0};
  const int bits = type == Scalar::Bool ? 64 : size_in_bytes(type) * 8;
  return known_integer(type, evaluate_integer(op, a.integer, b.integer, bits).value);
}

NodeId add_known(Graph& graph, Node node) {
  const auto* operation = std::get_if<Operation>(&node.kind);
  if (!operation || is_storage(node.type)) return graph.add(std::move(node));
  const auto known = [&](NodeId id) { return std::get_if<Constant>(&graph[id].kind); };
  const std::vector<NodeId>& operands = operation->operands;
  if (operation->op == Op::Select && known(operands[0])) {
    return known(operands[0])->integer != 0 ? operands[1] : operands[2];
  }
  if (operation->op == Op::And || operation->op == Op::Or) {
    // a known operand decides the result or equals the neutral element
    for (const size_t i : {size_t{0}, size_t{1}}) {
      if (!known(operands[i])) continue;
      const bool holds = known(operands[i])->integer != 0;
      return operands[holds == (operation->op == Op::Or) ? i : 1 - i];
    }
  }
  if (!std::all_of(operands.begin(), operands.end(), known)) return graph.add(std::move(node));
  std::vector<Constant> values;
  for (NodeId operand : operands) values.push_back(*known(operand));
  const Constant value = evaluate_known(operation->op, node.type, graph[operands[0]].type, values);
  if (std::isfinite(value.real)) node.kind = value;
  return graph.add(std::move(node));
}

std::vector<Constant> evaluate_on_params(const Graph& graph, const std::vector<int64_t>& integers,
                                         const std::vector<double>& reals) {
  std::vector<Constant> values;
  for (const Node& node : graph.nodes()) {
    Constant value;  // stays 0 for index, time, access and reduction: such a graph has none
    if (const auto* constant = std::get_if<Constant>(&node.kind)) value = *constant;
    if (const auto* param = std::get_if<ParamRef>(&node.kind)) {
      const auto id = static_cast<size_t>(param->param);
      value =
          is_float(node.type) ? known_real(node.type, reals.at(id)) : Constant{0, integers.at(id)};
    }
    if (const auto* operation = std::get_if<Operation>(&node.kind)) {
      std::vector<Constant> operands;
      for (NodeId id : operation->operands) operands.push_back(values[id]);
      const Scalar from = graph[operation->operands[0]].type;
      value = evaluate_known(operation->op, node.type, from, operands);
    }
    values.push_back(value);
  }
  return values;
}

}  // namespace stencil::ir
