#include "compiler/schedule/streaming/context.h"

#include <algorithm>

#include "compiler/kernel/passes.h"
#include "compiler/schedule/streaming/resources.h"

namespace stencil::schedule {

Expr Tests::unless_inside(const Expr& tested, const Expr& plain) const {
  const bool same = kernel::print(tested) == kernel::print(plain);
  return same ? plain : select(inside, plain, tested);
}

Expr counter(const std::string& name, int count) {
  return count == 1 ? literal(0) : kernel::variable(name);
}

Body counted(const std::string& name, const Expr& count, Body body) {
  if (std::get<kernel::IntegerLiteral>(count->kind).value == 1) return body;
  return as_body(loop(kernel::LoopKind::Unrolled, name, literal(0), count, 1, std::move(body)));
}

StreamContext::StreamContext(const Schedule& schedule, const StreamPlan& plan,
                             bool leaves_out_steps, kernel::Module& module, KernelBuilder& builder)
    : schedule(schedule), plan(plan), leaves_out_steps(leaves_out_steps), builder(builder) {
  builder.set_block(module, {schedule.block[0], schedule.block[1]}, {plan.patch[0], plan.patch[1]});
  Names& names = builder.names();
  for (const std::string& axis : axes) points.push_back(names.unique(axis));
  front = names.unique("front");
  iteration = names.unique("n");
  unrolled = names.unique("u");
  step = names.unique("step");
  builder.scope().over_steps(  // before the loop and its variants
      step, plan.steps, builder.kernel(), [this](const Expr& any) { return time_of({}, any); });
  tests = names.unique("tests");
  row_name = names.unique("k");
  column_name = names.unique("i");
  age = names.unique("age");
}

void StreamContext::append_inside(const Expr& at, const ir::Box& box, int d,
                                  std::vector<Expr>& to) const {
  to.push_back(at_least(at, interface.low(box, d)));
  to.push_back(kernel::less_equal(at, interface.high(box, d)));
}

Expr StreamContext::image(int d, const Expr& place) const {
  if (!images(d)) return place;
  if (d == 0) {
    int64_t behind = plan.fill;                  // planes before the first one written
    for (const Quantity& q : plan.quantities) {  // loaded quantities may lag behind every stage
      behind = std::max<int64_t>(behind, plan.fill + q.lag);
    }
    behind += plan.known.modulus[0] - 1;
    const int64_t ahead = plan.drain + plan.unroll + schedule.prefetch;  // after the last one
    return wrap(interface, program.grid(), d, place, behind, ahead);
  }
  const int axis = rank - 1 - d;
  const int64_t more_tiles = flat ? schedule.block[1] - 1 : 0;  // in the last group
  return wrap(interface, program.grid(), d, place, plan.margin[axis].low,
              plan.cover[axis] + more_tiles * plan.core(axis));
}

Expr StreamContext::nearest(const Expr& at, const Quantity& q, int d, int64_t length) const {
  const ir::Box& box = field_of(q).box;
  const bool in_row = d == rank - 1;
  const Expr last =
      in_row ? interface.last_vector(q.field, q.component, length) : interface.high(box, d);
  const Expr first =
      in_row ? interface.first_vector(q.field, q.component, length) : interface.low(box, d);
  // Tiles start at the grid's low edge, but planes may be before it.
  const bool above = d > 0 && !images(d) && box.ranges[d].low == program.grid().ranges[d].low;
  return above ? smaller(at, last) : larger(smaller(at, last), first);
}

Expr StreamContext::thread(int axis) const {
  if (schedule.block[axis] == 1) return literal(0);
  return kernel::variable(kernel::kThreadNames[axis]);
}

int StreamContext::global_vector_length(const Quantity& q) const {
  const int length = vector_length(plan, q.type);
  const int64_t bytes = int64_t{length} * size_in_bytes(q.type);
  const bool whole = interface.row_alignment(q.field, q.component) % bytes == 0;
  const ir::Range& grid = program.grid().ranges[rank - 1];
  const ir::Affine period = grid.high - grid.low + 1;  // no vector may cross the periodic edge
  const bool apart = period.is_constant() && period.constant % length == 0;
  if (images(rank - 1) && !apart) return 1;
  return whole ? length : 1;
}

int StreamContext::place_in_step(const StreamStage& stage) const {
  int place = 0;
  for (const StreamStage& other : plan.stages) {
    if (&other == &stage) break;
    place += other.step == stage.step;
  }
  return place;
}

Expr StreamContext::plane_number(int lag) const {
  int64_t behind = 0;  // upper bound, a multiple of the modulus
  for (const StreamStage& stage : plan.stages) behind = std::max<int64_t>(behind, stage.lag);
  for (const Quantity& q : plan.quantities) {
    behind = std::max<int64_t>(behind, q.lag + q.ages - 1);
  }
  behind = (behind / plan.known.modulus[0] + 1) * plan.known.modulus[0];
  return plus(counter(unrolled, plan.unroll), plan.known.remainder[0] + behind - lag);
}

Residues StreamContext::residues(const StagePiece& piece, int lag) const {
  if (piece.congruences.empty()) return {};
  Residues out{piece.congruences, plan.known.modulus, {plane_number(lag)}};
  for (int d = 1; d < rank; ++d) {
    const int64_t first = plan.known.remainder[d];
    out.remainder.push_back(plus(d == rank - 1 ? column() : row(), first));
  }
  return out;
}

Expr StreamContext::is_done(const Tests& tests, int step) const {
  if (!leaves_out_steps) return kernel::boolean(true);
  return either(tests.whole, kernel::less_equal(left_out(), literal(step)));
}

Expr StreamContext::time_of(const Tests& tests, const Expr& step) const {
  if (!leaves_out_steps) return kernel::add(first_step(), step);
  const Expr done = larger(kernel::sub(step, left_out()), literal(0));
  return kernel::add(first_step(), select(tests.whole, step, done));
}

}  // namespace stencil::schedule
