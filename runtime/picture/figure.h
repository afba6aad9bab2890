// Figures of fields with title, axes and colour bar.
#pragma once

#include <string>
#include <vector>

#include "compiler/support/scalar.h"
#include "runtime/picture/image.h"

namespace stencil::runtime {

struct Labels {
  std::string title;
  int64_t title_room = 0;          // pixels kept for titles of other frames of an animation
  std::vector<std::string> notes;  // small text under the title, several notes per line
  std::string across, down;        // names of the axes
  bool indices = false;            // axes count points: integer marks only
  Scalar type = Scalar::F64;       // of the values
};

// An image, and the rectangle of it that shows data.
struct Figure {
  Image image;
  int64_t x = 0, y = 0, width = 0, height = 0;
};

}  // namespace stencil::runtime
