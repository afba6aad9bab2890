// A kernel with its names resolved, for execution (trace_block.h): expressions are numbered by
// statement, equal ones once, and variables are places in a table.
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
  bool fixed = false;         // known when compiled: costs nothing
  bool accesses = false;      // loads from global or shared memory, or something below it does
};

struct Code;
using CodeBody = std::vector<Code>;
struct Code {
  const Statement* statement;
  std::vector<CodeNode> nodes;  // operands before what uses them
  // Of the expressions that stand in the statement: of a Let, If or wait for bulk copies the one
  // there is; of a For begin and end; of a Store the indices, then the value; of a Copy and each
  // move of a Shuffle the indices of `to`, then of `from`; of BulkCopies the batch, then for each
  // copy its origin and indices of `to`.
  std::vector<int> roots;
  int variable = -1;   // that it defines
  bool fixed = false;  // of an If: its condition; of a For: its bounds, and it is written out
  CodeBody body, otherwise;
};

struct KernelCode {
  const Kernel* kernel;
  CodeBody body;
  std::vector<std::vector<int>> extents;  // by buffer: roots into extent_code
  Code extent_code;
  int variables = 0;
  size_t most_nodes = 0;               // of a statement
  std::map<std::string, int> outside;  // variables that are defined outside: constants, scalars,
                                       // `block`, threads
};

KernelCode code_of(const Kernel& kernel, const std::vector<NamedConstant>& constants);

}  // namespace stencil::kernel::tracing
