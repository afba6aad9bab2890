// Shapes as text and as numbers of points.
#include "compiler/support/shape.h"

#include <algorithm>

namespace stencil {

Shape::Shape(std::initializer_list<int> lengths) : Shape() {
  std::copy(lengths.begin(), lengths.end(), lengths_.begin());
}

int Shape::rank() const {
  int rank = kMaxRank;
  while (rank > 1 && lengths_[static_cast<size_t>(rank) - 1] == 1) --rank;
  return rank;
}

int64_t Shape::product(size_t first) const {
  constexpr int64_t kMost = int64_t{1} << 31;  // times a length: still a 64-bit integer
  int64_t points = 1;
  for (size_t axis = first; axis < kMaxRank; ++axis) {
    points = std::min(points * lengths_[axis], kMost);
  }
  return points;
}

std::string print(const Shape& shape, int rank) {
  std::string out = std::to_string(shape[0]);
  for (int axis = 1; axis < rank; ++axis) {
    out += "x" + std::to_string(shape[axis]);
  }
  return out;
}

}  // namespace stencil
