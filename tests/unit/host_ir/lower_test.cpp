// Host programs as the plan makes them.
#include <gtest/gtest.h>

#include "compiler/host_ir/passes.h"
#include "tests/unit/host_ir/sample.h"

namespace stencil::host_ir {
namespace {

std::string steps_of(const kernel::Module& module, const Options& options = {}) {
  const Program program = lower(module, options);
  EXPECT_EQ(verify(program, module), std::vector<std::string>{});
  return print(program.steps, module);
}

TEST(Lower, TilesFollowOneAnother) {
  EXPECT_EQ(steps_of(samples::tiles()), R"(for step = 0L to steps step 4L
  let count = select((steps - step) < 4L, integer(steps - step), 4)
  tile
    launch advance(A[0], A[1], first + step, count) blocks 5L
    rotate A
)");
}

TEST(Lower, RunsThatStartAtZeroKnowTheirFirstStep) {
  const kernel::Module module = samples::tiles();
  EXPECT_EQ(lower(module, {.starts_at_zero = true}).find(kFirst), nullptr);
  EXPECT_NE(steps_of(module, {.starts_at_zero = true}).find("A[1], step, count)"),
            std::string::npos);
}

// A run of no steps must leave the start to a later run.
TEST(Lower, StartsInTheRunOfTheFirstStep) {
  kernel::Module module = samples::tiles();
  module.plan.start.actions = {module.plan.actions[0]};
  const std::string start = "  tile\n    launch advance(A[0], A[1], 0L, 1)";
  const std::string text = steps_of(module);
  EXPECT_EQ(text.find("if (first == 0L) and (steps > 0L)\n" + start), 0u) << text;
  const std::string from_zero = steps_of(module, {.starts_at_zero = true});
  EXPECT_EQ(from_zero.find("if steps > 0L\n  tile\n    launch advance("), 0u) << from_zero;
  EXPECT_LT(text.find("launch"), text.find("for step"));
}

TEST(Lower, ProvidesMemoryBeforeAndReturnsItAfter) {
  const kernel::Module module = samples::stopping();
  const Program program = lower(module, {});
  EXPECT_EQ(print(program.begin, module),
            "take A\nalloc A[1]\ncopy A[1] from A[0]\nslots A\nalloc sum\nalloc stop\nflag\n"
            "restore total\n");
  EXPECT_EQ(print(program.end, module), "home A\ncollect reductions\nreturn\n");
}

// If all slots are levels that change roles, the levels return through a copy of their own.
TEST(Lower, PermutationsOfLevelsNeedAnotherCopy) {
  kernel::Module module = samples::tiles();
  module.plan.arrays[0].levels = 2;
  EXPECT_EQ(print(lower(module, {}).begin, module), "take A\nalloc A[2]\nslots A\n");
}

// Definitions that nothing reads are omitted.
TEST(Lower, OmitsWhatNothingReads) {
  kernel::Module module = samples::tiles();
  module.kernels[0].scalars.clear();
  std::get<kernel::Launch>(module.plan.actions[0]).scalars.clear();
  EXPECT_EQ(steps_of(module),
            "for step = 0L to steps step 4L\n  tile\n    launch advance(A[0], A[1]) blocks 5L\n"
            "    rotate A\n");
}

TEST(Lower, ListedTileSizesChooseLaunches) {
  kernel::Module module = samples::tiles();
  module.plan.tile_sizes = {4, 2, 1};
  auto& launch = std::get<kernel::Launch>(module.plan.actions[0]);
  launch.steps = 4;
  std::get<kernel::Rotate>(module.plan.actions[1]).steps = 2;
  EXPECT_EQ(steps_of(module), R"(for step = 0L to steps
  let count = select((steps - step) >= 4L, 4, select((steps - step) >= 2L, 2, 1))
  tile
    if count == 4
      launch advance(A[0], A[1], first + step, count) blocks 5L
    if count >= 2
      rotate A
  step = step + long(count)
)");
}

// The next tile begins before the answer is known: it writes a spare copy.
TEST(Lower, AnswersMayComeLate) {
  EXPECT_EQ(steps_of(samples::stopping()), R"(for step = 0L to steps
  let left = steps - step
  if left > (6L - ((first + step) % 6L))
    left = 6L - ((first + step) % 6L)
  let count = select(left < 4L, integer(left), 4)
  tile
    launch advance(A[0], A[1], first + step, count) blocks 5L
    if awaited
      stopped = answer stop
      if stopped
        leave
    rotate A
  let done = (first + step) + long(count)
  if (done % 6L) == 0L
    launch total(A[0], sum) blocks 1L
    evaluations.0 = evaluations.0 + 1L
  if (done % 6L) == 0L
    launch hold(sum, stop) blocks 1L
    ask stop
  step = step + long(count)
if awaited
  stopped = answer stop
)");
}

TEST(Lower, OtherwiseTheHostWaitsForTheAnswer) {
  const std::string steps = steps_of(samples::stopping(1), {.answers_late = false});
  EXPECT_NE(steps.find("  launch hold(sum, stop) blocks 1L\n  stopped = read stop\n"
                       "  step = step + long(count)\n  if stopped\n    leave\n"),
            std::string::npos)
      << steps;
}

TEST(Lower, RepeatsAreLoopsWithinTheTile) {
  EXPECT_EQ(steps_of(samples::repeating()), R"(for step = 0L to steps step 1L
  tile
    for iteration = 0 to 7 step 3
      let iterations = select((7 - iteration) < 3, 7 - iteration, 3)
      launch advance(A[0], A[1], first + step, iterations) blocks 5L
      rotate A
)");
}

TEST(Lower, RepeatsMayStandInRepeats) {
  EXPECT_EQ(steps_of(samples::nested()), R"(for step = 0L to steps step 1L
  tile
    for iteration = 0 to 2 step 1
      for iteration_2 = 0 to 7 step 3
        let iterations_2 = select((7 - iteration_2) < 3, 7 - iteration_2, 3)
        launch advance(A[0], A[1], first + step, iterations_2) blocks 5L
        rotate A
      rotate A
)");
}

// Slots that change roles only in a nested repeat are provided and returned like others.
TEST(Lower, RotationsInNestedRepeatsMoveSlots) {
  kernel::Module module = samples::nested();
  std::get<kernel::Repeat>(module.plan.actions[0]).actions.pop_back();
  const Program program = lower(module, {});
  EXPECT_EQ(print(program.begin, module), "take A\nalloc A[1]\ncopy A[1] from A[0]\nslots A\n");
  EXPECT_EQ(print(program.end, module), "home A\nreturn\n");
}

TEST(Lower, SubdomainsExchangeBeforeCommonTiles) {
  EXPECT_EQ(steps_of(samples::subdomain()), R"(for step = 0L to steps
  let common = select((steps - step) >= 4L, 4, select((steps - step) >= 2L, 2, 1))
  if tiles.0 == 2L
    exchange 0
    tiles.0 = 0L
  tiles.0 = tiles.0 + 1L
  let end = step + long(common)
  for step = step to end
    let count = select((end - step) < 4L, integer(end - step), 4)
    tile
      launch advance(A[0], A[1], first + step, count, first_block) blocks 5L
      rotate A
    step = step + long(count)
)");
}

TEST(Lower, HalosOfEachStepAreExchangedBeforeTheirAction) {
  kernel::Module module = samples::subdomain();
  kernel::Plan& plan = module.plan;
  plan.time_tile = 1;
  const kernel::HaloExchange always{};
  plan.actions = {plan.actions[1], always, plan.actions[2], always};
  EXPECT_EQ(steps_of(module), R"(for step = 0L to steps step 1L
  let count = 1
  tile
    launch advance(A[0], A[1], first + step, count, first_block) blocks 5L
    exchange 0
    rotate A
    exchange 0
)");
}

// Common tiles of iterations: the halo is also exchanged in the first iteration of every step.
TEST(Lower, RepeatsExchangeBeforeTheirCommonTiles) {
  kernel::Module module = samples::subdomain();
  kernel::Plan& plan = module.plan;
  plan.time_tile = 1;
  plan.actions[0] = kernel::HaloExchange{0, 3, 2};
  plan.actions = {kernel::Repeat{{3, {}, plan.actions}, 7}};
  EXPECT_EQ(steps_of(module), R"(for step = 0L to steps step 1L
  tile
    for iteration = 0 to 7
      let common = select((7 - iteration) >= 3, 3, 1)
      if (iteration == 0) or (tiles.0 == 2L)
        exchange 0
        tiles.0 = 0L
      tiles.0 = tiles.0 + 1L
      let iteration_end = iteration + common
      for iteration = iteration to iteration_end
        let iterations = select((iteration_end - iteration) < 3, iteration_end - iteration, 3)
        launch advance(A[0], A[1], first + step, iterations, first_block) blocks 5L
        rotate A
        iteration = iteration + iterations
)");
}

// The inner halo is exchanged in the first iteration of every iteration of the outer repeat, the
// outer one whenever it is reached.
TEST(Lower, NestedRepeatsExchangeSeparately) {
  kernel::Module module = samples::subdomain();
  kernel::Plan& plan = module.plan;
  plan.time_tile = 1;
  plan.exchanges.emplace_back();
  plan.actions[0] = kernel::HaloExchange{1, 1, 2};
  plan.actions = {kernel::Repeat{
      {1, {}, {kernel::HaloExchange{0}, kernel::Repeat{{1, {}, plan.actions}, 7}}}, 2}};
  EXPECT_EQ(steps_of(module), R"(for step = 0L to steps step 1L
  tile
    for iteration = 0 to 2 step 1
      exchange 0
      for iteration_2 = 0 to 7
        let common_2 = 1
        if (iteration_2 == 0) or (tiles.1 == 2L)
          exchange 1
          tiles.1 = 0L
        tiles.1 = tiles.1 + 1L
        let iteration_end_2 = iteration_2 + common_2
        for iteration_2 = iteration_2 to iteration_end_2
          let iterations_2 = 1
          launch advance(A[0], A[1], first + step, iterations_2, first_block) blocks 5L
          rotate A
          iteration_2 = iteration_2 + iterations_2
)");
}

}  // namespace
}  // namespace stencil::host_ir
