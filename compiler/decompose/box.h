// A box program: what a process does that has a box of the grid of its own, and around it a halo
// that others fill in. Which box that is, is a matter of run time: its bounds are params of the
// program, and so are those of fields and regions, which follow from them. Otherwise a box program
// is a program like others, as that of a part is (restrict.h), of which this is the symbolic kind.
//
//   params = those of the whole, box_low_* box_high_* (the box), what follows from these
//
//          box
//   ..|.......................|..
//   memory: box and halo, as far as the grid goes; regions: what can be computed from there
//
// Values in the halo grow old from its rim inwards. Where memory ends with the grid, its rules
// hold; where it does not, regions end early enough that no access meets one.
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
  ir::Box whole;  // the grid that boxes are of
  // The params of the box: its low and its high bound in each dimension, outermost first, two by
  // two; further ones follow from these.
  ir::ParamId first = 0;
  int64_t steps = 1;       // between two exchanges, at most
  analysis::Margin depth;  // of the halo; along dimensions that wrap around it is always there
  std::vector<bool> wraps;
  // What is read around the box: the patches that an exchange has to fill in. Coefficients are not
  // among them, for they stay as they are.
  std::vector<Need> needs;
  // Reductions of the whole that box programs do without, for no step depends on them.
  std::vector<std::string> left_out;
};

constexpr int64_t kMostBoxSteps = 1 << 16;

// Of a program at sizes or not. L033 with what stands against boxes and its place; L034 if the halo
// is deeper than a grid that wraps around, or `steps`, at least 1, are more than kMostBoxSteps.
std::optional<BoxProgram> box_program(const ir::Program& program, int64_t steps,
                                      Diagnostics& diagnostics);

}  // namespace stencil::decompose
