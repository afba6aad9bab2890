// Graphs as expressions of the language (write.cpp).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/support/diagnostic.h"

namespace stencil::ir {

// The names of the written program, and what all expressions share.
class WrittenNames {
 public:
  WrittenNames(const Program& program, Diagnostics& diagnostics);

  const Program& program;
  Diagnostics& diagnostics;

  // `wanted` if no other declaration or value has this name, else a new name.
  std::string fresh(const std::string& wanted);
  // A param as it is written: its name; for a quotient in bounds (N/2) the quotient.
  std::string param(ParamId id) const;
  std::string affine(const Affine& affine) const;
  // True for a param that semantic analysis makes of a quotient in bounds.
  bool is_quotient(ParamId id) const { return quotients_.count(id) != 0; }
  // The values of reductions before the first step, which stand at their uses in the IR.
  std::map<ReductionId, std::string> initial = {};

 private:
  std::set<std::string> taken_;
  std::map<ParamId, std::string> quotients_;
};

// The place of a graph in the step. It decides whether a reduction is read above its own place.
struct ReaderPlace {
  std::optional<size_t> function = {};
  std::optional<ReductionId> reduction = {};
  bool above(const Program& program, ReductionId read) const;
};

class ExpressionWriter {
 public:
  // `indices`: names of the dimensions. `lets`: values that are used several times become lets,
  // which the caller writes before the expressions.
  ExpressionWriter(WrittenNames& names, const Graph& graph, const std::vector<NodeId>& roots,
                   std::vector<std::string> indices, ReaderPlace place, bool lets);

  // In the type of the node, whatever the context is.
  std::string text(NodeId id);
  // As text(), but a constant is a literal. The context must have the type of the node.
  std::string operand(NodeId id, bool literal);
  // "name = value", in the order in which they can be declared.
  const std::vector<std::string>& lets() const { return let_texts_; }
  // The number of nodes if expressions are written out without lets.
  double size() const { return size_; }

 private:
  std::string body(NodeId id);
  std::string operation(const Node& node, const Operation& operation);
  std::string access(const Node& node, const Access& access);
  const Operation* random_bits(const Operation& product) const;
  std::string random_argument(NodeId id);
  std::optional<std::string> earlier_value(const Operation& select);

  WrittenNames& names_;
  const Graph& graph_;
  std::vector<std::string> indices_;
  ReaderPlace place_;
  std::vector<std::string> let_names_;  // by NodeId; "": written where it is used
  std::vector<std::string> let_texts_;
  double size_ = 0;
};

// A constant as text that has its type in every context, or as a literal.
std::string write_constant(const Constant& constant, Scalar type, bool literal);

}  // namespace stencil::ir
