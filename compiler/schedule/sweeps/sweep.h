// One stencil function over the whole grid: what the schedules that take one step at a time share.
#pragma once

#include <vector>

#include "compiler/schedule/parts/builder.h"
#include "compiler/schedule/schedule.h"

namespace stencil::schedule {

// How one function is swept.
struct Sweep {
  const ir::Function* function;
  bool in_place;   // writes the newest level directly: it reads its target at the point itself at
                   // most
  bool advances;   // first writer of its target in the step: the time levels move on
  bool carries;    // also copies the points that no piece covers
  ir::Box domain;  // points visited
};

// The sweeps of one step, in order. A function that reads its target at other points writes to a
// spare copy that then takes the place of the newest level: that is the snapshot.
std::vector<Sweep> plan_sweeps(const ir::Program& program);

// Statements that do the sweep's work at `point`, a point of its domain.
kernel::Body sweep_point(KernelBuilder& builder, const Sweep& sweep, const Point& point);

// Sets the copies of the arrays that the sweeps need.
void provide_copies(const std::vector<Sweep>& sweeps, kernel::Plan& plan);
// The rotation or exchange after a sweep.
void append_turn(const Interface& interface, const Sweep& sweep, kernel::Plan& plan);

}  // namespace stencil::schedule
