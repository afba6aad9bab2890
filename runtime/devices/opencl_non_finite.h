// Counting NaN and infinities with OpenCL: the text of the kernel, and what its work-items found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/io/non_finite_count.h"

namespace stencil::runtime {

constexpr const char* kNonFiniteKernel = "stencilc_non_finite";
constexpr size_t kNonFiniteGroups = 256, kNonFiniteItems = 64;  // work-groups; work-items of each

// `element`: the size of an element in bytes, 2, 4 or 8. Arguments: memory, and as ulong the first
// element, rows, elements of a row, elements from row to row, the position of the first value, and
// the bits of infinity; then an array of three ulong for each work-item, which it adds to.
std::string non_finite_source(int element);

// The array: how many NaN, how many infinities, and one more than the first position (0: none), by
// work-item.
NonFiniteCount sum_of_items(const std::vector<uint64_t>& found);

}  // namespace stencil::runtime
