// What the ranks of a run have to agree on before they exchange anything. Ranks are started with
// command lines of their own, so they may have read different programs.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "runtime/devices/communicator.h"

namespace stencil::runtime {

// The version of stencilc, --real, --fp, the values of integer params, the size of the grid and the
// program, as text: a line for each.
std::string identity_of(const ir::Program& program);

// R097 if some rank differs from rank 0; the message says which one, and in what. `all`: by rank.
Status compare_identities(const std::vector<std::string>& all);

// Compares those of all ranks, with the same result on every rank. All ranks call it together.
Status check_identity(Communicator& ranks, const ir::Program& program);

}  // namespace stencil::runtime
