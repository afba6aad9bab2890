// Turns consecutive bodies that differ only in numbers into loops.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/kernel/kernel.h"

namespace stencil::kernel {

// The comment to write before items first .. last; may be empty.
using Title = std::function<std::string(size_t first, size_t last)>;

// Concatenates the items. Items that differ only in integers, each an affine function of the item's
// number, become one loop over `variable` (LoopKind::Steps). If the first and last items match only
// in part, one loop may still serve all, with a guard on the number around statements that only
// some items have. Definitions in an item are not visible to others.
//
// Unrolling the loops gives back the items, so everything that holds for the items still holds.
Body sequence(const std::string& variable, std::vector<Body> items, const Title& title = nullptr);

// The body with its loops of LoopKind::Steps unrolled. Branches whose conditions are then known are
// resolved.
Body written_out(const Body& body);

}  // namespace stencil::kernel
