// A tree of C to a stencil program: what the lifter is to its callers.
#pragma once

#include <memory>
#include <variant>

#include "compiler/lift/program.h"

namespace stencil::lifter {

struct Lifted {
  std::unique_ptr<Pool> pool;  // of the graphs in the others
  CTree tree;
  Execution execution;
  LiftedProgram program;
};

// `name`: of the file, for comments.
std::variant<Lifted, Refusal> lift(CTree tree, const std::string& name,
                                   const ExecuteOptions& options);

}  // namespace stencil::lifter
