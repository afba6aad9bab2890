// The scatter form of a linear function: one partial sum per plane it reads, so that every plane is
// read once, when it arrives, and given to all results it belongs to.
//
// Sum k holds, when plane q of the streamed dimension has arrived, what planes up to q give to the
// results that read q as their k-th plane: sum k-1 of the plane before, plus what q gives. The
// result is the last sum but one plus what the newest plane gives. Reorders additions: --fp=fast
// only.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compiler/ir/program.h"

namespace stencil::schedule {

// Reads fields of the program at the plane that arrives (offset 0; the last: at its own offsets),
// and earlier sums as fields beyond the program's: sum k is field fields.size() + k.
struct PartialSum {
  std::shared_ptr<const ir::Graph> graph;
  ir::NodeId result = 0;
};
struct ScatterForm {
  std::vector<PartialSum> sums;
  PartialSum last;  // the function's result
};

// The forms of a program's functions, made when first asked for.
class ScatterForms {
 public:
  explicit ScatterForms(const ir::Program& program)
      : program_(program), forms_(program.functions.size()) {}

  // Null if the function has none: it has one piece, a sum of accesses times uniform coefficients
  // over two planes or more, meets no boundary rule, and alone writes its field.
  const ScatterForm* of(size_t function);
  bool any();

 private:
  const ir::Program& program_;
  std::vector<std::optional<std::optional<ScatterForm>>> forms_;
};

}  // namespace stencil::schedule
