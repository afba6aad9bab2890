// Reductions read by stencil functions and other reductions: where they are evaluated, the value
// that is read before and after that place, and their type.
#include <gtest/gtest.h>

#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

const std::string kSpace =
    "param N : integer; param e : real = 2; grid G = [0..N-1] steps 4; require N >= 4;"
    "field A, B : real on G; field n : integer on G; field d : double on G history 2;";

std::optional<size_t> place(const ir::Program& program, size_t id) {
  return ir::functions_before(program, id);
}

TEST(Statistics, AreEvaluatedAtTheirPlace) {
  const ir::Program program =
      program_of(kSpace +
                 "reduce first = sum(A[0]) on G; stencil s : A on G = A[0] / first;"
                 "reduce second = max(A[0] - first) on G; reduce unread = max(A[0]) on G every 3;"
                 "stencil t : B on G = second * A[0]; reduce last = min(B[0]) on G initial 1;"
                 "stencil u : B[1..2] = B[0] + last@-1 * 0; stop when unread < last;");
  EXPECT_EQ(place(program, 0), 0u);
  EXPECT_EQ(place(program, 1), 1u);
  EXPECT_EQ(place(program, 2), std::nullopt);
  EXPECT_EQ(place(program, 3), 2u);
  EXPECT_TRUE(ir::cuts_steps(program));
}

TEST(Statistics, OfThePreviousStepAreReadAsLevelMinusOne) {
  const ir::Program program =
      program_of(kSpace +
                 "stencil s : A on G = A[0] + r@-1; reduce r = max(A[0]) on G initial e * N;"
                 "stencil t : B on G = r - r@-1;");
  EXPECT_EQ(result(program, 0), "add(A[0], select(eq(time, 0), mul(e, float(N)), r))");
  EXPECT_EQ(result(program, 1), "sub(r, select(eq(time, 0), mul(e, float(N)), replaced r))");
}

TEST(Statistics, HaveTheTypeOfTheirValue) {
  const ir::Program program = program_of(
      kSpace +
      "stencil s : A on G = float(wide@-1) + count@-1;"
      "reduce wide = sum(d[0] - d@-1[0]) on G initial 1; reduce count = sum(n[0]) on G initial -2;"
      "stencil t : n on G = count / 2;");
  EXPECT_EQ(ir::value_type(program.reductions[0]), Scalar::F64);
  EXPECT_EQ(ir::value_type(program.reductions[1]), Scalar::I64);
  EXPECT_EQ(result(program, 0),
            "add(float(select(eq(time, 0), 1d, wide)), float(select(eq(time, 0), -2l, count)))");
}

// If the type depends on itself, the initial value determines it.
TEST(Statistics, MayReadTheirPreviousValue) {
  const ir::Program program =
      program_of(kSpace +
                 "reduce peak = max(max(A[0], peak@-1)) on G initial 0;"
                 "reduce one = max(d[0] + other@-1) on G initial double(e);"
                 "reduce other = sum(n[0] + peak * one) on G initial double(0);"
                 "reduce ever = max(n[0] + ever@-1 % 7) on G initial integer(3);"
                 "stencil s : A on G = A[0];");
  EXPECT_EQ(ir::value_type(program.reductions[0]), Scalar::F32);
  EXPECT_EQ(ir::value_type(program.reductions[1]), Scalar::F64);
  EXPECT_EQ(ir::value_type(program.reductions[2]), Scalar::F64);
  EXPECT_EQ(ir::value_type(program.reductions[3]), Scalar::I32);
  EXPECT_EQ(expression(program, program.reductions[0].piece.graph,
                       program.reductions[0].piece.results[0]),
            "max(A[0], select(eq(time, 0), 0f, peak))");
}

TEST(Statistics, MayBeReadInFunctionsLetsAndConditions) {
  const ir::Program program = program_of(
      kSpace +
      "function scaled(u : field) = u[0] / top;"
      "reduce top = max(A[0]) on G; reduce mean = sum(scaled(A)) on G where A[0] < top;"
      "stencil s : A { let h = mean / N; [0..2] where scaled(A) > h = h; else = A[0]; }");
  EXPECT_EQ(place(program, 0), 0u);
  EXPECT_EQ(place(program, 1), 0u);
}

TEST(Statistics, UnusedOnesAreEvaluatedAfterTheStep) {
  const ir::Program program =
      program_of(kSpace +
                 "reduce r = max(A[0]) on G every 2 initial 1; function f(u : field) = u[0] * r;"
                 "stencil s : A { let unused = r; [0..2] = A[0]; }");
  EXPECT_EQ(place(program, 0), std::nullopt);
  EXPECT_FALSE(ir::cuts_steps(program));
}

// Boundaries belong to fields, which have no place in the step.
TEST(Statistics, CannotBeBoundaryValues) {
  const Analysis analysis = analyze_text(
      "grid G = [0..7] steps 2; field A : real on G boundary constant r;"
      "reduce r = max(A[0]) on G; stencil s : A on G = A[-1];");
  EXPECT_FALSE(analysis.program);
  EXPECT_NE(analysis.messages.find("error S004: unknown name 'r'"), std::string::npos)
      << analysis.messages;
}

// The type of each depends on the next one.
TEST(Statistics, DependOnEachOtherToALimitedDepth) {
  std::string text = kSpace + "stencil s : A on G = A[0] + r0@-1;";
  for (int r = 0; r < 200; ++r) {
    text += fmt::format("reduce r{} = max(A[0] + r{}@-1) on G initial 0;", r, r + 1);
  }
  const Analysis analysis = analyze_text(text + "reduce r200 = max(A[0]) on G initial 0;");
  EXPECT_FALSE(analysis.program);
  EXPECT_NE(analysis.messages.find("error S030: too many reductions depend on each other"),
            std::string::npos)
      << analysis.messages;
}

}  // namespace
}  // namespace stencil::test
