// What the ranks of a run must agree on before they exchange data. Each rank has its own command
// line, so ranks may have read different programs.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "runtime/devices/communicator.h"

namespace stencil::runtime {

// Version of stencilc, --real, --fp, values of integer params, grid size and program hash as text,
// one per line.
std::string identity_of(const ir::Program& program);

// R097 if a rank differs from rank 0, with that rank and the differences. `all`: by rank.
Status compare_identities(const std::vector<std::string>& all);

// Compares the identities of all ranks, with the same result on each. Collective.
Status check_identity(Communicator& ranks, const ir::Program& program);

}  // namespace stencil::runtime
