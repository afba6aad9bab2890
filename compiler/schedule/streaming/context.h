// What all parts of a streaming kernel refer to: the program and its plan, and the loops whose
// variables stand for the plane, the step and the point. kernel.cpp says what the whole does.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedule/parts/builder.h"
#include "compiler/schedule/parts/residues.h"
#include "compiler/schedule/parts/statements.h"
#include "compiler/schedule/streaming/plan.h"

namespace stencil::schedule {

using kernel::Body;
using kernel::BufferId;
using kernel::Expr;

// What the version of the body that is being written tests: places, unless they are known to be
// inside, which steps are done, unless all are, and whether points weigh in its planes, unless none
// does. Each is known, or a condition on the version.
struct Tests {
  Expr inside = kernel::boolean(false);
  Expr whole = kernel::boolean(false);
  Expr free = kernel::boolean(false);

  // A value as tests make it, and where none is needed.
  Expr unless_inside(const Expr& tested, const Expr& plain) const;
  Expr unless_inside(const Expr& condition) const { return either(inside, condition); }
  Tests known_inside(bool known) const { return {kernel::boolean(known), whole, free}; }
};

// The variable of a loop over `count` values; 0 for a single one.
Expr counter(const std::string& name, int count);
// The body for each of them.
Body counted(const std::string& name, int count, Body body);

// Axes: 0 is x, 1 is y where it is tiled. Dimensions are counted from the outermost.
struct StreamContext {
  // Takes the names of variables from the builder.
  StreamContext(const Schedule& schedule, const StreamPlan& plan, bool leaves_out_steps,
                KernelBuilder& builder);
  StreamContext(const StreamContext&) = delete;

  int quantities() const { return static_cast<int>(plan.quantities.size()); }
  const Quantity& quantity(int id) const { return plan.quantities[id]; }
  const ir::Field& field_of(const Quantity& q) const { return program.fields[q.field]; }
  int dimension(int axis) const { return rank - 1 - axis; }
  const std::string& axis_name(int axis) const { return axes[dimension(axis)]; }
  Expr low(int d) const { return interface.low(program.grid, d); }
  Expr high(int d) const { return interface.high(program.grid, d); }
  // `at` lies in the box.
  void append_inside(const Expr& at, const ir::Box& box, int d, std::vector<Expr>& to) const;
  Expr let(Body& body, const std::string& wanted, const Expr& value) const {
    return schedule::let(builder.names(), body, wanted, value);
  }

  // Places beyond the grid are images of points on the far side, in this dimension.
  bool images(int d) const { return plan.images[d]; }
  // The coordinate of the point at a place of the tile: its own, or that of what it is an image of.
  Expr image(int d, const Expr& place) const;
  // The nearest place to `at` that holds elements of the quantity's field; in x, where one of the
  // vectors of `length` elements begins that its rows are cut into.
  Expr nearest(const Expr& at, const Quantity& q, int d, int64_t length) const;

  Expr thread(int axis) const;
  Expr row() const { return counter(row_name, plan.patch[1]); }
  Expr column() const { return counter(column_name, plan.patch[0]); }
  Body for_each_point(Body body) const { return for_each_part(plan.patch[0], std::move(body)); }
  // For each of so many parts of the patch's rows, which column_name counts.
  Body for_each_part(int parts, Body body) const {
    return counted(row_name, plan.patch[1], counted(column_name, parts, std::move(body)));
  }
  // Elements per access to the memory of a field: its rows start, and tiles cut them, at multiples
  // of a vector.
  int global_vector_length(const Quantity& q) const;

  // Iterations so far.
  Expr passed() const {
    return kernel::add(kernel::variable(iteration), counter(unrolled, plan.unroll));
  }
  // The plane that a quantity or a stage is at, so far behind the front.
  Expr plane(int lag) const { return plus(kernel::variable(front), -lag); }

  // Of the plane that is so far behind the front what is known when the kernel is compiled, from 0
  // to the modulus - 1.
  Expr plane_remainder(int lag) const {
    return modulo(plane_number(lag), literal(plan.known.modulus[0]));
  }
  // What is known of the current point of the patch, in the plane that is so far behind the front.
  Residues residues(const StagePiece& piece, int lag) const;

  // In a tile of fewer steps than the kernel has, the first ones are left out: they change nothing.
  Expr left_out() const { return steps_left_out(plan.steps); }
  // The step is done, in any tile or in this one.
  Expr is_done(const Tests& tests, int step) const;
  Expr time_of(const Tests& tests, const Expr& step) const;

  // How many stages of the same step come before it.
  int place_in_step(const StreamStage& stage) const;

  Expr plane_number(int lag) const;  // likewise, larger by a multiple of the modulus

  const Schedule& schedule;
  const StreamPlan& plan;
  const bool leaves_out_steps;
  KernelBuilder& builder;
  const Interface& interface = builder.interface();
  const ir::Program& program = interface.program();
  const int rank = plan.rank;
  const bool flat = rank == 2;  // rows are streamed; a row of threads has a tile of its own

  const std::vector<std::string> axes = axis_names(rank);  // outermost first
  std::vector<std::string> points;                         // variables: coordinates of the point
  // Variables.
  std::string front, iteration, unrolled, step, tests, row_name, column_name, age;
};

}  // namespace stencil::schedule
