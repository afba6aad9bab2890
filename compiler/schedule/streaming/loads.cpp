#include "compiler/schedule/streaming/loads.h"

#include <algorithm>

namespace stencil::schedule {

namespace {

bool any_copied(const StreamPlan& plan) {
  return std::any_of(plan.quantities.begin(), plan.quantities.end(),
                     [](const Quantity& q) { return q.ring > 0; });
}

}  // namespace

StreamLoads::StreamLoads(const StreamContext& context, const StreamTile& tile,
                         const StreamQueues& queues)
    : context_(context),
      plan_(context.plan),
      tile_(tile),
      queues_(queues),
      by_threads_(any_copied(plan_) && !plan_.bulk) {}

Body StreamLoads::start(const Expr& iterations) {
  const int prefetch = context_.schedule.prefetch;
  Body out;
  if (plan_.bulk) {
    bulk_iterations_ = context_.let(out, "planes", iterations);
    for (int n = 0; n < prefetch; ++n) append(out, copy_in_bulk(literal(n)));
  } else if (by_threads_) {
    out.push_back(
        threads(as_body(loop(kernel::LoopKind::Serial, context_.age, literal(0), literal(prefetch),
                             1, copy_ahead({}, kernel::variable(context_.age), 0)))));
    out.push_back({kernel::Barrier{}});  // iteration numbers restart at 0 for the ring
  }
  return out;
}

Body StreamLoads::load_front(const Tests& tests) {
  const int prefetch = context_.schedule.prefetch;
  Body out;
  if (plan_.bulk) {
    out = copy_in_bulk(plus(context_.passed(), prefetch));
    out.push_back({kernel::AwaitBulk{context_.passed()}});
  }
  Body body;
  if (by_threads_) body.push_back({kernel::AwaitCopies{prefetch - 1}});
  for (int id = 0; id < context_.quantities(); ++id) {
    const Quantity& q = context_.quantity(id);
    if (!q.loaded()) continue;
    const auto newest = [&](const Expr& column) {
      return queues_.at(id, literal(0), context_.row(), column);
    };
    append(body, q.ring > 0 ? take_copied(id)
                            : load_plane(tests, id, context_.plane(q.lag), false, newest));
  }
  if (by_threads_) append(body, copy_ahead(tests, context_.passed(), prefetch));
  out.push_back(threads(std::move(body)));
  return out;
}

Body StreamLoads::copy_ahead(const Tests& tests, const Expr& n, int ahead) const {
  Body out;
  for (int id = 0; id < context_.quantities(); ++id) {
    const Quantity& q = context_.quantity(id);
    if (q.ring == 0) continue;
    const Expr plane = plus(kernel::add(tile_.front_begin, n), ahead - q.lag);
    append(out, load_plane(tests, id, plane, true, [&](const Expr& column) {
             return queues_.copied(id, n, ahead, column);
           }));
  }
  out.push_back({kernel::CommitCopies{}});
  return out;
}

// No copies start after the last plane, because a block must not exit before all its copies have
// arrived.
Body StreamLoads::copy_in_bulk(const Expr& n) const {
  kernel::BulkCopies bulk{n, {}};
  for (int id = 0; id < context_.quantities(); ++id) {
    if (context_.quantity(id).ring == 0) continue;
    for (int row = 0; row < (context_.flat ? context_.schedule.block[1] : 1); ++row) {
      bulk.copies.push_back(bulk_copy(id, n, row));
    }
  }
  return guarded(kernel::less(n, bulk_iterations_), as_body({std::move(bulk)}));
}

kernel::BulkCopy StreamLoads::bulk_copy(int id, const Expr& n, int row) const {
  const Quantity& q = context_.quantity(id);
  Point corner = {plus(kernel::add(tile_.front_begin, n), -q.lag)};
  std::vector<int> box = {1};
  for (int axis = context_.rank - 2; axis >= 0; --axis) {
    corner.push_back(tile_.origin(axis, row));
    box.push_back(static_cast<int>(plan_.cover[axis]));
  }
  std::vector<Expr> to = {modulo(n, literal(q.ring))};
  if (context_.flat) to.push_back(literal(row));
  to.insert(to.end(), {literal(0), literal(0)});
  return {context_.builder.boxes(q.field, q.component, q.level(), box),
          context_.interface.index(corner, q.field, q.component), queues_.ring(id), std::move(to)};
}

// A thread reads only what it copied itself, so no barrier is needed. Bulk copies have been
// awaited.
Body StreamLoads::take_copied(int id) const {
  const int length = vector_length(plan_, context_.quantity(id).type);
  const int parts = plan_.patch[0] / length;
  const Expr column = kernel::mul(counter(context_.column_name, parts), literal(length));
  return context_.for_each_part(
      parts, as_body(copy(queues_.at(id, literal(0), context_.row(), column),
                          queues_.copied(id, context_.passed(), 0, column), length)));
}

// Coordinate from which `length` places of a row are loaded. Images wrap around. Beyond the field,
// the nearest element is loaded; its value is never used.
Expr StreamLoads::source(const Tests& tests, const Expr& place, const Quantity& q, int d,
                         int64_t length) const {
  const Expr at = context_.image(d, place);
  const bool exists =
      context_.images(d) && context_.field_of(q).box.ranges[d] == context_.program.grid().ranges[d];
  return tests.unless_inside(exists ? at : context_.nearest(at, q, d, length), place);
}

template <class To>
Body StreamLoads::load_plane(const Tests& tests, int id, const Expr& plane, bool async,
                             const To& to) const {
  const Quantity& q = context_.quantity(id);
  const int length = context_.global_vector_length(q);
  const int parts = plan_.patch[0] / length;
  const Expr column = kernel::mul(counter(context_.column_name, parts), literal(length));
  Point point = {source(async ? tests.known_inside(false) : tests, plane, q, 0, 1)};
  if (!context_.flat) point.push_back(source(tests, tile_.place(1), q, 1, 1));
  point.push_back(source(tests, kernel::add(tile_.first(0), column), q, context_.rank - 1, length));
  const BufferId global = context_.builder.global(q.field, q.component, q.level(), false);
  kernel::Statement load =
      copy(to(column), {global, context_.interface.index(point, q.field, q.component)}, length);
  std::get<kernel::Copy>(load.kind).async = async;
  Body loops = context_.for_each_part(parts, as_body(std::move(load)));
  const ir::Box& box = context_.field_of(q).box;
  Expr exists = kernel::boolean(true);
  for (int d = 0; d < context_.rank; ++d) {
    const ir::Affine more = box.ranges[d].high - box.ranges[d].low;
    if (more.is_constant() && more.constant >= 0) continue;
    exists = both(exists, kernel::less_equal(context_.interface.low(box, d),
                                             context_.interface.high(box, d)));
  }
  exists = tests.unless_inside(exists);
  return is_false(exists) ? Body{} : guarded(exists, std::move(loops));
}

}  // namespace stencil::schedule
