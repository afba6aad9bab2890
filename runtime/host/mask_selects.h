// A pass against an endless loop in LLVM's instruction selection.
#pragma once

#include <llvm/Passes/PassBuilder.h>

namespace stencil::host {

// Makes the optimisation pipeline end with a pass that removes choices between two constant vectors
// of booleans by one boolean, `select i1 %c, <8 x i1> <...>, <8 x i1> zeroinitializer`. The
// vectoriser makes them from a condition that is the same for all points of a row and a condition
// on the point, as the guards of regions are. For AVX-512, LLVM's DAG combiner (seen in 19) never
// ends if one access has the mask `not m and n` and another one `m or n`, where m and n are such
// choices. With a vector condition, which is what the pass writes, it ends.
void end_with_vector_conditions(llvm::PassBuilder& builder);

}  // namespace stencil::host
