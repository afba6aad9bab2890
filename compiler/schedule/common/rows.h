// Layout of an array's rows (contiguous points along x) in the memory that kernels use.
//
// 16-byte vectors, bulk copies and 32-byte sectors require aligned rows. If the row length is not a
// multiple of these, rows are padded by a few elements. See docs/design/data.md, "Rows in
// memory".
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/schedule/schedule.h"

namespace stencil::schedule {

// Tiles are cut at multiples of a unit, counted in x from the grid's low bound. The points at these
// multiples are aligned. A field on a sub-grid may start between two such points. Its rows then
// begin with unused elements, the lead.
struct RowLayout {
  int64_t unit = 0;       // elements; lead + points + padding is a multiple of it; 0: dense
  int64_t alignment = 1;  // bytes, a power of two up to 32: points whose distance from the grid's
                          // low bound is a multiple of it are aligned to it in every row
};
RowLayout lay_out_rows(const ir::Program& program, const ir::Field& field, Scalar type, Rows rows);

// One line of text per padded array: "A: 1001 points in 1008 elements". With a lead: "..., from
// element 3 on".
std::vector<std::string> describe_rows(const kernel::Module& module);

}  // namespace stencil::schedule
