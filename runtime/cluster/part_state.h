// The state of a part and that of the whole.
#pragma once

#include <vector>

#include "compiler/decompose/decomposition.h"
#include "compiler/reference/state.h"
#include "stencil/result.h"

namespace stencil::runtime {

// A part's state, with its fields, halos too, as the whole one has them. R052.
Result<reference::State> state_of_part(const ir::Program& whole, const ir::Program& part,
                                       const decompose::Decomposition& decomposition,
                                       const reference::State& from);

// Copies what the part owns of the newest `levels[f]` levels of each field f that changes.
void give_back(const ir::Program& whole, const decompose::Decomposition& decomposition, int part,
               const reference::State& from, const std::vector<int>& levels, reference::State& to);

}  // namespace stencil::runtime
