// Forms fused multiply-adds by one deterministic rule (docs/reference/language.md, "Floating
// point").
//
// Whether a target fuses a*b + c changes the last bit of the result. Under --fp=contract the
// compiler therefore decides once, here, before the paths of the interpreter and the schedules
// separate. Afterwards no addition has a product as an operand. A target compiler that may contract
// (nvcc by default) finds nothing left to contract and cannot change the bits.
#include <optional>

#include "compiler/ir/passes.h"
#include "compiler/ir/rewrite.h"

namespace stencil::ir {

namespace {

NodeId negate(Graph& graph, NodeId id) {
  const Node& node = graph[id];
  if (const auto* constant = std::get_if<Constant>(&node.kind)) {
    Node negated{Constant{-constant->real, 0}, node.type, node.span, ""};
    return graph.add(std::move(negated));
  }
  if (const auto* operation = std::get_if<Operation>(&node.kind)) {
    if (operation->op == Op::Neg) return operation->operands[0];
  }
  return graph.add({Operation{Op::Neg, {id}}, node.type, node.span, ""});
}

struct Product {
  NodeId left, right;
  bool negated;
};

std::optional<Product> as_product(const Graph& graph, NodeId id) {
  const auto* operation = std::get_if<Operation>(&graph[id].kind);
  if (!operation) return std::nullopt;
  if (operation->op == Op::Mul) {
    return Product{operation->operands[0], operation->operands[1], false};
  }
  if (operation->op == Op::Neg) {
    auto product = as_product(graph, operation->operands[0]);
    if (product) product->negated = !product->negated;
    return product;
  }
  return std::nullopt;
}

NodeId fuse(Graph& graph, const Product& product, bool negate_product, NodeId addend,
            const Node& sum) {
  const bool negated = product.negated != negate_product;
  const NodeId left = negated ? negate(graph, product.left) : product.left;
  return graph.add({Operation{Op::Fma, {left, product.right, addend}}, sum.type, sum.span, ""});
}

NodeId contract_node(Graph& graph, Node node) {
  const auto* operation = std::get_if<Operation>(&node.kind);
  const bool is_sum = operation && (operation->op == Op::Add || operation->op == Op::Sub);
  if (!is_sum || !is_float(node.type)) return graph.add(std::move(node));
  const bool subtract = operation->op == Op::Sub;
  const NodeId left = operation->operands[0];
  const NodeId right = operation->operands[1];
  if (auto product = as_product(graph, left)) {
    return fuse(graph, *product, false, subtract ? negate(graph, right) : right, node);
  }
  if (auto product = as_product(graph, right)) return fuse(graph, *product, subtract, left, node);
  return graph.add(std::move(node));
}

}  // namespace

Program contract_products(const Program& program) {
  return rewrite_graphs(program, contract_node);
}

}  // namespace stencil::ir
