// Converts between the state of a subdomain and the state of the whole grid.
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

// An allocated state of a subdomain with the params and step of `from`. R052.
Result<reference::State> empty_subdomain(const ir::Program& subdomain,
                                         const reference::State& from);

// The rows of the whole fields that a subdomain is responsible for. These are the rows that it
// owns. If several subdomains hold the same values (whole fields, or fields without the decomposed
// dimensions), one subdomain is responsible. `subdomain` and `shapes` must outlive the result.
// `shapes` is the whole state, which needs no storage.
RowsOf rows_of_subdomain(const ir::Program& whole, const decompose::Decomposition& decomposition,
                         int number, const reference::State& subdomain,
                         const reference::State& shapes);
// The points of these rows as a box in the subdomain's memory; may be empty. nullopt for a record,
// because its rows in a subdomain need not form a box.
std::optional<ir::Points> box_of_subdomain(const ir::Program& whole,
                                           const decompose::Decomposition& decomposition,
                                           int number, ir::FieldId field);
// All rows in the subdomain's memory, including ghost cells. Where fields wrap around, rows do not
// ascend.
RowsOf memory_of_subdomain(const ir::Program& whole, const decompose::Decomposition& decomposition,
                           const reference::State& subdomain, const reference::State& shapes);

// --- Start of a run. Fields stored in the whole state are copied from it. All others get the
// subdomain's own initial values and the contents of files.

bool is_stored(const reference::State& state, size_t field);

void fill_subdomain(const ir::Program& whole, const decompose::Decomposition& decomposition,
                    const reference::State& from, reference::State& subdomain);
// Fills the fields that are not `stored`. R010.
Status begin_subdomain(const ir::Program& whole, const decompose::Decomposition& decomposition,
                       const ir::Program& subdomain, const std::vector<bool>& stored,
                       const std::vector<FieldFile>& files, const reference::State& shapes,
                       reference::State& state);

// pack_subdomain() packs the values that fill_subdomain() copies: dense, by field, level,
// component. Its argument `subdomain` only gives shapes. unpack_subdomain() copies the values into
// the subdomain's state.
std::vector<std::byte> pack_subdomain(const ir::Program& whole,
                                      const decompose::Decomposition& decomposition,
                                      const reference::State& subdomain,
                                      const reference::State& from);
void unpack_subdomain(const std::vector<std::byte>& packed, const std::vector<bool>& stored,
                      reference::State& subdomain);
int64_t packed_bytes(const reference::State& subdomain, const std::vector<bool>& stored);

// --- From subdomains to the whole: the newest `levels[f]` levels of each field f, in the rows of
// one subdomain. The whole state needs storage for these levels and for sets of points.

// Allocates requested fields that have no storage.
void provide_storage(const ir::Program& whole, const std::vector<int>& levels,
                     reference::State& state);

void give_back(const ir::Program& whole, const reference::State& subdomain, const RowsOf& rows,
               const std::vector<int>& levels, reference::State& to);

// give_back() in two steps, through a message.
std::vector<std::byte> pack_owned(const ir::Program& whole, const reference::State& subdomain,
                                  const RowsOf& rows, const std::vector<int>& levels);
void unpack_owned(const ir::Program& whole, const decompose::Decomposition& decomposition,
                  int subdomain, const std::vector<std::byte>& packed,
                  const std::vector<int>& levels, reference::State& to);
int64_t owned_bytes(const ir::Program& whole, const decompose::Decomposition& decomposition,
                    int subdomain, const std::vector<int>& levels, const reference::State& shapes);

}  // namespace stencil::runtime
