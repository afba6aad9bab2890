// What `auto` takes on a GPU whose compiler is at hand: of the best tiles by the model, the one
// that is best by the model and by its machine code (docs/model.md). Nothing runs.
#pragma once

#include <optional>

#include "runtime/run/run.h"

namespace stencil::tune {

// The line for this program on `machine`, with its origin. The choice is kept in the kernel cache,
// and so is what was compiled for it. Nothing where machines are no GPUs of NVIDIA, NVRTC is not
// installed, there is no kernel cache (each run would compile all of them again) or only one tile
// to choose: then `auto` goes by the model alone.
std::optional<runtime::KnownLine> compiled_choice(const ir::Program& program,
                                                  const schedule::Machine& machine);

}  // namespace stencil::tune
