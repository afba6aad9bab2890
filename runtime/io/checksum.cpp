// zlib inverts the CRC register before the first and after the last byte. Without the inversions
// the register is a linear function of the bytes and starts at zero.
#include "runtime/io/checksum.h"

#include <zlib.h>

namespace stencil::runtime {

namespace {

// The CRC register after `bytes` further zero bytes.
uint32_t followed_by_zeros(uint32_t remainder, int64_t bytes) {
  return static_cast<uint32_t>(crc32_combine(remainder, 0, static_cast<z_off_t>(bytes)));
}

}  // namespace

void SparseChecksum::add(int64_t offset, std::span<const std::byte> bytes) {
  if (offset > end_) remainder_ = followed_by_zeros(remainder_, offset - end_);
  const auto* at = reinterpret_cast<const Bytef*>(bytes.data());
  remainder_ = ~static_cast<uint32_t>(
      crc32_z(static_cast<uint32_t>(~remainder_), at, static_cast<z_size_t>(bytes.size())));
  end_ = offset + static_cast<int64_t>(bytes.size());
}

uint32_t SparseChecksum::share_of(int64_t size) const {
  return size > end_ ? followed_by_zeros(remainder_, size - end_) : remainder_;
}

uint32_t whole_checksum(const std::vector<uint32_t>& shares, int64_t size) {
  uint32_t sum = ~followed_by_zeros(~uint32_t{0}, size);  // checksum of zeros
  for (const uint32_t share : shares) sum ^= share;
  return sum;
}

}  // namespace stencil::runtime
