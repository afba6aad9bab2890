// What the devices that run a batch have in common.
#include "tests/property/batch.h"

#include "runtime/cluster/decomposed.h"

namespace stencil::property {

std::vector<Piece> pieces_of(const Item& item) {
  if (!item.cut) return {{&item.program, &item.module}};
  std::vector<Piece> out;
  for (size_t p = 0; p < item.cut->parts.size(); ++p) {
    out.push_back({&item.cut->parts[p], &item.cut->modules[p]});
  }
  return out;
}

void run_loaded(std::vector<std::unique_ptr<runtime::LoadedProgram>> pieces, Item& item) {
  std::unique_ptr<runtime::LoadedProgram> program;
  if (item.cut) {
    program = runtime::assemble_parts(item.cut->whole, item.cut->decomposition, item.cut->parts,
                                      std::move(pieces));
  } else {
    program = std::move(pieces[0]);
  }
  auto session = program->start(item.state);
  if (!session.ok()) {
    item.problem = session.failure().message;
    return;
  }
  const auto ran = session.value()->advance(item.steps);
  if (!ran.ok()) {
    item.problem = ran.failure().message;
    return;
  }
  const auto finished = session.value()->finish();
  if (!finished.ok()) item.problem = finished.failure().message;
}

}  // namespace stencil::property
