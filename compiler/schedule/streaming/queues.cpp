// Loading planes, publishing rows, fetching columns and rows, moving on.
#include "compiler/schedule/streaming/queues.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/kernel/sequence.h"

namespace stencil::schedule {

void StreamQueues::declare_queues() {
  series_ = queue_series(plan_);
  queues_.resize(plan_.quantities.size());
  for (const QueueSeries& series : series_) {
    const Quantity& q = quantity(series.members[0]);
    const std::string sum = q.part < 0 ? "" : fmt::format("_sum{}", q.part);
    const std::string array = interface_.array_name(q.field, q.component);
    declare_registers(series, (plan_.steps > 1 ? array + "_planes" : stem(q)) + sum);
    declare_rows(series, (plan_.steps > 1 ? array : stem(q)) + sum + "_rows");
    for (int id : series.members) {
      if (quantity(id).staged > 0) declare_staged(id);
    }
  }
}

// Where versions have arrays of their own, which one it is.
std::string StreamQueues::stem(const Quantity& q) const {
  const std::string name = interface_.array_name(q.field, q.component);
  if (plan_.steps > 1 && q.version >= 0) return name;
  return fmt::format("{}_{}{}", name, q.version < 0 ? "minus" : "", std::abs(q.version));
}

void StreamQueues::declare_registers(const QueueSeries& series, const std::string& name) {
  std::vector<Expr> extents;
  const size_t count = series.members.size();
  if (count > 1) extents.push_back(literal(static_cast<int64_t>(count)));
  extents.push_back(literal(series.ages));
  if (!flat()) extents.push_back(literal(series.plane.row_count));
  extents.push_back(literal(series.plane.column_count));
  const Quantity& first = quantity(series.members[0]);
  const BufferId registers =
      builder_.local(kernel::Space::Thread, name, first.type, std::move(extents),
                     count == 1 ? "by age"
                                : fmt::format("versions {} to {}, each by age", first.version,
                                              quantity(series.members.back()).version));
  // What is read must hold something, even where nobody uses the value.
  builder_.kernel().buffers[static_cast<size_t>(registers)].zeroed = true;
  for (size_t i = 0; i < count; ++i) {
    Queue& queue = queues_[static_cast<size_t>(series.members[i])];
    queue.registers = registers;
    queue.plane = series.plane;
    if (count > 1) queue.version = {literal(static_cast<int64_t>(i))};
  }
}

void StreamQueues::declare_rows(const QueueSeries& series, const std::string& name) {
  using Kind = std::pair<int, size_t>;  // slots and rows
  std::map<Kind, std::vector<int>> kinds;
  for (int id : series.members) {
    const Quantity& q = quantity(id);
    if (q.slots > 0) kinds[{q.slots, published_rows(q, plan_.patch[1]).size()}].push_back(id);
  }
  for (const auto& [kind, members] : kinds) {
    std::vector<Expr> extents;
    if (members.size() > 1) extents.push_back(literal(static_cast<int64_t>(members.size())));
    extents.push_back(literal(kind.first));
    extents.push_back(literal(static_cast<int64_t>(kind.second) * plan_.threads[1]));
    extents.push_back(literal(plan_.cover[0]));
    const Scalar type = quantity(members[0]).type;
    const BufferId rows = builder_.local(kernel::Space::Shared, name, type, std::move(extents),
                                         "rows that others read");
    for (size_t i = 0; i < members.size(); ++i) {
      Queue& queue = queues_[static_cast<size_t>(members[i])];
      queue.rows = rows;
      if (members.size() > 1) queue.rows_version = {literal(static_cast<int64_t>(i))};
    }
  }
}

void StreamQueues::declare_staged(int id) {
  const Quantity& q = quantity(id);
  std::vector<Expr> extents = {literal(q.staged)};
  if (plan_.bulk) {  // as in memory
    if (flat()) extents.push_back(literal(schedule_.block[1]));
    extents.push_back(literal(staged_rows(plan_, q.type)));
    extents.push_back(literal(plan_.cover[0]));
  } else {  // thread by thread
    extents.push_back(literal(schedule_.block[1]));
    if (!flat()) extents.push_back(literal(plan_.patch[1]));
    extents.push_back(literal(schedule_.block[0]));
    extents.push_back(literal(plan_.patch[0]));
  }
  Queue& queue = queues_[static_cast<size_t>(id)];
  queue.staged = builder_.local(kernel::Space::Shared, stem(q) + "_ahead", q.type,
                                std::move(extents), "planes on their way");
  kernel::Kernel& kernel = builder_.kernel();
  if (plan_.bulk) {
    kernel.buffers[static_cast<size_t>(queue.staged)].alignment = kernel::kBulkAlignment;
    kernel.bulk_slots = q.staged;
  }
}

std::vector<Expr> StreamQueues::place(int id, const Expr& age, const Expr& row,
                                      const Expr& column) const {
  const Queue& queue = queues_[static_cast<size_t>(id)];
  std::vector<Expr> index = queue.version;
  index.push_back(age);
  if (!flat()) index.push_back(plus(row, queue.plane.row));
  index.push_back(plus(column, queue.plane.column));
  return index;
}

int StreamQueues::global_vector_length(const Quantity& q) const {
  const int length = vector_length(plan_, q.type);
  const int64_t bytes = int64_t{length} * size_in_bytes(q.type);
  const bool whole = interface_.row_alignment(q.field, q.component) % bytes == 0;
  const ir::Range& grid = program_.grid.ranges[x_dimension()];
  const ir::Affine period = grid.high - grid.low + 1;  // no vector reaches across the edge
  const bool apart = period.is_constant() && period.constant % length == 0;
  if (images(rank() - 1) && !apart) return 1;
  return whole ? length : 1;
}

bool StreamQueues::any_staged() const {
  return std::any_of(plan_.quantities.begin(), plan_.quantities.end(),
                     [](const Quantity& q) { return q.staged > 0; });
}

Body StreamQueues::load_front() {
  Body out;
  const bool by_threads = any_staged() && !plan_.bulk;
  if (plan_.bulk) {
    out = stage_in_bulk(plus(passed(), schedule_.prefetch), bulk_iterations_);
    out.push_back({kernel::AwaitBulk{passed()}});
  }
  Body body;
  if (by_threads) body.push_back({kernel::AwaitCopies{schedule_.prefetch - 1}});
  for (size_t id = 0; id < plan_.quantities.size(); ++id) {
    const Quantity& q = plan_.quantities[id];
    if (!q.loaded()) continue;
    append(body, q.staged > 0
                     ? take_staged(static_cast<int>(id))
                     : load_plane(static_cast<int>(id), plus(kernel::variable(front_), -q.lag)));
  }
  if (by_threads) append(body, stage_ahead(passed(), schedule_.prefetch));
  out.push_back(threads(std::move(body)));
  return out;
}

Body StreamQueues::stage_ahead(const Expr& n, int ahead) {
  Body out;
  for (size_t id = 0; id < plan_.quantities.size(); ++id) {
    const Quantity& q = plan_.quantities[id];
    if (q.staged == 0) continue;
    const Expr plane = plus(kernel::add(front_begin_, n), ahead - q.lag);
    append(out, load_plane(static_cast<int>(id), plane, n, ahead));
  }
  out.push_back({kernel::CommitCopies{}});
  return out;
}

Body StreamQueues::stage_in_bulk(const Expr& n, const Expr& iterations) {
  kernel::BulkCopies bulk{n, {}};
  for (size_t id = 0; id < plan_.quantities.size(); ++id) {
    if (plan_.quantities[id].staged == 0) continue;
    for (int tile = 0; tile < (flat() ? schedule_.block[1] : 1); ++tile) {
      bulk.copies.push_back(bulk_copy(static_cast<int>(id), n, tile));
    }
  }
  Body copies;
  copies.push_back({std::move(bulk)});
  return guarded(kernel::less(n, iterations), std::move(copies));
}

kernel::BulkCopy StreamQueues::bulk_copy(int id, const Expr& n, int tile) {
  const Quantity& q = quantity(id);
  Point corner = {plus(kernel::add(front_begin_, n), -q.lag)};
  std::vector<int> box = {1};
  std::vector<Expr> to = {kernel::operation(Op::Mod, {n, literal(q.staged)})};
  for (int axis = rank() - 2; axis >= 0; --axis) {
    const size_t i = static_cast<size_t>(axis);
    corner.push_back(origin_of(axis, flat() ? plus(tile_[i], tile) : tile_[i]));
    box.push_back(static_cast<int>(plan_.cover[i]));
  }
  if (flat()) to.push_back(literal(tile));
  to.insert(to.end(), {literal(0), literal(0)});
  return {builder_.boxes(q.field, q.component, q.level(), box),
          interface_.index(corner, q.field, q.component), queues_[static_cast<size_t>(id)].staged,
          std::move(to)};
}

Body StreamQueues::stage_first(const Expr& iterations) {
  Body out;
  if (!any_staged()) return out;
  if (plan_.bulk) {
    bulk_iterations_ = let(out, "planes", iterations);
    for (int n = 0; n < schedule_.prefetch; ++n) {
      append(out, stage_in_bulk(literal(n), bulk_iterations_));
    }
    return out;
  }
  Body body = stage_ahead(kernel::variable(age_), 0);
  Body loop;
  loop.push_back({kernel::For{kernel::LoopKind::Serial, age_, literal(0),
                              literal(schedule_.prefetch), 1, std::move(body)}});
  out.push_back(threads(std::move(loop)));
  out.push_back({kernel::Barrier{}});  // the ring is numbered anew
  return out;
}

Body StreamQueues::take_staged(int id) const {
  const Quantity& q = quantity(id);
  const int length = vector_length(plan_, q.type);
  const int parts = plan_.patch[0] / length;
  const Expr element = kernel::mul(counter(column_, parts), literal(length));
  Body load;
  load.push_back({kernel::Copy{
      queues_[static_cast<size_t>(id)].registers, place(id, literal(0), row(), element),
      queues_[static_cast<size_t>(id)].staged, staged_place(q, passed(), 0, element), length}});
  return counted(row_, plan_.patch[1], counted(column_, parts, std::move(load)));
}

Expr StreamQueues::staged_slot(const Quantity& q, const Expr& n, int ahead) {
  const int positive = (ahead % q.staged + q.staged) % q.staged;
  return kernel::operation(Op::Mod, {plus(n, positive), literal(q.staged)});
}

std::vector<Expr> StreamQueues::staged_place(const Quantity& q, const Expr& n, int ahead,
                                             const Expr& element) const {
  return staged_place(staged_slot(q, n, ahead), thread(1), row(), element);
}

std::vector<Expr> StreamQueues::staged_place(const Expr& slot, const Expr& owner, const Expr& row,
                                             const Expr& element) const {
  if (plan_.bulk) {
    const Expr y = kernel::add(kernel::mul(owner, literal(plan_.patch[1])), row);
    const Expr x = kernel::add(kernel::mul(thread(0), literal(plan_.patch[0])), element);
    if (flat()) return {slot, owner, literal(0), x};
    return {slot, y, x};
  }
  std::vector<Expr> index = {slot, owner};
  if (!flat()) index.push_back(row);
  index.push_back(thread(0));
  index.push_back(element);
  return index;
}

Expr StreamQueues::nearest(const Expr& at, const Quantity& q, size_t d, int64_t length) const {
  const int dimension = static_cast<int>(d);
  const ir::Box& box = field_of(q).box;
  const bool in_row = d == x_dimension();
  const Expr last = in_row ? interface_.last_vector(q.field, q.component, length)
                           : interface_.high(box, dimension);
  const Expr first = in_row ? interface_.first_vector(q.field, q.component, length)
                            : interface_.low(box, dimension);
  // Tiles begin where the grid does, but planes may lag behind.
  const bool above =
      d > 0 && !images(dimension) && box.ranges[d].low == program_.grid.ranges[d].low;
  return above ? smaller(at, last) : larger(smaller(at, last), first);
}

Expr StreamQueues::source(const Expr& place, const Quantity& q, size_t d, int64_t length,
                          bool ahead) const {
  const Expr at = image(static_cast<int>(d), place);
  const bool exists =
      images(static_cast<int>(d)) && field_of(q).box.ranges[d] == program_.grid.ranges[d];
  const Expr tested = exists ? at : nearest(at, q, d, length);
  return ahead ? tested : unless_inside(tested, place);
}

Body StreamQueues::load_plane(int id, const Expr& plane, const Expr& n, int ahead) {
  const Quantity& q = quantity(id);
  const ir::Box& box = field_of(q).box;
  const int length = global_vector_length(q);
  const int parts = plan_.patch[0] / length;
  const Expr part = counter(column_, parts);
  const Expr element = kernel::mul(part, literal(length));
  Point point(static_cast<size_t>(rank()));
  point[0] = source(plane, q, 0, 1, n != nullptr);
  if (!flat()) point[1] = source(kernel::add(first(1), row()), q, 1, 1, false);
  point.back() = source(kernel::add(first(0), element), q, x_dimension(), length, false);
  const BufferId global = builder_.global(q.field, q.component, q.level(), false);
  Body load;
  const Queue& queue = queues_[static_cast<size_t>(id)];
  kernel::Copy copy{
      queue.registers, {}, global, interface_.index(point, q.field, q.component), length};
  copy.async = n != nullptr;
  copy.to = n ? queue.staged : queue.registers;
  copy.to_index = n ? staged_place(q, n, ahead, element) : place(id, literal(0), row(), element);
  load.push_back({std::move(copy)});
  Body loops = counted(row_, plan_.patch[1], counted(column_, parts, std::move(load)));
  Expr exists = kernel::boolean(true);
  for (int d = 0; d < rank(); ++d) {
    const ir::Range& range = box.ranges[static_cast<size_t>(d)];
    const ir::Affine more = range.high - range.low;
    if (more.is_constant() && more.constant >= 0) continue;
    exists = kernel::operation(
        Op::And, {exists, kernel::less_equal(interface_.low(box, d), interface_.high(box, d))});
  }
  exists = unless_inside(exists);
  if (is_true(exists)) return loops;
  Body out;
  if (!is_false(exists)) out.push_back({kernel::If{exists, std::move(loops), {}}});
  return out;
}

Expr StreamQueues::slot(const Quantity& q, int iterations_ago) const {
  const Expr since = plan_.unroll % q.slots == 0 ? counter(unrolled_, plan_.unroll) : passed();
  const int back = (q.slots - iterations_ago % q.slots) % q.slots;
  return kernel::operation(Op::Mod, {plus(since, back), literal(q.slots)});
}

void StreamQueues::publish(int id, Body& out) {
  const Quantity& q = quantity(id);
  if (q.slots == 0) return;
  const Queue& queue = queues_[static_cast<size_t>(id)];
  const std::vector<int> rows = published_rows(q, plan_.patch[1]);
  const int length = vector_length(plan_, q.type);
  Body body;
  for (size_t r = 0; r < rows.size(); ++r) {
    const Expr there = plus(kernel::mul(thread(1), literal(static_cast<int64_t>(rows.size()))),
                            static_cast<int64_t>(r));
    for (int c = 0; c < plan_.patch[0]; c += length) {
      const Expr column = plus(kernel::mul(thread(0), literal(plan_.patch[0])), c);
      std::vector<Expr> to = queue.rows_version;
      to.insert(to.end(), {slot(q, 0), there, column});
      body.push_back(
          {kernel::Copy{queue.rows, std::move(to), queue.registers,
                        place(id, literal(q.ready), literal(rows[r]), literal(c)), length}});
    }
  }
  out.push_back(threads(std::move(body)));
}

Body StreamQueues::fetch(int id, int age) {
  Body out;
  if (!fetched_.insert({id, age}).second) return out;
  const Quantity& q = quantity(id);
  const Cells& cells = q.fetched[static_cast<size_t>(age)];
  Body rows;
  for (const auto& [row, sides] : cells) {
    if (row < 0 || row >= plan_.patch[1]) append(rows, fetch_row(id, age, row));
  }
  if (!rows.empty()) out.push_back(threads(std::move(rows)));
  for (auto from = cells.begin(); from != cells.end();) {  // runs of rows with the same sides
    auto to = std::next(from);
    int count = 1;
    while (to != cells.end() && to->first == from->first + count && to->second == from->second) {
      ++to;
      ++count;
    }
    append(out, fetch_columns(id, age, from->first, count, from->second));
    from = to;
  }
  return out;
}

Body StreamQueues::fetch_row(int id, int age, int row) const {
  const Quantity& q = quantity(id);
  const Queue& queue = queues_[static_cast<size_t>(id)];
  const int distance = floor_div(row, plan_.patch[1]);
  const int their_row = row - distance * plan_.patch[1];
  Expr owner = plus(thread(1), distance);
  owner = distance < 0 ? larger(owner, literal(0)) : smaller(owner, literal(plan_.threads[1] - 1));
  const int length = vector_length(plan_, q.type);
  Body out;
  for (int c = 0; c < plan_.patch[0]; c += length) {
    kernel::Copy copy{
        queue.registers, place(id, literal(age), literal(row), literal(c)), -1, {}, length};
    if (q.staged > 0) {
      copy.from = queue.staged;
      copy.from_index =
          staged_place(staged_slot(q, passed(), -age), owner, literal(their_row), literal(c));
    } else {
      const std::vector<int> rows = published_rows(q, plan_.patch[1]);
      const int64_t number = std::find(rows.begin(), rows.end(), their_row) - rows.begin();
      copy.from = queue.rows;
      copy.from_index = queue.rows_version;
      copy.from_index.insert(
          copy.from_index.end(),
          {slot(q, age - q.ready),
           plus(kernel::mul(owner, literal(static_cast<int64_t>(rows.size()))), number),
           plus(kernel::mul(thread(0), literal(plan_.patch[0])), c)});
    }
    out.push_back({std::move(copy)});
  }
  return out;
}

Body StreamQueues::fetch_columns(int id, int age, int first_row, int count,
                                 const Sides& sides) const {
  const BufferId registers = queues_[static_cast<size_t>(id)].registers;
  kernel::Shuffle shuffle;
  shuffle.name = row_;
  shuffle.count = count;
  const Expr row = plus(counter(row_, count), first_row);
  for (int c = -sides.low; c < plan_.patch[0] + sides.high; ++c) {
    const int lane = floor_div(c, plan_.patch[0]);
    if (lane == 0 || std::abs(lane) >= plan_.threads[0]) continue;
    const int theirs = c - lane * plan_.patch[0];
    shuffle.moves.push_back({registers, place(id, literal(age), row, literal(c)), registers,
                             place(id, literal(age), row, literal(theirs)), lane});
  }
  Body out;
  if (!shuffle.moves.empty()) out.push_back({std::move(shuffle)});
  return out;
}

Body StreamQueues::move_queues() const {
  Body out;
  for (const QueueSeries& series : series_) {
    std::vector<Body> moves;
    for (int id : series.members) {
      std::vector<Body> ages;  // the oldest first
      for (int age = quantity(id).ages - 1; age > 0; --age) ages.push_back(move_plane(id, age));
      moves.push_back(kernel::sequence(age_, std::move(ages)));
    }
    append(out, kernel::sequence(step_, std::move(moves)));
  }
  return out;
}

Body StreamQueues::move_plane(int id, int age) const {
  const Quantity& q = quantity(id);
  const Cells& kept = q.kept[static_cast<size_t>(age) - 1];
  const Sides sides = kept.count(0) ? kept.at(0) : Sides{};
  const int columns = sides.low + plan_.patch[0] + sides.high;
  const BufferId registers = queues_[static_cast<size_t>(id)].registers;
  const Expr column = plus(counter(column_, columns), -sides.low);
  Body move;
  move.push_back(
      {kernel::Store{registers, place(id, literal(age), row(), column),
                     kernel::load(registers, place(id, literal(age - 1), row(), column), q.type)}});
  return counted(row_, plan_.patch[1], counted(column_, columns, std::move(move)));
}

}  // namespace stencil::schedule
