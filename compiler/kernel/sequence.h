// Bodies that follow each other and are alike but for numbers, as loops.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/kernel/kernel.h"

namespace stencil::kernel {

// What to write ahead of items first .. last; may be empty.
using Title = std::function<std::string(size_t first, size_t last)>;

// The items one after the other. Items that differ only in integers which follow their number, each
// by as much from item to item, become one loop over `variable` (LoopKind::Steps). Where the first
// and the last are alike in parts, one loop may serve all: what only some of them do is guarded by
// the number. What an item defines is not seen by others.
//
// The loops written out again are the items, so whatever was true of these still is.
Body sequence(const std::string& variable, std::vector<Body> items, const Title& title = nullptr);

// A body with its loops of LoopKind::Steps written out, and branches on what is then known taken.
Body written_out(const Body& body);

}  // namespace stencil::kernel
