// The examples of docs/reference/language.md, parsed and interpreted, compared with plain loops:
// the front end and the interpreter implement what the page describes.
#include <algorithm>

#include "tests/unit/load.h"
#include "tests/unit/reference/programs.h"

namespace stencil::reference {
namespace {

using Values = std::vector<double>;

using test::load;

// A state with all params at their defaults.
State start(const ir::Program& program) {
  std::vector<int64_t> integers;
  std::vector<double> reals;
  for (const ir::Param& param : program.params) {
    integers.push_back(param.integer_value.value_or(0));
    reals.push_back(param.real_value.value_or(0));
  }
  return started(program, integers, reals);
}

TEST(SourceText, SmoothInPieces) {
  const ir::Program program = load(R"(
    param M : integer = 6;
    grid G = [0..M-1] steps 64;
    field A : real on G;
    stencil smooth : A {
      [0]      = A[0];
      [1..M-2] = 0.333 * (A[-1] + A[0] + A[1]);
      [M-1]    = A[0];
    }
    init A[i] = select(i == 0, 100.0, 0.0);)");
  State state = start(program);
  EXPECT_EQ(values(state, 0), (Values{100, 0, 0, 0, 0, 0}));
  advance(program, state, 3);
  float a[6] = {100, 0, 0, 0, 0, 0};
  for (int t = 0; t < 3; ++t) {
    float next[6] = {a[0], 0, 0, 0, 0, a[5]};
    for (int i = 1; i < 5; ++i) next[i] = 0.333f * ((a[i - 1] + a[i]) + a[i + 1]);
    std::copy(next, next + 6, a);
  }
  EXPECT_EQ(values(state, 0), Values(a, a + 6));
}

TEST(SourceText, FdtdRunsItsFunctionsInOrder) {
  constexpr int kN = 4;
  constexpr int kM = 5;
  ProgramOptions strict;
  strict.fp = FpMode::Strict;
  const ir::Program program = load(R"(
    param N : integer = 4;  param M : integer = 5;
    grid G = [0..N-1, 0..M-1] steps 500;
    field Ex, Ey, Hz : real on G;
    stencil ey0 : Ey[0, 0..M-1]        = time * 0.01;
    stencil ey  : Ey[1..N-1, 0..M-1]   = Ey[0,0] - 0.5 * (Hz[0,0] - Hz[-1,0]);
    stencil ex  : Ex[0..N-1, 1..M-1]   = Ex[0,0] - 0.5 * (Hz[0,0] - Hz[0,-1]);
    stencil hz  : Hz[0..N-2, 0..M-2]   = Hz[0,0] - 0.7 * (Ex[0,1] - Ex[0,0] + Ey[1,0] - Ey[0,0]);)",
                                   strict);
  State state = start(program);
  advance(program, state, 5);
  float ex[kN][kM] = {}, ey[kN][kM] = {}, hz[kN][kM] = {};
  for (int t = 0; t < 5; ++t) {
    for (float& first : ey[0]) first = static_cast<float>(t) * 0.01f;
    for (int i = 1; i < kN; ++i) {
      for (int j = 0; j < kM; ++j) ey[i][j] -= 0.5f * (hz[i][j] - hz[i - 1][j]);
    }
    for (int i = 0; i < kN; ++i) {
      for (int j = 1; j < kM; ++j) ex[i][j] -= 0.5f * (hz[i][j] - hz[i][j - 1]);
    }
    for (int i = 0; i + 1 < kN; ++i) {
      for (int j = 0; j + 1 < kM; ++j) {
        hz[i][j] -= 0.7f * (((ex[i][j + 1] - ex[i][j]) + ey[i + 1][j]) - ey[i][j]);
      }
    }
  }
  EXPECT_EQ(values(state, 0), Values(&ex[0][0], &ex[0][0] + kN * kM));
  EXPECT_EQ(values(state, 1), Values(&ey[0][0], &ey[0][0] + kN * kM));
  EXPECT_EQ(values(state, 2), Values(&hz[0][0], &hz[0][0] + kN * kM));
  EXPECT_NE(hz[0][0], 0);
}

TEST(SourceText, WaveWithHistoryReductionAndStop) {
  const ir::Program program = load(R"(
    grid G = [0..6] steps 100;
    subgrid interior of G = [1..5];
    field U : double on G history 2;
    field c2 : double on G constant;
    function lap(u : field) = u[-1] + u[1] - 2*u[0];
    stencil wave : U { interior = (2*U[0] - U@-1[0]) + c2[0] * lap(U); }
    init U[i] = select(i == 3, 1.0, 0.0);
    init c2[i] = 1.0;
    reduce energy = sum(U[0] * U[0]) on interior every 2;
    stop when energy < 3.5;)");
  State state = start(program);
  EXPECT_EQ(advance(program, state, 100), 4);  // 5 after two steps, 3 after four
  EXPECT_TRUE(state.stopped);
  double now[7] = {0, 0, 0, 1, 0, 0, 0}, before[7] = {0, 0, 0, 1, 0, 0, 0};
  for (int t = 0; t < 4; ++t) {
    double next[7] = {};
    for (int i = 1; i < 6; ++i) next[i] = now[i - 1] + now[i + 1] - before[i];
    std::copy(now, now + 7, before);
    std::copy(next, next + 7, now);
  }
  EXPECT_EQ(values(state, 0), Values(now, now + 7));
  EXPECT_EQ(values(state, 0, 1), Values(before, before + 7));
}

TEST(SourceText, StructuresTablesAndBoundaries) {
  const ir::Program program = load(R"(
    param N : integer = 3;
    grid G = [0..N-1, 0..N-1] steps 1;
    type cell = { rho : real, u : vector 2 of real };
    field S : cell on G boundary periodic;
    field B : float on G boundary clamp;
    table w : real[3,3] = { {1,2,1}, {2,4,2}, {1,2,1} };
    stencil blur : B on G = sum(a in -1..1, b in -1..1 : w[a+1,b+1] * B[a,b]) / 16;
    stencil move : S on G = S[1,0];
    init B[i,j] = select(i == 0 and j == 0, 16.0, 0.0);)");
  State state = start(program);
  for (int c = 0; c < 3; ++c) {
    for (int i = 0; i < 9; ++i) state.fields[0].set_real(0, c, i, 100 * c + i);
  }
  advance(program, state, 1);
  EXPECT_EQ(values(state, 1), (Values{9, 3, 0, 3, 1, 0, 0, 0, 0}));
  EXPECT_EQ(values(state, 0, 0, 2), (Values{203, 204, 205, 206, 207, 208, 200, 201, 202}));
}

TEST(SourceText, HalfFieldsComputeInFloat) {
  const ir::Program program = load(R"(
    grid G = [0..1] steps 1;
    field A : half on G;
    field B : float on G;
    stencil a : A on G = A[0] + 0.0004;
    stencil b : B on G = A[0] + 0.0004;
    init A[i] = 1.0;)");
  State state = start(program);
  advance(program, state, 1);
  EXPECT_EQ(values(state, 0), (Values{1, 1}));  // rounds to 1: below the tie at 1 + 0.00049
  const float expected = 1 + 0.0004f;
  EXPECT_EQ(values(state, 1), (Values{expected, expected}));
}

TEST(SourceText, OpenSizesRunWithAnyValue) {
  const ir::Program program = load(R"(
    param N : integer;
    require N >= 3;
    grid G = [0..N-1] steps 4;
    field A : integer on G boundary constant 1;
    stencil s : A on G = A[-1] + A[1];)");
  for (const int64_t n : {3, 5}) {
    State state = started(program, {n});
    advance(program, state, 1);
    Values expected(static_cast<size_t>(n));
    expected.front() = expected.back() = 1;
    EXPECT_EQ(values(state, 0), expected);
  }
}

}  // namespace
}  // namespace stencil::reference
