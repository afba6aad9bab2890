// Checks of sides with the rule `fixed`.
#include "compiler/sema/fixed_edges.h"

#include <unordered_set>

#include <fmt/format.h>

#include "compiler/ir/lower/fixed_edges.h"
#include "compiler/sema/prove.h"

namespace stencil::sema {

// The pieces that lowering makes of these points keep the present values of the targets.
void check_fixed_edges(Environment& env, const Targets& targets, const ir::Function& function) {
  const auto edges = known_boxes(
      env, ir::fixed_edges_left(env.program, env.facts, function, env.program.functions.size()),
      function.span, "the fixed edge points");
  if (!edges) return;
  const std::vector<std::string> unnamed(env.program.grid().ranges.size());
  for (const ir::Box& box : *edges) {
    ir::Graph scratch;
    AccessProver prover(env, box, env.program.grid(), unnamed, false);
    Elaborator elaborator(env, kStencilSite, scratch, &prover);
    if (!present(targets, elaborator, function.span).ok()) return;
    for (const ir::FieldId field : targets.fields) {
      if (!elaborator.edges_allow(field, function.span)) return;
    }
  }
}

void check_fixed_fields(Environment& env) {
  std::unordered_set<ir::FieldId> written;
  for (const ir::Function& function : env.program.functions) {
    written.insert(function.targets.begin(), function.targets.end());
  }
  for (size_t f = 0; f < env.program.fields.size(); ++f) {
    const ir::FieldId id = static_cast<int>(f);
    const ir::Field& field = env.program.fields[id];
    if (!field.fixed() || written.count(id)) continue;
    Diagnostic& error = env.report.error(
        "S092", field.span,
        fmt::format("'{}' has a fixed edge, but no stencil function writes it", field.name));
    error.expected = "a field that a stencil function writes";
    error.hint = "give the edge points their values by init, and use 'odd', 'mirror' or 'clamp'";
  }
}

}  // namespace stencil::sema
