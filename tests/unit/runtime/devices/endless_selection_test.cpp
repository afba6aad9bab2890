// Sources for which instruction selection would never end without a pass of our own
// (runtime/host/mask_selects.h). They need AVX-512; other CPUs compile them in any case.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "runtime/devices/host_library.h"

namespace stencil::runtime {
namespace {

// Pieces of a subdomain with reads across periodic edges, as the family `direct` writes them. The
// conditions on y are the same for all x, and the range of x is known, so the vectoriser makes one
// mask from the conditions of all pieces.
constexpr const char* kPieces = R"(
#define PIECE(first_y, last_y, first_x, last_x, at_y, at_x)                      \
  if (y >= first_y && y <= last_y && x >= first_x && x <= last_x) {             \
    const double a = U[(y - 25) * 18 + x + 8], b = U[(y - 27) * 18 + x + 6];    \
    const double c = U[(y - 27) * 18 + x + 5], d = U[(y - 28) * 18 + x + 4];    \
    const double e = at_y < 2 ? -d : d;                                         \
    V[(y - 26) * 18 + x + 6] = 0.3 * ((at_y > 62 ? -a : a) + (at_y < 1 ? -b : b) \
                                      + (at_y < 1 ? -c : c) + (at_x < 2 ? -e : e)); \
  }
static inline int least(int a, int b) { return b < a ? b : a; }
__attribute__((noinline)) static void blocks(const double* __restrict U, double* __restrict V,
                                             const long begin, const long end) {
  for (long block = begin; block < end; ++block) {
    const int tile_x = -6;
    const int tile_y = (int)block * 16 + 26;
    for (int row = 0; row < least(16, 66 - tile_y + 1); ++row) {
      for (int column = 0; column < least(1024, 11 - tile_x + 1); ++column) {
        const int y = tile_y + row;
        const int x = tile_x + column;
        PIECE(28, 63, -4, -1, y, x + 12) else PIECE(28, 63, 0, 9, y, x)
        else PIECE(64, 65, -4, -1, (y - 64), x + 12) else PIECE(64, 65, 0, 9, (y - 64), x)
      }
    }
  }
}
extern "C" void k(void* const* arguments, long begin, long end) {
  blocks((double*)arguments[0], (double*)arguments[1], begin, end);
}
)";

// Compiles in a process that the alarm ends, because a compilation cannot be cancelled.
TEST(EndlessSelection, MasksOfPiecesAreCompiled) {
  const auto& library = HostLibrary::open();
  if (!library.ok()) GTEST_SKIP() << library.failure().message;
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  constexpr unsigned kSeconds = 120;  // it takes less than one
  EXPECT_EXIT(
      {
        alarm(kSeconds);
        const auto object = library.value().compile(kPieces, FpMode::Strict);
        _exit(object.ok() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace stencil::runtime
