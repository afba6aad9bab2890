#include "compiler/schedule/common/shapes.h"

#include <algorithm>

namespace stencil::schedule {

std::vector<Shape> shapes_of(int rank, const ShapeRules& rules) {
  std::vector<Shape> shapes = {Shape()};
  for (size_t axis = 0; axis < static_cast<size_t>(rank); ++axis) {
    std::vector<Shape> longer;
    for (const Shape& shape : shapes) {
      for (const int length : rules.lengths[std::min(axis, rules.lengths.size() - 1)]) {
        Shape with = shape;
        with[axis] = length;
        if (with.product() > rules.most || with.product(2) > rules.most_from_z) continue;
        longer.push_back(with);
      }
    }
    shapes = std::move(longer);
  }
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const Shape& a, const Shape& b) { return a.product() < b.product(); });
  return shapes;
}

}  // namespace stencil::schedule
