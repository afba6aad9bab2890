// One stencil function over the whole grid: what the schedules that take one step at a time share.
#pragma once

#include <functional>
#include <vector>

#include "compiler/schedule/parts/builder.h"
#include "compiler/schedule/schedule.h"

namespace stencil::schedule {

// How one target of a function is written.
struct SweptTarget {
  ir::FieldId field;
  bool in_place;  // writes the newest level directly: the function reads the field at the point
                  // itself at most
  bool advances;  // first writer of the field in the step: the time levels move on
  bool carries;   // also copies the points that no piece covers
};

// How one function is swept.
struct Sweep {
  const ir::Function* function;
  std::vector<SweptTarget> targets;
  ir::Box domain;  // points visited

  bool in_place() const;  // all targets
  bool carries() const;   // some target
};

// The sweeps of one step, in order. A function that reads a target at other points writes it to a
// spare copy that then takes the place of the newest level: that is the snapshot.
std::vector<Sweep> plan_sweeps(const ir::Program& program);

// What a piece of a function is computed by, in place of its graph and loads from global memory:
// the results of `graph` have the values of the piece's.
struct PieceSource {
  const ir::Graph* graph;
  const std::vector<ir::NodeId>* results;
  ReadAccess read;
};
using PieceSources = std::function<PieceSource(size_t piece)>;

// Statements that do the sweep's work at `point`, a point of its domain. `names`: what is in scope.
kernel::Body sweep_point(KernelBuilder& builder, const Sweep& sweep, const Point& point,
                         const Names& names, const PieceSources& sources = {});

// Sets the copies of the arrays that the sweep needs.
void provide_copies(const Sweep& sweep, kernel::Plan& plan);
// The rotation or exchange after a sweep.
void append_turn(const Interface& interface, const Sweep& sweep, kernel::Plan& plan);
// Adds the traffic of the sweeps: each reads every field level it uses once and writes its targets
// once.
void count_sweeps(const ir::Program& program, const std::vector<Sweep>& sweeps, Footprint& out);

}  // namespace stencil::schedule
