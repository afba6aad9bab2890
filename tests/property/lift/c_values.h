// Writes the graph of a piece as C expressions.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "tests/property/lift/c_program.h"

namespace stencil::property {

const char* c_type(Scalar type, bool cpp);
std::string c_literal(Scalar type, const ir::Constant& value);

class CValues {
 public:
  // `leaf` writes accesses, indices, params and the time. Both may throw Unsayable.
  using Leaf = std::function<std::string(const ir::Node&)>;
  CValues(const ir::Graph& graph, const std::vector<ir::NodeId>& results, bool cpp, Leaf leaf);

  // The declarations of the local variables that the results use, in order.
  const std::vector<std::string>& statements() const { return statements_; }
  std::string result(ir::NodeId id) { return text(id); }

 private:
  std::string text(ir::NodeId id);
  std::string written(ir::NodeId id);
  std::string operation(const ir::Node& node, const ir::Operation& operation);
  std::string convert(const ir::Node& node, ir::NodeId operand);
  std::string divided(const ir::Node& node, const ir::Operation& operation);
  bool nonzero(ir::NodeId id) const;

  const ir::Graph& graph_;
  bool cpp_;
  Leaf leaf_;
  std::map<ir::NodeId, std::string> names_;
  std::vector<std::string> statements_;
};

}  // namespace stencil::property
