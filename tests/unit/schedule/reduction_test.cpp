// Kernels and plan entries for reductions, in every family.
#include "compiler/schedule/common/reduction.h"

#include <gtest/gtest.h>

#include "compiler/kernel/passes.h"
#include "compiler/schedule/common/plain.h"
#include "compiler/schedule/schedule.h"
#include "tests/unit/load.h"

namespace stencil::schedule {
namespace {

const char* const kProgram =
    "param N : integer; require N >= 3;\n"
    "grid G = [0..N-1, 0..N-1] steps 9;\n"
    "field A : real on G;\n"
    "field K : double on G;\n"
    "stencil f : A[1..N-2, 1..N-2] = 0.5 * (A[-1,0] + A[0,1]) + K[0,0];\n"
    "reduce f = max(A[0,0]) on G every 4;\n"
    "reduce weight = sum(K[0,0]) on [1..N-2, 1..N-2] every 6;\n"
    "stop when f < 1 and time > 3;\n";

kernel::Module lowered(const std::string& line) {
  const ir::Program program = test::load(kProgram);
  Diagnostics diagnostics;
  const auto schedule = parse(line, program, diagnostics);
  auto module = schedule ? lower(program, *schedule, diagnostics) : std::nullopt;
  EXPECT_TRUE(module) << line;
  return module ? *module : kernel::Module{};
}

TEST(Reductions, AreTheSameInEveryFamily) {
  for (const char* line : {"direct", "overlapped T=3", "streaming T=4", "planes T=4"}) {
    const kernel::Module module = lowered(line);
    EXPECT_EQ(kernel::verify(module), std::vector<std::string>{}) << line;
    const kernel::Plan& plan = module.plan;
    ASSERT_EQ(plan.reductions.size(), 2u) << line;
    EXPECT_EQ(plan.reductions[0].every, 4);
    EXPECT_EQ(plan.reductions[0].type, Scalar::F32);
    EXPECT_EQ(plan.reductions[1].type, Scalar::F64);
    for (const kernel::Reduction& reduction : plan.reductions) {
      ASSERT_EQ(reduction.launches.size(), 2u);
      EXPECT_EQ(plan.scratch[reduction.result].type, reduction.type);
      for (const kernel::Launch& launch : reduction.launches) EXPECT_EQ(launch.steps, 0);
    }
    ASSERT_TRUE(plan.stop) << line;
    EXPECT_EQ(plan.stop->reductions, std::vector<int>{0});
  }
}

// A stencil function and a reduction may have the same name.
TEST(Reductions, KernelNamesDifferFromThoseOfFunctions) {
  const kernel::Module module = lowered("direct");
  std::set<std::string> names;
  for (const kernel::Kernel& kernel : module.kernels) {
    EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
  }
  EXPECT_EQ(names.size(), 6u);  // one sweep, two per reduction, the condition
}

TEST(Reductions, ArePartOfThePlainLoops) {
  const kernel::Module plain = lower_plain(test::load(kProgram));
  EXPECT_EQ(kernel::verify(plain), std::vector<std::string>{});
  EXPECT_EQ(plain.plan.reductions.size(), 2u);
  EXPECT_TRUE(plain.plan.stop);
}

TEST(Reductions, AddNothingToOtherPrograms) {
  const ir::Program program =
      test::load("grid G = [0..9] steps 1; field A : real on G; stencil f : A on G = 2 * A[0];");
  Diagnostics diagnostics;
  const auto module = lower(program, *parse("direct", program, diagnostics), diagnostics);
  ASSERT_TRUE(module);
  EXPECT_TRUE(module->plan.scratch.empty());
  EXPECT_TRUE(module->plan.reductions.empty());
  EXPECT_FALSE(module->plan.stop);
  EXPECT_EQ(module->kernels.size(), 1u);
}

// Tiles end where a reduction is due, so deeper tiles gain nothing.
TEST(Reductions, LimitTheTimeTileOfAuto) {
  const auto chosen = [](const std::string& reductions) {
    const ir::Program program = test::load(
        "grid G = [0..4095, 0..4095] steps 100; points p [0..9] on G; field A : real on G;"
        "stencil f : A[1..4094, 1..4094] = 0.25 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1]);" +
        reductions);
    return choose(program, nullptr, gpu()).time_tile;
  };
  const int free = chosen("");
  EXPECT_GT(free, 4);
  EXPECT_EQ(chosen("reduce r = sum(A[0,0]) on G;"), 1);
  EXPECT_EQ(chosen("reduce r = sum(A[0,0]) on G every 3;"), 3);
  EXPECT_EQ(chosen("record r [0..99] = 2 * A[0,0] at p every 2;"), 2);
  EXPECT_EQ(chosen("record r [0..99] = A[0,0] at p;"), free) << "which tiles sample";
}

}  // namespace
}  // namespace stencil::schedule
