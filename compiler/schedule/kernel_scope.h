// What is in scope in the whole of a kernel: its names, and the values that are the same at all
// points (ir/uniform.h). Those are computed ahead of the loops over points, once per block, or once
// per thread where threads are not loops. Equal ones are one value, whichever functions, pieces and
// steps they come from.
#pragma once

#include <map>
#include <string>

#include "compiler/schedule/blocks.h"

namespace stencil::schedule {

class KernelScope {
 public:
  explicit KernelScope(Names names) : names_(std::move(names)) {}

  Names& names() { return names_; }

  // The variable that holds `value`, by a name that is free in `body`, too: the names of what will
  // read it. `hint`: as the program calls it, or "". `timed`: it changes from step to step.
  kernel::Expr uniform(const kernel::Expr& value, const std::string& hint, bool timed,
                       Names& body);
  // Keeps what `body` will name apart from the values so far, and later values from its names.
  void set_apart(Names& body);

  // Defines the values that change with the step and were not taken before.
  kernel::Body take_timed();
  // `body` behind the definitions of what was not taken.
  kernel::Body ahead_of(kernel::Body body);

 private:
  Names names_;
  Names inner_;  // of bodies within the kernel
  kernel::Body steady_, timed_;                  // lets
  std::map<std::string, kernel::Expr> defined_;  // variables, by the value as text
};

}  // namespace stencil::schedule
