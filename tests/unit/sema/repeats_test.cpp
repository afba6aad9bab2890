// Repeats: the functions inside them, and the phases of a step.
#include <gtest/gtest.h>

#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

const std::string kRepeating =
    "param K : integer = 3; table many : integer[2] = {4, 5}; grid G = [0..9] steps 4;"
    "field A, B : real on G; field H : real on G history 2;";
const std::string kA = "stencil a : A on G = A[0] + 1;", kB = "stencil b : B on G = A[0];",
                  kH = "stencil h : H on G = B[0] + H@-1[0];";

std::string phases_of(const ir::Program& program) {
  std::string out;
  for (const ir::Phase& phase : ir::phases(program)) {
    out += std::to_string(phase.first) + ".." + std::to_string(phase.end) + "x" +
           std::to_string(phase.iterations) + " ";
  }
  return out;
}

TEST(Repeats, ContainTheFunctionsInTheirBraces) {
  const ir::Program program = program_of(kRepeating + "repeat 2 * K {" + kA + kB + "}" + kH);
  ASSERT_EQ(program.repeats.size(), 1u);
  EXPECT_EQ(program.repeats[0].first, 0u);
  EXPECT_EQ(program.repeats[0].end, 2u);
  EXPECT_EQ(program.repeats[0].iterations, 6);
  EXPECT_TRUE(ir::cuts_steps(program));
  EXPECT_EQ(phases_of(program), "0..2x6 2..3x1 ");
}

TEST(Repeats, OfOneIterationAreRemoved) {
  const ir::Program program = program_of(kRepeating + kH + "repeat K - 2 {" + kA + "}" + kB);
  EXPECT_TRUE(program.repeats.empty());
  EXPECT_FALSE(ir::cuts_steps(program));
  EXPECT_EQ(phases_of(program), "0..3x1 ");
}

TEST(Repeats, AndReductionsDivideTheStepIntoPhases) {
  const ir::Program program = program_of(
      kRepeating + "reduce first = sum(A[0]) on G;" + kA + kB +
      "reduce second = sum(B[0] * first) on G; repeat many[1] {" +
      "stencil c : B on G = B[0] + second; }" + "repeat 2 { stencil d : A on G = B[0]; }" + kH +
      "reduce unread = sum(B[0]) on G;");
  EXPECT_EQ(phases_of(program), "0..2x1 2..3x5 3..4x2 4..5x1 ");
}

// `repeat` is not reserved and can be a name.
TEST(Repeats, TheirKeywordIsNotReserved) {
  const ir::Program program = program_of(
      "param repeat : integer = 3; grid G = [0..9] steps 4; field A : real on G;"
      "repeat repeat { stencil repeat : A on G = repeat * A[0]; }");
  ASSERT_EQ(program.repeats.size(), 1u);
  EXPECT_EQ(program.repeats[0].iterations, 3);
}

// A phase knows which fields earlier phases of the step wrote.
TEST(Phases, KnowTheWritersOfEarlierPhases) {
  const ir::Program program =
      program_of(kRepeating + kH + "repeat 2 {" + kA + "}" + "stencil g : H on G = A[0];");
  const auto phases = ir::phases(program);
  ASSERT_EQ(phases.size(), 3u);
  const ir::Program second = ir::phase_program(program, phases[1]);
  const ir::Program third = ir::phase_program(program, phases[2]);
  EXPECT_EQ(second.functions.size(), 1u);
  EXPECT_EQ(second.functions[0].name, "a");
  EXPECT_EQ(&ir::whole_of(second), &program);
  EXPECT_EQ(&ir::whole_of(program), &program);
  EXPECT_TRUE(ir::time_stands_still(second));
  EXPECT_FALSE(ir::time_stands_still(third));
  EXPECT_EQ(ir::advanced_before(second), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(ir::advanced_before(third), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(ir::advanced_before(program), (std::vector<bool>{false, false, false}));
}

}  // namespace
}  // namespace stencil::test
