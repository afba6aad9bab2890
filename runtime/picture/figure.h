// Pictures of fields with what makes them legible: a title, axes, a colour bar.
#pragma once

#include <string>
#include <vector>

#include "compiler/support/scalar.h"
#include "runtime/picture/image.h"

namespace stencil::runtime {

struct Labels {
  std::string title;
  std::vector<std::string>
      notes;                  // in smaller letters below, as many on a line as there is room for
  std::string across, down;   // names of the axes
  bool indices = false;       // axes count points: marks stand at integers only
  Scalar type = Scalar::F64;  // of the values
};

// An image and the pixels of it that show data.
struct Figure {
  Image image;
  int64_t x = 0, y = 0, width = 0, height = 0;
};

}  // namespace stencil::runtime
