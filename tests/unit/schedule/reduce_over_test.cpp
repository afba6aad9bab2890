// Kernels of reductions over some dimensions.
#include "compiler/schedule/common/reduce_over.h"

#include <gtest/gtest.h>

#include "compiler/kernel/passes.h"
#include "compiler/schedule/common/plain.h"
#include "compiler/schedule/schedule.h"
#include "tests/unit/load.h"

namespace stencil::schedule {
namespace {

kernel::Module lowered_over(const std::string& text, const std::string& line) {
  const ir::Program program = test::load(text);
  Diagnostics diagnostics;
  const auto schedule = parse(line, program, diagnostics);
  auto module = schedule ? lower(program, *schedule, diagnostics) : std::nullopt;
  EXPECT_TRUE(module) << line;
  return module ? *module : kernel::Module{};
}

const kernel::Kernel& kernel_behind(const kernel::Module& module, const kernel::Launch& launch) {
  return module.kernels[launch.kernel];
}

const char* const kMeans =
    "grid G = [0..99, 0..49, 0..199] steps 9; field A : real on G; field n : integer on G;"
    "stencil f : A[1..98, 0..49, 0..199] = 0.5 * A[-1,0,0] + 0.25 * A[1,0,0];"
    "reduce heights = sum(A[0,0,0]) over [1, 2] on G every 4;"
    "reduce mean = sum(A[0,0,0]) over 0 on G every 3;"
    "reduce counts = sum(n[0,0,0]) over 2 on G;";

TEST(ReduceOver, IsTheSameInEveryFamily) {
  for (const char* line : {"direct", "overlapped T=2 block=32x4", "streaming T=2", "planes T=2"}) {
    const kernel::Module module = lowered_over(kMeans, line);
    EXPECT_EQ(kernel::verify(module), std::vector<std::string>{}) << line;
    ASSERT_EQ(module.plan.reductions.size(), 3u);
    // 2*7 tiles, their values and NaN flags; one tile with both; one tile of integers.
    EXPECT_EQ(module.plan.reductions[0].launches.size(), 3u);
    EXPECT_EQ(module.plan.reductions[1].launches.size(), 2u);
    EXPECT_EQ(module.plan.reductions[2].launches.size(), 1u);
    for (const kernel::Reduction& reduction : module.plan.reductions) {
      EXPECT_FALSE(kernel::has_value(reduction));
      const kernel::Array& array = module.plan.arrays[reduction.array];
      EXPECT_EQ(array.name, reduction.name);
      EXPECT_EQ(array.copies, 1);
      EXPECT_TRUE(array.written);
    }
  }
}

// Threads adjacent in x access adjacent memory: they are lanes if rows are reduced, and points of
// the profile otherwise.
TEST(ReduceOver, ReadsContiguousMemoryByThreadsInX) {
  const kernel::Module module = lowered_over(kMeans, "direct");
  const auto extents = [&](const kernel::Launch& launch) {
    for (const kernel::Buffer& buffer : kernel_behind(module, launch).buffers) {
      if (buffer.name == "lanes") return buffer.extents.size();
    }
    return size_t{0};
  };
  for (const kernel::Reduction& reduction : module.plan.reductions) {
    EXPECT_EQ(extents(reduction.launches[0]), 2u);
    EXPECT_EQ(kernel_behind(module, reduction.launches[0]).threads.product(), 256);
  }
  const std::string text = kernel::print(module);
  EXPECT_NE(text.find("for ex in thread_x .. min(32, size_x - tile_x) step 16"), text.npos);
  EXPECT_NE(text.find("for ez in thread_y .. min(1024, size_z - tile_z) step 16"), text.npos);
}

TEST(ReduceOver, WithTwoLevelsWritesTheOlderOne) {
  const kernel::Module module = lowered_over(
      "param N : integer; require N >= 3; grid G = [0..N-1, 0..N-1] steps 9; field A : real on G;"
      "stencil f : A on G = A[0,0] + rows@-1[0];"
      "reduce rows = sum(A[0,0]) over 1 on G;"
      "stencil g : A on G = A[0,0] - rows[0] - rows@-1[0];",
      "direct");
  EXPECT_EQ(kernel::verify(module), std::vector<std::string>{});
  const kernel::Reduction& rows = module.plan.reductions[0];
  EXPECT_TRUE(rows.in_step);
  EXPECT_TRUE(rows.launches.empty());
  EXPECT_EQ(module.plan.arrays[rows.array].copies, 2);
  std::vector<std::string> order;
  for (const kernel::Action& action : module.plan.actions) {
    const auto* launch = std::get_if<kernel::Launch>(&action);
    order.push_back(launch ? kernel_behind(module, *launch).name : "turn");
  }
  const std::vector<std::string> expected = {
      "test_f", "test_reduce_rows_tiles", "test_reduce_rows", "test_reduce_rows_nan", "turn",
      "test_g"};
  ASSERT_EQ(order.size(), expected.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const std::string tail = expected[i].substr(expected[i].find('_') + 1);
    EXPECT_NE(order[i].find(tail), std::string::npos) << order[i];
  }
}

TEST(ReduceOver, IsPartOfThePlainLoops) {
  const kernel::Module plain = lower_plain(test::load(kMeans));
  EXPECT_EQ(kernel::verify(plain), std::vector<std::string>{});
  EXPECT_EQ(plain.plan.reductions.size(), 3u);
}

}  // namespace
}  // namespace stencil::schedule
