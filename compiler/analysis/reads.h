// What stencil functions read, as boxes: the reach of accesses once boundary rules are applied, and
// what that makes of the box that is computed (Holewinski, Pouchet and Sadayappan, ICS'12, section
// 4.2).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "compiler/ir/program.h"

namespace stencil::analysis {

// How far a box reaches beyond the tile's output box (x0, l0), in grid points, in one dimension: it
// is [x0 - low, x0 + l0 - 1 + high], of length l0 + low + high.
struct Reach {
  int64_t low = 0, high = 0;
  friend bool operator==(const Reach&, const Reach&) = default;
};
using Margin = std::vector<Reach>;  // per dimension, outermost first

Margin hull(const Margin& a, const Margin& b);

// Points of the box that reaches so far beyond an output box of these lengths.
double points(const std::vector<int64_t>& lengths, const Margin& margin);

// What is needed besides.
void widen(std::optional<Margin>& needed, const Margin& by);

// The boundary rules of an access may lead to a point whose distance no tile can allow for, however
// near the offset: around a sub-grid that does not span the grid, or to the edge of a sub-grid that
// the region is not known to be near to (ir::Excess). Constants alone never are far.
bool lands_far(const ir::Program& program, const ir::Access& access);

// How far from its point an access may read in dimension d once its field's boundary rules are
// applied: between [-low, high]. A clamped access ends up between its own offset and the nearest
// point of the field, a mirrored one at most as far behind that point as the offset is before it,
// whatever rule holds at the far edge. Periodic ones keep their offset, for a tile holds images of
// the points on the far side. Says nothing of an access that lands far.
Reach reach_of(const ir::Field& field, const ir::Access& access, size_t d);

// The offsets at which a function reads one level of one field: the hull over all its accesses that
// do not land far.
struct Reads {
  ir::FieldId field;
  int level;
  std::vector<Reach> offsets;  // offsets lie in [-low, high]
  bool at_offset = false;      // some access may read another point than the one computed
  bool far = false;            // some access lands far
};

// All reads of a function's pieces but those of profiles and series, boundary rules applied
// (reach_of), one entry per field and level, ordered by field, then level.
std::vector<Reads> reads_of(const ir::Program& program, const ir::Function& function);

// Those of profiles and series, by the offsets as they are written: in the dimensions of the field.
std::vector<Reads> reads_in_place(const ir::Function& function);
// Adds what a graph's results depend on at points, as far as it is not there yet.
void add_reads_at_points(const ir::Graph& graph, const std::vector<ir::NodeId>& results,
                         std::vector<ir::Access>& to);

struct FarRead {
  size_t function;  // that reads, into Program::functions
  ir::FieldId field;
  Span span;  // of the access
};
// All accesses that land far (lands_far), function by function.
std::vector<FarRead> far_reads(const ir::Program& program);

// Dimensions in which a tile holds images of the points on the far side of the grid instead of
// applying the rule of a periodic field: those in which a field that is periodic there, and spans
// the grid, is read across its edge. `written_only`: fields that nobody writes do not count, for
// they are read from memory.
std::vector<bool> image_dimensions(const ir::Program& program, bool written_only);

// What is read where `computed` is computed.
Margin reached(const Margin& computed, const Reads& reads);

}  // namespace stencil::analysis
