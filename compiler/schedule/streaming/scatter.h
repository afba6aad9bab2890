// The scatter form of a linear function: one partial sum per plane that it reads. Each plane is
// read once, when it arrives, and added to all results that it contributes to.
//
// When plane q has arrived, sum k holds the contribution of planes up to q to the results that read
// q as their k-th plane: sum k-1 of the previous plane plus the contribution of q. The result is
// the last but one sum plus the contribution of the newest plane. This reorders additions:
// --fp=fast only.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compiler/ir/program.h"

namespace stencil::schedule {

// Reads fields of the program at the arriving plane (offset 0; `last`: at its own offsets). Reads
// earlier sums as additional fields: sum k is field fields.size() + k.
struct PartialSum {
  std::shared_ptr<const ir::Graph> graph;
  ir::NodeId result = 0;
};
struct ScatterForm {
  std::vector<PartialSum> sums;
  PartialSum last;  // the function's result
};

// The scatter forms of a program's functions, built on first use.
class ScatterForms {
 public:
  explicit ScatterForms(const ir::Program& program)
      : program_(program), forms_(program.functions.size()) {}

  // Null unless the function has one piece, is a sum over two or more planes of accesses times
  // uniform coefficients, meets no boundary rule, and is the only writer of its field.
  const ScatterForm* of(size_t function);
  bool any();

 private:
  const ir::Program& program_;
  std::vector<std::optional<std::optional<ScatterForm>>> forms_;
};

}  // namespace stencil::schedule
