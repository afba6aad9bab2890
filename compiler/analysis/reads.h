// What stencil functions read, as boxes: the reach of accesses after boundary rules are applied,
// and the box that must be available to compute a given box (Holewinski, Pouchet and Sadayappan,
// ICS'12, section 4.2).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "compiler/ir/program.h"

namespace stencil::analysis {

// How far a box extends beyond the tile's output box (x0, l0) in one dimension, in grid points: it
// is [x0 - low, x0 + l0 - 1 + high], of length l0 + low + high.
struct Reach {
  int64_t low = 0, high = 0;
  friend bool operator==(const Reach&, const Reach&) = default;
};
using Margin = std::vector<Reach>;  // per dimension, outermost first

Margin hull(const Margin& a, const Margin& b);

// Number of points of the box that extends by `margin` beyond an output box of these lengths.
double points(const std::vector<int64_t>& lengths, const Margin& margin);

// Widens `needed` to the hull of itself and `by`; nullopt becomes `by`.
void widen(std::optional<Margin>& needed, const Margin& by);

// True if boundary rules may move the access to a point at an unbounded distance, so that no tile
// holds it, even for small offsets. This happens around a sub-grid that does not span the grid, or
// at the edge of a sub-grid that is not known to be near the region (ir::Excess). An access that
// meets only constants never resolves outside the halo.
bool resolves_outside_halo(const ir::Program& program, const ir::Access& access);

// How far from its point an access may read in dimension d after boundary rules are applied: within
// [-low, high]. A clamped access resolves to a point between its own offset and the nearest point
// of the field. A mirrored access resolves at most to the mirror image of its offset about that
// nearest point, whatever rule holds at the far edge. Periodic accesses keep their offset, because
// a tile holds images of the points on the far side. Must not be called for an access that resolves
// outside the halo.
Reach reach_of(const ir::Field& field, const ir::Access& access, size_t d);

// The offsets at which a function reads one level of one field: the hull over all accesses that do
// not resolve outside the halo.
struct Reads {
  ir::FieldId field;
  int level;
  std::vector<Reach> offsets;  // offsets lie in [-low, high]
  bool at_offset = false;      // some access may read a point other than the computed one
  bool outside_halo = false;   // some access resolves outside the halo
};

// All reads of a function except those of profiles and series, with boundary rules applied
// (reach_of): one entry per field and level, ordered by field, then level.
std::vector<Reads> reads_of(const ir::Program& program, const ir::Function& function);

// Reads of profiles and series, with offsets as written, in the dimensions of the field.
std::vector<Reads> reads_in_place(const ir::Function& function);
// Appends the accesses at points that a graph's results depend on, without duplicates.
void add_reads_at_points(const ir::Graph& graph, const std::vector<ir::NodeId>& results,
                         std::vector<ir::Access>& to);

struct ReadOutsideHalo {
  size_t function;  // the reader, into Program::functions
  ir::FieldId field;
  Span span;  // of the access
};
// All accesses that resolve outside the halo (resolves_outside_halo), in the order of functions.
std::vector<ReadOutsideHalo> reads_outside_halo(const ir::Program& program);

// Dimensions in which a tile holds periodic images (points beyond the grid's edge that stand for
// points on the far side) instead of wrapping indices. In these dimensions, some access crosses the
// edge of a field that spans the grid and is periodic there. `written_only`: ignore fields that no
// function writes, because they are read from memory.
std::vector<bool> image_dimensions(const ir::Program& program, bool written_only);

// The margin that must be available to compute `computed` with these reads.
Margin reached(const Margin& computed, const Reads& reads);

}  // namespace stencil::analysis
