// The kernels of the `streaming` family (stream_plan.h says what they keep and when).
//
// One kernel serves tiles of one number of steps. A block owns a tile of the inner dimensions and a
// chunk of planes of the outermost; in 2-D each row of threads has a tile of its own. Per iteration
// of the loop over planes:
//
//   load the front plane of every field that is read          registers, ahead of its use
//   for every stage: fetch what it reads beyond the patch     shuffles, published rows
//                    compute its plane, publish rows, write the plane if it is a result
//   barrier (if rows are published), move the queues on
//
// Everything a thread touches has its place in the tile, also beyond the grid: values there are
// computed like any other and read by nobody. The first tile of a dimension therefore starts at the
// grid's edge, without a margin.
//
// The body exists twice. Where the whole tile lies inside (one piece of every function applies
// everywhere, no boundary rule is met, loads stay in their arrays) nothing is tested per point;
// elsewhere, pieces are selected by the point's coordinates. Which one runs is decided per
// iteration, for a block as a whole.
#include "compiler/schedule/streaming.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/rewrite.h"
#include "compiler/kernel/passes.h"
#include "compiler/schedule/builder.h"

namespace stencil::schedule {

namespace {

using kernel::Body;
using kernel::BufferId;
using kernel::Expr;

Expr literal(int64_t value) {
  return kernel::integer(value);
}
Expr at_least(const Expr& a, const Expr& b) {
  return kernel::operation(Op::Ge, {a, b});
}
Expr larger(const Expr& a, const Expr& b) {
  return kernel::operation(Op::Max, {a, b});
}
Expr smaller(const Expr& a, const Expr& b) {
  return kernel::operation(Op::Min, {a, b});
}
Expr select(const Expr& condition, const Expr& a, const Expr& b) {
  return kernel::operation(Op::Select, {condition, a, b});
}
Expr plus(const Expr& a, int64_t b) {
  return b < 0 ? kernel::sub(a, literal(-b)) : kernel::add(a, literal(b));
}
bool is_true(const Expr& expr) {
  const auto* value = std::get_if<kernel::IntegerLiteral>(&expr->kind);
  return value && value->value != 0;
}
bool is_false(const Expr& expr) {
  const auto* value = std::get_if<kernel::IntegerLiteral>(&expr->kind);
  return value && value->value == 0;
}

void append(Body& to, Body from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

class StreamKernel {
 public:
  StreamKernel(const ir::Program& program, const Schedule& schedule, const Interface& interface,
               const std::string& name, int steps)
      : program_(program),
        schedule_(schedule),
        interface_(interface),
        plan_(plan_stream(program, schedule, steps)),
        builder_(interface, name,
                 fmt::format("{} step{} per pass: a tile moves along {}, every step some planes "
                             "behind the one before.",
                             steps, steps == 1 ? "" : "s", axis_names(interface.rank())[0])) {}

  void lower(kernel::Module& module) {
    kernel::Kernel& kernel = builder_.kernel();
    kernel.threads = {schedule_.block[0], schedule_.block[1], 1};
    kernel.min_blocks = resident_blocks(schedule_, plan_);
    take_names();
    Expr blocks = cut(module);
    declare_queues();
    append(body_, clear_queues());
    append(body_, make_masks());
    append(body_, stage_first());
    loop_over_planes();
    kernel.body = std::move(body_);
    builder_.finish(std::move(blocks), module);
    std::get<kernel::Launch>(module.plan.actions.back()).steps = plan_.steps;
  }

 private:
  // --- Tiles ---

  bool flat() const { return plan_.rank == 2; }  // rows are streamed; a row of threads is a tile
  int rank() const { return plan_.rank; }
  size_t x_dimension() const { return static_cast<size_t>(plan_.rank) - 1; }
  const ir::Field& field_of(const Quantity& q) const {
    return program_.fields[static_cast<size_t>(q.field)];
  }
  const Quantity& quantity(int id) const { return plan_.quantities[static_cast<size_t>(id)]; }

  void take_names() {
    Names& names = builder_.names();
    axes_ = axis_names(rank());
    for (const std::string& axis : axes_) point_names_.push_back(names.unique(axis));
    for (int axis = 0; axis < rank() - 1; ++axis) {
      first_names_.push_back(
          names.unique("first_" + axes_[static_cast<size_t>(rank() - 1 - axis)]));
    }
    front_ = names.unique("front");
    iteration_ = names.unique("n");
    unrolled_ = names.unique("u");
    row_ = names.unique("k");
    column_ = names.unique("i");
    age_ = names.unique("age");
  }

  Expr low(int d) const { return interface_.low(program_.grid, d); }
  Expr high(int d) const { return interface_.high(program_.grid, d); }

  Expr let(Body& body, const std::string& wanted, const Expr& value) {
    const bool plain = std::holds_alternative<kernel::IntegerLiteral>(value->kind) ||
                       std::holds_alternative<kernel::Variable>(value->kind);
    if (plain) return value;
    const std::string name = builder_.names().unique(wanted);
    body.push_back({kernel::Let{name, value}});
    return kernel::variable(name, value->type);
  }

  // How many pieces of `length` cover the points of dimension d, of which `spared` need none.
  Expr count(int d, const Expr& length, int64_t length_value, int64_t spared) const {
    const ir::Affine extent = program_.grid.ranges[static_cast<size_t>(d)].high -
                              program_.grid.ranges[static_cast<size_t>(d)].low + 1;
    if (extent.is_constant()) {
      if (extent.constant <= 0) return literal(0);
      const int64_t rest = std::max<int64_t>(extent.constant - spared, 1);
      return literal((rest + length_value - 1) / length_value);
    }
    const Expr points = interface_.extent(program_.grid, d);
    const Expr rest = larger(plus(points, -spared), smaller(points, literal(1)));
    return larger(kernel::operation(Op::Div, {kernel::add(rest, plus(length, -1)), length}),
                  literal(0));
  }

  // Numbers the tiles and chunks; `tiles_`, `origin_` and the chunk's bounds say where a block is.
  Expr cut(kernel::Module& module) {
    const auto constant = [&](const std::string& wanted, int64_t value, const std::string& why) {
      const std::string name = builder_.names().unique(
          plan_.steps == schedule_.time_tile ? wanted : fmt::format("{}_{}", wanted, plan_.steps));
      module.constants.push_back({name, Scalar::I32, value, why});
      return kernel::variable(name);
    };
    Expr blocks = kernel::integer(1, Scalar::I64);
    Expr rest = kernel::convert(kernel::variable("block", Scalar::I64), Scalar::I32);
    for (int axis = 0; axis < rank() - 1; ++axis) {
      const int d = rank() - 1 - axis;
      const std::string& name = axes_[static_cast<size_t>(d)];
      const analysis::Reach margin = plan_.margin[static_cast<size_t>(axis)];
      core_[axis] =
          constant("core_" + name, plan_.core(axis),
                   fmt::format("points of a tile in {}: {} threads x {}, less {} + {} "
                               "with incomplete neighbours",
                               name, plan_.threads[static_cast<size_t>(axis)],
                               plan_.patch[static_cast<size_t>(axis)], margin.low, margin.high));
      Expr tiles = count(d, core_[axis], plan_.core(axis), margin.low + margin.high);
      last_tile_[axis] = plus(let(body_, "tiles_" + name, tiles), -1);
      Expr groups = let(body_, "tiles_" + name, tiles);
      if (flat()) {
        const Expr rows = literal(schedule_.block[1]);
        tiles = kernel::operation(Op::Div, {plus(tiles, schedule_.block[1] - 1), rows});
        groups = let(body_, "groups_" + name, tiles);
      }
      blocks = kernel::mul(blocks, kernel::convert(tiles, Scalar::I64));
      Expr number = kernel::operation(Op::Mod, {rest, groups});
      rest = kernel::operation(Op::Div, {rest, groups});
      if (flat()) number = kernel::mul(number, literal(schedule_.block[1]));
      tile_[axis] = number;
    }
    const Chunks chunks = cut_chunks(program_, schedule_, plan_);
    Expr chunk =
        constant("chunk", chunks.length, fmt::format("planes in {} that a block writes", axes_[0]));
    if (chunks.groups > 0) {
      const Expr edge_chunk =
          constant("edge_chunk", chunks.edge_length, "likewise in the first and the last tiles");
      blocks = set_edges_apart(chunks, &chunk, edge_chunk, &rest);
    } else {
      blocks = kernel::mul(blocks, kernel::convert(count(0, chunk, chunks.length, 0), Scalar::I64));
    }
    for (int axis = 0; axis < rank() - 1; ++axis) {
      const std::string& name = axes_[static_cast<size_t>(rank() - 1 - axis)];
      tile_[axis] = let(body_, flat() ? "first_tile" : "number_" + name, tile_[axis]);
    }
    first_plane_ = let(body_, "first_" + axes_[0], kernel::add(low(0), kernel::mul(rest, chunk)));
    last_plane_ = let(body_, "last_" + axes_[0],
                      smaller(plus(kernel::add(first_plane_, chunk), -1), high(0)));
    front_begin_ = let(body_, "begin_" + axes_[0], larger(plus(first_plane_, -plan_.lead), low(0)));
    inside_tile_ = schedule_.edges == Edges::Tested ? kernel::boolean(false) : tile_is_inside();
    inside_tile_ = let(body_, "inside", inside_tile_);
    return blocks;
  }

  // Numbers the chunks of the first and the last group of tiles before all others: sets tile_[0],
  // the number of the block's chunk and its length, and returns the number of blocks.
  Expr set_edges_apart(const Chunks& chunks, Expr* chunk, const Expr& edge_chunk, Expr* number) {
    const auto whole = [](const Expr& expr) {
      return std::get<kernel::IntegerLiteral>(expr->kind).value;
    };
    const int64_t per_edge = whole(count(0, edge_chunk, chunks.edge_length, 0));
    const int64_t per_group = whole(count(0, *chunk, chunks.length, 0));
    const int64_t inner_groups = chunks.groups - 2;
    const Expr block = kernel::convert(kernel::variable("block", Scalar::I64), Scalar::I32);
    const Expr at_edge = let(body_, "at_edge", kernel::less(block, literal(2 * per_edge)));
    const Expr inner = let(body_, "inner_block", plus(block, -2 * per_edge));
    const Expr which = kernel::operation(Op::Mod, {block, literal(2)});
    const Expr edge_group = kernel::mul(which, literal(chunks.groups - 1));
    const Expr inner_group = plus(kernel::operation(Op::Mod, {inner, literal(inner_groups)}), 1);
    const Expr group = select(at_edge, edge_group, inner_group);
    tile_[0] = let(body_, "first_tile", kernel::mul(group, literal(schedule_.block[1])));
    *number = let(body_, "chunk_number",
                  select(at_edge, kernel::operation(Op::Div, {block, literal(2)}),
                         kernel::operation(Op::Div, {inner, literal(inner_groups)})));
    *chunk = let(body_, "planes", select(at_edge, edge_chunk, *chunk));
    return kernel::integer(2 * per_edge + inner_groups * per_group, Scalar::I64);
  }

  Expr tile_number(int axis) const {
    return flat() ? kernel::add(tile_[0], thread(1)) : tile_[static_cast<size_t>(axis)];
  }
  Expr origin_of(int axis, const Expr& tile) const {
    const size_t i = static_cast<size_t>(axis);
    return kernel::add(low(rank() - 1 - axis), kernel::mul(tile, core_[i]));
  }
  Expr thread(int axis) const {
    if (schedule_.block[static_cast<size_t>(axis)] == 1) return literal(0);
    return kernel::variable(axis == 0 ? "thread_x" : "thread_y");
  }
  // The first column or row of the thread's patch.
  Expr first_point(int axis) const {
    return kernel::add(origin_of(axis, tile_number(axis)),
                       kernel::mul(thread(axis), literal(plan_.patch[static_cast<size_t>(axis)])));
  }

  // --- Where nothing needs to be tested ---

  struct Interval {  // coordinates; null: no limit
    Expr low, high;
    Interval() = default;
    Interval(Expr first, Expr last) : low(std::move(first)), high(std::move(last)) {}
    std::set<std::string> limits;  // as text: each is taken once
    void raise(const Expr& to) {
      if (limits.insert("low " + kernel::print(to)).second) low = low ? larger(low, to) : to;
    }
    void lower(const Expr& to) {
      if (limits.insert("high " + kernel::print(to)).second) high = high ? smaller(high, to) : to;
    }
  };

  // The piece that covers nearly all of the grid; -1 if there is none.
  int main_piece(const Stage& stage) const {
    for (size_t p = 0; p < stage.pieces.size(); ++p) {
      bool thick = true;
      for (int d = 0; d < rank(); ++d) {
        const ir::Range& range = stage.pieces[p].region.ranges[static_cast<size_t>(d)];
        const ir::Range& grid = program_.grid.ranges[static_cast<size_t>(d)];
        const ir::Affine length = range.high - range.low + 1;
        const ir::Affine whole = grid.high - grid.low + 1;
        if (range.low == range.high) thick = false;
        if (length.is_constant() && whole.is_constant() && 2 * length.constant < whole.constant) {
          thick = false;
        }
      }
      if (thick) return static_cast<int>(p);
    }
    return -1;
  }

  // The points of dimension d at which a stage can do without tests: all its tile's points must
  // lie there. `misses`: conditions under which a thin piece is missed altogether.
  void limit(const Stage& stage, int d, Interval& inside) const {
    const int main = main_piece(stage);
    if (main < 0 || stage.everywhere) return;
    const StagePiece& piece = stage.pieces[static_cast<size_t>(main)];
    inside.raise(interface_.low(piece.region, d));
    inside.lower(interface_.high(piece.region, d));
    const auto needed = ir::reachable(*piece.graph, piece.results);
    for (ir::NodeId id = 0; id < piece.graph->size(); ++id) {
      const auto* access = std::get_if<ir::Access>(&(*piece.graph)[id].kind);
      if (!access || !needed[static_cast<size_t>(id)]) continue;
      if (access->escapes == 0) continue;
      const ir::Box& box = program_.fields[static_cast<size_t>(access->field)].box;
      const int offset = access->offsets[static_cast<size_t>(d)];
      if (access->escapes >> (2 * d) & 1) inside.raise(plus(interface_.low(box, d), -offset));
      if (access->escapes >> (2 * d + 1) & 1) inside.lower(plus(interface_.high(box, d), -offset));
    }
  }

  // A stage without a main piece is left alone inside the grid: the tile misses each of its pieces
  // in some tiled dimension, or the planes miss it.
  void avoid(const StagePiece& piece, int lag, Interval& fronts) const {
    const std::vector<Interval> tile = tile_points();
    Expr missed = kernel::boolean(false);
    for (int d = 1; d < rank(); ++d) {
      const Interval& points = tile[static_cast<size_t>(d)];
      missed = kernel::operation(
          Op::Or, {missed, kernel::less(points.high, interface_.low(piece.region, d))});
      missed = kernel::operation(
          Op::Or, {missed, kernel::less(interface_.high(piece.region, d), points.low)});
    }
    const ir::Affine from_low = piece.region.ranges[0].low - program_.grid.ranges[0].low;
    if (from_low.is_constant() && from_low.constant <= 16) {  // stay behind it, or before it
      fronts.raise(select(missed, low(0), plus(interface_.high(piece.region, 0), 1 + lag)));
    } else {
      fronts.lower(select(missed, high(0), plus(interface_.low(piece.region, 0), lag - 1)));
    }
  }

  std::vector<Interval> tile_points() const {
    std::vector<Interval> tile(static_cast<size_t>(rank()));
    for (int axis = 0; axis < rank() - 1; ++axis) {
      const size_t i = static_cast<size_t>(axis);
      const Expr first = flat() ? tile_[0] : tile_[i];
      const Expr last = flat() ? plus(first, schedule_.block[1] - 1) : first;
      tile[static_cast<size_t>(rank() - 1 - axis)] = {
          origin_of(axis, first), plus(origin_of(axis, last), plan_.cover[i] - 1)};
    }
    return tile;
  }

  // In the tiled dimensions.
  Expr tile_is_inside() const {
    const std::vector<Interval> tile = tile_points();
    std::vector<Expr> conditions;
    for (int d = 1; d < rank(); ++d) {
      Interval inside;
      for (const Stage& stage : plan_.stages) limit(stage, d, inside);
      // The first and the last tile write what lies beyond their core, too.
      const analysis::Reach margin = plan_.margin[static_cast<size_t>(rank() - 1 - d)];
      if (margin.low > 0) inside.raise(plus(low(d), 1));
      if (margin.high > 0) inside.lower(plus(high(d), -1));
      for (const Quantity& q : plan_.quantities) {
        if (!q.loaded() && !q.output) continue;
        inside.raise(interface_.low(field_of(q).box, d));
        inside.lower(interface_.high(field_of(q).box, d));
      }
      const Interval& points = tile[static_cast<size_t>(d)];
      if (inside.low) conditions.push_back(at_least(points.low, inside.low));
      if (inside.high) conditions.push_back(kernel::less_equal(points.high, inside.high));
    }
    return kernel::all_of(std::move(conditions));
  }

  // In the streamed dimension, for the plane of the front.
  Interval fronts_inside() const {
    Interval fronts;
    for (const Stage& stage : plan_.stages) {
      Interval planes;
      limit(stage, 0, planes);
      if (planes.low) fronts.raise(plus(planes.low, stage.lag));
      if (planes.high) fronts.lower(plus(planes.high, stage.lag));
      if (stage.everywhere || main_piece(stage) >= 0) continue;
      for (const StagePiece& piece : stage.pieces) avoid(piece, stage.lag, fronts);
    }
    for (const Quantity& q : plan_.quantities) {
      if (!q.loaded()) continue;
      fronts.raise(interface_.low(field_of(q).box, 0));
      fronts.lower(interface_.high(field_of(q).box, 0));
    }
    fronts.raise(low(0));
    fronts.lower(high(0));
    return fronts;
  }

  // --- Queues ---

  struct Queue {
    BufferId registers = -1;
    BufferId rows = -1;       // published, in shared memory
    BufferId staged = -1;     // on their way from memory, in shared memory
    int row = 0, column = 0;  // where the patch starts in a plane
    int row_count = 1, column_count = 1;
  };

  void declare_queues() {
    for (const Quantity& q : plan_.quantities) {
      Queue queue;
      int above = plan_.patch[1];
      Sides sides;
      for (const auto& [row, columns] : q.halo) {
        queue.row = std::max(queue.row, -row);
        above = std::max(above, row + 1);
        sides = {std::max(sides.low, columns.low), std::max(sides.high, columns.high)};
      }
      queue.column = sides.low;
      queue.row_count = queue.row + above;
      queue.column_count = sides.low + plan_.patch[0] + sides.high;
      std::vector<Expr> extents = {literal(q.ages)};
      if (!flat()) extents.push_back(literal(queue.row_count));
      extents.push_back(literal(queue.column_count));
      const std::string name =
          fmt::format("{}_{}{}", interface_.array_name(q.field, q.component), q.version,
                      q.part < 0 ? "" : fmt::format("_sum{}", q.part));
      queue.registers =
          builder_.local(kernel::Space::Thread, name, q.type, std::move(extents),
                         q.loaded() ? "as loaded, by age"
                                    : fmt::format("{} {}{} behind", q.lag, flat() ? "row" : "plane",
                                                  q.lag == 1 ? "" : "s"));
      if (q.slots > 0) {
        const int64_t rows =
            static_cast<int64_t>(published_rows(q, plan_.patch[1]).size()) * plan_.threads[1];
        queue.rows = builder_.local(kernel::Space::Shared, name + "_rows", q.type,
                                    {literal(q.slots), literal(rows), literal(plan_.cover[0])},
                                    "rows that others read");
      }
      if (q.staged > 0) {
        std::vector<Expr> extents = {literal(q.staged), literal(schedule_.block[1])};
        if (!flat()) extents.push_back(literal(plan_.patch[1]));
        extents.push_back(literal(schedule_.block[0]));
        extents.push_back(literal(plan_.patch[0]));
        queue.staged = builder_.local(kernel::Space::Shared, name + "_ahead", q.type,
                                      std::move(extents), "planes on their way");
      }
      queues_.push_back(queue);
    }
  }

  // Index of a point of the patch (or beside it) in a queue.
  std::vector<Expr> place(int id, const Expr& age, const Expr& row, const Expr& column) const {
    const Queue& queue = queues_[static_cast<size_t>(id)];
    std::vector<Expr> index = {age};
    if (!flat()) index.push_back(plus(row, queue.row));
    index.push_back(plus(column, queue.column));
    return index;
  }

  // The body for every value of a loop variable; the variable is `name`, or 0 for a single one.
  static Expr counter(const std::string& name, int count) {
    return count == 1 ? literal(0) : kernel::variable(name);
  }
  static Body counted(const std::string& name, int count, Body body) {
    if (count == 1) return body;
    Body out;
    out.push_back({kernel::For{kernel::LoopKind::Unrolled, name, literal(0), literal(count), 1,
                               std::move(body)}});
    return out;
  }
  Expr row() const { return counter(row_, plan_.patch[1]); }
  Expr column() const { return counter(column_, plan_.patch[0]); }
  Body for_each_point(Body body) const {
    return counted(row_, plan_.patch[1], counted(column_, plan_.patch[0], std::move(body)));
  }

  static kernel::Statement threads(Body body) { return {kernel::Threads{std::move(body)}}; }

  // Registers must hold something before they are read, even if nobody uses the value.
  Body clear_queues() {
    Body all;
    for (size_t id = 0; id < queues_.size(); ++id) {
      const Quantity& q = plan_.quantities[id];
      const Queue& queue = queues_[id];
      std::vector<Expr> index = {counter(age_, q.ages)};
      if (!flat()) index.push_back(counter(row_, queue.row_count));
      index.push_back(counter(column_, queue.column_count));
      Body store;
      store.push_back({kernel::Store{queue.registers, index, zero(q.type)}});
      Body loops = counted(age_, q.ages,
                           counted(row_, flat() ? 1 : queue.row_count,
                                   counted(column_, queue.column_count, std::move(store))));
      append(all, std::move(loops));
    }
    Body out;
    out.push_back(threads(std::move(all)));
    return out;
  }

  static Expr zero(Scalar type) {
    const Scalar arithmetic = arithmetic_type(type);
    const Expr value =
        is_float(arithmetic) ? kernel::real(0, arithmetic) : kernel::integer(0, arithmetic);
    return kernel::convert(value, type);
  }

  // --- The loop ---

  // Iterations 0 .. begin-1 and end .. last are tested, those between are not. Both bodies stand in
  // one loop over the two passes, so that each is written once.
  void loop_over_planes() {
    const auto tested = [&](Expr begin, Expr end) -> kernel::Statement {
      return {kernel::For{kernel::LoopKind::Serial, iteration_, std::move(begin), std::move(end),
                          plan_.unroll, planes(false)}};
    };
    const Expr iterations =
        let(body_, "iterations",
            plus(kernel::sub(kernel::add(last_plane_, literal(plan_.tail)), front_begin_), 1));
    if (is_false(inside_tile_)) {
      body_.push_back(tested(literal(0), iterations));
      return;
    }
    const Interval fronts = fronts_inside();
    const auto whole = [&](const Expr& n) {  // rounded down to whole groups of planes
      if (plan_.unroll == 1) return n;
      return kernel::mul(kernel::operation(Op::Div, {n, literal(plan_.unroll)}),
                         literal(plan_.unroll));
    };
    const Expr all = whole(plus(iterations, plan_.unroll - 1));
    Expr begin =
        larger(whole(plus(kernel::sub(fronts.low, front_begin_), plan_.unroll - 1)), literal(0));
    begin = let(body_, "inside_begin", select(inside_tile_, smaller(begin, all), all));
    Expr end = smaller(plus(kernel::sub(fronts.high, front_begin_), 1), all);
    end = let(body_, "inside_end",
              kernel::add(begin, whole(larger(kernel::sub(end, begin), literal(0)))));
    const std::string pass = builder_.names().unique("pass");
    const Expr first_pass = kernel::operation(Op::Eq, {kernel::variable(pass), literal(0)});
    Body both;
    both.push_back(
        tested(select(first_pass, literal(0), end), select(first_pass, begin, iterations)));
    both.push_back({kernel::For{kernel::LoopKind::Serial, iteration_, begin,
                                select(first_pass, end, begin), plan_.unroll, planes(true)}});
    body_.push_back(
        {kernel::For{kernel::LoopKind::Serial, pass, literal(0), literal(2), 1, std::move(both)}});
  }

  Body planes(bool inside) {
    inside_ = inside;
    return counted(unrolled_, plan_.unroll, one_plane());
  }

  Expr passed() const {  // iterations so far
    return kernel::add(kernel::variable(iteration_), counter(unrolled_, plan_.unroll));
  }

  Body one_plane() {
    Body out;
    out.push_back({kernel::Let{front_, kernel::add(front_begin_, passed())}});
    fetched_.clear();
    append(out, load_front());
    bool published = false;
    for (size_t id = 0; id < plan_.quantities.size(); ++id) {
      if (plan_.quantities[id].loaded()) published |= publish(static_cast<int>(id), out);
    }
    for (const Stage& stage : plan_.stages) {
      out.push_back({kernel::Comment{stage_comment(stage)}});
      for (const auto& [id, age] : stage.planes) append(out, fetch(id, age));
      out.push_back(threads(compute(stage)));
      for (int id : stage.results) published |= publish(id, out);
      append(out, write_results(stage));
    }
    if (published) out.push_back({kernel::Barrier{}});
    out.push_back(threads(move_queues()));
    return out;
  }

  std::string stage_comment(const Stage& stage) const {
    const std::string target = field_of(quantity(stage.results[0])).name;
    const std::string sum = stage.everywhere ? "a sum for " : "";
    return fmt::format("step {} of {}: {}{}, {} {}{} behind the front", stage.step + 1, plan_.steps,
                       sum, target, stage.lag, flat() ? "row" : "plane", stage.lag == 1 ? "" : "s");
  }

  // Coordinates of the thread's patch, for the sections that name them.
  Body patch_lets() const {
    Body out;
    for (int axis = 0; axis < rank() - 1; ++axis) {
      out.push_back({kernel::Let{first_names_[static_cast<size_t>(axis)], first_point(axis)}});
    }
    return out;
  }
  Expr first(int axis) const { return kernel::variable(first_names_[static_cast<size_t>(axis)]); }

  // Rows of the field start, and tiles cut them, at multiples of a vector.
  int global_vector_length(const Quantity& q) const {
    const int length = vector_length(plan_, q.type);
    const ir::Range& range = field_of(q).box.ranges[x_dimension()];
    const ir::Range& grid = program_.grid.ranges[x_dimension()];
    const ir::Affine extent = range.high - range.low + 1;
    const ir::Affine shift = grid.low - range.low;
    const bool whole = extent.is_constant() && shift.is_constant() &&
                       extent.constant % length == 0 && shift.constant % length == 0;
    return whole ? length : 1;
  }

  Body load_front() {
    Body body = patch_lets();
    bool any_staged = false;
    for (const Quantity& q : plan_.quantities) any_staged |= q.staged > 0;
    if (any_staged) body.push_back({kernel::AwaitCopies{schedule_.prefetch - 1}});
    for (size_t id = 0; id < plan_.quantities.size(); ++id) {
      const Quantity& q = plan_.quantities[id];
      if (!q.loaded()) continue;
      append(body, q.staged > 0 ? take_staged(static_cast<int>(id))
                                : load_plane(static_cast<int>(id), kernel::variable(front_)));
    }
    if (any_staged) append(body, stage_ahead(passed(), schedule_.prefetch));
    Body out;
    out.push_back(threads(std::move(body)));
    return out;
  }

  // Starts the copies of the plane that becomes the front `ahead` iterations after iteration `n`.
  Body stage_ahead(const Expr& n, int ahead) {
    Body out;
    for (size_t id = 0; id < plan_.quantities.size(); ++id) {
      if (plan_.quantities[id].staged == 0) continue;
      append(out,
             load_plane(static_cast<int>(id), plus(kernel::add(front_begin_, n), ahead), n, ahead));
    }
    out.push_back({kernel::CommitCopies{}});
    return out;
  }

  // The first planes, before the loop: iterations -prefetch .. -1 so to speak.
  Body stage_first() {
    Body out;
    bool any_staged = false;
    for (const Quantity& q : plan_.quantities) any_staged |= q.staged > 0;
    if (!any_staged) return out;
    inside_ = false;
    Body body = patch_lets();
    append(body, stage_ahead(kernel::variable(age_), 0));
    Body loop;
    loop.push_back({kernel::For{kernel::LoopKind::Serial, age_, literal(0),
                                literal(schedule_.prefetch), 1, std::move(body)}});
    out.push_back(threads(std::move(loop)));
    out.push_back({kernel::Barrier{}});  // the ring is numbered anew
    return out;
  }

  // A thread reads what it copied itself, so nobody has to wait for anybody.
  Body take_staged(int id) const {
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

  std::vector<Expr> staged_place(const Quantity& q, const Expr& n, int ahead,
                                 const Expr& element) const {
    const Expr slot = kernel::operation(Op::Mod, {plus(n, ahead), literal(q.staged)});
    std::vector<Expr> index = {slot, thread(1)};
    if (!flat()) index.push_back(row());
    index.push_back(thread(0));
    index.push_back(element);
    return index;
  }

  // Beyond the field the nearest point is loaded instead; nobody reads it there.
  Expr nearest(const Expr& at, const ir::Box& box, size_t d, int64_t length) const {
    if (inside_) return at;
    const int dimension = static_cast<int>(d);
    return larger(smaller(at, plus(interface_.high(box, dimension), 1 - length)),
                  interface_.low(box, dimension));
  }

  // A plane copied ahead may lie beyond the field when the front is still inside.
  Expr nearest_always(const Expr& plane, const ir::Box& box) const {
    return larger(smaller(plane, interface_.high(box, 0)), interface_.low(box, 0));
  }

  // Loads a plane into the queue, or starts its copy into the slot for `ahead` iterations after n.
  Body load_plane(int id, const Expr& plane, const Expr& n = nullptr, int ahead = 0) {
    const Quantity& q = quantity(id);
    const ir::Box& box = field_of(q).box;
    const int length = global_vector_length(q);
    const int parts = plan_.patch[0] / length;
    const Expr part = counter(column_, parts);
    const Expr element = kernel::mul(part, literal(length));
    Point point(static_cast<size_t>(rank()));
    point[0] = n ? nearest_always(plane, box) : nearest(plane, box, 0, 1);
    if (!flat()) point[1] = nearest(kernel::add(first(1), row()), box, 1, 1);
    point.back() = nearest(kernel::add(first(0), element), box, x_dimension(), length);
    const BufferId global = builder_.global(q.field, q.component, 0, false);
    Body load;
    const Queue& queue = queues_[static_cast<size_t>(id)];
    kernel::Copy copy{queue.registers, {}, global, interface_.index(point, box), length};
    copy.async = n != nullptr;
    copy.to = n ? queue.staged : queue.registers;
    copy.to_index = n ? staged_place(q, n, ahead, element) : place(id, literal(0), row(), element);
    load.push_back({std::move(copy)});
    Body loops = counted(row_, plan_.patch[1], counted(column_, parts, std::move(load)));
    Expr exists = kernel::boolean(true);
    for (int d = 0; d < rank() && !inside_; ++d) {
      const ir::Range& range = box.ranges[static_cast<size_t>(d)];
      const ir::Affine more = range.high - range.low;
      if (more.is_constant() && more.constant >= 0) continue;
      exists = kernel::operation(
          Op::And, {exists, kernel::less_equal(interface_.low(box, d), interface_.high(box, d))});
    }
    if (is_true(exists)) return loops;
    Body out;
    if (!is_false(exists)) out.push_back({kernel::If{exists, std::move(loops), {}}});
    return out;
  }

  // --- Rows for others ---

  Expr slot(const Quantity& q, int iterations_ago) const {
    const Expr since = plan_.unroll % q.slots == 0 ? counter(unrolled_, plan_.unroll) : passed();
    const int back = (q.slots - iterations_ago % q.slots) % q.slots;
    return kernel::operation(Op::Mod, {plus(since, back), literal(q.slots)});
  }

  // Publishes the rows of the plane that is just ready; false if nobody reads them.
  bool publish(int id, Body& out) {
    const Quantity& q = quantity(id);
    if (q.slots == 0) return false;
    const Queue& queue = queues_[static_cast<size_t>(id)];
    const std::vector<int> rows = published_rows(q, plan_.patch[1]);
    const int length = vector_length(plan_, q.type);
    Body body;
    for (size_t r = 0; r < rows.size(); ++r) {
      const Expr there = plus(kernel::mul(thread(1), literal(static_cast<int64_t>(rows.size()))),
                              static_cast<int64_t>(r));
      for (int c = 0; c < plan_.patch[0]; c += length) {
        const Expr column = plus(kernel::mul(thread(0), literal(plan_.patch[0])), c);
        body.push_back({kernel::Copy{queue.rows,
                                     {slot(q, 0), there, column},
                                     queue.registers,
                                     place(id, literal(q.ready), literal(rows[r]), literal(c)),
                                     length}});
      }
    }
    out.push_back(threads(std::move(body)));
    return true;
  }

  static int floor_div(int a, int b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

  // Brings in the cells beside the patch that are read when a plane has this age.
  Body fetch(int id, int age) {
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

  // A row of the threads above or below; at the tile's end, where nobody needs it, one's own.
  Body fetch_row(int id, int age, int row) const {
    const Quantity& q = quantity(id);
    const Queue& queue = queues_[static_cast<size_t>(id)];
    const int distance = floor_div(row, plan_.patch[1]);
    const int their_row = row - distance * plan_.patch[1];
    const std::vector<int> published = published_rows(q, plan_.patch[1]);
    const auto found = std::find(published.begin(), published.end(), their_row);
    Expr owner = plus(thread(1), distance);
    owner =
        distance < 0 ? larger(owner, literal(0)) : smaller(owner, literal(plan_.threads[1] - 1));
    const Expr there = plus(kernel::mul(owner, literal(static_cast<int64_t>(published.size()))),
                            found - published.begin());
    const int length = vector_length(plan_, q.type);
    Body out;
    for (int c = 0; c < plan_.patch[0]; c += length) {
      const Expr column = plus(kernel::mul(thread(0), literal(plan_.patch[0])), c);
      out.push_back({kernel::Copy{queue.registers,
                                  place(id, literal(age), literal(row), literal(c)),
                                  queue.rows,
                                  {slot(q, age - q.ready), there, column},
                                  length}});
    }
    return out;
  }

  Body fetch_columns(int id, int age, int first_row, int count, const Sides& sides) const {
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

  // --- Computing ---

  Body compute(const Stage& stage) {
    Body body = patch_lets();
    const std::string& plane = point_names_[0];
    body.push_back({kernel::Let{plane, plus(kernel::variable(front_), -stage.lag)}});
    Point point = {kernel::variable(plane)};
    mask_lets(stage, point[0], body);
    Body inner;
    for (int axis = rank() - 2; axis >= 0; --axis) {
      const std::string& name = point_names_[static_cast<size_t>(rank() - 1 - axis)];
      inner.push_back({kernel::Let{name, kernel::add(first(axis), axis == 0 ? column() : row())}});
      point.push_back(kernel::variable(name));
    }
    append(inner, at_point(stage, point));
    append(body, for_each_point(std::move(inner)));
    return body;
  }

  std::vector<Expr> evaluate_piece(const Stage& stage, const StagePiece& piece, const Point& point,
                                   Body& body) {
    const ReadAccess read = [&](const ir::Access& access) {
      return this->read(stage, access, point);
    };
    const Expr time = plus(first_step(), stage.step);
    return evaluate(interface_, *piece.graph, piece.results, point, time, read, taken_, body);
  }

  Expr old_value(const Stage& stage, size_t component) const {
    const int id = stage.old[component];
    const Quantity& q = quantity(id);
    const int age = stage.lag - q.lag;
    return kernel::load(queues_[static_cast<size_t>(id)].registers,
                        place(id, literal(age), row(), column()), q.type);
  }

  Body store(const Stage& stage, const std::vector<Expr>& values) const {
    Body out;
    for (size_t c = 0; c < values.size(); ++c) {
      const int id = stage.results[c];
      out.push_back({kernel::Store{queues_[static_cast<size_t>(id)].registers,
                                   place(id, literal(0), row(), column()), values[c]}});
    }
    return out;
  }

  std::vector<Expr> old_values(const Stage& stage, const Point& point) {
    std::vector<Expr> out;
    for (size_t c = 0; c < stage.results.size(); ++c) {
      out.push_back(stage.old_in_memory ? value_in_memory(stage, c, point) : old_value(stage, c));
    }
    return out;
  }

  Expr value_in_memory(const Stage& stage, size_t component, const Point& point) {
    const Quantity& q = quantity(stage.results[component]);
    const ir::Box& box = field_of(q).box;
    Point nearest_point;
    for (size_t d = 0; d < point.size(); ++d) {
      nearest_point.push_back(nearest(point[d], box, d, 1));
    }
    return kernel::load(builder_.global(q.field, q.component, 0, false),
                        interface_.index(nearest_point, box), q.type);
  }

  Body at_point(const Stage& stage, const Point& point) {
    taken_ = builder_.names();
    const int main = stage.everywhere ? 0 : main_piece(stage);
    Body body;
    if (inside_ || stage.everywhere) {
      if (main < 0) return store(stage, old_values(stage, point));
      const StagePiece& piece = stage.pieces[static_cast<size_t>(main)];
      const auto values = evaluate_piece(stage, piece, point, body);
      append(body, store(stage, values));
      return body;
    }
    const bool storage_type = std::any_of(stage.results.begin(), stage.results.end(), [&](int id) {
      return arithmetic_type(quantity(id).type) != quantity(id).type;
    });
    if (storage_type || stage.pieces.size() > 2) return branch_over_pieces(stage, point);
    // Selecting is cheaper than branching: the stages stay one basic block.
    std::vector<Expr> values = old_values(stage, point);
    for (size_t p = stage.pieces.size(); p-- > 0;) {
      const StagePiece& piece = stage.pieces[p];
      Body lets;
      const auto computed = evaluate_piece(stage, piece, point, lets);
      for (const kernel::Statement& statement : lets) {
        if (const auto* l = std::get_if<kernel::Let>(&statement.kind)) taken_.reserve(l->name);
      }
      append(body, std::move(lets));
      const Expr applies = covers(stage, p, point);
      for (size_t c = 0; c < values.size(); ++c) {
        const std::string name = taken_.unique("value");
        body.push_back({kernel::Let{name, computed[c]}});
        const Expr value = kernel::variable(name, computed[c]->type);
        values[c] = select(applies, value, values[c]);
      }
    }
    append(body, store(stage, values));
    return body;
  }

  // --- Masks ---
  // Which points of a patch lie in a region is the same for all planes: a bit per point, found
  // once.

  bool masked() const { return plan_.patch[0] * plan_.patch[1] <= 32; }

  // The region as far as it is tiled: its mask serves all planes.
  std::string cross_section(const ir::Box& region) const {
    std::string key;
    for (int d = 1; d < rank(); ++d) {
      key += kernel::print(interface_.low(region, d)) + ".." +
             kernel::print(interface_.high(region, d)) + ";";
    }
    return key;
  }

  Body make_masks() {
    Body all = patch_lets();
    for (const Stage& stage : plan_.stages) {
      for (const StagePiece& piece : stage.pieces) {
        if (stage.everywhere || !masked()) continue;
        const auto [entry, fresh] = masks_.try_emplace(cross_section(piece.region), -1);
        if (!fresh) continue;
        entry->second = builder_.local(kernel::Space::Thread, "covered", Scalar::I32, {},
                                       "points of the patch where a function applies");
        all.push_back({kernel::Store{entry->second, {}, literal(0)}});
        std::vector<Expr> conditions;
        for (int axis = rank() - 2; axis >= 0; --axis) {
          const Expr at = kernel::add(first(axis), axis == 0 ? column() : row());
          append_inside(at, piece.region, rank() - 1 - axis, conditions);
        }
        const Expr mask = kernel::load(entry->second, {}, Scalar::I32);
        const Expr bit = kernel::operation(Op::Shl, {literal(1), bit_number()});
        Body set;
        set.push_back(
            {kernel::Store{entry->second, {}, kernel::operation(Op::BitOr, {mask, bit})}});
        append(all, for_each_point(guarded(kernel::all_of(std::move(conditions)), std::move(set))));
      }
    }
    Body out;
    if (!masks_.empty()) out.push_back(threads(std::move(all)));
    return out;
  }

  Expr bit_number() const {
    return kernel::add(kernel::mul(row(), literal(plan_.patch[0])), column());
  }

  // The mask of a region for the plane of a stage: nothing where the plane misses the region.
  void mask_lets(const Stage& stage, const Expr& plane, Body& body) {
    live_.clear();
    if (inside_ || stage.everywhere || !masked()) return;
    for (const StagePiece& piece : stage.pieces) {
      std::vector<Expr> planes;
      append_inside(plane, piece.region, 0, planes);
      const BufferId mask = masks_.at(cross_section(piece.region));
      live_.push_back(let(body, "live",
                          select(kernel::all_of(std::move(planes)),
                                 kernel::load(mask, {}, Scalar::I32), literal(0))));
    }
  }

  Expr covers(const Stage& stage, size_t piece, const Point& point) const {
    if (live_.empty()) return interface_.inside(point, stage.pieces[piece].region);
    const Expr bit = kernel::operation(Op::Shr, {live_[piece], bit_number()});
    return kernel::operation(Op::Ne,
                             {kernel::operation(Op::BitAnd, {bit, literal(1)}), literal(0)});
  }

  Body branch_over_pieces(const Stage& stage, const Point& point) {
    Body chain = store(stage, old_values(stage, point));
    for (size_t p = stage.pieces.size(); p-- > 0;) {
      Body body;
      const auto values = evaluate_piece(stage, stage.pieces[p], point, body);
      append(body, store(stage, values));
      Body next;
      next.push_back({kernel::If{covers(stage, p, point), std::move(body), std::move(chain)}});
      chain = std::move(next);
    }
    return chain;
  }

  // What an access reads, the boundary rule of its field included.
  Expr read(const Stage& stage, const ir::Access& access, const Point& point) const {
    if (inside_ || access.escapes == 0 || stage.everywhere)
      return cell(stage, access, access.offsets);
    const ir::Field& field = program_.fields[static_cast<size_t>(access.field)];
    if (field.boundary == ir::BoundaryKind::Constant) {
      return apply_boundary(interface_, access, land(interface_, access, point),
                            cell(stage, access, access.offsets));
    }
    return clamped(stage, access, access.offsets, 0, point);
  }

  // A clamped access reads at the offset nearest to its own that is still in the field.
  Expr clamped(const Stage& stage, const ir::Access& access, std::vector<int> offsets, size_t d,
               const Point& point) const {
    if (d == offsets.size()) return cell(stage, access, offsets);
    const Expr here = clamped(stage, access, offsets, d + 1, point);
    if ((access.escapes >> (2 * d) & 3) == 0 || offsets[d] == 0) return here;
    const ir::Box& box = program_.fields[static_cast<size_t>(access.field)].box;
    const Expr at = plus(point[d], offsets[d]);
    const int dimension = static_cast<int>(d);
    const Expr exists = offsets[d] < 0 ? at_least(at, interface_.low(box, dimension))
                                       : kernel::less_equal(at, interface_.high(box, dimension));
    offsets[d] += offsets[d] < 0 ? 1 : -1;
    return select(exists, here, clamped(stage, access, offsets, d, point));
  }

  Expr cell(const Stage& stage, const ir::Access& access, const std::vector<int>& offsets) const {
    const int id = stage.source.at({access.field, access.component});
    const Quantity& q = quantity(id);
    const int age = stage.lag - offsets.front() - q.lag;
    const int row_offset = flat() ? 0 : offsets[1];
    return kernel::load(
        queues_[static_cast<size_t>(id)].registers,
        place(id, literal(age), plus(row(), row_offset), plus(column(), offsets.back())),
        arithmetic_type(q.type));
  }

  // --- Results ---

  Body write_results(const Stage& stage) {
    Body out;
    for (int id : stage.results) {
      if (quantity(id).output) append(out, write_plane(id));
    }
    return out;
  }

  Body write_plane(int id) {
    const Quantity& q = quantity(id);
    const ir::Field& field = field_of(q);
    const int length = global_vector_length(q);
    const int parts = plan_.patch[0] / length;
    const Expr element = kernel::mul(counter(column_, parts), literal(length));
    const Expr plane = plus(kernel::variable(front_), -q.lag);
    Body body = patch_lets();
    Point point = {plane};
    std::vector<Expr> row_conditions, column_conditions;
    if (!flat()) {
      point.push_back(kernel::add(first(1), row()));
      row_conditions = core_conditions(1, point[1]);
      if (!inside_) append_inside(point[1], field.box, 1, row_conditions);
    }
    point.push_back(kernel::add(first(0), element));
    // A margin of whole patches is decided once for the thread, another one vector by vector.
    const bool whole =
        plan_.margin[0].low % plan_.patch[0] == 0 && plan_.margin[0].high % plan_.patch[0] == 0;
    if (!whole) column_conditions = core_conditions(0, point.back());
    if (!inside_) append_inside(point.back(), field.box, rank() - 1, column_conditions);
    const BufferId global = builder_.global(q.field, q.component, field.history, true);
    Body move;
    move.push_back({kernel::Copy{global, interface_.index(point, field.box),
                                 queues_[static_cast<size_t>(id)].registers,
                                 place(id, literal(0), row(), element), length}});
    Body row_body =
        counted(column_, parts, guarded(kernel::all_of(column_conditions), std::move(move)));
    row_body = guarded(kernel::all_of(row_conditions), std::move(row_body));
    Body all = counted(row_, plan_.patch[1], std::move(row_body));
    if (whole) all = guarded(kernel::all_of(core_conditions(0, first(0))), std::move(all));
    append(body, std::move(all));
    std::vector<Expr> planes = {at_least(plane, first_plane_),
                                kernel::less_equal(plane, last_plane_)};
    if (!(field.box.ranges[0] == program_.grid.ranges[0])) {
      append_inside(plane, field.box, 0, planes);
    }
    Body section;
    section.push_back(threads(std::move(body)));
    Body out;
    out.push_back({kernel::If{kernel::all_of(planes), std::move(section), {}}});
    return out;
  }

  static Body guarded(const Expr& condition, Body body) {
    if (is_true(condition)) return body;
    Body out;
    out.push_back({kernel::If{condition, std::move(body), {}}});
    return out;
  }

  void append_inside(const Expr& at, const ir::Box& box, int d, std::vector<Expr>& to) const {
    to.push_back(at_least(at, interface_.low(box, d)));
    to.push_back(kernel::less_equal(at, interface_.high(box, d)));
  }

  // The point belongs to the tile's core; the first and last tile also own what lies beyond it.
  std::vector<Expr> core_conditions(int axis, const Expr& at) const {
    const size_t i = static_cast<size_t>(axis);
    const analysis::Reach margin = plan_.margin[i];
    const int d = rank() - 1 - axis;
    const Expr tile = tile_number(axis);
    const Expr origin = origin_of(axis, tile);
    std::vector<Expr> out;
    const Expr after = plus(origin, plan_.cover[i] - margin.high);
    const Expr past = plus(high(d), 1);
    const Expr is_first = kernel::operation(Op::Eq, {tile, literal(0)});
    const Expr is_last = kernel::operation(Op::Eq, {tile, last_tile_[i]});
    if (inside_) {  // such a tile is neither the first nor the last
      if (margin.low > 0) out.push_back(at_least(at, plus(origin, margin.low)));
      if (margin.high > 0) out.push_back(kernel::less(at, after));
      return out;
    }
    if (margin.low > 0) {
      out.push_back(at_least(at, select(is_first, origin, plus(origin, margin.low))));
    }
    if (margin.high > 0) {
      out.push_back(kernel::less(at, select(is_last, past, after)));
    }
    if (flat() && schedule_.block[1] > 1) {
      out.push_back(kernel::less_equal(tile, last_tile_[i]));
    }
    return out;
  }

  // --- Moving on ---

  Body move_queues() const {
    Body out;
    for (size_t id = 0; id < queues_.size(); ++id) {
      const Quantity& q = plan_.quantities[id];
      for (int age = q.ages - 1; age > 0; --age) append(out, move_plane(static_cast<int>(id), age));
    }
    return out;
  }

  Body move_plane(int id, int age) const {
    const Quantity& q = quantity(id);
    const Cells& kept = q.kept[static_cast<size_t>(age) - 1];
    const Sides sides = kept.count(0) ? kept.at(0) : Sides{};
    const int columns = sides.low + plan_.patch[0] + sides.high;
    const BufferId registers = queues_[static_cast<size_t>(id)].registers;
    const Expr column = plus(counter(column_, columns), -sides.low);
    Body move;
    move.push_back({kernel::Store{
        registers, place(id, literal(age), row(), column),
        kernel::load(registers, place(id, literal(age - 1), row(), column), q.type)}});
    return counted(row_, plan_.patch[1], counted(column_, columns, std::move(move)));
  }

  const ir::Program& program_;
  const Schedule& schedule_;
  const Interface& interface_;
  const StreamPlan plan_;
  KernelBuilder builder_;
  Body body_;
  std::vector<std::string> axes_, point_names_;
  std::vector<std::string> first_names_;  // per axis, x first: the patch's first coordinate
  std::string front_, iteration_, unrolled_, row_, column_, age_;
  std::array<Expr, 2> core_, tile_, last_tile_;  // per axis, x first
  Expr first_plane_, last_plane_, front_begin_;
  Expr inside_tile_;
  std::vector<Queue> queues_;
  bool inside_ = false;  // the version of the body being written
  std::set<std::pair<int, int>> fetched_;
  std::map<std::string, BufferId> masks_;  // by cross section of the region
  std::vector<Expr> live_;                 // per piece of the stage being written
  Names taken_;
};

}  // namespace

kernel::Module lower_streaming(const ir::Program& program, const Schedule& schedule) {
  const Interface interface(program);
  kernel::Module module = interface.empty_module();
  module.plan.time_tile = schedule.time_tile;
  module.plan.tile_sizes = tile_sizes(schedule.time_tile);
  for (int steps : module.plan.tile_sizes) {
    const std::string name = steps == schedule.time_tile
                                 ? program.name + "_stream"
                                 : fmt::format("{}_stream_{}", program.name, steps);
    StreamKernel(program, schedule, interface, name, steps).lower(module);
  }
  for (kernel::Array& array : module.plan.arrays) {
    if (!array.written) continue;
    array.copies = array.levels + 1;
    module.plan.actions.push_back(
        kernel::Rotate{static_cast<int>(&array - module.plan.arrays.data())});
  }
  return module;
}

}  // namespace stencil::schedule
