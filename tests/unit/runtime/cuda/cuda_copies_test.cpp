// Copies of all shapes on the fake CUDA driver, which delays copies through
// pinned memory as long as permitted.
#include "runtime/devices/cuda_copies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/unit/runtime/cuda/fake_driver.h"

namespace stencil::runtime::cuda {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

TEST(Copies, RoundTripForEveryShape) {
  FakeDriver* const found = fresh_fake_driver();
  ASSERT_NE(found, nullptr);
  FakeDriver& fake = *found;
  const Driver& cu = driver();
  Context context = nullptr;
  Stream stream = nullptr;
  ASSERT_EQ(cu.cuDevicePrimaryCtxRetain(&context, 0), 0);
  ASSERT_EQ(cu.cuCtxSetCurrent(context), 0);
  ASSERT_EQ(cu.cuStreamCreate(&stream, kNonBlockingStream), 0);
  setenv("STENCIL_THREADS", "3", 1);
  Copies copies(context);
  const std::vector<Accelerator::Rows> shapes = {
      {1},                                    // a byte
      {4 * kMiB},                             // one pinned buffer
      {4 * kMiB + 1},                         // and one byte more
      {37 * kMiB + 5},                        // fills every buffer several times
      {12004, 3001, 64, 12032},               // several rows per buffer
      {3 * kMiB, 9, 32, 3 * kMiB + 64},       // one row per buffer
      {9 * kMiB + 4, 3, 128, 9 * kMiB + 64},  // rows larger than a buffer
      {4, 2500000, 0, 16},                    // many short rows
  };
  for (const Accelerator::Rows& rows : shapes) {
    SCOPED_TRACE(testing::Message() << rows.count << " rows of " << rows.bytes);
    const auto dense = static_cast<size_t>(rows.bytes * rows.count);
    const auto stored =
        static_cast<size_t>(rows.start + std::max(rows.pitch, rows.bytes) * rows.count);
    std::vector<std::byte> from(dense), to(dense);
    for (size_t i = 0; i < dense; ++i) from[i] = static_cast<std::byte>(i * 2654435761u >> 13);
    Address memory = 0;
    ASSERT_EQ(cu.cuMemAlloc(&memory, stored), 0);
    const auto* device = reinterpret_cast<const std::byte*>(memory);
    ASSERT_EQ(cu.cuMemsetD8Async(memory, 0x5a, stored, stream), 0);
    ASSERT_EQ(copies.upload(stream, memory, from.data(), rows), 0);
    size_t beside = stored;  // padding bytes
    for (int64_t row = 0; row < rows.count; ++row) {
      const auto bytes = static_cast<size_t>(rows.bytes);
      ASSERT_EQ(std::memcmp(device + rows.start + row * rows.pitch,
                            from.data() + static_cast<size_t>(row) * bytes, bytes),
                0)
          << row;
      beside -= bytes;
    }
    EXPECT_TRUE(rows.start == 0 || device[0] == std::byte{0x5a});
    EXPECT_TRUE(beside == 0 || device[stored - 1] == std::byte{0x5a});
    ASSERT_EQ(copies.download(stream, to.data(), memory, rows), 0);
    EXPECT_TRUE(from == to);
    ASSERT_EQ(cu.cuMemFree(memory), 0);
  }
  EXPECT_EQ(fake.pinned.size(), 3u) << "one buffer per thread";
  EXPECT_EQ(fake.pageable_copies, 4) << "at most one per chunk";
  cu.cuStreamDestroy(stream);
  unsetenv("STENCIL_THREADS");
}

}  // namespace
}  // namespace stencil::runtime::cuda
