// C and C++ loops as programs (docs/lift.md).
//
//   auto heat = stencil::lift("heat.c", {.function = "kernel_heat"}).or_throw();
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stencil/program.h"

namespace stencil {

struct LiftOptions {
  std::string function;            // "": what #pragma scop marks, or the only loop over a grid
  std::vector<std::string> flags;  // of the C compiler: "-DN=512", "-Iinclude"
  // The directory of a compile_commands.json; "": beside the file, or in a directory above it.
  std::string compile_commands;
  int unroll = 32;       // loops of at most so many iterations, known, are written out
  // The original is compiled and run in a confined child process, and compared with the program.
  // false: no code of the file is run.
  bool verify = true;
  uint64_t seed = 1;     // of the data for that
  Options program = {};  // how the program is read
  // Macros and constants of the file, whole numbers, that become params with their values as
  // defaults: C028 if the file is not the same program with other values.
  std::vector<std::string> params = {};
};

// What a C file was lifted to.
struct LiftedSource {
  std::string text;                  // of the program
  std::vector<std::string> assumed;  // what C does not say, in sentences
  bool verified = false;
  std::string proof;  // what was compared, or why nothing was
};

// Lifts a file. C0xx where it cannot be, with the line in Failure::diagnostics; R041 where
// libstencil_host.so is missing; C030 if the program does not compute what the original does.
STENCIL_API Result<LiftedSource> lift_source(const std::string& file,
                                             const LiftOptions& options = {});
// The same, read as a program: the errors of Program::from_text(), too.
STENCIL_API Result<Program> lift(const std::string& file, const LiftOptions& options = {});

}  // namespace stencil
