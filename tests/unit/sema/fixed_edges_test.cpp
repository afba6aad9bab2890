// Boundaries with a gradient, and sides whose edge points have a given value.
#include <gtest/gtest.h>

#include "compiler/ir/lower/fixed_edges.h"
#include "compiler/syntax/parse.h"
#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

const std::string kFixedPlane =
    "param v : real = 2; grid G = [0..7, 0..9] steps 4; series w : real [0..3];"
    "series p : real [0..3] on G along 0 boundary clamp; field K : real on G;";

std::string value(const std::string& boundary, const std::string& access,
                  const std::string& before = kFixedPlane) {
  return result(program_of(before + "field A : real on G boundary " + boundary +
                           "; stencil s : K on G = " + access + "; stencil a : A on G = 0;"));
}

TEST(Gradient, AddsTheSlopeToTheImage) {
  EXPECT_EQ(value("gradient v", "A[-1,0]"), "select(lt(#0, 1), add(A[0,0], v), A[-1,0])");
  EXPECT_EQ(value("gradient 3", "A[0,1]"), "select(gt(#1, 8), add(A[0,0], 3f), A[0,1])");
  EXPECT_EQ(value("mirror gradient v", "A[0,1]"),
            "select(gt(#1, 8), add(A[0,1], mul(2f, v)), A[0,1])");
  EXPECT_EQ(value("[gradient w[time] .. clamp, clamp]", "A[-2,0]"),
            "select(lt(#0, 2), add(A[-1,0], mul(float(sub(mul(2, sub(2, #0)), 1)), w[0])), "
            "A[-2,0])");
  EXPECT_EQ(value("mirror gradient v", "A[0,2]"),
            "select(gt(#1, 7), add(A[0,2], mul(float(mul(2, neg(sub(7, #1)))), v)), A[0,2])");
}

TEST(Gradient, IsPerUnitOfTheGridsSpacing) {
  const std::string spaced =
      "param v : real = 2; param h : real = 0.5; grid G = [0..7, 0..9]"
      " spacing [h, 0.25] steps 4; field K : real on G;";
  EXPECT_EQ(value("gradient v", "A[-1,0]", spaced),
            "select(lt(#0, 1), add(A[0,0], mul(v, h)), A[-1,0])");
  EXPECT_EQ(value("gradient v", "A[0,-1]", spaced),
            "select(lt(#1, 1), add(A[0,0], mul(v, 0.25f)), A[0,-1])");
}

// A profile along the wall is read at the place that the access reads.
TEST(Gradient, ReadsProfilesAtThePlaceBeyondTheEdge) {
  EXPECT_EQ(value("[clamp, gradient p[time, 0] .. none]", "A[1,-1]", kFixedPlane),
            "select(lt(#1, 1), add(A[1,0], p[0,1]), A[1,-1])");
}

// The rule of a dimension applies to the values that later dimensions give.
TEST(Gradient, NestsWithRulesOfOtherDimensions) {
  EXPECT_EQ(value("[gradient v, odd]", "A[-1,-1]"),
            "select(lt(#0, 1), add(select(lt(#1, 1), neg(A[0,-1]), A[0,-1]), v), "
            "select(lt(#1, 1), neg(A[-1,-1]), A[-1,-1]))");
  EXPECT_EQ(value("[odd, gradient v]", "A[-1,-1]"),
            "select(lt(#0, 1), neg(select(lt(#1, 1), add(A[-1,0], v), A[-1,-1])), "
            "select(lt(#1, 1), add(A[-1,0], v), A[-1,-1]))");
}

TEST(Gradient, NeedsFloatingPointAndEnoughPoints) {
  const auto messages = [](const std::string& text) { return analyze_text(text).messages; };
  EXPECT_NE(messages("grid G = [0..7] steps 1; field A : integer on G boundary gradient 1;"
                     "stencil s : A on G = A[-1];")
                .find("error S091"),
            std::string::npos);
  for (const char* rule : {"gradient 1", "mirror gradient 1"}) {
    const std::string text = std::string("grid G = [0..2] steps 1; field A : real on G boundary ") +
                             rule + "; stencil s : A on G = A[";
    EXPECT_EQ(messages(text + "-2];").find("error"), std::string::npos) << rule;
    EXPECT_NE(messages(text + "-4];").find("error S031"), std::string::npos) << rule;
  }
}

TEST(FixedEdges, AreSelectedByCoordinates) {
  EXPECT_EQ(value("[fixed v .. none, none]", "A[0,0]"), "select(eq(#0, 0), v, A[0,0])");
  EXPECT_EQ(value("[clamp .. fixed v, none]", "A[1,0]"),
            "select(gt(#0, 6), sub(mul(2f, v), select(eq(#0, 6), v, A[1,0])), "
            "select(eq(#0, 6), v, A[1,0]))");
  EXPECT_EQ(value("[fixed v .. clamp, none]", "A[1,0]"), "A[1,0]");  // never at the low edge
  // at a corner, the outermost dimension decides
  EXPECT_EQ(value("[fixed v .. none, fixed 3 .. none]", "A[0,0]"),
            "select(eq(#0, 0), v, select(eq(#1, 0), 3f, A[0,0]))");
}

TEST(FixedEdges, ReflectWithTheOppositeSignAboutTheEdge) {
  EXPECT_EQ(value("[fixed v .. clamp, clamp]", "A[-1,0]"),
            "select(lt(#0, 1), sub(mul(2f, v), select(eq(#0, 1), v, A[-1,0])), "
            "select(eq(#0, 1), v, A[-1,0]))");
}

// pieces and values of the first function
std::string pieces(const std::string& text) {
  const ir::Program program = program_of(text);
  std::string out;
  for (const ir::Piece& piece : program.functions.at(0).pieces) {
    for (const ir::Range& range : piece.region.ranges) {
      out += fmt::format("{}..{} ", range.low.constant, range.high.constant);
    }
    out += "= " + expression(program, piece.graph, piece.results[0]) + "; ";
  }
  return out;
}

TEST(FixedEdges, BecomePiecesOfTheFunctionThatWritesTheField) {
  for (const char* region : {"[0..9]", "[1..8]"}) {
    EXPECT_EQ(pieces("param v : real = 2; grid G = [0..9] steps 4;"
                     "field A : real on G boundary [fixed v .. fixed time];"
                     "stencil s : A" +
                     std::string(region) + " = A[0] + 1;"),
              "1..8 = add(A[0], 1f); 0..0 = v; 9..9 = float(time); ")
        << region;
  }
}

std::string regions(const ir::Function& function) {
  std::string out;
  for (const ir::Piece& piece : function.pieces) {
    for (const ir::Range& range : piece.region.ranges) {
      out += fmt::format("{}..{} ", range.low.constant, range.high.constant);
    }
  }
  return out;
}

// Semantic analysis keeps the pieces and regions of the text. Accesses are proved only where the
// program computes: B, which has no boundary, is not read at 0 - 1.
TEST(FixedEdges, ArePiecesOnlyAfterLowering) {
  const Source source("test.stn",
                      "grid G = [0..9] steps 4; field B : real on G; stencil b : B on G = 1;"
                      "field A : real on G boundary [fixed 1 .. clamp];"
                      "stencil s : A { [0..5] = B[-1]; else = A[0] + 1; }"
                      "field C : real on G boundary fixed 1; stencil t : C[4..6] = 2;");
  Diagnostics diagnostics;
  const auto tree = parse(source, diagnostics);
  ASSERT_TRUE(tree);
  const auto mathematics = analyze_mathematics(*tree, source, {}, diagnostics);
  ASSERT_TRUE(mathematics) << render(source, diagnostics);
  EXPECT_EQ(regions(mathematics->functions.at(1)), "0..5 6..9 ");
  EXPECT_EQ(regions(mathematics->functions.at(2)), "4..6 ");

  const ir::Program split = ir::split_fixed_edges(*mathematics);
  EXPECT_TRUE(ir::verify(split, ir::Form::Mathematics).empty());
  EXPECT_EQ(regions(split.functions.at(1)), "1..5 6..9 0..0 ");
  EXPECT_EQ(regions(split.functions.at(2)), "4..6 0..0 9..9 ");
  const ir::Piece& edge = split.functions.at(2).pieces.at(1);
  EXPECT_EQ(expression(split, edge.graph, edge.results.at(0)), "C[0]");
}

// A function computes the edge for the target that is not fixed there.
TEST(FixedEdges, BelongToAllTargets) {
  const auto of_targets = [](const std::string& second) {
    return regions(program_of("grid G = [0..9] steps 4; field A : real on G boundary fixed 1;"
                              "field B : real on G boundary " +
                              second + "; stencil s : A, B on G = {A[0], B[0]};")
                       .functions.at(0));
  };
  EXPECT_EQ(of_targets("fixed 2").substr(0, 5), "1..8 ");
  EXPECT_EQ(of_targets("[fixed 2 .. clamp]").substr(0, 5), "1..9 ");
  EXPECT_EQ(of_targets("clamp").substr(0, 5), "0..9 ");
}

TEST(FixedEdges, OfOpenSizesNeedNoRequirement) {
  const ir::Program program = program_of(
      "param N : integer; grid G = [0..N-1] steps 4; field A : real on G boundary "
      "fixed 1; stencil s : A on G = A[-1] + A[1];");
  EXPECT_EQ(program.functions.at(0).pieces.size(), 3u);
  EXPECT_EQ(program.checks.size(), 2u);  // a grid with points, and two points in the dimension
}

TEST(FixedEdges, OnlyTheFirstFunctionStoresThem) {
  const ir::Program program = program_of(
      "grid G = [0..9] steps 4; field A : real on G boundary fixed 1;"
      "stencil r : A[2..3] = A[0] + 1; stencil s : A[1..8] = A[0] + 1;");
  EXPECT_EQ(program.functions.at(0).pieces.size(), 3u);
  EXPECT_EQ(program.functions.at(1).pieces.size(), 1u);
}

TEST(FixedEdges, NeedAFieldThatIsWrittenAndTwoPoints) {
  const auto messages = [](const std::string& text) {
    return analyze_text(
               "grid G = [0..7] steps 1; subgrid H of G = [3]; field B : real on G;"
               "stencil b : B on G = 1; " +
               text)
        .messages;
  };
  EXPECT_NE(messages("field A : real on G boundary fixed 1;").find("error S092"),
            std::string::npos);
  EXPECT_NE(messages("field A : real on G constant boundary fixed 1;").find("error S092"),
            std::string::npos);
  EXPECT_NE(
      messages("field A : real on H boundary fixed 1; stencil a : A on H = 1;").find("error S063"),
      std::string::npos);
  // the image must not be the other edge point
  const std::string opposite = "field A : real on G boundary fixed 1; stencil a : A[2..5] = A[";
  EXPECT_EQ(messages(opposite + "-8];").find("error"), std::string::npos);
  EXPECT_NE(messages(opposite + "-9];").find("error S031"), std::string::npos);
}

TEST(FixedEdges, InitialValuesHaveThem) {
  const ir::Program program = program_of(
      "param v : real = 2; grid G = [0..9] steps 4; field A : real on G boundary [fixed v .. none];"
      "stencil s : A on G = 1; init A = 3;");
  EXPECT_EQ(
      expression(program, program.inits.at(0).piece.graph, program.inits.at(0).piece.results[0]),
      "select(eq(#0, 0), v, 3f)");
}

TEST(FixedEdges, AreInitialValuesOfFieldsThatStartAtZero) {
  const auto initial = [](const std::string& boundary) {
    const ir::Program program = program_of(
        "param v : real = 2; function f(x) = x * time; function h(x) = x + v;"
        "grid G = [0..9] steps 4; field A : real on G boundary " +
        boundary + "; stencil s : A on G = 1;");
    if (program.inits.empty()) return std::string("none");
    const ir::Piece& piece = program.inits[0].piece;
    return expression(program, piece.graph, piece.results[0]);
  };
  EXPECT_EQ(initial("[clamp .. fixed h(1)]"), "select(eq(#0, 9), add(1f, v), 0f)");
  EXPECT_EQ(initial("fixed f(2)"), "none");
  EXPECT_EQ(initial("odd"), "none");
}

// Each component is stored by the first function that writes it. A component that no function
// writes needs values from outside.
TEST(FixedEdges, AreStoredByComponent) {
  const ir::Program program = program_of(
      "type cell = { a : real, b : real, c : real }; grid G = [0..9] steps 4;"
      "field S : cell on G boundary fixed {1, 2, 3}; stencil r : S.a[0..8] = S[1].c;"
      "stencil s : S.b on G = S[0].a; stencil t : S.a on G = 4;");
  const auto at_edge = [&](size_t function) {
    const ir::Piece& piece = program.functions.at(function).pieces.at(1);
    std::string out;
    for (const ir::NodeId result : piece.results) {
      out += expression(program, piece.graph, result) + " ";
    }
    return out;
  };
  EXPECT_EQ(at_edge(0), "1f S[0].b S[0].c ");
  EXPECT_EQ(at_edge(1), "S[0].a 2f S[0].c ");
  EXPECT_EQ(program.functions.at(2).pieces.size(), 1u);
  EXPECT_FALSE(ir::is_read_only(program, 0, 0));
  EXPECT_TRUE(ir::is_read_only(program, 0, 2));
}

}  // namespace
}  // namespace stencil::test
