// The field and time level of each array at the beginning of a step.
#pragma once

#include <map>

#include "compiler/lift/order.h"

namespace stencil::lifter {

struct Role {
  std::string field;
  int level = 0;   // level before the first function of the step that writes the field
  int copies = 1;  // number of levels of the field
};

struct Roles {
  std::map<ArrayPart, Role> of;
  // Rotations of pointers with several written buffers. The program copies values at the end of a
  // step instead.
  std::vector<std::pair<ArrayPart, ArrayPart>> moves;  // {to, from}
};

// Throws Refusal.
Roles roles_of(const Execution& execution, const Shapes& shapes,
               const std::vector<StepFunction>& functions, const std::set<ArrayPart>& parts);

}  // namespace stencil::lifter
