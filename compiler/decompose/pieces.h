// Helpers for the pieces of stencil functions on a cut grid: how far a piece reads, and how to
// rewrite it for the periodic images of points.
#pragma once

#include <functional>

#include "compiler/analysis/reads.h"
#include "compiler/ir/program.h"

namespace stencil::decompose {

// True if the access reads a field on another grid than its own.
bool is_across(const ir::Program& program, const ir::Access& access);
bool reads_other_grids(const ir::Program& program, const ir::Piece& piece);

// How far the accesses of a piece to its own grid read around its points.
analysis::Margin reach_of(const ir::Program& program, const ir::Piece& piece);

// True if the piece may give different values at an image of a point along dimension d.
bool depends_on(const ir::Piece& piece, size_t d);

// Replaces the coordinate in dimension d by `there`(graph, coordinate).
void replace_index(ir::Piece& piece, size_t d,
                   const std::function<ir::NodeId(ir::Graph&, ir::NodeId)>& there);
// For a piece that moves up by `shift` points in dimension d: lowers the offsets of its reads of
// profiles and series, which do not move.
void move_profiles(const ir::Program& program, ir::Piece& piece, size_t d, int64_t shift);
// True if the piece reads profiles or series along dimension d.
bool reads_profiles(const ir::Program& program, const ir::Piece& piece, size_t d);

// An operation, and an integer literal, as nodes of a graph.
ir::NodeId add_operation(ir::Graph& graph, Op op, Scalar type, std::vector<ir::NodeId> operands);
ir::NodeId add_integer(ir::Graph& graph, int64_t value, Scalar type = Scalar::I32);
// Maps a coordinate into the grid, which extends from `low` to `high`. The coordinate lies in the
// grid or at most one period outside.
ir::NodeId add_wrapped(ir::Graph& graph, ir::NodeId at, ir::NodeId low, ir::NodeId high,
                       ir::NodeId period);

}  // namespace stencil::decompose
