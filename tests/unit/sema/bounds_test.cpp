// Bounds: which are proved, which are refuted, and which are checked at run time.
#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

bool mentions(const Analysis& analysis, const std::string& text) {
  return analysis.messages.find(text) != std::string::npos;
}

std::string open_program(const std::string& requirement, const std::string& stencils) {
  return "param N : integer; param M : integer;\n" + requirement +
         "grid G = [0..N-1] steps 4;\nfield A : real on G;\n" + stencils;
}

std::vector<double> no_reals(const ir::Program& program) {
  return std::vector<double>(program.params.size());
}

TEST(Bounds, OpenSizesAreProved) {
  const ir::Program program = program_of(
      open_program("require N >= 8 and M > 2;\n", "stencil s : A[M..N-3] = A[-3] + A[2];\n"));
  EXPECT_TRUE(program.checks.empty());
  ASSERT_EQ(program.requirements.size(), 1u);
  EXPECT_EQ(program.requirements[0].text, "N >= 8 and M > 2");
}

TEST(Bounds, UnprovedBoundsAreCheckedAtRunTime) {
  const ir::Program program =
      program_of(open_program("require N >= 8;\n", "stencil s : A[M..N-1] = A[-3];\n"));
  ASSERT_EQ(program.checks.size(), 2u);  // the region in the grid, and the access
  EXPECT_EQ(program.checks[1].code, "S031");
  EXPECT_EQ(program.checks[1].message,
            "access A[-3] leaves the grid in dimension 0 (low end of region [M..N-1])");
  EXPECT_FALSE(ir::failed_checks(program, {9, 3}, no_reals(program)).has_errors());
  EXPECT_FALSE(ir::failed_checks(program, {9, 9}, no_reals(program)).has_errors());  // empty region
  const Diagnostics failed = ir::failed_checks(program, {9, 2}, no_reals(program));
  ASSERT_EQ(failed.items().size(), 1u);
  EXPECT_EQ(failed.items()[0].code, "S031");
  EXPECT_EQ(failed.items()[0].found, "N = 9, M = 2");
  EXPECT_EQ(ir::failed_checks(program, {5, 3}, no_reals(program)).items()[0].code, "S035");
}

TEST(Bounds, AccessesNeverInBoundsAreErrors) {
  const Analysis analysis =
      analyze_text(open_program("", "stencil s : A[1..N-2] = A[-2] + A[1];\n"));
  EXPECT_FALSE(analysis.program);
  EXPECT_TRUE(mentions(analysis, "-1, at i = 1 in region [1..N-2]")) << analysis.messages;
}

TEST(Bounds, EmptyRegionsReadNothing) {
  const ir::Program program =
      program_of("grid G = [0..7] steps 1; field A : real on G; stencil s : A[1..0] = A[-5];");
  EXPECT_EQ(program.functions[0].pieces.size(), 1u);
}

TEST(Bounds, BoundariesMarkEscapesByBits) {
  const ir::Program program = program_of(
      "grid G = [0..7, 0..7] steps 1; field A : real on G boundary clamp;\n"
      "stencil s : A[1..6, 0..7] = A[-1,1] + A[-2,0] + A[0,-1];");
  std::vector<uint32_t> escapes;
  for (const ir::Node& node : program.functions[0].pieces[0].graph.nodes()) {
    if (const auto* access = std::get_if<ir::Access>(&node.kind))
      escapes.push_back(access->escapes);
  }
  EXPECT_EQ(escapes, (std::vector<uint32_t>{1u << 3, 1u << 0, 1u << 2}));
}

TEST(Bounds, EscapesFollowTheRuleOfTheSide) {
  const ir::Program program = program_of(
      "grid G = [0..7, 0..7] steps 1; field A : real on G boundary [none .. clamp, mirror .. none];"
      "stencil s : A[1..7, 0..6] = A[-1,1] + A[2,0] + A[0,-1] + A[1,-3];");
  std::vector<uint32_t> escapes;
  for (const ir::Node& node : program.functions[0].pieces[0].graph.nodes()) {
    if (const auto* access = std::get_if<ir::Access>(&node.kind))
      escapes.push_back(access->escapes);
  }
  EXPECT_EQ(escapes, (std::vector<uint32_t>{0, 1u << 1, 1u << 2, 1u << 1 | 1u << 2}));
  EXPECT_TRUE(program.checks.empty());
}

// Reads reflected towards an edge without a rule must stay inside. This is proved if possible, and
// checked before the run otherwise.
TEST(Bounds, MirroredReadsMustNotPassAnEdgeWithoutARule) {
  const auto text = [](const std::string& require, const std::string& stencil) {
    return "param N : integer;" + require +
           "grid G = [0..N-1] steps 1; field A : real on G boundary [mirror .. none];" + stencil;
  };
  const std::string stencil = "stencil s : A[1..N-1] = A[-4];";  // index -3 is reflected to 3
  EXPECT_TRUE(program_of(text("require N >= 4;", stencil)).checks.empty());
  const ir::Program program = program_of(text("require N >= 1;", stencil));
  ASSERT_EQ(program.checks.size(), 1u);
  EXPECT_EQ(program.checks[0].code, "S031");
  EXPECT_TRUE(ir::failed_checks(program, {3}, no_reals(program)).has_errors());
  EXPECT_FALSE(ir::failed_checks(program, {4}, no_reals(program)).has_errors());
  EXPECT_FALSE(ir::failed_checks(program, {1}, no_reals(program)).has_errors()) << "empty region";
}

TEST(Bounds, PiecesMayDependOnSizes) {
  const std::string pieces = "stencil s : A { [0..M-1] = 1; [M..N-1] = 2; }\n";
  EXPECT_EQ(program_of(open_program("require M >= 0 and M <= N;\n", pieces)).checks.size(), 1u);
  const ir::Program program = program_of(open_program(
      "require N >= 8;\n", "stencil s : A { [0..1] = 1; [N-6..N-1] = 2; [3] = 0; }\n"));
  ASSERT_EQ(program.checks.size(), 1u);  // only [3] may overlap [N-6..]
  EXPECT_EQ(program.checks[0].code, "S033");
  EXPECT_TRUE(ir::failed_checks(program, {9, 0}, no_reals(program)).has_errors());
  EXPECT_FALSE(ir::failed_checks(program, {10, 0}, no_reals(program)).has_errors());
}

// Checks of one place with the same message differ in their dimension.
TEST(Bounds, EachDimensionHasItsOwnCheck) {
  const ir::Program program = program_of(
      "param N : integer; param M : integer; grid G = [0..N-1, 0..M-1] steps 1;"
      "field A : real on G boundary clamp; stencil s : A on G = A[1,1];");
  ASSERT_EQ(program.checks.size(), 2u);
  EXPECT_EQ(program.checks[0].message, program.checks[1].message);
  EXPECT_FALSE(ir::failed_checks(program, {1, 1}, no_reals(program)).has_errors());
  EXPECT_TRUE(ir::failed_checks(program, {0, 1}, no_reals(program)).has_errors());
  EXPECT_TRUE(ir::failed_checks(program, {1, 0}, no_reals(program)).has_errors());
  EXPECT_TRUE(ir::failed_checks(program, {1, -1}, no_reals(program)).has_errors());
}

TEST(Bounds, SizesThatOverflowFailTheirCheck) {
  const ir::Program program = program_of(open_program("", "stencil s : A on G = A[0] * M;\n"));
  EXPECT_FALSE(ir::failed_checks(program, {1 << 30, 0}, no_reals(program)).has_errors());
  const Diagnostics failed = ir::failed_checks(program, {int64_t{1} << 40, 0}, no_reals(program));
  ASSERT_TRUE(failed.has_errors());
  EXPECT_EQ(failed.items()[0].code, "S040");
  EXPECT_TRUE(ir::failed_checks(program, {0, 0}, no_reals(program)).has_errors());  // empty grid
}

TEST(Bounds, FieldsOnSubgridsUseGridCoordinates) {
  const ir::Program program = program_of(
      "grid G = [0..9] steps 1; subgrid I of G = [2..7]; field A : real on G; field B : real on "
      "I;\n"
      "stencil b : B on I = A[-2] + A[2];\n"
      "stencil a : A[3..6] = B[-1] + B[1];\n");
  EXPECT_TRUE(program.checks.empty());
  EXPECT_EQ(program.fields[1].box.ranges[0].low.constant, 2);
}

TEST(Bounds, DivisionByAParamNeedsItsValue) {
  ProgramOptions options;
  options.definitions["N"] = "9";
  const std::string text =
      "param N : integer; grid G = [0..N-1] steps 1; field A : real on G;"
      "stencil s : A[0..40/(N+1)] = A[0];";
  EXPECT_EQ(program_of(text, options).functions[0].pieces[0].region.ranges[0].high.constant, 4);
  EXPECT_TRUE(mentions(analyze_text(text), "S011"));
}

TEST(Limits, UnrollingIsBounded) {
  const std::string head = "grid G = [0..9] steps 1; field A : real on G boundary clamp;\n";
  EXPECT_TRUE(mentions(
      analyze_text(head + "stencil s : A on G = sum(a in 0..2000000000, b in 0..9 : a * A[b]);"),
      "S030"));
  EXPECT_TRUE(mentions(
      analyze_text(head + "stencil s : A on G = sum(a in 0..9000000000000000000 : 1);"), "S030"));
}

TEST(Limits, LongChainsOfFunctionsAreRefused) {
  std::string text =
      "grid G = [0..9] steps 1; field A : real on G;\nfunction f0(u : field) = u[0];\n";
  for (int k = 1; k <= 6000; ++k) {
    text += fmt::format("function f{}(u : field) = 1 + f{}(u);\n", k, k - 1);
  }
  EXPECT_TRUE(mentions(analyze_text(text + "stencil s : A on G = f6000(A);"), "S030"));
}

}  // namespace
}  // namespace stencil::test
