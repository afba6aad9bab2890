// Where the rows of an array, its points along x, lie in the memory that kernels use.
//
// Vectors of 16 bytes, bulk copies and whole sectors of 32 bytes ask for rows that start at
// multiples of these. Grids of other lengths get rows that lie a few elements further apart than
// they are long. docs/architecture.md, "Rows in memory", says why it is done so.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/schedule/schedule.h"

namespace stencil::schedule {

// What counts is where the points lie at which tiles are cut: those whose distance in x from the
// grid's low bound is a multiple of a unit. The first point of a field on a sub-grid may lie
// between them: its rows begin with elements that are no points, the lead.
struct RowLayout {
  int64_t unit = 0;       // elements: lead + points + rest of a row is a multiple; 0: dense
  int64_t alignment = 1;  // bytes, a power of two up to 32: points at a multiple of so many from
                          // the grid's low bound are known to lie at one in memory, in every row
};
RowLayout lay_out_rows(const ir::Program& program, const ir::Field& field, Scalar type, Rows rows);

// For people, one line per padded array: "A: 1001 points in 1008 elements". With a lead, "...,
// from element 3 on".
std::vector<std::string> describe_rows(const kernel::Module& module);

}  // namespace stencil::schedule
