// Reassociation, for --fp=fast only: expressions in the form in which they cost least when a
// schedule computes neighbouring points together and streams along one dimension.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/linear_form.h"
#include "compiler/ir/program.h"

namespace stencil::ir {

// Rewrites every piece of every function:
//  - sums are flattened through Add, Sub, Neg and products with and quotients by uniform values;
//    like terms are collected, with coefficients computed in double and rounded once;
//  - they are written in the order of the planes of `stream_dimension`, the newest (largest offset)
//    last, with one multiplication for equal coefficients and partial sums that repeat from point
//    to point (write_sum);
//  - a / sqrt(b) becomes a * rsqrt(b);
//  - a difference of two accesses to one field whose sign its users absorb, as that of a square,
//    has the smaller offset first, so that the neighbour's is a translate.
// Values with several users stay shared. Integers, conversions, and everything that is not linear
// keep their operations. A piece that would need more operations stays as it is. Applied twice it
// gives what it gives once.
Program reassociate(const Program& program, int stream_dimension);

// The part of a sum that reads one plane.
struct PlaneSum {
  int offset;            // of its accesses in the dimension
  NodeId sum = kNoNode;  // into the graph; kNoNode if empty
  bool empty = false;    // no term: a plane between others
};
struct PlaneSplit {
  Graph graph;
  std::vector<PlaneSum> planes;  // from the lowest to the highest offset, without gaps
};

// The scatter form: a piece whose only result is a linear form of accesses with uniform
// coefficients, plus perhaps an addend free of accesses, as one sum per plane of `dimension`. The
// result is their sum. The addend belongs to plane 0 if that has terms, else to the lowest: plane 0
// has no mirror image that it would have to be equal to. Nothing if the piece is of another shape
// or reads fewer than two planes.
std::optional<PlaneSplit> split_by_plane(const Piece& piece, int dimension);

// Per plane, the index of the first plane whose sum is the same tree moved along `dimension` (its
// own if there is none before): computed for a plane of the field, it serves both. Empty planes
// stand for themselves.
std::vector<int> equal_planes(const PlaneSplit& split, int dimension);

}  // namespace stencil::ir
