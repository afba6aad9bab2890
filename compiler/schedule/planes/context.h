// State shared by all parts of a `planes` kernel: the program and its plan, the variables for the
// plane, the step and the point, and per-stage numbers. See kernel.cpp for an overview.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedule/common/builder.h"
#include "compiler/schedule/common/statements.h"
#include "compiler/schedule/planes/plan.h"

namespace stencil::schedule {

using kernel::Body;
using kernel::BufferId;
using kernel::Expr;

// Dimensions are counted from the outermost.
struct PlanesContext {
  // Takes the names of variables from the builder.
  PlanesContext(const Schedule& schedule, const PlanesPlan& plan, bool alike,
                KernelBuilder& builder);
  PlanesContext(const PlanesContext&) = delete;

  bool images(int d) const { return plan.images[d]; }
  Expr low(int d) const { return interface.low(program.grid(), d); }
  Expr high(int d) const { return interface.high(program.grid(), d); }
  const PlanesVersion& version(int id) const { return plan.versions[id]; }
  const ir::Field& field_of(const PlanesVersion& v) const { return program.fields[v.field]; }
  const ir::Function& function_of(const PlanesStage& stage) const {
    return program.functions[stage.function];
  }
  const PlanesStage& maker(const PlanesVersion& made) const { return plan.stages[made.stage]; }
  Expr let(Body& body, const std::string& wanted, const Expr& value) const {
    return schedule::let(builder.names(), body, wanted, value);
  }

  // --- Steps that are alike

  // One body serves all steps of a tile. Its stages are those of the last step, with numbers that
  // are affine in the variable `step`. Tiles of fewer steps skip the first ones.

  Expr left_out() const { return steps_left_out(plan.steps); }
  // The corresponding stage of the step before, in a body for all steps; null if the stage occurs
  // only in the last step.
  const PlanesStage* earlier(const PlanesStage& stage) const {
    return alike ? plan.before(stage) : nullptr;
  }
  // Whether the version goes to memory by way of its ring, because later stages also read it.
  bool is_written_late(int id) const { return version(id).ring > 0 && version(id).output >= 0; }
  // Whether the component of a version must be stored: a stage reads it, records sample it, or it
  // is written to memory.
  bool is_kept(int id, int component) const;
  // base + sign * number(stage), as a function of the step in a body for all steps
  template <class Number>
  Expr shifted(const Expr& base, const PlanesStage& stage, int sign, const Number& number) const {
    const PlanesStage* before = earlier(stage);
    const int64_t now = sign * number(stage);
    const int64_t by = before ? now - sign * number(*before) : 0;
    const Expr times = kernel::mul(kernel::variable(step), literal(std::abs(by)));
    const Expr moved = by > 0 ? kernel::add(base, times) : by < 0 ? kernel::sub(base, times) : base;
    return plus(moved, now - by * stage.step);
  }
  Expr step_of(const PlanesStage& stage) const {
    return alike ? kernel::variable(step) : literal(stage.step);
  }
  Expr time_of(const Expr& step) const {
    const Expr done = kernel::add(first_step(), step);
    return alike ? kernel::sub(done, left_out()) : done;
  }

  // --- Points

  // The coordinate of the point for a place; wraps periodic images.
  Expr image(int d) const;
  // The thread's position in its tile.
  Expr local(int d) const {
    return plan.cover[d] == 1 ? literal(0) : kernel::variable("thread_" + axes[d]);
  }
  Expr place(int d) const { return kernel::variable(place_names[d]); }
  Point places() const { return variables(place_names); }
  Point points() const { return variables(point_names); }
  // As points(), but with the place itself in dimensions from `inside` on, where it equals the
  // point.
  Point points(int inside) const;
  static Point variables(const std::vector<std::string>& names);

  const Schedule& schedule;
  const PlanesPlan& plan;
  const bool alike;  // one body serves all steps, and tiles of fewer steps
  KernelBuilder& builder;
  const Interface& interface = builder.interface();
  const ir::Program& program = interface.program();
  const int rank = interface.rank();

  const std::vector<std::string> axes = axis_names(rank);  // z, y, x
  std::vector<std::string> point_names;                    // variables: coordinates of the point
  std::vector<std::string> place_names;  // variables: coordinates before wrapping; the point's own
                                         // if there are no images
  std::vector<std::string> value_names;  // variables, by result of a function
  std::string iteration, step, front, side;
  Expr first, last;  // conditions: first and last step of the tile
};

}  // namespace stencil::schedule
