// What `auto` takes on a GPU whose compiler is at hand: of the best tiles by the model, the one
// that is best by the model and by its machine code (docs/model.md). Nothing runs.
#pragma once

#include <cstddef>
#include <optional>

#include "compiler/schedule/machine.h"
#include "runtime/run/run.h"

namespace stencil::tune {

// So many tiles are compared on a GPU: the best by the model is 0.92 of the best known, the best of
// these 0.98.
constexpr size_t kTilesCompared = 5;

// The line for this program on `machine`, with its origin. The choice is kept in the kernel cache,
// and so is what was compiled for it: without a cache, each call compiles all of them again. Fails
// as compile_candidates(), and with R042 if none compiles.
Result<runtime::KnownLine> compiled_choice(const ir::Program& program,
                                           const schedule::Machine& machine);

// True if kept_choice() is what such a run has compiled: the machine is a GPU of NVIDIA, and there
// is a kernel cache.
bool compiles_for_choice(const schedule::Machine& machine);

// The same for a run that is about to compile what is chosen. Nothing where there is no choice, or
// no kernel cache: then `auto` goes by the model alone.
std::optional<runtime::KnownLine> kept_choice(const ir::Program& program,
                                              const schedule::Machine& machine);

}  // namespace stencil::tune
