// The scope of a whole kernel: its names and the uniform values (ir/uniform.h), which are the same
// at all points. Uniform values are computed before the loops over points: once per block if
// threads are loops, otherwise once per thread. Equal values from different functions, pieces or
// steps are computed once. If the kernel contains all steps of a tile, values that change with the
// step go to an array over the steps, which one loop fills.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/kernel/kernel.h"
#include "compiler/schedule/common/names.h"

namespace stencil::schedule {

class KernelScope {
 public:
  explicit KernelScope(Names names) : names_(std::move(names)) {}

  Names& names() { return names_; }

  // Declares that the kernel contains all steps of a tile. `variable`: counter of loops over the
  // steps; `kernel`: receives the array buffers; `time_of`: maps a step number to the step's time.
  void over_steps(std::string variable, int steps, kernel::Kernel& kernel,
                  std::function<kernel::Expr(const kernel::Expr&)> time_of);
  // Sets the step to which subsequent values belong: its number, or a variable.
  void at_step(kernel::Expr step) { now_ = std::move(step); }
  void at_step(int step) { at_step(kernel::integer(step)); }

  // The expression that holds `value`, under a name that is also free in `body`: the names in scope
  // where the value is read. `hint`: the value's name in the program, or "". `time`: the time of
  // the current step, or null if the value does not depend on the step.
  kernel::Expr uniform(const kernel::Expr& value, const std::string& hint, const kernel::Expr& time,
                       Names& body);
  // Keeps the names of `body` and those of the uniform values, present and future, distinct.
  void set_apart(Names& body);

  // Returns the definitions of step-dependent values that were not yet taken.
  kernel::Body take_timed();
  // `body` preceded by all definitions that were not yet taken.
  kernel::Body ahead_of(kernel::Body body);

 private:
  kernel::Expr element(const kernel::Expr& value, const std::string& hint, const kernel::Expr& time,
                       Names& body);

  Names names_;
  Names inner_;                  // names used in bodies within the kernel
  kernel::Body steady_, timed_;  // lets
  // Expressions that hold values, by text of the value. The step precedes the text of a
  // step-dependent value.
  std::map<std::string, kernel::Expr> defined_;

  std::string step_;  // counter of loops over the steps; empty: no such loops
  int steps_ = 0;
  kernel::Expr now_;
  std::function<kernel::Expr(const kernel::Expr&)> time_of_;
  kernel::Kernel* kernel_ = nullptr;
  kernel::Body stores_;                                          // into the arrays, for one step
  std::map<std::string, kernel::BufferId> arrays_;               // by value text at a generic step
  std::vector<std::pair<kernel::Expr, kernel::Expr>> elements_;  // loads at a fixed and at any step
};

}  // namespace stencil::schedule
