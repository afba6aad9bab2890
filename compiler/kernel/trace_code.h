// A kernel with resolved names, ready for execution (trace_block.h). Expressions are numbered per
// statement, equal ones once, and variables are indices into a table.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/kernel/plan.h"

namespace stencil::kernel::tracing {

struct CodeNode {
  enum class Kind { Literal, Variable, Operation, Load };
  Kind kind = Kind::Literal;
  Op op = Op::Neg;
  Scalar type = Scalar::I32;
  int64_t literal = 0;
  int variable = 0;  // into Code::variables
  BufferId buffer = 0;
  std::vector<int> operands;  // of an operation, or the indices of a load; into Code::nodes
  bool fixed = false;         // known at compile time: costs nothing
  bool accesses = false;      // the node or an operand loads from global or shared memory
};

struct Code;
using CodeBody = std::vector<Code>;
struct Code {
  const Statement* statement;
  std::vector<CodeNode> nodes;  // operands before their users
  // The statement's expressions. Let, If, AwaitBulk: the only one. For: begin and end. Store:
  // indices, then the value. Copy and each move of a Shuffle: indices of `to`, then of `from`.
  // BulkCopies: the batch, then origin and indices of `to` of each copy.
  std::vector<int> roots;
  int variable = -1;   // the variable that it defines
  bool fixed = false;  // If: the condition is known; For: the bounds are known, and it is unrolled
  CodeBody body, otherwise;
};

struct KernelCode {
  const Kernel* kernel;
  CodeBody body;
  std::vector<std::vector<int>> extents;  // by buffer: its extents, as nodes of extent_code
  Code extent_code;
  int variables = 0;
  size_t most_nodes = 0;               // largest number of nodes in a statement
  std::map<std::string, int> outside;  // variables defined outside the body: constants, scalars,
                                       // `block`, threads
};

KernelCode code_of(const Kernel& kernel, const std::vector<NamedConstant>& constants);

}  // namespace stencil::kernel::tracing
