// Lengths of a small box, one per dimension: the threads of a block, the points of a thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace stencil {

constexpr int kMaxRank = 8;  // dimensions of a grid

// Names of the dimensions, starting with x, which is contiguous in memory. `t` is reserved for
// time.
constexpr std::array<const char*, kMaxRank> kAxes = {"x", "y", "z", "w", "v", "u", "s", "r"};

// Given x first; omitted dimensions have length 1.
class Shape {
 public:
  Shape() { lengths_.fill(1); }
  Shape(std::initializer_list<int> lengths);  // at most kMaxRank

  int& operator[](size_t axis) { return lengths_[axis]; }
  int operator[](size_t axis) const { return lengths_[axis]; }
  int rank() const;  // dimensions up to the last one longer than 1; at least 1
  // Product over the dimensions from `first` on; saturates far above the size of any valid shape.
  int64_t product(size_t first = 0) const;
  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::array<int, kMaxRank> lengths_;
};

// The first `rank` lengths: "32x8x1".
std::string print(const Shape& shape, int rank);

}  // namespace stencil
