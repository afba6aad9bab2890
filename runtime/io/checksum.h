// CRC-32 (as in zlib) of bytes that are distributed over several owners.
//
// The CRC of an exclusive or is the exclusive or of the CRCs, up to a constant that depends only on
// the length. So each owner computes a share in which the bytes of other owners are zero, and the
// shares of all owners combine to the checksum of the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stencil::runtime {

// The checksum of bytes that are zero except for some pieces.
class SparseChecksum {
 public:
  // Adds bytes at `offset`, which must not lie before the end of the previous piece.
  void add(int64_t offset, std::span<const std::byte> bytes);
  // The share for all `size` bytes, without the constant.
  uint32_t share_of(int64_t size) const;

 private:
  uint32_t remainder_ = 0;  // CRC register after the bytes up to `end_`
  int64_t end_ = 0;
};

// The checksum of `size` bytes from the shares of all owners; each byte must have been added by
// exactly one.
uint32_t whole_checksum(const std::vector<uint32_t>& shares, int64_t size);

}  // namespace stencil::runtime
