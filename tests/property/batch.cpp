// What the devices that run a batch have in common.
#include "tests/property/batch.h"

namespace stencil::property {

void run_loaded(const runtime::LoadedProgram& program, Item& item) {
  auto session = program.start(item.state);
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
