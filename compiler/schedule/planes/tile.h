// Position of a block in a `planes` kernel: its tile and its chunk of planes.
#pragma once

#include "compiler/schedule/planes/context.h"

namespace stencil::schedule {

struct PlanesTile {
  // Defines the tile and chunk numbers of a block; appends the definitions to `body`.
  PlanesTile(const PlanesContext& context, const KernelOfSteps& kernel, Body& body);

  Expr blocks;       // number of blocks; I64
  Point origin;      // place of the tile's first thread; unused in the outermost dimension
  Point begin, end;  // the output box: first place, and one past the last
};

}  // namespace stencil::schedule
