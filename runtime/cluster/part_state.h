// The state of a part and that of the whole.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "compiler/decompose/decomposition.h"
#include "compiler/reference/state.h"
#include "runtime/io/field_files.h"
#include "runtime/io/rows.h"
#include "stencil/result.h"

namespace stencil::runtime {

// A part's state with storage, at the params and the step of `from`. R052.
Result<reference::State> empty_part(const ir::Program& part, const reference::State& from);

// The rows of the whole fields that a part answers for: what it owns, and of fields that several
// parts have as a whole, or in some of their dimensions, one of them. `part` and `shapes`, the
// whole state, which needs no storage, must outlive what is returned.
RowsOf rows_of_part(const ir::Program& whole, const decompose::Decomposition& decomposition,
                    int number, const reference::State& part, const reference::State& shapes);
// The points of these rows as a box in the part's memory, which may be empty. Nothing for a record:
// a part holds only some of its rows.
std::optional<ir::Points> box_of_part(const ir::Program& whole,
                                      const decompose::Decomposition& decomposition, int number,
                                      ir::FieldId field);
// All that the part has memory for, halos too; rows do not ascend where fields wrap around.
RowsOf memory_of_part(const ir::Program& whole, const decompose::Decomposition& decomposition,
                      const reference::State& part, const reference::State& shapes);

// --- Where parts begin. What the whole state has no storage for begins with the part's own initial
// values and with what files have, all else with what the state has.

bool is_stored(const reference::State& state, size_t field);

void fill_part(const ir::Program& whole, const decompose::Decomposition& decomposition,
               const reference::State& from, reference::State& part);
// Fields that are not `stored`. R010.
Status begin_part(const ir::Program& whole, const decompose::Decomposition& decomposition,
                  const ir::Program& part, const std::vector<bool>& stored,
                  const std::vector<FieldFile>& files, const reference::State& shapes,
                  reference::State& state);

// What fill_part() copies, dense, field by field, level by level, component by component; and into
// the part's state. `part` of the first: its shapes.
std::vector<std::byte> pack_part(const ir::Program& whole,
                                 const decompose::Decomposition& decomposition,
                                 const reference::State& part, const reference::State& from);
void unpack_part(const std::vector<std::byte>& packed, const std::vector<bool>& stored,
                 reference::State& part);
int64_t packed_bytes(const reference::State& part, const std::vector<bool>& stored);

// --- And back: of the newest `levels[f]` levels of each field f the rows of a part. The whole
// state needs storage for these levels, and for sets of points.

// Storage for the fields that are asked for and have none.
void provide_storage(const ir::Program& whole, const std::vector<int>& levels,
                     reference::State& state);

void give_back(const ir::Program& whole, const reference::State& part, const RowsOf& rows,
               const std::vector<int>& levels, reference::State& to);

// The same by way of a message.
std::vector<std::byte> pack_owned(const ir::Program& whole, const reference::State& part,
                                  const RowsOf& rows, const std::vector<int>& levels);
void unpack_owned(const ir::Program& whole, const decompose::Decomposition& decomposition, int part,
                  const std::vector<std::byte>& packed, const std::vector<int>& levels,
                  reference::State& to);
int64_t owned_bytes(const ir::Program& whole, const decompose::Decomposition& decomposition,
                    int part, const std::vector<int>& levels, const reference::State& shapes);

}  // namespace stencil::runtime
