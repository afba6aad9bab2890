// Expected compile times: more code takes longer, and code that is compiled for several cases
// counts once for each.
#include "runtime/tune/compilation.h"

#include <gtest/gtest.h>

#include "compiler/kernel/instances.h"
#include "runtime/run/run.h"
#include "tests/unit/runtime/programs.h"

namespace stencil::tune {
namespace {

// Functions that depend on each other: `planes` compiles the first and the last step apart.
constexpr const char* kPair = R"(
grid G = [0..63, 0..63, 0..63] steps 8;
field A : real on G;
field B : real on G;
stencil a : A[0..62, 0..62, 0..62] = A[0,0,0] + 0.1 * (B[1,0,0] - B[0,1,0] + B[0,0,1]);
stencil b : B[1..63, 1..63, 1..63] = B[0,0,0] + 0.1 * (A[-1,0,0] - A[0,-1,0] + A[0,0,-1]);
)";

TEST(Compilation, LongKernelsTakeLong) {
  for (const bool on_cpu : {false, true}) {
    EXPECT_GT(compilation_of(100'000, on_cpu), 1);
    EXPECT_LT(compilation_of(5'000, on_cpu), 1);
  }
}

TEST(Compilation, CodeCountsOncePerCase) {
  const ir::Program program = runtime::program_of(kPair);
  const schedule::Machine machine = schedule::cpu();
  Diagnostics diagnostics;
  std::optional<schedule::Schedule> direct, planes;
  const auto plain = runtime::lower(program, "direct", machine, direct, diagnostics);
  const auto tiled = runtime::lower(program, "planes T=4", machine, planes, diagnostics);
  ASSERT_TRUE(plain && tiled);
  EXPECT_EQ(kernel::instances_of_nodes(*plain), 1);
  // Most of the kernel is behind two nested cases: the first step, and the last.
  EXPECT_GT(kernel::instances_of_nodes(*tiled), 2);
  EXPECT_LE(kernel::instances_of_nodes(*tiled), 4);
  const double ratio =
      *compilation_of(program, *planes, machine) / *compilation_of(program, *direct, machine);
  EXPECT_GT(ratio, 4);
  EXPECT_FALSE(compilation_of(program, *planes, schedule::gpu()));
}

}  // namespace
}  // namespace stencil::tune
