// Lifts loops of C and C++ to stencil programs (docs/guide/lift.md).
//
//   auto heat = stencil::lift("heat.c", {.function = "kernel_heat"}).or_throw();
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stencil/program.h"

namespace stencil {

struct LiftOptions {
  std::string function;            // "": the region of #pragma scop, or the only grid loop
  std::vector<std::string> flags;  // for the C compiler: "-DN=512", "-Iinclude"
  // Directory of compile_commands.json; "": search the file's directory and those above it.
  std::string compile_commands;
  int unroll = 32;  // loops of at most this many iterations, if known, are unrolled
  // Compile the original, run it in a confined child process, and compare it with the program. If
  // false, no code of the file is run.
  bool verify = true;
  uint64_t seed = 1;     // for the test data of the comparison
  Options program = {};  // how to read the resulting program
  // Integer macros and constants of the file that become params, with their values as defaults.
  // C028 if other values would give a different program.
  std::vector<std::string> params = {};
};

// The program that a C file was lifted to.
struct LiftedSource {
  std::string text;                  // of the program, in the stencil language
  std::vector<std::string> assumed;  // assumptions beyond the C code, one sentence each
  bool verified = false;
  std::string proof;  // what was compared, or why there was no comparison
};

// Lifts a file. Errors: C0xx if it cannot be lifted, with the line in Failure::diagnostics; R041 if
// libstencil_host.so is missing; C030 if the results of the program differ from those of the
// original.
STENCIL_API Result<LiftedSource> lift_source(const std::string& file,
                                             const LiftOptions& options = {});
// Lifts a file and reads the result as a program. Errors: also those of Program::from_text().
STENCIL_API Result<Program> lift(const std::string& file, const LiftOptions& options = {});

}  // namespace stencil
