// Profiles (fields along some dimensions of the grid) and series (values by step).
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

const std::string kSpace =
    "param K : integer; grid G = [0..7, 0..9, 0..4] origin [0, 1, 2] spacing 0.5 steps 4;"
    "subgrid H of G = [2..5, 3..6, 1..2]; field A : real on G;";

const ir::Field& field(const ir::Program& program, size_t id) {
  return program.fields.at(id);
}

std::string box_of(const ir::Field& field) {
  std::string out;
  for (const ir::Range& range : field.box.ranges) {
    out += fmt::format("{}..{} ", range.low.constant, range.high.constant);
  }
  return out;
}

TEST(Profiles, HaveTheNamedDimensions) {
  const ir::Program program =
      program_of(kSpace +
                 "field x : real on G along 2 constant; field zy : real on H along [0, 1] constant;"
                 "field all : real on G along [0, 1, 2] constant; series w : double [0..9];"
                 "series p : real [1..3] on H along 1 boundary clamp; series f : real [0..9] on G;"
                 "stencil s : A on H = x[1] + zy[0,0] + all[0,0,0] + float(w[time]) + p[time,0] +"
                 "  f[time,0,0,1];");
  using Dimensions = std::vector<int>;
  EXPECT_EQ(field(program, 1).dimensions(), Dimensions{2});
  EXPECT_EQ(box_of(field(program, 1)), "0..4 ");
  EXPECT_EQ(field(program, 2).dimensions(), (Dimensions{0, 1}));
  EXPECT_EQ(box_of(field(program, 2)), "2..5 3..6 ");
  EXPECT_FALSE(field(program, 3).read_in_place());
  EXPECT_EQ(field(program, 4).dimensions(), Dimensions{ir::kTime});
  EXPECT_EQ(box_of(field(program, 4)), "0..9 ");
  EXPECT_EQ(field(program, 5).dimensions(), (Dimensions{ir::kTime, 1}));
  EXPECT_EQ(box_of(field(program, 5)), "1..3 3..6 ");
  EXPECT_EQ(field(program, 6).dimensions(), (Dimensions{ir::kTime, 0, 1, 2}));
  for (size_t f = 4; f < 7; ++f) EXPECT_TRUE(field(program, f).constant);
}

TEST(Profiles, ShiftWithTheFunctionThatReadsThem) {
  const ir::Program program =
      program_of(kSpace +
                 "field y : real on G along 1 constant; series w : real [0..9] boundary constant 0;"
                 "function f(u : field) = u[0,0,1] * y[1] + w[time - 1];"
                 "stencil s : A on H = f(A)[1,2,1];");
  EXPECT_EQ(result(program), "add(mul(A[1,2,2], y[3]), w[-1])");
}

TEST(Profiles, CanBePassedToFunctions) {
  const ir::Program program =
      program_of(kSpace +
                 "field y : real on G along 1 constant; function d(u : field) = u[1] - u[-1];"
                 "stencil s : A on H = d(y)[0,1,0];");
  EXPECT_EQ(result(program), "sub(y[2], y[0])");
}

TEST(Profiles, HaveTheCoordinatesOfTheirDimensions) {
  const ir::Program program = program_of(
      kSpace +
      "field y : real on G along 1 constant; series w : real [0..9] on G along 2 boundary clamp;"
      "stencil s : A on H = y[0] + w[time,0]; init y[j] = position(j) + spacing(j);"
      "init w[t, i] = t + origin(i);");
  const ir::Init& init = program.inits.at(0);
  EXPECT_EQ(expression(program, init.piece.graph, init.piece.results[0]),
            "add(add(mul(float(#0), 0.5f), 1f), 0.5f)");
  const ir::Init& other = program.inits.at(1);
  EXPECT_EQ(expression(program, other.piece.graph, other.piece.results[0]), "add(float(#0), 2f)");
}

TEST(Profiles, AreCheckedAgainstTheirDimensions) {
  const auto messages = [](const std::string& rest) {
    return analyze_text(kSpace + rest).messages;
  };
  EXPECT_EQ(messages("field y : real on G along 1 constant;"
                     "stencil s : A[0..7, 1..8, 0..4] = y[1] + y[-1];")
                .find("error"),
            std::string::npos);
  EXPECT_NE(
      messages("field y : real on G along 1 constant; stencil s : A on G = y[1];").find("S031"),
      std::string::npos);
  const ir::Program clamped = program_of(
      kSpace + "field y : real on H along 1 constant boundary clamp; stencil s : A on G = y[1];");
  const ir::Graph& graph = clamped.functions[0].pieces[0].graph;
  const auto& access = std::get<ir::Access>(graph[0].kind);
  EXPECT_TRUE(access.escapes_below(0));
  EXPECT_TRUE(access.escapes_above(0));
  EXPECT_TRUE(access.in_place);
  EXPECT_FALSE(access.per_step);
}

TEST(Series, LimitTheStepsOfARun) {
  const ir::Program open =
      program_of(kSpace +
                 "series w : real [0..K-1]; series c : real [-1..9] boundary clamp;"
                 "stencil s : A on G = w[time] + w[time + 2] + w[time + 2] + c[time - 1];");
  ASSERT_EQ(open.step_limits.size(), 2u);
  const auto params = ir::param_names(open);
  EXPECT_EQ(ir::print(open.step_limits[0].steps, params), "K");
  EXPECT_EQ(ir::print(open.step_limits[1].steps, params), "K - 2");
  // The last step is step 3. Steps beyond the end of the run need no values.
  const std::string read = "stencil s : A on G = w[time + 1];";
  EXPECT_TRUE(analyze_text(kSpace + "series w : real [0..4];" + read).program.has_value());
  const Analysis few = analyze_text(kSpace + "series w : real [0..3];" + read);
  EXPECT_FALSE(few.program.has_value());
  EXPECT_NE(few.messages.find("series w has values from 0 to 3"), std::string::npos);
}

TEST(Series, AreTheSameAtAllPoints) {
  const ir::Program program = program_of(kSpace +
                                         "series w : real [0..9] boundary [constant 1 .. mirror];"
                                         "stencil s : A on G = w[time] * A[0,0,0];");
  const ir::Graph& graph = program.functions[0].pieces[0].graph;
  int reads = 0;
  for (const ir::Node& node : graph.nodes()) {
    const auto* access = std::get_if<ir::Access>(&node.kind);
    if (!access || access->field == 0) continue;
    ++reads;
    EXPECT_TRUE(access->per_step);
    EXPECT_FALSE(access->escapes_below(0));  // steps start at 0
    EXPECT_TRUE(access->escapes_above(0));
  }
  EXPECT_EQ(reads, 1);
}

// --- Computed boundary values, and odd reflection

const std::string kEdge =
    "param v : real = 2; grid G = [0..7, 0..9] steps 4; series w : real [0..3];"
    "series p : real [0..3] on G along 0 boundary clamp; field K : real on G;";

TEST(SideRules, ComputedBoundaryValuesAreSelectedByCoordinates) {
  const ir::Program low =
      program_of(kEdge +
                 "field A : real on G boundary [none, constant v * w[time] .. clamp];"
                 "stencil s : A on G = A[0,-2] + A[0,1];");
  EXPECT_EQ(result(low), "add(select(lt(#1, 2), mul(v, w[0]), A[0,-2]), A[0,1])");
  const ir::Program both =
      program_of(kEdge + "field A : real on G boundary constant v; stencil s : A on G = A[1,0];");
  EXPECT_EQ(result(both), "select(gt(#0, 6), v, A[1,0])");
  // Inside the grid there is no selection.
  const ir::Program inside = program_of(
      kEdge + "field A : real on G boundary constant v; stencil s : A[0..6, 0..9] = A[1,0];");
  EXPECT_EQ(result(inside), "A[1,0]");
}

TEST(SideRules, BoundaryValuesReadProfilesBeyondTheEdge) {
  const ir::Program program =
      program_of(kEdge +
                 "field A : real on G boundary [clamp, constant p[time - 1, 0] .. none];"
                 "stencil s : A[0..7, 0..9] = A[-2,-1];");
  EXPECT_EQ(result(program), "select(lt(#1, 1), p[-1,-2], A[-2,-1])");
}

TEST(SideRules, TheOutermostConstantWins) {
  const ir::Program program = program_of(kEdge +
                                         "field A : real on G boundary [constant 3, constant v];"
                                         "stencil s : A on G = A[-1,1];");
  EXPECT_EQ(result(program), "select(lt(#0, 1), 3f, select(gt(#1, 8), v, A[-1,1]))");
}

TEST(SideRules, OddSidesNegateReadsButNotConstants) {
  const ir::Program program = program_of(kEdge +
                                         "field A : real on G boundary [odd .. constant 3, odd];"
                                         "stencil s : A on G = A[-1,2] + A[1,0];");
  EXPECT_EQ(result(program),
            "add(select(lt(#0, 1), neg(select(gt(#1, 7), neg(A[-1,2]), A[-1,2])), "
            "select(gt(#1, 7), neg(A[-1,2]), A[-1,2])), A[1,0])");
  const ir::Field& field = program.fields.at(1);
  EXPECT_EQ(field.boundary[0].low.kind, ir::BoundaryKind::Mirror);
  const ir::Program constant = program_of(
      kEdge + "field A : real on G boundary [odd, constant 3]; stencil s : A on G = A[-1,2];");
  EXPECT_EQ(result(constant), "select(gt(#1, 7), 3f, select(lt(#0, 1), neg(A[-1,2]), A[-1,2]))");
}

TEST(SideRules, OddReflectsOnce) {
  const std::string open =
      "param N : integer; grid G = [0..N-1] steps 4; field A : real on G boundary odd;"
      "stencil s : A on G = A[-3];";
  EXPECT_EQ(program_of(open).checks.size(), 2u);  // this one, and that the grid has points
  EXPECT_EQ(program_of("param N : integer; require N > 3;" + open.substr(open.find("grid")))
                .checks.size(),
            0u);
}

TEST(SideRules, SymmetricRulesRepeatTheEdgePoint) {
  const auto value = [](const std::string& boundary, const std::string& access) {
    return result(program_of(kEdge + "field A : real on G boundary " + boundary +
                             "; stencil s : A on G = " + access + ";"));
  };
  EXPECT_EQ(value("symmetric", "A[-2,0]"), "select(lt(#0, 2), A[-1,0], A[-2,0])");
  EXPECT_EQ(value("antisymmetric", "A[0,1]"), "select(gt(#1, 8), neg(A[0,0]), A[0,1])");
  EXPECT_EQ(value("[symmetric .. clamp, antisymmetric]", "A[-1,1]"),
            "select(lt(#0, 1), select(gt(#1, 8), neg(A[0,0]), A[0,1]), "
            "select(gt(#1, 8), neg(A[-1,0]), A[-1,1]))");
  // A constant does not change its sign.
  EXPECT_EQ(value("[constant 3 .. none, antisymmetric]", "A[-1,-1]").find("select(lt(#0, 1), 3f"),
            0u);
}

TEST(SideRules, LinearExtrapolatesFromTheLastTwoPoints) {
  const auto value = [](const std::string& access) {
    return result(program_of(
        kEdge + "field A : real on G boundary linear; stencil s : A on G = " + access + ";"));
  };
  EXPECT_EQ(
      value("A[-1,0]"),
      "select(lt(#0, 1), add(A[-1,0], mul(float(sub(1, #0)), sub(A[-1,0], A[1,0]))), A[-1,0])");
  EXPECT_EQ(value("A[0,2]"),
            "select(gt(#1, 7), add(A[0,2], mul(float(neg(sub(7, #1))), sub(A[0,2], "
            "select(le(sub(8, #1), -1), A[0,-1], A[0,0])))), A[0,2])");
}

// Reflected reads beyond the opposite edge are refused: the rule of
// that edge is not applied to them.
TEST(SideRules, MirrorsOppositeMustStayInTheField) {
  for (const char* far : {"odd", "symmetric", "antisymmetric", "linear", "constant v"}) {
    for (const bool low : {true, false}) {
      const auto messages = [&](const std::string& size) {
        return analyze_text(
                   "param v : real = 2; grid G = [0.." + size +
                   "] steps 4; field A : real on G boundary [" +
                   (low ? std::string("mirror .. ") + far : far + std::string(" .. mirror")) +
                   "]; stencil s : A on G = A[" + (low ? "-3" : "3") + "];")
            .messages;
      };
      EXPECT_NE(messages("2").find("error S031"), std::string::npos) << far;
      EXPECT_EQ(messages("3").find("error"), std::string::npos) << far << messages("3");
    }
  }
}

TEST(SideRules, LinearAndReflectingRulesNeedEnoughPoints) {
  const auto messages = [](const std::string& text) {
    return analyze_text(
               "param N : integer; grid G = [0..N-1] steps 4; subgrid H of G = [0];"
               "field C : real on G; stencil z : C on G = 0; " +
               text)
        .messages;
  };
  EXPECT_NE(messages("field A : real on H boundary linear;").find("error S063"), std::string::npos);
  EXPECT_NE(messages("field A : real on G boundary linear; stencil s : C on G = A[40];")
                .find("error S064"),
            std::string::npos);
  EXPECT_NE(messages("field A : real on G boundary [linear .. none];"
                     "stencil s : C on G = A[-1];")
                .find("access A[1] leaves the grid"),
            std::string::npos);
  const ir::Program open = program_of(
      "param N : integer; require N >= 2; grid G = [0..N-1] steps 4; field A : real on G boundary "
      "[symmetric .. linear]; stencil s : A on G = A[-2] + A[1];");
  EXPECT_TRUE(open.checks.empty());
  const ir::Program small = program_of(
      "param N : integer; grid G = [0..N-1] steps 4; field A : real on G boundary "
      "[symmetric .. linear]; stencil s : A on G = A[-3];");
  ASSERT_EQ(small.checks.size(), 3u);
  EXPECT_EQ(small.checks[1].code, "S063");
  EXPECT_EQ(small.checks[2].code, "S031");
}

}  // namespace
}  // namespace stencil::test
