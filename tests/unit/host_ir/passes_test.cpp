// Overlap of exchanges, cycles of steps, and replays of launches within a step.
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

// The steps of the module as GPU drivers execute them.
std::string replay_in(const kernel::Module& module, bool answers_late = true) {
  const Program program = lower(module, {true, answers_late, true});
  EXPECT_EQ(verify(program, module), std::vector<std::string>{});
  return print(program.steps, module);
}

// `count` launches that read neither step nor number of steps, and a rotation.
kernel::Module with_launches(kernel::Module module, size_t count) {
  module.kernels[0].scalars.clear();
  auto launch = std::get<kernel::Launch>(module.plan.actions[0]);
  launch.scalars.clear();
  module.plan.actions.assign(count, launch);
  module.plan.actions.push_back(kernel::Rotate{0});
  module.plan.time_tile = 1;
  return module;
}

constexpr const char* kLaunch = "launch advance(A[0], A[1]) blocks 5L\n";

TEST(Replays, HoldEightLaunchesOrMore) {
  for (const size_t count : {7, 8}) {
    const std::string text = replay_in(with_launches(samples::tiles(), count));
    EXPECT_EQ(text.find("replay") != std::string::npos, count == 8) << text;
    EXPECT_EQ(text.find("cycle") != std::string::npos, count == 7) << text;
  }
}

// The launch of a reduction goes with those of the tile; the stop condition follows.
TEST(Replays, EndBeforeTheStopCondition) {
  kernel::Module module = with_launches(samples::stopping(1), 7);
  std::string run = "  replay\n";
  for (int n = 0; n < 7; ++n) run += std::string("    ") + kLaunch;
  run += "    rotate A\n    launch total(A[0], sum) blocks 1L\n  evaluations.0";
  EXPECT_NE(replay_in(module, false).find(run), std::string::npos) << replay_in(module, false);
  module.plan.reductions[0].every = 2;
  EXPECT_EQ(replay_in(module, false).find("replay"), std::string::npos) << "it is not always due";
  module.plan.actions = with_launches(samples::stopping(1), 8).plan.actions;
  EXPECT_NE(replay_in(module, false).find("    rotate A\n  let done"), std::string::npos)
      << replay_in(module, false);
}

// A condition without reductions is read right after the launches.
TEST(Replays, DoNotReadTheStopCondition) {
  kernel::Module module = with_launches(samples::stopping(1), 8);
  module.plan.reductions.clear();
  module.plan.stop->reductions.clear();
  const std::string text = replay_in(module, false);
  EXPECT_NE(text.find("    launch hold(sum, stop) blocks 1L\n  stopped = read stop\n"),
            std::string::npos)
      << text;
}

// The answer of a stop condition may be due between the launches and the rotation of a tile.
TEST(Replays, EndBeforeALateAnswer) {
  kernel::Module module = with_launches(samples::stopping(1), 9);
  const std::string text = replay_in(module);
  const size_t run = text.find("  replay\n"), answer = text.find("  if awaited\n");
  ASSERT_NE(run, std::string::npos) << text;
  EXPECT_LT(run, answer);
  EXPECT_LT(answer, text.find("  rotate A\n"));
}

TEST(Replays, StandBetweenLaunchesThatReadTheStep) {
  kernel::Module module = with_launches(samples::tiles(), 20);
  module.kernels.push_back(module.kernels[0]);
  module.kernels[1].name = "reads";
  module.kernels[1].scalars = {{"first", Scalar::I32}};
  const auto place = [&](size_t action) {
    auto launch = std::get<kernel::Launch>(module.plan.actions[0]);
    launch.kernel = 1;
    launch.scalars = {kernel::FirstStep{}};
    module.plan.actions[action] = launch;
  };
  place(4);
  std::string text = replay_in(module);
  EXPECT_EQ(text.find("  replay\n"), text.find("  launch reads") + 43) << text;
  place(13);
  text = replay_in(module);
  const size_t run = text.find("  replay\n");
  EXPECT_LT(text.find("  launch reads"), run);
  EXPECT_LT(run, text.rfind("  launch reads"));
  EXPECT_EQ(run, text.rfind("  replay\n")) << "six launches remain";
  place(9);
  EXPECT_EQ(replay_in(module).find("replay"), std::string::npos);
}

// Iterations are part of a replay. Too many are not recorded at once, but within the iterations.
TEST(Replays, CountTheIterationsOfRepeats) {
  kernel::Module module = with_launches(samples::tiles(), 1);
  module.plan.actions = {kernel::Repeat{{1, {}, module.plan.actions}, 8}};
  EXPECT_NE(replay_in(module).find("  replay\n    for iteration = 0 to 8 step 1"),
            std::string::npos)
      << replay_in(module);
  auto& repeat = std::get<kernel::Repeat>(module.plan.actions[0]);
  repeat.iterations = 7;
  EXPECT_EQ(replay_in(module).find("replay"), std::string::npos);
  repeat.iterations = 1025;
  EXPECT_EQ(replay_in(module).find("replay"), std::string::npos);
  repeat.actions = with_launches(samples::tiles(), 8).plan.actions;
  EXPECT_NE(replay_in(module).find("for iteration = 0 to 1025 step 1\n    replay\n"),
            std::string::npos)
      << replay_in(module);
}

// The number of steps in a tile is an input: its launches differ in few ways.
TEST(Replays, MayDependOnTheStepsOfATile) {
  kernel::Module module = with_launches(samples::stopping(6), 9);
  module.plan.time_tile = 4;
  module.kernels[0].scalars = {{"count", Scalar::I32}};
  for (int n = 0; n < 9; ++n) {
    std::get<kernel::Launch>(module.plan.actions[static_cast<size_t>(n)]).scalars = {
        kernel::StepCount{}};
  }
  Program program = lower(module, {true, false, true});
  const Body* body = nullptr;
  for_each_statement(program, [&](const Statement& statement) {
    if (const auto* replay = std::get_if<Replay>(&statement.kind)) body = &replay->body;
  });
  ASSERT_TRUE(body) << print(program, module);
  EXPECT_EQ(inputs_of(*body), std::set<std::string>{"count"});
  EXPECT_EQ(arrays_of(*body), std::set<int>{0});
  EXPECT_EQ(verify(program, module), std::vector<std::string>{});
}

}  // namespace
}  // namespace stencil::host_ir
