// What a thread that sweeps a column of planes computes when, and what it keeps from plane to
// plane.
//
// The expression of a point reads planes that arrive one after the other. A value that is computed
// of one plane alone, or of planes that have arrived, need not wait for the last of them: it is
// computed once, as its newest plane arrives, and kept until it is used. Values that differ in the
// plane alone are one value of different ages, so what the planes of a symmetric stencil have in
// common is computed once. Nothing is reordered: every operation has the operands that the program
// gives it, and the same bits come out.
//
//   column=registers  what is kept are operands (Vizitiu et al. 2014, section II.B.3)
//   column=partial    whatever is computed in floating point of operands: where the program sums
//                     plane by plane, partial sums (Krotkiewski and Dabrowski 2013, section 5)
#pragma once

#include <memory>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/schedule/schedule.h"

namespace stencil::schedule {

// An access to a field that has all dimensions of the grid: one that may be kept or shared.
bool is_operand(const ir::Program& program, const ir::Access& access);
// The access where no boundary rule is met: accesses that differ in that alone are one.
ir::Access without_rules(ir::Access access);

// A node of the front graph of which instances are used later, or by the pieces.
struct ColumnValue {
  ir::NodeId node = 0;  // in SweptColumn::front
  int ages = 0;         // instances kept besides the newest, one per plane
  int lookback = 0;     // planes ahead of the first point at which the first instance is needed
};

struct SweptColumn {
  struct Piece {
    std::shared_ptr<const ir::Graph> graph;
    std::vector<ir::NodeId> results;  // as those of the function's piece
  };
  // Computed for each plane p of points, ahead of the pieces. Its accesses are at the plane where
  // they are read first, p + offsets[0], and never escape; instances of values are accesses to
  // fields beyond the program's, value i to field fields.size() + i, whose level is the age.
  std::shared_ptr<const ir::Graph> front;
  std::vector<ColumnValue> values;
  std::vector<Piece> pieces;

  int lookback() const;  // of all values
  // The accesses to fields of the program that the front reads `before` planes ahead of the first
  // point, or at points (0).
  std::vector<ir::Access> reads(const ir::Program& program, int before) const;
};

// With Column::Cache the front is empty, and the pieces are those of the function.
SweptColumn sweep_column(const ir::Program& program, const ir::Function& function, Column column);

}  // namespace stencil::schedule
