// Numbering tiles and chunks, and finding where nothing needs to be tested.
#include "compiler/schedule/streaming/tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/ir/rewrite.h"

namespace stencil::schedule {

StreamTile::StreamTile(const ir::Program& program, const Schedule& schedule,
                       const KernelOfSteps& kernel, StreamPlan plan)
    : program_(program),
      schedule_(schedule),
      interface_(kernel.interface),
      plan_(std::move(plan)),
      leaves_out_steps_(kernel.or_fewer),
      builder_(interface_, kernel.module, kernel.name,
               fmt::format("{} step{} per pass: a tile moves along {}, every step some planes "
                           "behind the one before.",
                           kernel.steps, kernel.steps == 1 ? "" : "s",
                           axis_names(interface_.rank())[0])) {}

void StreamTile::take_names() {
  Names& names = builder_.names();
  axes_ = axis_names(rank());
  for (const std::string& axis : axes_) point_names_.push_back(names.unique(axis));
  front_ = names.unique("front");
  iteration_ = names.unique("n");
  unrolled_ = names.unique("u");
  step_ = names.unique("step");
  builder_.scope().over_steps(step_, plan_.steps, builder_.kernel(),
                              [this](const Expr& step) {  // ahead of the body
                                const Expr whole = std::exchange(whole_, kernel::boolean(false));
                                const Expr time = time_of(step);
                                whole_ = whole;
                                return time;
                              });
  tests_ = names.unique("tests");
  row_ = names.unique("k");
  column_ = names.unique("i");
  age_ = names.unique("age");
}

Expr StreamTile::let(Body& body, const std::string& wanted, const Expr& value) {
  const bool plain = std::holds_alternative<kernel::IntegerLiteral>(value->kind) ||
                     std::holds_alternative<kernel::Variable>(value->kind);
  if (plain) return value;
  const std::string name = builder_.names().unique(wanted);
  body.push_back({kernel::Let{name, value}});
  return kernel::variable(name, value->type);
}

Expr StreamTile::cut(kernel::Module& module) {
  const auto constant = [&](const std::string& wanted, int64_t value, const std::string& why) {
    return builder_.constant(
        module,
        plan_.steps == schedule_.time_tile ? wanted : fmt::format("{}_{}", wanted, plan_.steps),
        value, why);
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
    Expr tiles = tiles_along(interface_, d, {plan_.core(axis), core_[axis]}, plan_.spared(axis));
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
    blocks = kernel::mul(
        blocks,
        kernel::convert(tiles_along(interface_, 0, {chunks.length, chunk}, 0), Scalar::I64));
  }
  for (int axis = 0; axis < rank() - 1; ++axis) {
    const std::string& name = axes_[static_cast<size_t>(rank() - 1 - axis)];
    tile_[axis] = let(body_, flat() ? "first_tile" : "number_" + name, tile_[axis]);
  }
  first_plane_ = let(body_, "first_" + axes_[0], kernel::add(low(0), kernel::mul(rest, chunk)));
  last_plane_ =
      let(body_, "last_" + axes_[0], smaller(plus(kernel::add(first_plane_, chunk), -1), high(0)));
  front_begin_ = plus(first_plane_, -plan_.lead);
  if (!images(0)) front_begin_ = larger(front_begin_, low(0));
  front_begin_ = let(body_, "begin_" + axes_[0], front_begin_);
  inside_tile_ = kernel::boolean(false);
  if (schedule_.edges != Edges::Tested) {
    inside_tile_ = kernel::operation(Op::And, {is_done(0), tile_is_inside()});
  }
  inside_tile_ = let(body_, "inside_tile", inside_tile_);
  return blocks;
}

Expr StreamTile::set_edges_apart(const Chunks& chunks, Expr* chunk, const Expr& edge_chunk,
                                 Expr* number) {
  const auto whole = [](const Expr& expr) {
    return std::get<kernel::IntegerLiteral>(expr->kind).value;
  };
  const int64_t per_edge = whole(tiles_along(interface_, 0, {chunks.edge_length, edge_chunk}, 0));
  const int64_t per_group = whole(tiles_along(interface_, 0, {chunks.length, *chunk}, 0));
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

Expr StreamTile::image(int d, const Expr& place) const {
  if (!images(d)) return place;
  if (d == 0) {
    int64_t behind = plan_.lead;                  // of the first plane written
    for (const Quantity& q : plan_.quantities) {  // loaded ones may lag behind every stage
      behind = std::max<int64_t>(behind, plan_.lead + q.lag);
    }
    const int64_t ahead = plan_.tail + plan_.unroll + schedule_.prefetch;  // of the last one
    return wrap(interface_, program_.grid, d, place, behind, ahead);
  }
  const int axis = rank() - 1 - d;
  const size_t i = static_cast<size_t>(axis);
  const int64_t more_tiles = flat() ? schedule_.block[1] - 1 : 0;  // in the last group
  return wrap(interface_, program_.grid, d, place, plan_.margin[i].low,
              plan_.cover[i] + more_tiles * plan_.core(axis));
}

Expr StreamTile::origin_of(int axis, const Expr& tile) const {
  const size_t i = static_cast<size_t>(axis);
  const int d = rank() - 1 - axis;
  const Expr origin = kernel::add(low(d), kernel::mul(tile, core_[i]));
  return images(d) ? plus(origin, -plan_.margin[i].low) : origin;
}

Expr StreamTile::thread(int axis) const {
  if (schedule_.block[static_cast<size_t>(axis)] == 1) return literal(0);
  return kernel::variable(axis == 0 ? "thread_x" : "thread_y");
}

Expr StreamTile::first_point(int axis) const {
  return kernel::add(origin_of(axis, tile_number(axis)),
                     kernel::mul(thread(axis), literal(plan_.patch[static_cast<size_t>(axis)])));
}

int StreamTile::main_piece(const StreamStage& stage) const {
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

void StreamTile::limit(const StreamStage& stage, int d, Interval& inside) const {
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
    const size_t i = static_cast<size_t>(d);
    const ir::Field& field = program_.fields[static_cast<size_t>(access->field)];
    if (field.boundary[i].periodic()) continue;  // images are read like points
    const ir::Box& box = field.box;
    const int offset = access->offsets[i];
    if (access->escapes_below(i)) inside.raise(plus(interface_.low(box, d), -offset));
    if (access->escapes_above(i)) inside.lower(plus(interface_.high(box, d), -offset));
  }
}

void StreamTile::avoid(const StagePiece& piece, int lag, Interval& fronts) const {
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

std::vector<StreamTile::Interval> StreamTile::tile_points() const {
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

Expr StreamTile::tile_is_inside() const {
  const std::vector<Interval> tile = tile_points();
  std::vector<Expr> conditions;
  for (int d = 1; d < rank(); ++d) {
    Interval inside;
    for (const StreamStage& stage : plan_.stages) limit(stage, d, inside);
    // The first and the last tile write what lies beyond their core, too.
    const analysis::Reach margin = plan_.margin[static_cast<size_t>(rank() - 1 - d)];
    if (margin.low > 0 && !images(d)) inside.raise(plus(low(d), 1));
    if (margin.high > 0 && !images(d)) inside.lower(plus(high(d), -1));
    for (const Quantity& q : plan_.quantities) {
      if (!q.loaded() && !q.is_output()) continue;
      inside.raise(interface_.low(field_of(q).box, d));
      inside.lower(interface_.high(field_of(q).box, d));
    }
    const Interval& points = tile[static_cast<size_t>(d)];
    if (inside.low) conditions.push_back(at_least(points.low, inside.low));
    if (inside.high) conditions.push_back(kernel::less_equal(points.high, inside.high));
  }
  return kernel::all_of(std::move(conditions));
}

StreamTile::Interval StreamTile::fronts_inside() const {
  Interval fronts;
  for (const StreamStage& stage : plan_.stages) {
    Interval planes;
    limit(stage, 0, planes);
    if (planes.low) fronts.raise(plus(planes.low, stage.lag));
    if (planes.high) fronts.lower(plus(planes.high, stage.lag));
    if (stage.everywhere || main_piece(stage) >= 0) continue;
    if (images(0)) fronts.raise(plus(low(0), stage.lag));  // before that, its plane is an image
    for (const StagePiece& piece : stage.pieces) avoid(piece, stage.lag, fronts);
  }
  for (const Quantity& q : plan_.quantities) {
    if (!q.loaded()) continue;
    fronts.raise(plus(interface_.low(field_of(q).box, 0), q.lag));
    fronts.lower(plus(interface_.high(field_of(q).box, 0), q.lag));
  }
  fronts.raise(low(0));
  fronts.lower(high(0));
  return fronts;
}

Body StreamTile::counted(const std::string& name, int count, Body body) {
  if (count == 1) return body;
  Body out;
  out.push_back({kernel::For{kernel::LoopKind::Unrolled, name, literal(0), literal(count), 1,
                             std::move(body)}});
  return out;
}

Body StreamTile::declare_patch() {
  Body out;
  for (int axis = 0; axis < rank() - 1; ++axis) {
    const std::string& name = axes_[static_cast<size_t>(rank() - 1 - axis)];
    first_.push_back(
        builder_.local(kernel::Space::Thread, "first_" + name, Scalar::I32, {}, "of the patch"));
    out.push_back({kernel::Store{first_.back(), {}, first_point(axis)}});
  }
  return out;
}

void StreamTile::append_inside(const Expr& at, const ir::Box& box, int d,
                               std::vector<Expr>& to) const {
  to.push_back(at_least(at, interface_.low(box, d)));
  to.push_back(kernel::less_equal(at, interface_.high(box, d)));
}

std::vector<Expr> StreamTile::core_conditions(int axis, const Expr& at) const {
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
  // A tile inside is neither the first nor the last.
  const Expr before = plus(origin, margin.low);
  if (margin.low > 0) {
    const Expr begin = images(d) ? before : unless_inside(select(is_first, origin, before), before);
    out.push_back(at_least(at, begin));
  }
  if (margin.high > 0) {
    const Expr end = images(d) ? after : unless_inside(select(is_last, past, after), after);
    out.push_back(kernel::less(at, end));
  }
  if (flat() && schedule_.block[1] > 1 && !images(d)) {
    out.push_back(unless_inside(kernel::less_equal(tile, last_tile_[i])));
  }
  return out;
}

}  // namespace stencil::schedule
