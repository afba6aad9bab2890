// A box program is the program of one process. The process owns a box of the grid and a halo around
// it, which other processes fill in. The box is known only at run time: its bounds are params of
// the program, and the bounds of fields and regions derive from them. Otherwise it is an ordinary
// program. It is the symbolic counterpart of the program of a subdomain (restrict.h).
//
//   params = those of the whole program, box_low_* box_high_* (the box), derived bounds
//
//          box
//   ..|.......................|..
//   memory: box and halo, clipped to the grid; regions: points that can be computed from memory
//
// Values in the halo become outdated from the outside inwards. Where memory ends with the grid, the
// boundary conditions hold. Elsewhere, regions end early enough that no access leaves the memory.
#pragma once

#include <optional>
#include <vector>

#include "compiler/analysis/reads.h"
#include "compiler/decompose/decomposition.h"
#include "compiler/ir/program.h"
#include "compiler/support/diagnostic.h"

namespace stencil::decompose {

struct BoxProgram {
  ir::Program program;
  ir::Box whole;  // the whole grid
  // The first param of the box. These params are the low and high bound in each dimension,
  // outermost first; derived ones follow.
  ir::ParamId first = 0;
  int64_t steps = 1;       // between two exchanges, at most
  analysis::Margin depth;  // of the halo, which ends at the edge of the grid unless `wraps[d]`
  std::vector<bool> wraps;
  // The values that an exchange must fill in around the box. Coefficients are not included, because
  // they do not change.
  std::vector<Need> needs;
  // Reductions of the whole program that box programs do not evaluate; no step depends on them.
  std::vector<std::string> left_out;
};

constexpr int64_t kMostBoxSteps = 1 << 16;

// `program` may have open sizes. Errors: L033 with the construct that prevents boxes and its place;
// L034 if the halo is deeper than a periodic grid, or if `steps` (at least 1) exceeds
// kMostBoxSteps.
std::optional<BoxProgram> box_program(const ir::Program& program, int64_t steps,
                                      Diagnostics& diagnostics);

}  // namespace stencil::decompose
