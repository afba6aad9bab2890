// The interface of the lifter, which turns the tree of a C region into a stencil program.
#pragma once

#include <memory>
#include <variant>

#include "compiler/lift/program.h"

namespace stencil::lifter {

struct Lifted {
  std::unique_ptr<Pool> pool;  // owns the graphs of the other members
  CTree tree;
  Execution execution;
  LiftedProgram program;
};

// `name`: the file name for comments in the program. Returns a Refusal (codes C0xx) if the region
// cannot be lifted.
std::variant<Lifted, Refusal> lift(CTree tree, const std::string& name,
                                   const ExecuteOptions& options);

}  // namespace stencil::lifter
