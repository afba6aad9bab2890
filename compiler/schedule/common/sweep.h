// Sweeps of one stencil function over the whole grid, shared by all schedules that use them.
#pragma once

#include <functional>
#include <vector>

#include "compiler/schedule/common/builder.h"
#include "compiler/schedule/schedule.h"

namespace stencil::schedule {

// How a sweep writes one of its targets.
struct SweptTarget {
  ir::FieldId field;
  bool in_place;  // writes the newest level directly; requires that the function reads the field
                  // only at the point itself
  bool advances;  // first writer of the field in the step: the time levels move on
  bool carries;   // also copies points that no piece covers
};

// A sweep of one function.
struct Sweep {
  const ir::Function* function;
  std::vector<SweptTarget> targets;
  ir::Box domain;  // points visited

  bool in_place() const;  // whether all targets are written in place
  bool carries() const;   // whether some target carries
};

// The sweeps of one step, in order. If a function reads a target at other points, it writes to a
// spare copy, which then becomes the newest level.
std::vector<Sweep> plan_sweeps(const ir::Program& program);

// An alternative graph for a piece, and how to read its accesses. Its results have the same values
// as the piece's.
struct PieceSource {
  const ir::Graph* graph;
  const std::vector<ir::NodeId>* results;
  ReadAccess read;
};
using PieceSources = std::function<PieceSource(size_t piece)>;

// Statements that apply the sweep at `point` of its domain. `names`: names in scope.
kernel::Body sweep_point(KernelBuilder& builder, const Sweep& sweep, const Point& point,
                         const Names& names, const PieceSources& sources = {});

// Sets the number of copies of the arrays that the sweep writes.
void provide_copies(const Sweep& sweep, kernel::Plan& plan);
// Appends the rotation or exchange of slots after a sweep.
void append_turn(const Interface& interface, const Sweep& sweep, kernel::Plan& plan);
// Adds the traffic of the sweeps. Each reads every level that it uses once and writes its targets
// once.
void count_sweeps(const ir::Program& program, const std::vector<Sweep>& sweeps, Footprint& out);

}  // namespace stencil::schedule
