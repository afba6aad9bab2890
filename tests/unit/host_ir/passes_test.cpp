// Overlap of exchanges, and cycles of steps.
#include <gtest/gtest.h>

#include "compiler/host_ir/passes.h"
#include "tests/unit/host_ir/sample.h"

namespace stencil::host_ir {
namespace {

std::string overlapped(const kernel::Module& module, bool lanes) {
  Program program = lower(module, {});
  overlap_exchanges(program, module.plan, lanes);
  EXPECT_EQ(verify(program, module), std::vector<std::string>{});
  return print(program.steps, module);
}

// The part of a text from `first` to the last line before `end`.
std::string between(const std::string& text, const std::string& first, const std::string& end) {
  const size_t at = text.find(first), last = text.find(end, at);
  EXPECT_TRUE(at != std::string::npos && last != std::string::npos) << text;
  return text.substr(at, last - at);
}

TEST(Overlap, ExchangesBesideTheInterior) {
  const std::string text = overlapped(samples::subdomain(), true);
  EXPECT_EQ(between(text, "    if ", "    step = step"),
            R"(    if ((end - step) == long(count)) and (tiles.0 == 2L)
      bind launch advance(A[0], A[1], first + step, count, first_block) blocks 5L inner
      mark inside
      await outer
      lane 1
      await inside
      launch advance(A[0], A[1], first + step, count, first_block) blocks 5L outer
      mark outer
      lane 0
      await begun
      launch bound
      lane 1
      rotate A
      exchange 0
      mark exchanged
      tiles.0 = 0L
      lane 0
    else
      await outer
      await exchanged
      tile
        launch advance(A[0], A[1], first + step, count, first_block) blocks 5L
        rotate A
)");
  EXPECT_EQ(text.substr(text.rfind("\nawait outer") + 1), "await outer\nawait exchanged\n");
}

TEST(Overlap, WithOneQueueTheInteriorComesLast) {
  const std::string text = overlapped(samples::subdomain(), false);
  EXPECT_LT(text.find("exchange 0\n      lane 0\n      await begun\n      launch bound\n"),
            text.find("mark exchanged"));
}

// Tile sizes whose launches are not known to touch the halos only at their ends do not overlap.
TEST(Overlap, OtherSizesExchangeAfterTheTile) {
  kernel::Module module = samples::subdomain();
  module.plan.tile_sizes = {4, 1};
  auto launch = std::get<kernel::Launch>(module.plan.actions[1]);
  launch.steps = 1;
  launch.outer_blocks = {0, 0};
  std::get<kernel::Launch>(module.plan.actions[1]).steps = 4;
  module.plan.actions.insert(module.plan.actions.begin() + 2, launch);
  const std::string text = overlapped(module, true);
  const std::string tile = between(text, "      if count == 4", "    else\n      await outer");
  EXPECT_LT(tile.find("launch bound"), tile.find("else"));
  EXPECT_GT(tile.find("exchange 0\n        tiles.0 = 0L"), tile.find("else"));
}

TEST(Cycles, EndWhenEverySlotIsBack) {
  kernel::Module module = samples::tiles();
  auto& launch = std::get<kernel::Launch>(module.plan.actions[0]);
  const auto cycle = [&] { return steps_of_cycle(lower(module, {}), module.plan); };
  EXPECT_EQ(cycle(), 0) << "the kernel takes the step";
  module.kernels[0].scalars = {{"count", Scalar::I32}};
  launch.scalars = {kernel::StepCount{}};
  EXPECT_EQ(cycle(), 64) << "two tiles of four steps, at least 16 tiles";
  module.plan.arrays[0].copies = 17;
  EXPECT_EQ(cycle(), 68);
  module.plan.arrays[0].copies = 97;
  EXPECT_EQ(cycle(), 0) << "too many tiles";
  module.plan.arrays[0].copies = 3;
  std::get<kernel::Rotate>(module.plan.actions[1]).steps = 3;
  EXPECT_EQ(cycle(), 72) << "full tiles rotate";
  module.plan.actions[1] = kernel::SwapSlots{0, 0, 2};
  EXPECT_EQ(cycle(), 64) << "two swaps";
  module.plan.actions.push_back(kernel::SwapSlots{0, 0, 1});
  EXPECT_EQ(cycle(), 72) << "two swaps in a tile turn three slots";
}

TEST(Cycles, NeedTheSameLaunchesInEveryTile) {
  kernel::Module module = samples::stopping();
  module.kernels[0].scalars.clear();
  std::get<kernel::Launch>(module.plan.actions[0]).scalars.clear();
  const auto cycle = [&] { return steps_of_cycle(lower(module, {}), module.plan); };
  EXPECT_EQ(cycle(), 0) << "a stop condition";
  module.plan.stop.reset();
  EXPECT_EQ(cycle(), 64);
  module.plan.reductions[0].record = true;
  module.plan.reductions[0].samples = 1;
  EXPECT_EQ(cycle(), 0) << "samples within tiles";
}

// The number of iterations is fixed, so the launches of all steps are the same.
TEST(Cycles, CountTheIterationsOfRepeats) {
  kernel::Module module = samples::nested();
  auto& outer = std::get<kernel::Repeat>(module.plan.actions[0]);
  auto& inner = std::get<kernel::Repeat>(outer.actions[0]);
  const auto cycle = [&] { return steps_of_cycle(lower(module, {}), module.plan); };
  EXPECT_EQ(cycle(), 0) << "the kernel takes the step";
  std::get<kernel::Launch>(inner.actions[0]).scalars = {kernel::StepCount{}};
  module.kernels[0].scalars = {{"count", Scalar::I32}};
  EXPECT_EQ(cycle(), 3) << "2 x 3 tiles and 2 x 4 rotations of two slots, at least 16 tiles";
  module.plan.arrays[0].copies = 3;
  EXPECT_EQ(cycle(), 3) << "8 rotations of three slots";
  module.plan.arrays[0].copies = 13;
  EXPECT_EQ(cycle(), 13);
  module.plan.arrays[0].copies = 17;
  EXPECT_EQ(cycle(), 0) << "17 x 6 tiles are too many";
  module.plan.arrays[0].copies = 2;
  outer.iterations = 40;
  EXPECT_EQ(cycle(), 0) << "120 tiles in a step are too many";
}

TEST(Cycles, MarkTheLoopOverTheSteps) {
  const kernel::Module module = samples::tiles();
  Program program = lower(module, {});
  set_cycle(program, 64);
  EXPECT_EQ(print(program.steps, module).find("for step = 0L to steps step 4L cycle 64\n"), 0u);
  EXPECT_EQ(verify(program, module), std::vector<std::string>{});
}

}  // namespace
}  // namespace stencil::host_ir
