// What is in scope in the whole of a kernel: its names, and the values that are the same at all
// points (ir/uniform.h). Those are computed ahead of the loops over points, once per block, or once
// per thread where threads are not loops. Equal ones are one value, whichever functions, pieces and
// steps they come from. Where all steps of a tile stand in the kernel, what changes from step to
// step is an array over them, computed in one loop.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/kernel/kernel.h"
#include "compiler/schedule/parts/names.h"

namespace stencil::schedule {

class KernelScope {
 public:
  explicit KernelScope(Names names) : names_(std::move(names)) {}

  Names& names() { return names_; }

  // The kernel has all steps of a tile. `variable`: for loops over them; `kernel`: its buffers get
  // the arrays; `time_of`: the time of a step, by its number.
  void over_steps(std::string variable, int steps, kernel::Kernel& kernel,
                  std::function<kernel::Expr(const kernel::Expr&)> time_of);
  // The step that values belong to from now on: its number, or the variable that stands for it.
  void at_step(kernel::Expr step) { now_ = std::move(step); }
  void at_step(int step) { at_step(kernel::integer(step)); }

  // What holds `value`, by a name that is free in `body`, too: the names of what will read it.
  // `hint`: as the program calls it, or "". `time`: of the step that it belongs to, or null if it
  // does not change with the step.
  kernel::Expr uniform(const kernel::Expr& value, const std::string& hint, const kernel::Expr& time,
                       Names& body);
  // Keeps what `body` will name apart from the values so far, and later values from its names.
  void set_apart(Names& body);

  // Defines the values that change with the step and were not taken before.
  kernel::Body take_timed();
  // `body` behind the definitions of what was not taken.
  kernel::Body ahead_of(kernel::Body body);

 private:
  kernel::Expr element(const kernel::Expr& value, const std::string& hint, const kernel::Expr& time,
                       Names& body);

  Names names_;
  Names inner_;                  // of bodies within the kernel
  kernel::Body steady_, timed_;  // lets
  // What holds a value, by the value as text, behind the step where it is one of several.
  std::map<std::string, kernel::Expr> defined_;

  std::string step_;  // the variable of loops over the tile's steps; empty: there are none
  int steps_ = 0;
  kernel::Expr now_;
  std::function<kernel::Expr(const kernel::Expr&)> time_of_;
  kernel::Kernel* kernel_ = nullptr;
  kernel::Body stores_;                                          // of one step, into the arrays
  std::map<std::string, kernel::BufferId> arrays_;               // by the value of any step as text
  std::vector<std::pair<kernel::Expr, kernel::Expr>> elements_;  // of a step; of any step
};

}  // namespace stencil::schedule
