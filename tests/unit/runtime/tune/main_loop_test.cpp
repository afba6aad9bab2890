// Matching loops of machine code with the loop of a kernel, on made-up loops.
#include "runtime/tune/main_loop.h"

#include <gtest/gtest.h>

namespace stencil::tune {
namespace {

using kernel::Body;
using kernel::Expr;
using kernel::integer;
using kernel::Kernel;
using kernel::LoopKind;
using kernel::Space;
using kernel::Statement;
using kernel::variable;
using runtime::MachineLoop;
using runtime::MachineWork;

// Each thread stores 4 bytes to global memory and 8 to shared memory, and gets a value from a
// neighbour.
Body iteration() {
  const Expr one = kernel::real(1, Scalar::F32);
  return {{kernel::Threads{{{kernel::Store{0, {integer(0)}, one}},
                            {kernel::Store{1, {integer(0)}, one}},
                            {kernel::Store{1, {integer(1)}, one}}}}},
          {kernel::Shuffle{"", 1, {{2, {integer(0)}, 2, {integer(1)}, 1}}}}};
}

Statement loop_of(Body body, int64_t step = 1, const char* name = "n") {
  return {kernel::For{LoopKind::Serial, name, integer(0), variable("last"), step, std::move(body)}};
}

Kernel kernel_of(Body body) {
  Kernel kernel;
  kernel.name = "k";
  kernel.threads = {32, 2};
  kernel.buffers = {{"A", Scalar::F32, Space::Global, {integer(100)}, false, false, ""},
                    {"s", Scalar::F32, Space::Shared, {integer(100)}, false, false, ""},
                    {"own", Scalar::F32, Space::Thread, {integer(2)}, false, false, ""}};
  kernel.body = std::move(body);
  return kernel;
}

// A machine-code loop that covers `iterations` iterations per trip.
MachineLoop trip(int iterations, int64_t all, int outer = -1) {
  MachineLoop loop;
  loop.outer = outer;
  loop.mix.all = all;
  loop.mix.singles = 6 * iterations;
  loop.mix.global_written = 4 * iterations;
  loop.mix.shared_written = 8 * iterations;
  loop.mix.shuffles = iterations;
  return loop;
}

MainLoop of(const Kernel& kernel, std::vector<MachineLoop> loops) {
  MachineWork work;
  work.loops = std::move(loops);
  work.reached.all = 1000;
  work.mix.all = 2000;
  return main_loop_of(kernel, {}, work);
}

TEST(MainLoop, TripsMayCoverSeveralIterations) {
  const Kernel kernel = kernel_of({loop_of(iteration())});
  for (const int iterations : {1, 2, 6}) {
    const MainLoop found = of(kernel, {trip(iterations, 60 * iterations)});
    EXPECT_EQ(found.unmatched, "");
    EXPECT_EQ(found.iterations, iterations);
    EXPECT_DOUBLE_EQ(found.inside.all, 60);
    EXPECT_DOUBLE_EQ(found.inside.singles, 6);
    EXPECT_DOUBLE_EQ(found.at_edge.all, 60);
  }
  // Steps of 3, unrolled or not.
  Body three;
  for (int i = 0; i < 3; ++i) {
    for (Statement& statement : iteration()) three.push_back(std::move(statement));
  }
  const Kernel by_three = kernel_of({loop_of(three, 3)});
  EXPECT_EQ(of(by_three, {trip(3, 150)}).iterations, 3);
  EXPECT_EQ(of(by_three, {trip(6, 300)}).iterations, 6);
  EXPECT_DOUBLE_EQ(of(by_three, {trip(6, 300)}).inside.all, 50);
}

// A double-precision shuffle takes two instructions.
TEST(MainLoop, ShufflesMayTakeTwoInstructions) {
  const Kernel kernel = kernel_of({loop_of(iteration())});
  for (const int shuffles : {2, 3, 4}) {
    MachineLoop loop = trip(2, 100);
    loop.mix.shuffles = shuffles;
    EXPECT_EQ(of(kernel, {loop}).unmatched, "") << shuffles;
  }
  for (const int shuffles : {0, 1, 5}) {
    MachineLoop loop = trip(2, 100);
    loop.mix.shuffles = shuffles;
    EXPECT_NE(of(kernel, {loop}).unmatched, "") << shuffles;
  }
}

TEST(MainLoop, VersionsAreOrderedByInstructions) {
  const Statement versions = {
      kernel::For{LoopKind::Steps, "tests", integer(0), integer(3), 1, {loop_of(iteration())}}};
  const Statement passes = {
      kernel::For{LoopKind::Serial, "pass", integer(0), integer(2), 1, {versions}}};
  const Kernel kernel = kernel_of({passes});
  MachineLoop around = trip(6, 500);
  const MainLoop found = of(kernel, {around, trip(2, 180, 0), trip(2, 120, 0), trip(2, 200, 0)});
  EXPECT_EQ(found.unmatched, "");
  EXPECT_EQ(found.iterations, 2);
  EXPECT_DOUBLE_EQ(found.inside.all, 60);
  EXPECT_DOUBLE_EQ(found.at_edge.all, 90);
  EXPECT_EQ(of(kernel, {around, trip(2, 180, 0), trip(2, 120, 0)}).unmatched,
            "versions of the loop: 3 in the kernel, 2 in the machine code");
}

TEST(MainLoop, FindsUnrolledAndDuplicatedLoops) {
  const Kernel kernel = kernel_of({loop_of(iteration())});
  const MainLoop unrolled = of(kernel, {trip(1, 70), trip(4, 200)});
  EXPECT_EQ(unrolled.iterations, 4) << "a remainder loop does single iterations";
  EXPECT_DOUBLE_EQ(unrolled.inside.all, 50);
  const MainLoop doubled = of(kernel, {trip(2, 104), trip(2, 100)});
  EXPECT_EQ(doubled.unmatched, "");
  EXPECT_DOUBLE_EQ(doubled.inside.all, 50);
  EXPECT_NE(of(kernel, {trip(2, 150), trip(2, 100)}).unmatched, "") << "ambiguous which loop runs";
}

TEST(MainLoop, AmbiguousLoopsAreNotMatched) {
  const Kernel kernel = kernel_of({loop_of(iteration())});
  const auto why = [&](std::vector<MachineLoop> loops) { return of(kernel, loops).unmatched; };
  constexpr const char* kBroken =
      "a loop of the machine code does not cover a whole number of iterations";
  MachineLoop other = trip(2, 100);
  other.mix.global_written = 10;
  EXPECT_EQ(why({other}), kBroken);
  other = trip(2, 100);
  other.mix.shared_written = 8;
  EXPECT_EQ(why({other}), kBroken);
  other = trip(2, 100);
  other.mix.global_written = 2;
  EXPECT_EQ(why({other}), kBroken);
  EXPECT_EQ(why({trip(2, 100), other}), kBroken) << "unknown purpose of the other loop";
  EXPECT_EQ(why({}), "no loop of the machine code stores results");
  other.mix = {.all = 50};
  EXPECT_EQ(why({other}), "no loop of the machine code stores results");

  // A short inner loop waits for copies; other inner loops do an unknown part of the work.
  MachineLoop inner;
  inner.outer = 0;
  inner.mix.all = 5;
  EXPECT_EQ(why({trip(1, 60), inner}), "");
  inner.mix.singles = 1;
  EXPECT_EQ(why({trip(1, 60), inner}), "the machine code's loop contains other loops");
  inner.mix.singles = 0;
  inner.mix.all = 30;
  EXPECT_NE(why({trip(1, 60), inner}), "");
}

TEST(MainLoop, KernelsWithoutOrWithSeveralLoops) {
  const Kernel straight = kernel_of(iteration());
  const MainLoop whole = of(straight, {});
  EXPECT_EQ(whole.unmatched, "");
  EXPECT_DOUBLE_EQ(whole.inside.all, 1000) << "without subroutines";
  EXPECT_EQ(of(straight, {trip(1, 60)}).unmatched,
            "the machine code has loops, the kernel has none");
  const auto why = [](Body body) {
    return of(kernel_of(std::move(body)), {trip(1, 60)}).unmatched;
  };
  EXPECT_EQ(why({loop_of({{kernel::Barrier{}}})}), "no loop of the kernel stores results");
  EXPECT_EQ(why({loop_of(iteration()), loop_of(iteration(), 1, "m")}),
            "several loops of the kernel store results");
  Body nested = iteration();
  nested.push_back(loop_of({{kernel::Barrier{}}}, 1, "m"));
  EXPECT_EQ(why({loop_of(nested)}), "the kernel's main loop contains other loops");
  EXPECT_EQ(why({loop_of({loop_of(iteration(), 1, "m")})}), "no loop of the kernel stores results");
}

}  // namespace
}  // namespace stencil::tune
