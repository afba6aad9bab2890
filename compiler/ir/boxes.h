// Differences of boxes whose bounds depend on params.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/program.h"

namespace stencil::ir {

struct BoxesLeft {
  std::vector<Box> boxes;  // some may be empty in a run
  // Present if the shape of the rest depends on params: the box that could not be taken, and the
  // box that contains it.
  // `boxes` is then incomplete.
  struct Unclear {
    Box taken, whole;
  };
  std::optional<Unclear> unclear = {};
};

// Boxes that cover `whole` without `taken`. The boxes in `taken` must be disjoint. `facts` hold in
// every run.
BoxesLeft boxes_left(std::vector<Affine> facts, const Box& whole, const std::vector<Box>& taken);

}  // namespace stencil::ir
