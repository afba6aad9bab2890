// Small programs for the tests of devices and runs.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "compiler/driver/frontend.h"
#include "runtime/run/run.h"

namespace stencil::runtime {

// Reads its own step, so that a run in several calls shows whether steps are counted correctly.
inline const char* kDecay = R"(
param N : integer = 20;
param a : real = 0.5;
grid G = [0..N-1, 0..N+2] steps 7;
field A : real on G;
stencil decay : A[1..N-2, 1..N+1] = a * A[0,0] + 0.125 * (A[-1,0] + A[1,0]) + 0.25 * A[0,-1] + time;
init A[i,j] = 0.5 * i - j;
)";

inline const char* kWave = R"(
param N : integer = 50;
grid G = [0..N-1] steps 9;
field U : real on G history 2;
field c : real on G constant;
stencil wave : U[1..N-2] = 2 * U[0] - U@-1[0] + c[0] * (U[-1] - 2 * U[0] + U[1]);
init U[i] = select(i == 10, 1.0, 0.0);
init c[i] = 0.25 + 0.001 * i;
)";

inline const char* kQuotients = R"(
param N : integer = 64;
grid G = [0..N-1, 0..N-1] steps 1;
field A : real on G;
field by_integers : vector 8 of real on G;
field by_others : vector 7 of real on G;
stencil integers : by_integers on G =
    {A[0,0] / 3, A[0,0] / -3, A[0,0] / 6, A[0,0] / -6, A[0,0] / 118, A[0,0] / 159 + 1,
     A[0,0] / 1000000, 0.5 - A[0,0] / N};
stencil others : by_others on G =
    {A[0,0] / 0.3, A[0,0] / 2.5, A[0,0] / 1e-30, A[0,0] / 1e38, A[0,0] / 0.125, A[0,0] / (2 * 4.5),
     A[0,0] / 16777219};
)";

inline const char* kConverging = R"(
param N : integer = 16;
grid G = [0..N-1] steps 1000;
field A : real on G;
stencil s : A[1..N-2] = 0.5 * A[0] + 0.25 * (A[-1] + A[1]);
init A[i] = select(i == 7, 1.0, 0.0);
reduce largest = max(A[0]) on [0..N-1] every 5;
reduce total = sum(A[0]) on [0..N-1] every 7;
stop when largest < 0.1 and total < 0.95;
)";

// Sums over several tiles per plane, whose last bits depend on the order.
inline const char* kSummed = R"(
param N : integer = 100;
grid G = [0..2, 0..69, 0..N-1] steps 4;
field A : real on G;
stencil s : A on G = 0.99 * A[0,0,0];
init A[i,j,k] = sqrt(1.0 + i + 3 * j + 7 * k) * (1 - 2 * ((i + j + k) % 2));
reduce total = sum(A[0,0,0]) on G every 2;
reduce product = prod(1 + 0.001 * A[0,0,0]) on [0..2, 3..68, 1..N-2];
)";

// More dimensions than GPUs have thread dimensions and than `streaming` supports.
inline const char* kFourDimensional = R"(
grid G = [0..4, 0..4, 0..4, 0..4] steps 4;
field A : real on G;
stencil s : A on G = 0.5 * A[0,0,0,0];
)";

inline ir::Program program_of(const std::string& text, ProgramOptions options = {}) {
  const Source source("test.stn", text);
  Diagnostics diagnostics;
  auto program = load_program(source, options, diagnostics);
  EXPECT_TRUE(program) << render(source, diagnostics);
  return program.value_or(ir::Program{});
}

inline reference::State initial_state(const ir::Program& program, const Params& params) {
  Diagnostics diagnostics;
  auto state = prepare_state(program, params, diagnostics);
  EXPECT_TRUE(state.ok()) << render(Source("test.stn", ""), diagnostics);
  return std::move(state).value();
}

}  // namespace stencil::runtime
