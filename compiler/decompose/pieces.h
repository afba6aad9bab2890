// Pieces of functions where a grid is cut: how far they read, and the same piece for images.
#pragma once

#include <functional>

#include "compiler/analysis/reads.h"
#include "compiler/ir/program.h"

namespace stencil::decompose {

// How far the values of a piece are read around its points.
analysis::Margin reach_of(const ir::Program& program, const ir::Piece& piece);

// What the piece gives is not the same wherever an image of the point lies along dimension d.
bool depends_on(const ir::Piece& piece, size_t d);

// Puts `there`, given the graph and the coordinate in dimension d, in the place of that coordinate.
void replace_index(ir::Piece& piece, size_t d,
                   const std::function<ir::NodeId(ir::Graph&, ir::NodeId)>& there);
// Reads of profiles and series that have dimension d are `shift` points further down, for they lie
// where they do in the whole grid.
void move_profiles(const ir::Program& program, ir::Piece& piece, size_t d, int64_t shift);
// There are any.
bool reads_profiles(const ir::Program& program, const ir::Piece& piece, size_t d);

// An operation, and an I32 literal, as nodes of a graph.
ir::NodeId add_operation(ir::Graph& graph, Op op, Scalar type, std::vector<ir::NodeId> operands);
ir::NodeId add_integer(ir::Graph& graph, int64_t value, Scalar type = Scalar::I32);
// The coordinate, of the grid or one period beyond, as it is within: from `low` to `high`.
ir::NodeId add_wrapped(ir::Graph& graph, ir::NodeId at, ir::NodeId low, ir::NodeId high,
                       ir::NodeId period);

}  // namespace stencil::decompose
