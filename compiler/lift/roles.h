// Which field and which of its time levels an array is at the beginning of a step.
#pragma once

#include <map>

#include "compiler/lift/order.h"

namespace stencil::lifter {

struct Role {
  std::string field;
  int level = 0;   // before the step's first function that writes the field
  int copies = 1;  // levels that the field has
};

struct Roles {
  std::map<Part, Role> of;
  // Pointers that trade places though several of them are written: done at the end of a step.
  std::vector<std::pair<Part, Part>> moves;  // {to, from}
};

// Throws Refusal.
Roles roles_of(const Execution& execution, const Shapes& shapes,
               const std::vector<StepFunction>& functions, const std::set<Part>& parts);

}  // namespace stencil::lifter
