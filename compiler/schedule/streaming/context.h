// State shared by all parts of a streaming kernel: the program and its plan, and the loop variables
// for the plane, the step and the point. See kernel.cpp for an overview.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedule/common/builder.h"
#include "compiler/schedule/common/residues.h"
#include "compiler/schedule/common/statements.h"
#include "compiler/schedule/streaming/plan.h"

namespace stencil::schedule {

using kernel::Body;
using kernel::BufferId;
using kernel::Expr;

// Conditions that the variant of the body being generated may assume. `inside`: no place needs a
// bounds test; `whole`: no step is skipped; `free`: no point set has an entry in its planes. Each
// is a constant, or a condition on the variant.
struct Tests {
  Expr inside = kernel::boolean(false);
  Expr whole = kernel::boolean(false);
  Expr free = kernel::boolean(false);

  // `tested`, or `plain` in a variant that needs no tests.
  Expr unless_inside(const Expr& tested, const Expr& plain) const;
  Expr unless_inside(const Expr& condition) const { return either(inside, condition); }
  Tests known_inside(bool known) const { return {kernel::boolean(known), whole, free}; }
};

// The variable of a loop over `count` values; 0 for a single value.
Expr counter(const std::string& name, int count);
// A loop over `count` values, a literal, around the body.
Body counted(const std::string& name, const Expr& count, Body body);
inline Body counted(const std::string& name, int count, Body body) {
  return counted(name, literal(count), std::move(body));
}

// Axis 0 is x; axis 1 is y if it is tiled. Dimensions are counted from the outermost.
struct StreamContext {
  // Takes the names of variables from the builder, and sets its block.
  StreamContext(const Schedule& schedule, const StreamPlan& plan, bool leaves_out_steps,
                kernel::Module& module, KernelBuilder& builder);
  StreamContext(const StreamContext&) = delete;

  int quantities() const { return static_cast<int>(plan.quantities.size()); }
  const Quantity& quantity(int id) const { return plan.quantities[id]; }
  const ir::Field& field_of(const Quantity& q) const { return program.fields[q.field]; }
  int dimension(int axis) const { return rank - 1 - axis; }
  const std::string& axis_name(int axis) const { return axes[dimension(axis)]; }
  Expr low(int d) const { return interface.low(program.grid(), d); }
  Expr high(int d) const { return interface.high(program.grid(), d); }
  // Appends the conditions for `at` to lie in the box.
  void append_inside(const Expr& at, const ir::Box& box, int d, std::vector<Expr>& to) const;
  Expr let(Body& body, const std::string& wanted, const Expr& value) const {
    return schedule::let(builder.names(), body, wanted, value);
  }

  // Whether places beyond the grid are periodic images in this dimension.
  bool images(int d) const { return plan.images[d]; }
  // The coordinate of the point for a place of the tile; wraps periodic images.
  Expr image(int d, const Expr& place) const;
  // The place nearest to `at` that holds elements of the quantity's field; in x, the start of a
  // vector of `length` elements.
  Expr nearest(const Expr& at, const Quantity& q, int d, int64_t length) const;

  Expr thread(int axis) const;
  Expr row() const { return counter(row_name, plan.patch[1]); }
  Expr column() const { return counter(column_name, plan.patch[0]); }
  // The threads of a block, and the points of a thread's patch.
  const Expr& threads(int axis) const { return builder.threads(dimension(axis)); }
  const Expr& patch(int axis) const { return builder.elements(dimension(axis)); }
  Body for_each_point(Body body) const { return for_each_part(plan.patch[0], std::move(body)); }
  // Loops over the rows of a patch and `parts` parts of each row; column_name counts the parts.
  Body for_each_part(int parts, Body body) const {
    const Expr count = parts == plan.patch[0] ? patch(0) : literal(parts);
    return counted(row_name, patch(1), counted(column_name, count, std::move(body)));
  }
  // Elements per global memory access. Rows start at multiples of a vector, and tiles cut rows at
  // such multiples.
  int global_vector_length(const Quantity& q) const;

  // Iterations so far.
  Expr passed() const {
    return kernel::add(kernel::variable(iteration), counter(unrolled, plan.unroll));
  }
  // The plane `lag` planes behind the front.
  Expr plane(int lag) const { return plus(kernel::variable(front), -lag); }

  // The remainder, known at compile time, of the plane `lag` planes behind the front.
  Expr plane_remainder(int lag) const {
    return modulo(plane_number(lag), literal(plan.known.modulus[0]));
  }
  // Known residues of the patch's current point in the plane `lag` planes behind the front.
  Residues residues(const StagePiece& piece, int lag) const;

  // In a tile of fewer steps than the kernel has, the first steps are skipped: they leave all
  // values unchanged.
  Expr left_out() const { return steps_left_out(plan.steps); }
  // Condition: the step is not skipped.
  Expr is_done(const Tests& tests, int step) const;
  Expr time_of(const Tests& tests, const Expr& step) const;

  // Number of stages of the same step before this one.
  int place_in_step(const StreamStage& stage) const;

  Expr plane_number(int lag) const;  // nonnegative, and congruent to the plane's number

  const Schedule& schedule;
  const StreamPlan& plan;
  const bool leaves_out_steps;
  KernelBuilder& builder;
  const Interface& interface = builder.interface();
  const ir::Program& program = interface.program();
  const int rank = plan.rank;
  const bool flat = rank == 2;  // 2-D: rows are streamed, and each row of threads has its own tile

  const std::vector<std::string> axes = axis_names(rank);  // outermost first
  std::vector<std::string> points;                         // variables: coordinates of the point
  // Names of variables.
  std::string front, iteration, unrolled, step, tests, row_name, column_name, age;
};

}  // namespace stencil::schedule
