// Programs and helpers for the tests of the API.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "stencil/stencil.h"

namespace stencil::api {

inline constexpr const char* kHeat = R"(
param N : integer = 12;
param a : real = 0.125;
grid G = [0..N-1, 0..7] steps 6;
field A : real on G;
field K : real on G constant;
stencil heat : A[1..N-2, 1..6] = A[0,0] + a * K[0,0] * (A[-1,0] + A[1,0] - 2 * A[0,0]);
init A[i,j] = select(i == 0, 8.0, 0.5 * j);
init K[i,j] = 1 - 0.01 * i;
reduce total = sum(A[0,0]) on G every 2;
)";

// Two time levels. The boundary points, which no function writes, differ between the levels.
inline constexpr const char* kWave = R"(
grid G = [0..29] steps 5;
field U : real on G history 2;
stencil wave : U[1..28] = 2 * U[0] - U@-1[0] + 0.25 * (U[-1] - 2 * U[0] + U[1]);
)";

inline constexpr const char* kStructures = R"(
grid G = [0..4, 0..3] steps 2;
field S : { rho : real, u : vector 2 of real } on G;
field T : { x : real, n : integer } on G;
field h : half on G;
stencil s : S on G = S[0,0] * 2;
stencil t : T on G = {x = T[0,0].x + 1, n = T[0,0].n + 2};
stencil g : h on G = h[0,0] + 0.25;
)";

inline Program program_of(const char* text, Options options = {}) {
  options.fp = FloatingPoint::Strict;
  return Program::from_text(text, options).or_throw();
}

inline std::string code_of(const auto& result) {
  return result.ok() ? "" : result.failure().code;
}

inline std::string message(const auto& result) {
  if (result.ok()) return "";
  const Failure& failure = result.failure();
  return failure.code + ": " + failure.message + (failure.hint.empty() ? "" : "; " + failure.hint);
}

inline Simulation on_reference(const char* text) {
  return program_of(text).compile({.device = "reference"}).or_throw().start().or_throw();
}

}  // namespace stencil::api
