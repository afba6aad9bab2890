// Random calls, valid and invalid, of the entry points of one emitted C++ file, as a script for
// harness.h. The required result of each call follows from the interpreter's checks of the program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/decompose/box.h"
#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "tests/property/random.h"

namespace stencil::property {

// A program with entry points to call.
struct Callee {
  std::string label;  // reproduces the draw
  ir::Program program;
  kernel::Module module;
  std::vector<std::pair<std::string, int64_t>> integers;  // valid values of open params
  // The entry points for boxes.
  std::optional<decompose::BoxProgram> box;
  std::optional<kernel::Module> box_module;
};

// The names of the entry points that `script` calls.
std::vector<std::string> entry_points(const Callee& callee);

// Draws a script of about `calls` calls.
std::string script(const Callee& callee, int calls, Random& random);

}  // namespace stencil::property
