// Sides with the rule `fixed`: the edge point has a given value, which stencil functions and
// initial values store there.
#pragma once

#include <optional>
#include <vector>

#include "compiler/sema/targets.h"

namespace stencil::sema {

// The region without the edge points that are fixed in all targets, if these can be separated from
// it and other points are left.
ir::Box without_fixed_edges(Environment& env, const Targets& targets, const ir::Box& region);

// Boxes of fixed edge points that `function` must also write, because it is the first one to write
// a component of the field and none of its pieces contains them. nullopt after an error (S049).
std::optional<std::vector<ir::Box>> fixed_edges_left(Environment& env, const Targets& targets,
                                                     const ir::Function& function);

// S092 for fields with fixed sides that no stencil function writes.
void check_fixed_fields(Environment& env);

}  // namespace stencil::sema
