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
    out += std::to_string(phase.functions.front()) + ".." +
           std::to_string(phase.functions.back() + 1) + "x" + std::to_string(phase.iterations) +
           (phase.times > 1 ? "x" + std::to_string(phase.times) : "") + " ";
  }
  return out;
}

// The tree of a step: functions by number, repeats as "n(...)", reductions as "r0".
std::string step_of(const ir::Sequence& sequence) {
  std::string out;
  for (const ir::Step& step : sequence) {
    if (const auto* apply = std::get_if<ir::Apply>(&step.kind)) {
      out += std::to_string(apply->function) + " ";
    } else if (const auto* repeat = std::get_if<ir::Repeat>(&step.kind)) {
      out += std::to_string(repeat->iterations) + "( " + step_of(repeat->body) + ") ";
    } else if (const auto* reduce = std::get_if<ir::Reduce>(&step.kind)) {
      out += "r" + std::to_string(reduce->reduction) + " ";
    }
  }
  return out;
}

TEST(Repeats, ContainTheFunctionsInTheirBraces) {
  const ir::Program program = program_of(kRepeating + "repeat 2 * K {" + kA + kB + "}" + kH);
  EXPECT_EQ(step_of(program.run.body), "6( 0 1 ) 2 ");
  EXPECT_TRUE(ir::cuts_steps(program));
  EXPECT_EQ(phases_of(program), "0..2x6 2..3x1 ");
}

TEST(Repeats, OfOneIterationAreRemoved) {
  const ir::Program program = program_of(kRepeating + kH + "repeat K - 2 {" + kA + "}" + kB);
  EXPECT_EQ(step_of(program.run.body), "0 1 2 ");
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
  EXPECT_EQ(step_of(program.run.body), "r0 0 1 r1 5( 2 ) 2( 3 ) 4 ");
}

// A repeat around one phase is part of the phase; a repeat around more is a loop over phases.
TEST(Repeats, CanBeNested) {
  const std::string c = "stencil c : A on G = B[0];";
  const ir::Program program =
      program_of(kRepeating + "repeat 3 {" + kA + "repeat 4 {" + kB + "}" + c + "}" + kH);
  EXPECT_EQ(step_of(program.run.body), "3( 0 4( 1 ) 2 ) 3 ");
  EXPECT_EQ(phases_of(program), "0..1x1x3 1..2x4x3 2..3x1x3 3..4x1 ");
  const ir::Program twice = program_of(kRepeating + "repeat 3 { repeat 4 {" + kA + "}}" + kB);
  EXPECT_EQ(phases_of(twice), "0..1x4x3 1..2x1 ");
  const ir::Program once = program_of(kRepeating + "repeat 3 { repeat 1 {" + kA + "}" + kB + "}");
  EXPECT_EQ(step_of(once.run.body), "3( 0 1 ) ");
}

// `repeat` is not reserved and can be a name.
TEST(Repeats, TheirKeywordIsNotReserved) {
  const ir::Program program = program_of(
      "param repeat : integer = 3; grid G = [0..9] steps 4; field A : real on G;"
      "repeat repeat { stencil repeat : A on G = repeat * A[0]; }");
  EXPECT_EQ(step_of(program.run.body), "3( 0 ) ");
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
