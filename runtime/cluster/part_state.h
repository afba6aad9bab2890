// The state of a part and that of the whole.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/decompose/decomposition.h"
#include "compiler/reference/state.h"
#include "runtime/io/rows.h"
#include "stencil/result.h"

namespace stencil::runtime {

// A part's state with storage, at the params and the step of `from`. R052.
Result<reference::State> empty_part(const ir::Program& part, const reference::State& from);

// What a part has memory for, halos too, all levels of all fields, out of the whole state: dense,
// field by field, level by level, component by component.
std::vector<std::byte> pack_part(const ir::Program& whole,
                                 const decompose::Decomposition& decomposition,
                                 const reference::State& part, const reference::State& from);
// And into the part's state.
void unpack_part(const std::vector<std::byte>& packed, reference::State& part);

// What the part owns of the newest `levels[f]` levels of each field f that changes, out of its
// state, in the same order; and into the whole one.
std::vector<std::byte> pack_owned(const ir::Program& whole,
                                  const decompose::Decomposition& decomposition, int part,
                                  const reference::State& from, const std::vector<int>& levels);
void unpack_owned(const ir::Program& whole, const decompose::Decomposition& decomposition, int part,
                  const std::vector<std::byte>& packed, const std::vector<int>& levels,
                  reference::State& to);
// Of pack_owned().
int64_t owned_bytes(const ir::Program& whole, const decompose::Decomposition& decomposition,
                    int part, const std::vector<int>& levels);

// The rows of the whole fields that a part answers for: what it owns, and of fields that several
// parts have as a whole, or in some of their dimensions, one of them. `part` and `shapes`, the
// whole state, which needs no storage, must outlive what is returned.
RowsOf rows_of_part(const ir::Program& whole, const decompose::Decomposition& decomposition,
                    int number, const reference::State& part, const reference::State& shapes);

// Both at once, without a copy between.
void fill_part(const ir::Program& whole, const decompose::Decomposition& decomposition,
               const reference::State& from, reference::State& part);
void give_back(const ir::Program& whole, const decompose::Decomposition& decomposition, int part,
               const reference::State& from, const std::vector<int>& levels, reference::State& to);

}  // namespace stencil::runtime
