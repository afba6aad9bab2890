// Declares queues, publishes rows, fetches columns and rows, and moves queues on.
#include "compiler/schedule/streaming/queues.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/kernel/sequence.h"
#include "compiler/schedule/streaming/known.h"

namespace stencil::schedule {

namespace {

// Base name of a version's own array; versions in a common array share the array's name.
std::string stem(const StreamContext& context, const Quantity& q) {
  const std::string name = context.interface.array_name(q.field, q.component);
  if (context.plan.steps > 1 && q.version >= 0) return name;
  return fmt::format("{}_{}{}", name, q.version < 0 ? "minus" : "", std::abs(q.version));
}

int floor_div(int a, int b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

}  // namespace

Expr load(const Element& from, Scalar type) {
  return kernel::load(from.buffer, from.index, type);
}

kernel::Statement store(Element to, Expr value) {
  return {kernel::Store{to.buffer, std::move(to.index), std::move(value)}};
}

kernel::Statement copy(Element to, Element from, int length) {
  return {kernel::Copy{to.buffer, std::move(to.index), from.buffer, std::move(from.index), length}};
}

StreamQueues::StreamQueues(const StreamContext& context)
    : context_(context),
      plan_(context.plan),
      series_(queue_series(plan_)),
      queues_(plan_.quantities.size()) {
  for (const QueueSeries& series : series_) {
    const Quantity& q = context.quantity(series.members[0]);
    const std::string sum = q.part < 0 ? "" : fmt::format("_sum{}", q.part);
    const std::string array = context.interface.array_name(q.field, q.component);
    declare_registers(series, (plan_.steps > 1 ? array + "_planes" : stem(context, q)) + sum);
    declare_rows(series, (plan_.steps > 1 ? array : stem(context, q)) + sum + "_rows");
    for (int id : series.members) {
      if (context.quantity(id).ring > 0) declare_ring(id);
    }
  }
}

void StreamQueues::declare_registers(const QueueSeries& series, const std::string& name) {
  const int64_t count = series.members.size();
  std::vector<Expr> extents = {literal(series.ages), literal(series.plane.column_count)};
  if (!context_.flat) extents.insert(extents.begin() + 1, literal(series.plane.row_count));
  if (count > 1) extents.insert(extents.begin(), literal(count));
  const Quantity& first = context_.quantity(series.members[0]);
  const Quantity& last = context_.quantity(series.members.back());
  const BufferId registers = context_.builder.local(
      kernel::Space::Thread, name, first.type, std::move(extents),
      count == 1 ? "by age"
                 : fmt::format("versions {} to {}, each by age", first.version, last.version));
  // Uninitialized registers may be read even though the value is unused, so zero them.
  context_.builder.kernel().buffers[registers].zeroed = true;
  for (int64_t i = 0; i < count; ++i) {
    Queue& queue = queues_[series.members[i]];
    queue.registers = registers;
    queue.plane = series.plane;
    if (count > 1) queue.version = {literal(i)};
  }
}

void StreamQueues::declare_rows(const QueueSeries& series, const std::string& name) {
  using Kind = std::pair<int, size_t>;  // numbers of published planes and rows
  std::map<Kind, std::vector<int>> kinds;
  for (int id : series.members) {
    const Quantity& q = context_.quantity(id);
    if (q.published_planes > 0)
      kinds[{q.published_planes, published_rows(q, plan_.patch[1]).size()}].push_back(id);
  }
  for (const auto& [kind, members] : kinds) {
    const int64_t count = members.size();
    std::vector<Expr> extents = {literal(kind.first), literal(kind.second * plan_.threads[1]),
                                 literal(plan_.cover[0])};
    if (count > 1) extents.insert(extents.begin(), literal(count));
    const BufferId rows =
        context_.builder.local(kernel::Space::Shared, name, context_.quantity(members[0]).type,
                               std::move(extents), "rows that other threads read");
    for (int64_t i = 0; i < count; ++i) {
      Queue& queue = queues_[members[i]];
      queue.rows = rows;
      if (count > 1) queue.rows_version = {literal(i)};
    }
  }
}

void StreamQueues::declare_ring(int id) {
  const Quantity& q = context_.quantity(id);
  std::vector<Expr> extents;
  if (plan_.bulk) {  // layout as in memory
    extents = {literal(ring_rows(plan_, q.type)), literal(plan_.cover[0])};
    if (context_.flat) extents.insert(extents.begin(), context_.threads(1));
  } else {  // layout by thread
    extents = {context_.threads(1), context_.threads(0), context_.patch(0)};
    if (!context_.flat) extents.insert(extents.begin() + 1, context_.patch(1));
  }
  extents.insert(extents.begin(), literal(q.ring));
  const BufferId ring = context_.builder.local(kernel::Space::Shared, stem(context_, q) + "_ahead",
                                               q.type, std::move(extents), "planes being copied");
  queues_[id].ring = ring;
  if (!plan_.bulk) return;
  kernel::Kernel& kernel = context_.builder.kernel();
  kernel.buffers[ring].alignment = kernel::kBulkAlignment;
  kernel.bulk_batches = q.ring;
}

Element StreamQueues::at(int id, const Expr& age, const Expr& row, const Expr& column) const {
  const Queue& queue = queues_[id];
  std::vector<Expr> index = queue.version;
  index.push_back(age);
  if (!context_.flat) index.push_back(plus(row, queue.plane.row));
  index.push_back(plus(column, queue.plane.column));
  return {queue.registers, std::move(index)};
}

Element StreamQueues::copied_of(int id, const Expr& n, int ahead, const Expr& owner,
                                const Expr& row, const Expr& element) const {
  const int planes = context_.quantity(id).ring;
  const int positive = (ahead % planes + planes) % planes;
  const Expr ring_index = modulo(plus(n, positive), literal(planes));
  const Expr x = context_.thread(0);
  if (plan_.bulk) {
    const Expr at = kernel::add(kernel::mul(x, context_.patch(0)), element);
    if (context_.flat) return {ring(id), {ring_index, owner, literal(0), at}};
    return {ring(id), {ring_index, kernel::add(kernel::mul(owner, context_.patch(1)), row), at}};
  }
  if (context_.flat) return {ring(id), {ring_index, owner, x, element}};
  return {ring(id), {ring_index, owner, row, x, element}};
}

// An element of row `number` among the rows that thread `owner` in y published `iterations_ago`.
Element StreamQueues::published(int id, int iterations_ago, const Expr& owner, int64_t number,
                                int column) const {
  const Quantity& q = context_.quantity(id);
  const int64_t rows = published_rows(q, plan_.patch[1]).size();
  const Expr since = plan_.unroll % q.published_planes == 0
                         ? counter(context_.unrolled, plan_.unroll)
                         : context_.passed();
  const int back = (q.published_planes - iterations_ago % q.published_planes) % q.published_planes;
  std::vector<Expr> index = queues_[id].rows_version;
  index.push_back(modulo(plus(since, back), literal(q.published_planes)));
  index.push_back(plus(kernel::mul(owner, literal(rows)), number));
  index.push_back(plus(kernel::mul(context_.thread(0), context_.patch(0)), column));
  return {queues_[id].rows, std::move(index)};
}

Body StreamQueues::publish(int id) const {
  const Quantity& q = context_.quantity(id);
  if (q.published_planes == 0) return {};
  const std::vector<int> rows = published_rows(q, plan_.patch[1]);
  const int length = vector_length(plan_, q.type);
  Body body;
  for (size_t r = 0; r < rows.size(); ++r) {
    for (int c = 0; c < plan_.patch[0]; c += length) {
      body.push_back(copy(published(id, 0, context_.thread(1), r, c),
                          at(id, literal(q.ready), literal(rows[r]), literal(c)), length));
    }
  }
  return as_body(threads(std::move(body)));
}

// Whether another row is fetched in the same planes.
bool StreamQueues::fetched_alike(const Quantity& q, int age, const Cells::value_type& row,
                                 int other) const {
  for (int c = -row.second.low; c < plan_.patch[0] + row.second.high; ++c) {
    if (c >= 0 && c < plan_.patch[0]) continue;
    if (planes_fetched(plan_, q, age, row.first, c) != planes_fetched(plan_, q, age, other, c)) {
      return false;
    }
  }
  return true;
}

Body StreamQueues::fetch(int id, int age) const {
  const Cells& cells = context_.quantity(id).fetched[age];
  Body rows;
  for (const auto& [row, sides] : cells) {
    if (row < 0 || row >= plan_.patch[1]) append(rows, fetch_row(id, age, row));
  }
  Body out;
  if (!rows.empty()) out.push_back(threads(std::move(rows)));
  for (auto from = cells.begin(); from != cells.end();) {  // runs of rows with the same sides
    auto to = std::next(from);
    int count = 1;
    while (to != cells.end() && to->first == from->first + count && to->second == from->second &&
           fetched_alike(context_.quantity(id), age, *from, to->first)) {
      ++to;
      ++count;
    }
    append(out, fetch_columns(id, age, from->first, count, from->second));
    from = to;
  }
  return out;
}

// Fetches a row from the threads above or below. At the tile's end, where the row is unused, a
// thread fetches its own.
Body StreamQueues::fetch_row(int id, int age, int row) const {
  const Quantity& q = context_.quantity(id);
  const int distance = floor_div(row, plan_.patch[1]);
  const int their_row = row - distance * plan_.patch[1];
  Expr owner = plus(context_.thread(1), distance);
  owner = distance < 0 ? larger(owner, literal(0)) : smaller(owner, literal(plan_.threads[1] - 1));
  const std::vector<int> rows = published_rows(q, plan_.patch[1]);
  const int64_t number = std::find(rows.begin(), rows.end(), their_row) - rows.begin();
  const int length = vector_length(plan_, q.type);
  Body out;
  for (int c = 0; c < plan_.patch[0]; c += length) {
    Element from =
        q.ring > 0 ? copied_of(id, context_.passed(), -age, owner, literal(their_row), literal(c))
                   : published(id, age - q.ready, owner, number, c);
    out.push_back(copy(at(id, literal(age), literal(row), literal(c)), std::move(from), length));
  }
  return out;
}

Body StreamQueues::fetch_columns(int id, int age, int first_row, int count,
                                 const Sides& sides) const {
  const Quantity& q = context_.quantity(id);
  std::map<uint32_t, kernel::Shuffle> shuffles;  // by plane mask
  const Expr row = plus(counter(context_.row_name, count), first_row);
  for (int c = -sides.low; c < plan_.patch[0] + sides.high; ++c) {
    const int lane = floor_div(c, plan_.patch[0]);
    if (lane == 0 || std::abs(lane) >= plan_.threads[0]) continue;
    kernel::Shuffle& shuffle = shuffles[planes_fetched(plan_, q, age, first_row, c)];
    shuffle.name = context_.row_name;
    shuffle.count = count;
    Element to = at(id, literal(age), row, literal(c));
    Element from = at(id, literal(age), row, literal(c - lane * plan_.patch[0]));
    shuffle.moves.push_back(
        {to.buffer, std::move(to.index), from.buffer, std::move(from.index), lane});
  }
  Body out;
  for (auto& [planes, shuffle] : shuffles) {
    Expr some = kernel::boolean(planes == all_planes(plan_));
    for (int plane = 0; plane < plan_.known.modulus[0]; ++plane) {
      if ((planes >> plane & 1) == 0) continue;
      some = either(some, is_equal(context_.plane_remainder(q.lag + age), literal(plane)));
    }
    if (!is_false(some)) append(out, guarded(some, as_body({std::move(shuffle)})));
  }
  return out;
}

Body StreamQueues::move() const {
  Body out;
  for (const QueueSeries& series : series_) {
    std::vector<Body> moves;
    for (int id : series.members) {
      std::vector<Body> ages;  // oldest first
      for (int age = context_.quantity(id).ages - 1; age > 0; --age) {
        ages.push_back(move_plane(id, age));
      }
      moves.push_back(kernel::sequence(context_.age, std::move(ages)));
    }
    append(out, kernel::sequence(context_.step, std::move(moves)));
  }
  return out;
}

Body StreamQueues::move_plane(int id, int age) const {
  const Quantity& q = context_.quantity(id);
  const Cells& kept = q.kept[age - 1];
  const Sides sides = kept.count(0) ? kept.at(0) : Sides{};
  const int columns = sides.low + plan_.patch[0] + sides.high;
  const Expr column = plus(counter(context_.column_name, columns), -sides.low);
  const Expr moved = load(at(id, literal(age - 1), context_.row(), column), q.type);
  return context_.for_each_part(
      columns, as_body(store(at(id, literal(age), context_.row(), column), moved)));
}

}  // namespace stencil::schedule
