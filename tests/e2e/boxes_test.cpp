// Files with entry points for boxes, compiled and called: the memory that they require, and the
// arguments that they refuse. The property tests and examples/mpi check their results.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/e2e/tool.h"

namespace stencil::test {
namespace {

const char* const kBand = R"(
param N : integer;
param k : real = 0.5;
require k < 1;
grid G = [0..N-1, 2..9] steps 5;
field A : real on G boundary [clamp, periodic];
field C : real on G constant boundary [none, periodic];
series s : real [0..19] boundary clamp;
stencil f : A on G = k * A[-1,2] + C[0,0] * s[time];
init C[i,j] = 10 * i + j;
)";

// Prints the messages of the entry points.
const char* const kCaller = R"(
#include <cmath>
#include <cstdio>
#include "band.h"

static void say(const char* error) { std::printf("%s\n", error ? error : "done"); }
static void show(const band_box& b) {
  std::printf("[%d..%d, %d..%d]\n", b.low[0], b.high[0], b.low[1], b.high[1]);
}

int main() {
  band_params params = band_default_params();
  params.N = 12;
  band_box grid, own = {{1, 2}, {5, 4}};
  band_memory memory;
  say(band_grid(&grid, &params));
  show(grid);
  say(band_box_memory(&memory, &own, &params));
  show(memory.A);
  show(memory.C);
  std::printf("%d %d %d %d\n", band_halo[0][0], band_halo[0][1], band_halo[1][0], band_halo[1][1]);
  float values[2][400], C[400], s[20] = {1};
  float* A[2] = {values[0], values[1]};
  float* none[2] = {values[0], nullptr};
  static_assert(band_A_slots <= 2 && band_box_steps == 2, "");
  say(band_init_box(A, C, s, &own, &params));
  std::printf("%g %g\n", C[0], C[(memory.C.high[1] - memory.C.low[1] + 1) * 2]);
  say(band_run_box(A, C, s, 2, 0, &own, &params));
  say(band_run_box(A, C, s, 3, 0, &own, &params));
  say(band_run_box(A, C, s, -1, 0, &own, &params));
  say(band_run_box(none, C, s, 1, 0, &own, &params));
  say(band_run_box(nullptr, C, s, 1, 0, &own, &params));
  say(band_run_box(A, C, s, 1, 0, nullptr, &params));
  say(band_run_box(A, C, s, 1, 0, &own, nullptr));
  own.high[0] = 12;
  say(band_run_box(A, C, s, 1, 0, &own, &params));
  own = {{-2147483647, 2}, {5, 4}};
  say(band_run_box(A, C, s, 1, 0, &own, &params));
  own = {{4, 2}, {3, 4}};
  say(band_run_box(A, C, s, 1, 0, &own, &params));
  own = {{1, 2}, {5, 4}};
  params.k = 2;
  say(band_run_box(A, C, s, 1, 0, &own, &params));
}
)";

class Boxes : public Tool {
 protected:
  int shell(const std::string& command) const {
    return std::system(("cd '" + (root_ / "work").string() + "' && " + command).c_str());
  }
};

TEST_F(Boxes, ReportTheirMemoryAndRefuseBadArguments) {
  write("band.stn", kBand);
  write("caller.cpp", kCaller);
  const auto written = stencilc("band.stn -o band.cpp --header --boxes 2 --schedule direct");
  ASSERT_EQ(written.status, 0) << written.err;
  ASSERT_EQ(shell("c++ -std=c++17 -O0 -ffp-contract=off -fsanitize=undefined "
                  "-fno-sanitize-recover -w -DSTENCIL_CLONES= band.cpp caller.cpp -o caller"),
            0);
  EXPECT_EQ(shell("./caller >said"), 0);
  EXPECT_EQ(read(file("said")),
            "done\n[0..11, 2..9]\n"
            "done\n[0..5, 2..8]\n[0..5, 2..8]\n"
            "2 0 0 4\n"
            "done\n2 22\n"
            "done\n"
            "the halo is too narrow for more than 2 step(s)\n"
            "the number of steps is negative\n"
            "argument A[1] is NULL\n"
            "argument A is NULL\n"
            "argument box is NULL\n"
            "param N is not given\n"
            "the box does not lie within the grid in y\n"
            "the box does not lie within the grid in y\n"
            "the box has no points in y\n"
            "require k < 1 does not hold\n");
}

}  // namespace
}  // namespace stencil::test
