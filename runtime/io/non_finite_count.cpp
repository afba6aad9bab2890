// A value is NaN or infinite if and only if all its exponent bits are set. Blocks of values are
// tested by a branch-free loop that vectorises; only blocks with such a value are counted one by
// one.
#include "runtime/io/non_finite_count.h"

#include <mutex>

#include "compiler/support/threads.h"

namespace stencil::runtime {

namespace {

constexpr int64_t kBlock = 1024;
constexpr int64_t kValuesAtOnce = int64_t{1} << 20;  // per thread

template <class Bits>
bool any_in(const Bits* values, int64_t count, Bits exponent) {
  Bits any = 0;
  for (int64_t i = 0; i < count; ++i) any |= (values[i] & exponent) == exponent;
  return any != 0;
}

template <class Bits>
NonFiniteCount count_in(const Bits* values, int64_t begin, int64_t end, Bits exponent,
                        Bits magnitude) {
  NonFiniteCount out;
  for (int64_t block = begin; block < end; block += kBlock) {
    const int64_t block_end = std::min(block + kBlock, end);
    if (!any_in(values + block, block_end - block, exponent)) continue;
    for (int64_t i = block; i < block_end; ++i) {
      const auto bits = static_cast<Bits>(values[i] & magnitude);
      if (bits < exponent) continue;
      ++(bits == exponent ? out.infinities : out.nans);
      if (out.first < 0) out.first = i;
    }
  }
  return out;
}

// `exponent`: the bits of infinity.
template <class Bits>
NonFiniteCount count_all(const std::byte* memory, int64_t count, Bits exponent) {
  const auto* values = reinterpret_cast<const Bits*>(memory);
  const auto magnitude = static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1);
  std::mutex mutex;
  NonFiniteCount all;
  in_ranges(count, kValuesAtOnce, [&](int64_t begin, int64_t end) {
    const NonFiniteCount here = count_in(values, begin, end, exponent, magnitude);
    if (here.first < 0) return;
    const std::lock_guard<std::mutex> lock(mutex);
    all.add(here);
  });
  return all;
}

}  // namespace

uint64_t infinity_bits(Scalar type) {
  switch (type) {
    case Scalar::F16:
      return 0x7c00;
    case Scalar::BF16:
      return 0x7f80;
    case Scalar::F32:
      return 0x7f800000;
    default:
      return 0x7ff0000000000000;
  }
}

NonFiniteCount count_values(Scalar type, const std::byte* memory, int64_t count) {
  if (!is_float(type)) return {};
  const uint64_t infinity = infinity_bits(type);
  switch (size_in_bytes(type)) {
    case 2:
      return count_all<uint16_t>(memory, count, static_cast<uint16_t>(infinity));
    case 4:
      return count_all<uint32_t>(memory, count, static_cast<uint32_t>(infinity));
    default:
      return count_all<uint64_t>(memory, count, infinity);
  }
}

}  // namespace stencil::runtime
