// Decides, for a thread that sweeps a column of planes, in which plane each value is computed and
// which values are kept between planes.
//
// The expression of a point reads planes that arrive one after another. A value that depends on
// some of the planes is computed once, as soon as its newest plane arrives, and kept until it is
// used. Values that differ only in the plane are the same value at different ages. So
// subexpressions that the planes of a symmetric stencil share are computed once. Nothing is
// reordered: every operation keeps its operands from the program, so results are bitwise identical.
//
//   column=registers  keeps operands (Vizitiu et al. 2014, section II.B.3)
//   column=partial    keeps any floating-point values computed from operands: partial sums, if the
//                     program sums plane by plane (Krotkiewski and Dabrowski 2013, section 5)
#pragma once

#include <memory>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/schedule/schedule.h"

namespace stencil::schedule {

// Whether the access is to a field with all dimensions of the grid. Only such accesses can be kept
// or shared.
bool is_operand(const ir::Program& program, const ir::Access& access);
// The access without boundary rules, so that accesses that differ only in boundary rules compare
// equal.
ir::Access without_rules(ir::Access access);

// A node of the front graph whose instances are used in later planes or by the pieces.
struct ColumnValue {
  ir::NodeId node = 0;  // in SweptColumn::front
  int ages = 0;         // instances kept besides the newest, one per plane
  int lookback = 0;     // planes before the first point at which the first instance is needed
};

struct SweptColumn {
  struct Piece {
    std::shared_ptr<const ir::Graph> graph;
    std::vector<ir::NodeId> results;  // in the order of the original piece's results
  };
  // Computed for each plane p of points, before the pieces. Its accesses are at the plane of their
  // first use, p + offsets[0], and meet no boundary rule. Instances of values are accesses to
  // additional fields: value i is field fields.size() + i, with the age as level.
  std::shared_ptr<const ir::Graph> front;
  std::vector<ColumnValue> values;
  std::vector<Piece> pieces;

  int lookback() const;  // maximum over all values
  // The front's accesses to fields of the program that are needed in the plane `before` planes
  // ahead of the first point. `before` is 0 for planes of points.
  std::vector<ir::Access> reads(const ir::Program& program, int before) const;
};

// With Column::Cache the front is empty and the pieces are those of the function.
SweptColumn sweep_column(const ir::Program& program, const ir::Function& function, Column column);

}  // namespace stencil::schedule
