// Programs on several grids from the command line: transfers between grids, points on derived
// grids, files, checkpoints, and what is refused.
#include "tests/e2e/language.h"

namespace stencil::test {
namespace {

class SeveralGrids : public Language {};

TEST_F(SeveralGrids, TransfersBetweenVertices) {
  const std::string grids =
      "grid F = [0..8] steps 1; grid C of F by 2; field u : double on F; field e : double on C;";
  gives(grids +
            "init u[i] = i * i;"
            "stencil restrict : e[1..3] = 0.25 * u[-1] + 0.5 * u[0] + 0.25 * u[1];",
        "e", {0, 4.5, 16.5, 36.5, 0});
  gives(grids + "init e[i] = 10 * i; stencil correct : u[0..7] = 0.5 * (e[0] + e[1]);", "u",
        {0, 5, 10, 15, 20, 25, 30, 35, 0});
}

TEST_F(SeveralGrids, TransfersBetweenCellsOfNegativeIndices) {
  const std::string grids =
      "grid F = [-4..3] steps 1; grid D of F by 2 cells; field u : double on F boundary clamp;"
      "field e : double on D boundary clamp;";
  gives(grids + "init u[i] = i; stencil average : e on D = 0.5 * (u[0] + u[1]);", "e",
        {-3.5, -1.5, 0.5, 2.5});
  gives(grids + "init e[i] = 4 * i; stencil linear : u on F = 0.5*e[0] + 0.25*(e[-1] + e[1]);", "u",
        {-8, -7, -5, -3, -1, 1, 3, 4});
}

// The fields have the same bounds and rules, but different maps.
TEST_F(SeveralGrids, OneFunctionReadsSeveralGrids) {
  const std::string program =
      "grid F = [0..11] steps 1; grid C of F by 2; grid D of F by 3; subgrid c of C = [0..3];"
      "field u : double on F; field a : double on c boundary clamp;"
      "field b : double on D boundary clamp; init a[i] = i; init b[i] = 10 * i;"
      "stencil s : u on F = a[1] + b[1];";
  gives(program, "u", {0, 1, 11, 12, 12, 23, 23, 23, 33, 33, 33, 33});
}

// The slope is per distance between the points of the derived grid: twice 0.5 here.
TEST_F(SeveralGrids, GradientsFollowTheSpacingOfADerivedGrid) {
  const auto reads = [](const std::string& rule, const std::string& grid) {
    return grid + "field v : double on C boundary " + rule +
           "; field low, high : double on C; init v[i] = i * i;"
           "stencil l : low on C = v[-3]; stencil h : high on C = v[3];";
  };
  for (const char* grid : {"grid F = [0..8] spacing 0.5 steps 1; grid C of F by 2;",
                           "grid F = [0..9] spacing 0.5 steps 1; grid C of F by 2 cells;"}) {
    gives(reads("gradient 2", grid), "low", {4 + 5 * 2, 1 + 3 * 2, 0 + 2, 0, 1});
    gives(reads("gradient 2", grid), "high", {9, 16, 16 + 2, 9 + 3 * 2, 4 + 5 * 2});
    gives(reads("mirror gradient 2", grid), "low", {9 + 6 * 2, 4 + 4 * 2, 1 + 2 * 2, 0, 1});
    gives(reads("mirror gradient 2", grid), "high", {9, 16, 9 + 2 * 2, 4 + 4 * 2, 1 + 6 * 2});
  }
}

// Here the field has the bounds of the function's grid, but indices are mapped to twice the extent.
TEST_F(SeveralGrids, RulesApplyToTheMappedIndex) {
  const auto reads = [](const std::string& rule, const std::string& access) {
    return "grid F = [0..11] steps 1; grid C of F by 2; grid D of F by 3; subgrid c of C = [0..3];"
           "field a : double on c boundary " +
           rule +
           "; field d : double on D; init a[i] = 10 * (i + 1); stencil s : d on D = " + access +
           ";";
  };
  gives(reads("periodic", "a[-1]"), "d", {40, 20, 30, 10});
  gives(reads("periodic", "a[0]"), "d", {10, 20, 40, 10});
  gives(reads("periodic", "a[1]"), "d", {10, 30, 40, 20});
  gives(reads("mirror", "a[-1]"), "d", {20, 20, 30, 30});
  gives(reads("mirror", "a[0]"), "d", {10, 20, 40, 30});
  gives(reads("mirror", "a[1]"), "d", {10, 30, 40, 20});
}

// The position of a point counts the points of its own grid.
TEST_F(SeveralGrids, PointsOnADerivedGridAddToItsPoints) {
  const std::string program =
      "grid F = [0..8, 0..8] steps 2; grid C of F by 2; field u : double on F; field e : double on "
      "C;"
      "points P [0..1] on C; points Q [0..0] on F; series w : double [0..1] on P;"
      "init P[p] = { 1 + p, 3 }; init Q[p] = { 7, 5 }; init w[t, p] = 1 + t + 10 * p;"
      "stencil s : e on C = e[0,0] + w[time]; stencil t : u on F = u[0,0] + Q + e[0,0];";
  Values coarse(25), fine(81);
  coarse[1 * 5 + 3] = 1 + 2;
  coarse[2 * 5 + 3] = 11 + 12;
  gives(program, "e", coarse);
  const auto sum = [](int i, int j) {  // of e after the first and the second step
    return i / 2 == 1 && j / 2 == 3 ? 1 + 3.0 : i / 2 == 2 && j / 2 == 3 ? 11 + 23.0 : 0.0;
  };
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) fine[static_cast<size_t>(i * 9 + j)] = sum(i, j);
  }
  fine[7 * 9 + 5] += 2;
  gives(program, "u", fine);
}

// Every iteration of a repeat applies the functions of all grids in it.
TEST_F(SeveralGrids, RepeatsAlternateBetweenGrids) {
  const std::string program =
      "grid F = [0..4] steps 2; grid C of F by 2; field u : double on F; field e : double on C;"
      "repeat 5 { stencil down : e on C = u[0] + 1; stencil up : u on F = u[0] + e[0]; }";
  double u = 0;
  for (int n = 0; n < 10; ++n) u += u + 1;
  gives(program, "u", Values(5, u));
}

constexpr const char* kTwoGrids =
    "grid F = [0..32, 0..32] steps 6; grid C of F by 2; field u : real on F boundary clamp;"
    "field e : real on C boundary clamp; init u[i,j] = random(i, j);"
    "stencil down : e on C = 0.5 * e[0,1] + 0.25 * (u[-1,0] + u[1,0]);"
    "stencil up : u on F = 0.5 * u[0,1] + 0.25 * (e[0,0] + e[1,1]);"
    "reduce most = max(e[0,0]) on C;";

TEST_F(SeveralGrids, ARunContinuesFromACheckpoint) {
  write("p.stn", kTwoGrids);
  ASSERT_EQ(stencilc("run p.stn --out e=whole.npy").status, 0);
  ASSERT_EQ(stencilc("run p.stn --steps 4 --checkpoint c").status, 0);
  ASSERT_EQ(stencilc("run p.stn --restart c --out e=parts.npy").status, 0);
  EXPECT_EQ(read(file("parts.npy")), read(file("whole.npy")));
  ASSERT_EQ(stencilc("run p.stn --in e=whole.npy --steps 1").status, 0);
  EXPECT_NE(stencilc("run p.stn --in u=whole.npy --steps 1").status, 0);
}

TEST_F(SeveralGrids, BoxesAreRefusedByName) {
  write("p.stn", kTwoGrids);
  const Outcome outcome = stencilc("p.stn --boxes 2 -o p.cpp");
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.err.find("grid 'C' is derived from 'F'"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace stencil::test
