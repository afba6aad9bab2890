// Random calls of the entry points of one emitted C++ file, valid ones and wrong ones, as a script
// of harness.h. What a call must return follows from the program, by way of the interpreter's
// checks.
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

// A program whose entry points are called.
struct Callee {
  std::string label;  // how to draw it again
  ir::Program program;
  kernel::Module module;
  std::vector<std::pair<std::string, int64_t>> integers;  // values of open params that are valid
  // The entry points for boxes.
  std::optional<decompose::BoxProgram> box;
  std::optional<kernel::Module> box_module;
};

// The names of its entry points that `script` calls.
std::vector<std::string> entry_points(const Callee& callee);

// `calls` calls or so.
std::string script(const Callee& callee, int calls, Random& random);

}  // namespace stencil::property
