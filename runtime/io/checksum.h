// CRC-32, as zlib computes it, of bytes that nobody has all of.
//
// Up to a constant that depends on the length alone, the checksum of an exclusive or is that of the
// checksums. So whoever has some of the bytes takes the others as zeros, and the shares of all
// make the checksum of the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stencil::runtime {

// Of bytes that are zero but for some pieces.
class SparseChecksum {
 public:
  // The bytes at `offset`, which is not before the end of those added last.
  void add(int64_t offset, std::span<const std::byte> bytes);
  // Of all `size` bytes, without the constant.
  uint32_t share_of(int64_t size) const;

 private:
  uint32_t remainder_ = 0;  // of the bytes up to `end_`
  int64_t end_ = 0;
};

// The checksum of `size` bytes, of which each was added to one of those whose shares these are.
uint32_t whole_checksum(const std::vector<uint32_t>& shares, int64_t size);

}  // namespace stencil::runtime
