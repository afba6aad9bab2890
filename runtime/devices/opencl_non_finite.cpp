// Each work-item has its own counters, because OpenCL 1.2 does not guarantee 64-bit atomics; the
// host adds them up.
#include "runtime/devices/opencl_non_finite.h"

#include <fmt/format.h>

namespace stencil::runtime {

std::string non_finite_source(int element) {
  const char* const type = element == 2 ? "ushort" : element == 4 ? "uint" : "ulong";
  const char* const magnitude = element == 2   ? "0x7fff"
                                : element == 4 ? "0x7fffffffu"
                                               : "0x7ffffffffffffffful";
  return fmt::format(R"(
__kernel void {}(__global const {}* memory, ulong start, ulong rows, ulong length, ulong pitch,
                 ulong before, ulong infinity, __global ulong* found) {{
  ulong nans = 0, infinities = 0, first = 0;
  for (ulong row = get_group_id(0); row < rows; row += get_num_groups(0)) {{
    for (ulong column = get_local_id(0); column < length; column += get_local_size(0)) {{
      const ulong bits = memory[start + row * pitch + column] & {};
      if (bits < infinity) continue;
      const ulong position = before + row * length + column + 1;
      if (bits == infinity) ++infinities; else ++nans;
      if (first == 0 || position < first) first = position;
    }}
  }}
  if (first == 0) return;
  __global ulong* own = found + 3 * get_global_id(0);
  own[0] += nans;
  own[1] += infinities;
  if (own[2] == 0 || first < own[2]) own[2] = first;
}}
)",
                     kNonFiniteKernel, type, magnitude);
}

NonFiniteCount sum_of_items(const std::vector<uint64_t>& found) {
  NonFiniteCount out;
  for (size_t item = 0; item + 2 < found.size(); item += 3) {
    out.add({static_cast<int64_t>(found[item]), static_cast<int64_t>(found[item + 1]),
             static_cast<int64_t>(found[item + 2]) - 1});
  }
  return out;
}

}  // namespace stencil::runtime
