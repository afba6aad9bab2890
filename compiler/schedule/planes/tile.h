// Where a block of a `planes` kernel is: a tile and a chunk of planes.
#pragma once

#include "compiler/schedule/planes/context.h"

namespace stencil::schedule {

struct PlanesTile {
  // Numbers the tiles and chunks; appends to `body` what defines those of a block.
  PlanesTile(const PlanesContext& context, const KernelOfSteps& kernel, Body& body);

  Expr blocks;       // how many; I64
  Point origin;      // place of the tile's first thread; nothing in the outermost dimension
  Point begin, end;  // what it writes: its first place, and the one after the last
};

}  // namespace stencil::schedule
