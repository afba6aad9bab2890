// Records as kernels, and the samples that tiles store for them.
#include "compiler/schedule/common/record.h"

#include <gtest/gtest.h>

#include "compiler/kernel/passes.h"
#include "compiler/schedule/schedule.h"
#include "tests/unit/load.h"

namespace stencil::schedule {
namespace {

kernel::Module lowered_with(const std::string& text, const std::string& line) {
  const ir::Program program = test::load(text);
  Diagnostics diagnostics;
  const auto schedule = parse(line, program, diagnostics);
  auto module = schedule ? lower(program, *schedule, diagnostics) : std::nullopt;
  EXPECT_TRUE(module) << line;
  return module ? *module : kernel::Module{};
}

const std::string kSea =
    "grid G = [0..49, 0..59, 0..199] steps 9; points mics [0..6] on G; field U : real on G;"
    "stencil f : U[1..48, 0..59, 0..199] = 0.5 * U[-1,0,0] + 0.25 * U[1,0,0];";
const char* const kLines[] = {"overlapped T=4 block=16x8 elements=1x1x16", "streaming T=4",
                              "planes T=4"};

int times(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Records, OfAPlainFieldDoNotEndTiles) {
  for (const char* line : kLines) {
    const kernel::Module module =
        lowered_with(kSea + "record r [0..9] = U[0,0,0] at mics every 2;", line);
    EXPECT_EQ(kernel::verify(module), std::vector<std::string>{}) << line;
    ASSERT_EQ(module.plan.reductions.size(), 1u);
    const kernel::Reduction& record = module.plan.reductions[0];
    EXPECT_TRUE(record.record);
    ASSERT_TRUE(kernel::is_sampled(record)) << line;
    EXPECT_EQ(kernel::steps_of_tile(module.plan, 9, 0), 4) << line;
    EXPECT_EQ(kernel::evaluations(record, 0, 4), 2);
    EXPECT_EQ(kernel::evaluations(record, 4, 1), 0);
    EXPECT_EQ(record.launches.size(), 1u);
  }
}

// Tiles store samples in each slab. Tiles of one step store none.
TEST(Records, AreSampledInTilesOfEveryFamily) {
  for (const char* line : kLines) {
    const std::string text =
        kernel::print(lowered_with(kSea + "record r [0..9] = U[0,0,0] at mics;", line));
    EXPECT_GT(times(text, "r_samples["), 1) << line;
  }
  const std::string direct =
      kernel::print(lowered_with(kSea + "record r [0..9] = U[0,0,0] at mics;", "direct"));
  EXPECT_EQ(times(direct, "r_samples"), 0);
}

TEST(Records, OfExpressionsEndTiles) {
  for (const char* line : kLines) {
    const kernel::Module module =
        lowered_with(kSea + "record r [0..9] = 2 * U[0,0,0] at mics every 3;", line);
    EXPECT_FALSE(kernel::is_sampled(module.plan.reductions.at(0)));
    EXPECT_EQ(kernel::steps_of_tile(module.plan, 9, 0), 3) << line;
  }
}

}  // namespace
}  // namespace stencil::schedule
