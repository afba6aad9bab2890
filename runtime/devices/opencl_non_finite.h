// Counting NaN and infinities with OpenCL: the kernel's text, and the evaluation of its results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/io/non_finite_count.h"

namespace stencil::runtime {

constexpr const char* kNonFiniteKernel = "stencilc_non_finite";
constexpr size_t kNonFiniteGroups = 256, kNonFiniteItems = 64;  // work-groups; work-items per group

// `element`: bytes per element, 2, 4 or 8. Kernel arguments: the memory; as ulong: first element,
// number of rows, elements per row, elements between rows, position of the first value, bits of
// infinity; and an array with three ulong per work-item, to which the kernel adds.
std::string non_finite_source(int element);

// Adds up the counts of all work-items. `found` is the array that the kernel filled: per work-item
// the number of NaN, the number of infinities, and the first position plus one (0: none).
NonFiniteCount sum_of_items(const std::vector<uint64_t>& found);

}  // namespace stencil::runtime
