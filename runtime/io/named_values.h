// The arrays of a selection in files that hold arrays with names.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "runtime/io/selection.h"

namespace stencil::runtime {

// Components `component` to `component + components - 1` of the selected field.
struct NamedValues {
  std::string name;  // as in the program: "U", "U@-1", "S.rho", "S.u" for a vector
  int component = 0, components = 1;
};

// One array per scalar component, and one per vector of one type.
std::vector<NamedValues> values_of(const ir::Program& program, const Selection& selection);

}  // namespace stencil::runtime
