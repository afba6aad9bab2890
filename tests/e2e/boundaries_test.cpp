// Boundaries with a gradient and fixed edge points: values computed by hand, and problems whose
// exact solution is known.
#include <gtest/gtest.h>

#include <cmath>

#include <fmt/format.h>

#include "tests/e2e/language.h"

namespace stencil::test {
namespace {

using Boundaries = Language;
using Values = std::vector<double>;

// A field with the values 1, 4, 9, 16, 25 and a boundary. L reads 3 points down, H 3 points up.
std::string reads(const std::string& rule, const std::string& grid = "") {
  return "param g : double = 2;\nseries rate : double [0..4];\ngrid G = [0..4] " + grid +
         " steps 1;\nfield U : double on G boundary " + rule +
         ";\nfield L, H : double on G;\nstencil l : L on G = U[-3];\nstencil h : H on G = U[3];\n"
         "stencil u : U on G = U[0];\ninit U[i] = real((i + 1) * (i + 1));\n"
         "init rate[t] = real(t + 7);\n";
}

TEST_F(Boundaries, GradientAddsTheRiseBetweenImageAndPoint) {
  // about the edge of the cell: the points -1, -2, -3 are 1, 3, 5 spacings from 0, 1, 2
  for (const char* rule : {"gradient 2", "gradient g", "[gradient rate[time] - 5 .. gradient g]"}) {
    gives(reads(rule), "L", {9 + 10, 4 + 6, 1 + 2, 1, 4});
    gives(reads(rule), "H", {16, 25, 25 + 2, 16 + 6, 9 + 10});
  }
  // about the edge point: -1, -2, -3 are 2, 4, 6 spacings from 1, 2, 3
  gives(reads("mirror gradient g"), "L", {16 + 12, 9 + 8, 4 + 4, 1, 4});
  gives(reads("mirror gradient g"), "H", {16, 25, 16 + 4, 9 + 8, 4 + 12});
  gives(reads("gradient g", "spacing 0.5"), "L", {9 + 5, 4 + 3, 1 + 1, 1, 4});
  gives(reads("[mirror gradient g .. clamp]", "spacing 0.5"), "L", {16 + 6, 9 + 4, 4 + 2, 1, 4});
  gives(reads("[clamp .. gradient -g]", "spacing 0.25"), "H",
        {16, 25, 25 - 0.5, 16 - 1.5, 9 - 2.5});
}

TEST_F(Boundaries, GradientOfZeroIsAPlainReflection) {
  for (const auto& [rule, plain] :
       {std::pair("gradient 0", "symmetric"), std::pair("mirror gradient 0", "mirror")}) {
    EXPECT_EQ(run(reads(rule), "--device reference", "L"),
              run(reads(plain), "--device reference", "L"));
  }
}

// U has the values 1, 4, 9, 16, 25, but reads of its edge points give 2 and 5 from the first step
// on. Beyond them the differences to the edge change their signs.
TEST_F(Boundaries, FixedEdgesHaveTheirValueFromTheFirstStep) {
  const std::string rule = "[fixed g .. fixed rate[time] - 2]";
  gives(reads(rule), "L", {4 - 16, 4 - 9, 4 - 4, 2, 4});
  gives(reads(rule), "H", {16, 5, 10 - 16, 10 - 9, 10 - 4});
  gives(reads(rule), "U", {2, 4, 9, 16, 5});
  gives(reads("[fixed g .. clamp]"), "H", {16, 25, 25, 25, 25});
}

// The edge holds its value whatever writes the field, and wherever.
TEST_F(Boundaries, FixedEdgesAreStoredByTheFunctionThatWritesTheField) {
  const auto program = [](const std::string& stencil) {
    return "grid G = [0..4] steps 3;\nfield U : double on G boundary [fixed 7 .. fixed 10 * time];"
           "\nfield V : double on G;\ninit U = 1;\n" +
           stencil;
  };
  gives(program("stencil s : U on G = U[0] + 1;\n"), "U", {7, 4, 4, 4, 20});
  gives(program("stencil s : U[1..3] = U[0] + 1;\n"), "U", {7, 4, 4, 4, 20});
  gives(program("stencil s : U[2..3] = U[0] + 1;\n"), "U", {7, 1, 4, 4, 20});
  gives(program("stencil s : U every 2 on [1..2] = U[0] + 1;\n"), "U", {7, 3, 3, 1, 20});
  gives(program("stencil s : U { [1] = 5; else = U[0] + 2; }\n"), "U", {7, 5, 7, 7, 20});
  gives(program("stencil s : U { [0] = 5; [1..4] where U[0] > 3 = 9; else = U[0] + 2; }\n"), "U",
        {7, 9, 9, 9, 20});
  gives(program("stencil s : U[0..4 by 2] = U[0] + 1;\n"), "U", {7, 1, 4, 1, 20});
  gives(program("stencil s : U, V on G = { U = U[0] + 1, V = U[0] };\n"), "U", {7, 4, 4, 4, 20});
  gives(program("stencil s : U, V on G = { U = U[0] + 1, V = U[0] };\n"), "V", {7, 3, 3, 3, 20});
  gives(program("repeat 2 {\nstencil s : U[1..3] = U[0] + 1;\n}\n"), "U", {7, 7, 7, 7, 20});
}

// Beyond a constant side the value is the constant, also in the row of a fixed edge.
TEST_F(Boundaries, ConstantsReplaceFixedEdgesAtCorners) {
  for (const char* constant : {"constant -3", "constant -3 + 0 * time"}) {
    for (const char* value : {"fixed 1", "fixed 1 + 0 * time"}) {
      const std::string program = fmt::format(
          "grid G = [0..1, 0..2] steps 1;\nfield U : double on G boundary "
          "[{} .. clamp, clamp .. {}];\nfield V : double on G;\n"
          "stencil v : V on G = U[0,1];\nstencil u : U on G = U[0,0];\ninit U = 5;\n",
          value, constant);
      gives(program, "V", {1, 1, -3, 5, 5, -3});
    }
  }
}

TEST_F(Boundaries, FixedEdgesOfAStructure) {
  const std::string text =
      "type cell = { a : double, b : double };\ngrid G = [0..3] steps 2;\n"
      "field S : cell on G boundary [fixed { 5, 6 } .. none];\nfield U : double on G;\n"
      "stencil s : S.b[0..2] = S[0].b + S[1].a;\nstencil u : U on G = S[0].a * 100 + S[0].b;\n"
      "init S[i] = { real(i), 0 };\n";
  gives(text, "U", {506, 104, 206, 300});
}

TEST_F(Boundaries, FixedEdgesShowInInitialValuesReductionsAndRecords) {
  const std::string grid = "param a : double = 4;\ngrid G = [0..3, 0..2] steps ";
  const std::string fields =
      ";\nfield U : double on G boundary [fixed a .. none, none .. fixed 1];\n"
      "stencil s : U[1..2, 1..1] = U[0,0];\ninit U = 9;\n";
  gives(grid + "0" + fields, "U", {4, 4, 4, 9, 9, 1, 9, 9, 1, 9, 9, 1});
  gives(
      "grid G = [0..3] steps 0;\nfield U : double on G boundary fixed 5;\n"
      "stencil s : U on G = 1;\n",
      "U", {5, 0, 0, 5});
  const std::string later = grid + "1" + fields +
                            "reduce all = sum(U[0,0]) on G;\nfield V : double on G;\n"
                            "stencil v : V on G = all;\npoints p [0..1] on G;\n"
                            "init p[k] = {0.5, 2 * double(k)};\n"
                            "record trace [0..0] = U[0,0] at p;\n";
  gives(later, "V", Values(12, 3 * 4 + 3 * (9 + 9 + 1)));
  gives(later, "trace", {(4 + 9) / 2.0, (4 + 1) / 2.0});
}

class Heat : public Language {
 protected:
  // The largest error of u_t = u_xx with u = x^3 + 6 x t on `points` points. Euler's method is
  // exact in time, since u is linear in t, so the error is that of the wall at x = 1 with the slope
  // 3 + 6 t.
  double error(const std::string& rule, int points, double spacing) {
    const int steps = points * points;
    const std::string text = fmt::format(
        "param h : double = {};\nparam dt : double = 0.25 * h * h;\n"
        "grid G = [0..{}] spacing h steps {};\n"
        "field U : double on G boundary [fixed 0 .. {} 3 + 6 * dt * time];\n"
        "stencil heat : U on G = U[0] + dt / (h * h) * (U[-1] - 2 * U[0] + U[1]);\n"
        "init U[i] = double(i) * h * (double(i) * h) * (double(i) * h);\n",
        spacing, points - 1, steps, rule);
    const Values values = run(text, "--real double --device host --schedule direct", "U");
    EXPECT_EQ(values.size(), static_cast<size_t>(points));
    double most = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      const double x = static_cast<double>(i) * spacing, t = 0.25 * spacing * spacing * steps;
      most = std::max(most, std::abs(values[i] - (x * x * x + 6 * x * t)));
    }
    return most;
  }
};

TEST_F(Heat, GradientsAreOfSecondOrder) {
  // wall half a cell beyond the last point
  const double coarse = error("gradient", 8, 1 / 7.5), fine = error("gradient", 16, 1 / 15.5);
  EXPECT_GT(coarse, 1e-4);
  EXPECT_NEAR(std::log(coarse / fine) / std::log(15.5 / 7.5), 2, 0.15);
  // wall on the last point
  const double coarse_mirror = error("mirror gradient", 9, 1 / 8.0);
  const double fine_mirror = error("mirror gradient", 17, 1 / 16.0);
  EXPECT_GT(coarse_mirror, 1e-4);
  EXPECT_NEAR(std::log2(coarse_mirror / fine_mirror), 2, 0.15);
}

TEST_F(Heat, FixedEdgesGiveTheLinearSteadyState) {
  const std::string text =
      "grid G = [0..8] steps 1500;\nfield U : double on G boundary [fixed 1 .. fixed 9];\n"
      "stencil heat : U on G = 0.5 * (U[-1] + U[1]);\n";
  const Values values = run(text, "--device host --schedule 'overlapped T=8'", "U");
  ASSERT_EQ(values.size(), 9u);
  for (size_t i = 0; i < 9; ++i) EXPECT_NEAR(values[i], 1 + static_cast<double>(i), 1e-12);
}

// u = x^2 + 2 t satisfies the difference equation exactly if the edges have the values of the time
// level that a step reads. A stencil of radius 2 reads 2 g - u beyond the edge.
TEST_F(Heat, FixedEdgesThatChangeInTimeAreThoseOfTheLevelRead) {
  const std::string text =
      "param dt : double = 0.125;\ngrid G = [0..8] steps 40;\n"
      "field U : double on G boundary [fixed 2 * dt * time .. fixed 64 + 2 * dt * time];\n"
      "stencil heat : U on G = U[0] + dt * (U[-1] - 2 * U[0] + U[1]);\n"
      "init U[i] = real(i * i);\n";
  const Values values = run(text, "--real double --device host --schedule 'overlapped T=4'", "U");
  ASSERT_EQ(values.size(), 9u);
  for (size_t i = 1; i < 8; ++i) EXPECT_EQ(values[i], static_cast<double>(i * i) + 10);
  EXPECT_EQ(values[0], 2 * 0.125 * 39);
  EXPECT_EQ(values[8], 64 + 2 * 0.125 * 39);
}

// Conditions near an edge are decided where the inside is computed apart. They reach farther from
// the edge than the accesses do.
TEST_F(Boundaries, ConditionsNearEdgesHoldWhereTheInsideIsApart) {
  write("edges.stn", R"(
param N : integer = 90;
param M : integer = 160;
grid G = [0..N-1, 0..M-1] steps 5;
field A : real on G boundary antisymmetric;
init A[i,j] = random(i, j, 1) - 0.5;
stencil s : A[i in first..last, j in first..last] =
  select(i < 6 or j >= M - 7, 0.5 * A[0,0], select(i == N - 5 or 5 > j, A[0,1] - A[1,0],
    0.25 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1])));
)");
  const std::string run = "run edges.stn --fp strict --out A=";
  ASSERT_EQ(stencilc(run + "expected.npy --device reference").status, 0);
  for (const char* schedule : {"streaming T=1 block=16x2 elements=2x1 interior=split chunk=30",
                               "streaming T=2 block=16x2 elements=2x1 interior=split",
                               "planes T=1 block=40 chunk=16", "planes T=3 block=80 chunk=30"}) {
    for (const char* sizes : {"", " --open N --open M -D N=90 -D M=160"}) {
      const std::string options =
          std::string(" --device host --schedule '") + schedule + "'" + sizes;
      ASSERT_EQ(stencilc(run + "found.npy" + options).status, 0) << options;
      EXPECT_EQ(read(file("found.npy")), read(file("expected.npy"))) << options;
    }
  }
}

}  // namespace
}  // namespace stencil::test
