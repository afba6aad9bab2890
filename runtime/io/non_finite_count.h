// Counts NaN and infinities among values in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "compiler/support/scalar.h"

namespace stencil::runtime {

struct NonFiniteCount {
  int64_t nans = 0, infinities = 0;
  int64_t first = -1;  // position of the first such value; -1: none

  void add(const NonFiniteCount& other) {
    nans += other.nans;
    infinities += other.infinities;
    if (other.first >= 0) first = first < 0 ? other.first : std::min(first, other.first);
  }
};

// The bits of infinity in a floating-point type. A value without its sign bit is finite if its bits
// are less, and NaN if they are greater.
uint64_t infinity_bits(Scalar type);

// Counts NaN and infinities among `count` values of a type. Integers have none.
NonFiniteCount count_values(Scalar type, const std::byte* memory, int64_t count);

}  // namespace stencil::runtime
