// Reassociation, for --fp=fast only: rewrites expressions into the form that is cheapest for a
// schedule that computes neighbouring points together and streams along one dimension.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/linear_form.h"
#include "compiler/ir/program.h"

namespace stencil::ir {

// Rewrites every piece of every function:
//   - Sums are flattened through Add, Sub, Neg, multiplication by uniform values and division by
//     uniform values. Like terms are combined; coefficients are computed in double and rounded
//     once.
//   - Sums are written in the order of the planes of `stream_dimension`, the newest plane (largest
//     offset) last. Equal coefficients share one multiplication, and partial sums repeat from point
//     to point (write_sum).
//   - a / sqrt(b) becomes a * rsqrt(b).
//   - A difference of two accesses to one field whose users absorb its sign (such as a square) puts
//     the smaller offset first, so that the neighbour's difference is a translate.
// Values with several users stay shared. Integers, conversions and everything non-linear keep their
// operations. A piece that would need more operations is left unchanged. The pass is idempotent.
Program reassociate(const Program& program, int stream_dimension);

// The part of a sum that reads one plane.
struct PlaneSum {
  int offset;            // offset of its accesses in the dimension
  NodeId sum = kNoNode;  // into the graph; kNoNode if empty
  bool empty = false;    // no term reads this plane, which lies between others
};
struct PlaneSplit {
  Graph graph;
  std::vector<PlaneSum> planes;  // from the lowest to the highest offset, without gaps
};

// The scatter form: writes a piece as one sum per plane of `dimension`, whose total is the result.
// The piece must have one result, a linear form of accesses with uniform coefficients plus optional
// addends without accesses. The addends go to plane 0 if that has terms, otherwise to the lowest
// plane. An addend makes the sum of a plane differ from that of the mirror-image plane
// (equal_planes), and plane 0 has no mirror image. nullopt if the piece has another shape or reads
// fewer than two planes.
std::optional<PlaneSplit> split_by_plane(const Piece& piece, int dimension);

// Per plane: the index of the first plane whose sum is the same tree, shifted along `dimension`
// (its own index if there is none). A sum that is computed once for a plane of the field serves all
// of these. Empty planes map to themselves.
std::vector<int> equal_planes(const PlaneSplit& split, int dimension);

}  // namespace stencil::ir
