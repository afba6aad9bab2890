// The part of a state that a file shows.
#pragma once

#include "compiler/ir/program.h"

namespace stencil::runtime {

// A field, or one component of it, at one level.
struct Selection {
  ir::FieldId field = 0;
  int level = 0;       // 0 is the newest
  int component = -1;  // -1: all components
  friend bool operator==(const Selection&, const Selection&) = default;
};

}  // namespace stencil::runtime
