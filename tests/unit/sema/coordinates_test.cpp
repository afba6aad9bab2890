// Origin and spacing of the grid, and the functions that read them.
#include "compiler/ir/axes.h"
#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

// `value` at a point of a 2-D grid with these attributes, as text.
std::string at_point(const std::string& value, const std::string& attributes,
                     const ProgramOptions& options = {}) {
  return result(
      program_of("param N : integer = 9; param dx : real = 0.5; param s : double = 2;\n"
                 "grid G = [0..N-1, 0..N] " +
                     attributes +
                     ";\nfield A : real on G;\n"
                     "function place(k) = position(k);\n"
                     "function moved(u : field, k) = u[0,0] + position(k);\n"
                     "function hidden(dx) = spacing(0) + dx;\n"
                     "stencil f : A[i in 1..N-2, j in 1..N-2] = " +
                     value + ";\n",
                 options));
}

TEST(Coordinates, PositionIsIndexTimesSpacingPlusOrigin) {
  EXPECT_EQ(at_point("position(j)", "origin [0, -dx] spacing [1, dx / N]"),
            "add(mul(float(#1), div(dx, 9f)), neg(dx))");
  EXPECT_EQ(at_point("spacing(i) + origin(1)", "origin 3 spacing dx"), "add(dx, 3f)");
  EXPECT_EQ(at_point("position(i)", "spacing 0.25 origin -1"), "add(mul(float(#0), 0.25f), -1f)");
}

TEST(Coordinates, DefaultAndNeutralAttributesAreFolded) {
  EXPECT_EQ(at_point("position(i)", ""), "float(#0)");
  EXPECT_EQ(at_point("position(i)", "origin 0 spacing 1.0"), "float(#0)");
  EXPECT_EQ(at_point("position(i)", "origin dx"), "add(float(#0), dx)");
  EXPECT_EQ(at_point("position(i)", "spacing dx"), "mul(float(#0), dx)");
  EXPECT_EQ(at_point("origin(0) + spacing(1)", ""), "add(0f, 1f)");
}

TEST(Coordinates, HaveTheTypeReal) {
  ProgramOptions wide;
  wide.real = Scalar::F64;
  EXPECT_EQ(at_point("position(i)", "spacing 0.25", wide), "mul(double(#0), 0.25d)");
  EXPECT_EQ(at_point("position(i)", "spacing float(s)"), "mul(float(#0), float(s))");
  EXPECT_EQ(at_point("spacing(0)", "spacing N"), "9f");
}

TEST(Coordinates, AFunctionTakesTheIndexAsAnArgument) {
  EXPECT_EQ(at_point("place(j)", "spacing dx"), "mul(float(#1), dx)");
  EXPECT_EQ(at_point("moved(A, j)[0,1]", "spacing dx"), "add(A[0,1], mul(float(#1), dx))");
}

TEST(Coordinates, GridExpressionsDoNotSeeLocalNames) {
  EXPECT_EQ(at_point("hidden(3.0)", "spacing 2 * dx"), "add(mul(2f, dx), 3f)");
}

TEST(Coordinates, DimensionNumbersMayBeComprehensionVariables) {
  EXPECT_EQ(at_point("sum(d in 0..1 : spacing(d))", "spacing [dx, 2]"), "add(dx, 2f)");
}

TEST(Coordinates, CanBeUsedInRequirementsReductionsAndInit) {
  const ir::Program program = program_of(R"(
param dx : real = 0.5;
grid G = [0..7] spacing dx steps 4;
field A : real on G;
stencil s : A on G = A[0] * spacing(0);
init A[k] = position(k);
reduce r = sum(A[0] * position(k)) on [k in 2..3];
stop when r * spacing(0) < 3;
require dx * spacing(0) < 1;
)");
  const auto& init = program.inits[0].piece;
  EXPECT_EQ(expression(program, init.graph, init.results[0]), "mul(float(#0), dx)");
  const auto& reduced = program.reductions[0].piece;
  EXPECT_EQ(expression(program, reduced.graph, reduced.results[0]),
            "mul(A[0], mul(float(#0), dx))");
  EXPECT_EQ(program.requirements.size(), 1u);
}

TEST(Coordinates, TheirNamesCanBeRedeclared) {
  const ir::Program program = program_of(R"(
param spacing : real = 2;
param origin : integer = 3;
grid steps_of = [0..9] steps origin origin origin spacing spacing;
field position : real on steps_of;
function dist(position) = position * spacing + origin;
stencil s : position[i in 1..8] = position[0] + dist(i);
)");
  EXPECT_EQ(result(program), "add(position[0], add(mul(float(#0), spacing), 3f))");
  EXPECT_EQ(ir::default_axis_values(program), (std::vector<ir::AxisValue>{{3, 2}}));
  const ir::Program functions = program_of(R"(
grid G = [0..9] steps 1 spacing 5;
field A : real on G;
function position(x) = 2 * x;
function spacing(a, b) = a - b;
stencil s : A[i in 0..9] = position(i) + spacing(i, 0.5);
)");
  EXPECT_EQ(result(functions), "add(float(mul(2, #0)), sub(float(#0), 0.5f))");
}

TEST(Coordinates, AreKnownWithTheParams) {
  const std::string text =
      "param N : integer; param L : real = 2; param a : real;\n"
      "grid G = [0..N-1, 0..7] steps 1 origin [-L / 2, a] spacing [L / (N - 1), 0.1];\n"
      "field A : real on G; stencil s : A on G = 1;\n";
  const ir::Program program = program_of(text);
  EXPECT_EQ(ir::default_axis_values(program), std::nullopt);
  EXPECT_FALSE(ir::is_known(program.domain().axes[0]));
  const auto values = ir::axis_values(program, {5, 0, 0}, {0, 3, 0.5});
  EXPECT_EQ(values, (std::vector<ir::AxisValue>{{-1.5, 0.75}, {0.5, double{0.1f}}}));
  EXPECT_EQ(values[0].at(4), 1.5);
  EXPECT_EQ(ir::print_coordinate(program, values[1].spacing), "0.1");
  Diagnostics failed;
  ir::check_axes(program, {1, 0, 0}, {0, 3, 0.5}, failed);
  ASSERT_EQ(failed.items().size(), 1u);
  EXPECT_EQ(failed.items()[0].code, "S046");
  EXPECT_EQ(failed.items()[0].found, "inf");
}

TEST(Coordinates, FixedParamsAreKnown) {
  const std::string text =
      "param dx : real = 0.5;\ngrid G = [0..7] spacing 2 * dx steps 1;\n"
      "field A : real on G; stencil s : A[i in 0..7] = position(i);\n";
  ProgramOptions options;
  EXPECT_FALSE(ir::is_known(program_of(text, options).domain().axes[0]));
  options.fixed = {"dx"};
  EXPECT_TRUE(ir::is_known(program_of(text, options).domain().axes[0]));
  options.definitions = {{"dx", "-1"}};
  const Analysis wrong = analyze_text(text, options);
  EXPECT_FALSE(wrong.program);
  EXPECT_NE(wrong.messages.find("error S046"), std::string::npos) << wrong.messages;
}

}  // namespace
}  // namespace stencil::test
