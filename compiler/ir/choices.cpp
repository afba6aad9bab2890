// Names the operands of selections that are computed per point. The emitter writes a named node as
// a statement of its own before its use, so naming is enough to turn a branch into a select
// instruction (choices.h has the reasons). The pass adds names only: nodes, their order and their
// values stay the same. Operands that are computed once for all points (uniform.h) are outside the
// loop already.
#include "compiler/ir/choices.h"

#include "compiler/ir/uniform.h"

namespace stencil::ir {

Program with_named_choices(const Program& program) {
  Program out = program;
  for (Function& function : out.functions) {
    for (Piece& piece : function.pieces) {
      const Uniformity kinds = uniformity(piece.graph);
      for (NodeId id = 0; id < piece.graph.size(); ++id) {
        const auto* operation = std::get_if<Operation>(&piece.graph[id].kind);
        if (!operation || operation->op != Op::Select) continue;
        for (const size_t operand : {size_t{1}, size_t{2}}) {
          const NodeId chosen = operation->operands[operand];
          const bool computed = std::holds_alternative<Operation>(piece.graph[chosen].kind);
          if (computed && !kinds.computed_once(piece.graph, chosen)) {
            piece.graph.name(chosen, "chosen");
          }
        }
      }
    }
  }
  return out;
}

}  // namespace stencil::ir
