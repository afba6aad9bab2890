// Sides with the rule `fixed`: the edge point has a given value. The first function of a step that
// writes a component of a field also stores it at all edge points of these sides.
#pragma once

#include <vector>

#include "compiler/ir/boxes.h"
#include "compiler/ir/program.h"

namespace stencil::ir {

// The region of a piece without the edge points that are fixed in all targets, if these can be
// separated from it and other points are left. Semantic analysis proves the accesses of the piece
// only there. `facts` hold in every run.
Box without_fixed_edges(const Program& program, const std::vector<Affine>& facts,
                        const std::vector<FieldId>& targets, const Box& region);

// Boxes of fixed edge points that `function` must store although no piece of it does: it is the
// first function to write a component of the field. `earlier`: the number of functions before it.
BoxesLeft fixed_edges_left(const Program& program, const std::vector<Affine>& facts,
                           const Function& function, size_t earlier);

// The pass: pieces lose the edge points that can be separated from them, so that no neighbour in
// the interior needs a select. Edge points that no piece contains become pieces, which keep the
// present values. lower_boundaries() stores the values of the rules in both.
Program split_fixed_edges(const Program& program);

}  // namespace stencil::ir
