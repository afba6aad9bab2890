// The absolute value of 64-bit integers, which std::abs does not define for the smallest one.
#pragma once

#include <cstdint>

namespace stencil {

// |value|, or INT64_MAX for INT64_MIN.
constexpr int64_t magnitude(int64_t value) {
  return value >= 0 ? value : value == INT64_MIN ? INT64_MAX : -value;
}

}  // namespace stencil
