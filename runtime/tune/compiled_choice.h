// The choice of `auto` on a GPU if NVRTC is available: among the model's best tiles, the one that
// is best when the model uses its machine code (docs/design/model.md). Nothing is executed.
#pragma once

#include <cstddef>
#include <optional>

#include "compiler/schedule/machine.h"
#include "runtime/run/run.h"

namespace stencil::tune {

// Number of tiles compared on a GPU. The model's first choice reaches 0.92 of the best known
// performance, the best of these tiles 0.98.
constexpr size_t kTilesCompared = 5;

// The line for this program on `machine`, with its origin. The choice and the compiled kernels are
// stored in the kernel cache; without a cache each call compiles all of them again. Fails as
// compile_candidates(), and with R042 if none compiles.
Result<runtime::KnownLine> compiled_choice(const ir::Program& program,
                                           const schedule::Machine& machine);

// Whether kept_choice() can make a choice: the machine is an NVIDIA GPU, and there is a kernel
// cache.
bool compiles_for_choice(const schedule::Machine& machine);

// Like compiled_choice(), for a run that will compile the chosen kernels. nullopt if no choice can
// be made or there is no kernel cache; then `auto` uses only the model.
std::optional<runtime::KnownLine> kept_choice(const ir::Program& program,
                                              const schedule::Machine& machine);

// The choice that kept_choice() has stored, if any; compiles nothing.
std::optional<runtime::KnownLine> stored_choice(const ir::Program& program,
                                                const schedule::Machine& machine);

}  // namespace stencil::tune
