// Replaces lift.cpp in builds with STENCIL_LIFT=OFF.
#include "compiler/support/source.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"

namespace stencil::tool {

namespace {

Failure refusal() {
  return {"U042", "this stencilc was built without the lifter",
          "cmake --preset release && cmake --build --preset release"};
}

}  // namespace

Result<Source> read_c_program(const Arguments&) {
  return refusal();
}

int lift_command(const Arguments&) {
  return report(refusal());
}

}  // namespace stencil::tool
