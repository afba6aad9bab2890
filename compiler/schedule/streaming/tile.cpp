// Numbers tiles and chunks, and finds the part of a tile that needs no tests.
#include "compiler/schedule/streaming/tile.h"

#include <fmt/format.h>

#include "compiler/ir/rewrite.h"

namespace stencil::schedule {

StreamTile::StreamTile(const StreamContext& context, const KernelOfSteps& kernel, Body& body)
    : context_(context) {
  const StreamPlan& plan = context.plan;
  const Interface& interface = context.interface;
  const std::string& streamed = context.axes[0];
  const auto constant = [&](const std::string& wanted, int64_t value, const std::string& why) {
    return context.builder.constant(kernel.module, kernel.constant_name(wanted), value, why);
  };
  const auto let = [&](const std::string& wanted, const Expr& value) {
    return context.let(body, wanted, value);
  };
  BlockNumber block;
  for (int axis = 0; axis < context.rank - 1; ++axis) {
    const std::string& name = context.axis_name(axis);
    const analysis::Reach margin = plan.margin[axis];
    core_[axis] =
        constant("core_" + name, plan.core(axis),
                 fmt::format("points of a tile in {}: {} threads x {}, less {} + {} "
                             "with incomplete neighbours",
                             name, plan.threads[axis], plan.patch[axis], margin.low, margin.high));
    const Expr tiles = tiles_along(interface, context.dimension(axis),
                                   {plan.core(axis), core_[axis]}, plan.spared(axis));
    const auto* number = std::get_if<kernel::IntegerLiteral>(&tiles->kind);
    const Expr known = number ? context.builder.number_of(kernel.module, "tiles_" + name,
                                                          number->value, "tiles in " + name)
                              : let("tiles_" + name, tiles);
    last_tile_[axis] = plus(known, -1);
    if (context.flat) {
      const Expr& rows = context.threads(1);
      const Expr groups = divided(plus(tiles, context.schedule.block[1] - 1), rows);
      tile_[axis] = kernel::mul(block.take(groups, let("groups_" + name, groups)), rows);
    } else {
      tile_[axis] = block.take(tiles, known);
    }
  }
  const Chunks chunks = cut_chunks(context.program, context.schedule, plan);
  const analysis::Reach rim = rim_of(context.program, 0);
  Expr chunk =
      constant("chunk", chunks.length, fmt::format("planes in {} that a block writes", streamed));
  Expr number;
  if (chunks.groups > 0) {
    const Expr boundary_chunk = constant("edge_chunk", chunks.boundary_length,
                                         "planes that a block writes in the first and last tiles");
    number = number_boundary_groups_first(chunks, boundary_chunk, kernel.module, chunk, body);
  } else {
    const Expr across = block.blocks();
    const Expr chunk_count = tiles_along(interface, 0, {chunks.length, chunk}, rim.low + rim.high);
    number = block.take_rest(chunk_count);
    blocks = block.blocks();
    find_outer_blocks(across, chunk_count, chunks.length);
  }
  for (int axis = 0; axis < context.rank - 1; ++axis) {
    tile_[axis] =
        let(context.flat ? "first_tile" : "number_" + context.axis_name(axis), tile_[axis]);
  }
  first_plane = let("first_" + streamed, tile_origin(interface, 0, number, chunk, -rim.low));
  last_plane = let("last_" + streamed, smaller(plus(kernel::add(first_plane, chunk), -1),
                                               plus(context.high(0), -rim.high)));
  front_begin = plus(first_plane, -plan.fill);
  if (const int64_t alike = plan.known.modulus[0];
      alike > 1) {  // multiple of the modulus from the edge, rounded down
    const int64_t fill = (plan.fill + alike - 1) / alike * alike;
    const Expr groups =
        divided(plus(kernel::sub(first_plane, context.low(0)), fill - plan.fill), literal(alike));
    front_begin = plus(kernel::add(context.low(0), kernel::mul(groups, literal(alike))), -fill);
  }
  if (!context.images(0)) front_begin = larger(front_begin, context.low(0));
  front_begin = let("begin_" + streamed, front_begin);
  const bool tests_all = context.schedule.interior == Interior::Tested;
  is_inside = let("inside_tile", tests_all ? kernel::boolean(false)
                                           : both(context.is_done({}, 0), points_are_inside()));
}

namespace {

// Number of chunks at the low and at the high end of a column of tiles that are launched first.
// These chunks write planes that are halos of neighbours (a neighbour's halo may be deeper than
// this subdomain's), or they read received halos in the next tile. Zero if no inner chunk would
// remain, or if there are neighbours in other dimensions, where any block may be next to another
// subdomain, or if any block may read the halo of another grid.
std::array<int64_t, 2> outer_chunks(const ir::Program& program, int64_t length, int64_t chunks) {
  const std::array<int64_t, 2> none = {0, 0};
  if (!program.origin.subdomain || program.domains.size() > 1) return none;
  const auto& neighbours = program.origin.subdomain->neighbours;
  for (size_t d = 1; d < neighbours.size(); ++d) {
    if (neighbours[d][0] || neighbours[d][1]) return none;
  }
  const analysis::Reach rim = rim_of(program, 0);
  const auto& [low, high] = program.origin.subdomain->owned.front()[0];
  const ir::Range& grid = program.grid().ranges[0];
  const int64_t deep =
      std::max(program.origin.subdomain->depth[0][0], program.origin.subdomain->depth[0][1]);
  const auto outer = [&](int64_t beyond) { return (beyond + deep + length - 1) / length; };
  const int64_t below = neighbours[0][0] ? outer(low - grid.low.constant - rim.low) : 0;
  const int64_t above = neighbours[0][1] ? outer(grid.high.constant - high - rim.high) : 0;
  if (below + above == 0) return none;
  // The last chunk may be shorter than the others.
  const int64_t planes = grid.high.constant - grid.low.constant + 1 - rim.low - rim.high;
  const int64_t rest = planes % length;
  const bool short_end = above > 0 && rest > 0 &&
                         rest + (above - 1) * length < grid.high.constant - high - rim.high + deep;
  const int64_t at_end = above + (short_end ? 1 : 0);
  return below + at_end < chunks ? std::array<int64_t, 2>{below, at_end} : none;
}

// Whether at most half of the blocks are outer ones, so that the inner blocks can hide the
// exchange.
bool are_few(const std::array<int64_t, 2>& outer, int64_t blocks) {
  return 2 * (outer[0] + outer[1]) <= blocks;
}

}  // namespace

void StreamTile::find_outer_blocks(const Expr& across, const Expr& chunk_count, int64_t length) {
  const auto* side_by_side = std::get_if<kernel::IntegerLiteral>(&across->kind);
  const auto* chunks = std::get_if<kernel::IntegerLiteral>(&chunk_count->kind);
  if (!side_by_side || !chunks) return;
  const auto outer = outer_chunks(context_.program, length, chunks->value);
  if (!are_few(outer, chunks->value)) return;
  outer_blocks = {outer[0] * side_by_side->value, outer[1] * side_by_side->value};
}

Expr StreamTile::number_boundary_groups_first(const Chunks& chunks, const Expr& boundary_chunk,
                                              kernel::Module& module, Expr& chunk, Body& body) {
  const auto let = [&](const std::string& wanted, const Expr& value) {
    return context_.let(body, wanted, value);
  };
  const auto chunks_of = [&](int64_t length, const Expr& named) {
    const analysis::Reach rim = rim_of(context_.program, 0);
    const Expr count = tiles_along(context_.interface, 0, {length, named}, rim.low + rim.high);
    return std::get<kernel::IntegerLiteral>(count->kind).value;
  };
  const int64_t per_boundary_group = chunks_of(chunks.boundary_length, boundary_chunk);
  const int64_t per_group = chunks_of(chunks.length, chunk);
  const int64_t inner_groups = chunks.groups - 2;
  const Expr number_of_block = kernel::convert(kernel::variable("block", Scalar::I64), Scalar::I32);
  const Expr block =
      with_outer_blocks_apart(chunks, per_boundary_group, per_group, number_of_block, body);
  const Expr boundary_blocks = context_.builder.number_of(
      module, "edge_blocks", 2 * per_boundary_group, "blocks of the first and last tiles");
  const Expr across = context_.builder.number_of(module, "inner_tiles", inner_groups,
                                                 "blocks between those two, side by side");
  const Expr at_boundary = let("at_edge", kernel::less(block, boundary_blocks));
  const Expr inner = let("inner_block", kernel::sub(block, boundary_blocks));
  const Expr boundary_group = kernel::mul(modulo(block, literal(2)), plus(across, 1));
  const Expr inner_group = plus(modulo(inner, across), 1);
  const Expr group = select(at_boundary, boundary_group, inner_group);
  tile_[0] = let("first_tile", kernel::mul(group, context_.threads(1)));
  const Expr number =
      let("chunk_number", select(at_boundary, divided(block, literal(2)), divided(inner, across)));
  chunk = let("planes", select(at_boundary, boundary_chunk, chunk));
  blocks = kernel::integer(2 * per_boundary_group + inner_groups * per_group, Scalar::I64);
  return number;
}

// Chunks of the first and the last group of tiles are numbered before all others. Within each kind,
// the first and the last chunks are at the ends of the grid. Launches need the blocks of each end
// to be contiguous:
//
//   numbers by kind     boundary: low, mid, high | inner: low, mid, high
//   as launched         low: boundary, inner | mid: boundary, inner | high: boundary, inner
Expr StreamTile::with_outer_blocks_apart(const Chunks& chunks, int64_t per_boundary_group,
                                         int64_t per_group, const Expr& block, Body& body) {
  const auto boundary = outer_chunks(context_.program, chunks.boundary_length, per_boundary_group);
  const auto inner = outer_chunks(context_.program, chunks.length, per_group);
  const int64_t groups = chunks.groups - 2;
  const std::array<int64_t, 2> apart = {2 * boundary[0] + groups * inner[0],
                                        2 * boundary[1] + groups * inner[1]};
  const bool both = boundary[0] + boundary[1] > 0 && inner[0] + inner[1] > 0;
  if (!both || !are_few(apart, 2 * per_boundary_group + groups * per_group)) return block;
  outer_blocks = apart;
  struct Run {
    int64_t first, count;  // by kind
  };
  const int64_t inner_first = 2 * per_boundary_group,
                boundary_mid = per_boundary_group - boundary[0] - boundary[1];
  const int64_t inner_mid = per_group - inner[0] - inner[1];
  const Run runs[] = {{0, 2 * boundary[0]},
                      {inner_first, groups * inner[0]},
                      {2 * boundary[0], 2 * boundary_mid},
                      {inner_first + groups * inner[0], groups * inner_mid},
                      {2 * (per_boundary_group - boundary[1]), 2 * boundary[1]},
                      {inner_first + groups * (per_group - inner[1]), groups * inner[1]}};
  int64_t end = 2 * per_boundary_group + groups * per_group;
  Expr shift;
  for (size_t r = std::size(runs); r-- > 0;) {
    const Expr own = literal(runs[r].first - (end - runs[r].count));
    if (runs[r].count > 0)
      shift = shift ? select(kernel::less(block, literal(end)), own, shift) : own;
    end -= runs[r].count;
  }
  return context_.let(body, "block_by_kind", kernel::add(block, shift));
}

Expr StreamTile::origin_of(int axis, const Expr& tile) const {
  const int d = context_.dimension(axis);
  return tile_origin(context_.interface, d, tile, core_[axis],
                     context_.images(d) ? context_.plan.margin[axis].low : 0);
}

Expr StreamTile::number(int axis) const {
  return context_.flat ? kernel::add(tile_[0], context_.thread(1)) : tile_[axis];
}

Body StreamTile::declare_patch() {
  Body out;
  for (int axis = 0; axis < context_.rank - 1; ++axis) {
    first_.push_back(context_.builder.local(kernel::Space::Thread,
                                            "first_" + context_.axis_name(axis), Scalar::I32, {},
                                            "first coordinate of the patch"));
    const Expr within = kernel::mul(context_.thread(axis), context_.patch(axis));
    out.push_back(
        {kernel::Store{first_.back(), {}, kernel::add(origin_of(axis, number(axis)), within)}});
  }
  return out;
}

GridBox StreamTile::covered(const Expr& place, int64_t planes) const {
  GridBox out;
  if (planes == 1) {
    const Expr own = context_.image(0, place);
    context_.builder.append_in_grid(0, own, own, false, out);
  } else {
    context_.builder.append_in_grid(0, place, plus(place, planes - 1), context_.images(0), out);
  }
  const int rows = context_.flat ? context_.schedule.block[1] : 1;
  for (int axis = context_.rank - 2; axis >= 0; --axis) {
    const int d = context_.dimension(axis);
    const Expr last = plus(origin(axis, rows - 1), context_.plan.cover[axis] - 1);
    context_.builder.append_in_grid(d, origin(axis, 0), last, context_.images(d), out);
  }
  return out;
}

std::vector<Expr> StreamTile::core_conditions(const Tests& tests, int axis, const Expr& at) const {
  const analysis::Reach margin = context_.plan.margin[axis];
  const int d = context_.dimension(axis);
  const bool images = context_.images(d);
  const Expr tile = number(axis);
  const Expr origin = origin_of(axis, tile);
  std::vector<Expr> out;
  // An inside tile is neither the first nor the last one.
  if (margin.low > 0) {
    const Expr before = plus(origin, margin.low);
    const Expr tested = select(is_equal(tile, literal(0)), origin, before);
    out.push_back(at_least(at, images ? before : tests.unless_inside(tested, before)));
  }
  if (margin.high > 0) {
    const Expr after = plus(origin, context_.plan.cover[axis] - margin.high);
    const Expr past = plus(context_.high(d), 1);
    const Expr tested = select(is_equal(tile, last_tile_[axis]), past, after);
    out.push_back(kernel::less(at, images ? after : tests.unless_inside(tested, after)));
  }
  if (context_.flat && context_.schedule.block[1] > 1 && !images) {
    out.push_back(tests.unless_inside(kernel::less_equal(tile, last_tile_[axis])));
  }
  return out;
}

// --- The part that needs no tests

int main_piece(const ir::Program& program, const StreamStage& stage) {
  for (size_t p = 0; p < stage.pieces.size(); ++p) {
    bool thick = true;
    for (int d = 0; d < program.grid().rank(); ++d) {
      const ir::Range& range = stage.pieces[p].region.ranges[d];
      const ir::Range& grid = program.grid().ranges[d];
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

namespace {

// Tightens `inside` to the coordinates of dimension d where the stage needs no tests. All points of
// its tile must lie there.
void limit(const StreamContext& context, const StreamStage& stage, int d, Interval& inside) {
  const Interface& interface = context.interface;
  const int main = main_piece(context.program, stage);
  if (main < 0 || stage.everywhere) return;
  const StagePiece& piece = stage.pieces[main];
  inside.tighten_low(interface.low(piece.region, d));
  inside.tighten_high(interface.high(piece.region, d));
  for (const ir::EdgeCondition& edge : piece.edges) {
    if (edge.dimension != d) continue;
    if (edge.low) inside.tighten_low(plus(context.low(d), edge.within));
    if (!edge.low) inside.tighten_high(plus(context.high(d), -edge.within));
  }
  const auto needed = ir::reachable(*piece.graph, piece.results);
  for (ir::NodeId id = 0; id < piece.graph->size(); ++id) {
    const auto* access = std::get_if<ir::Access>(&(*piece.graph)[id].kind);
    if (!access || !needed[id] || access->in_place || access->escapes == 0) continue;
    const ir::Field& field = context.program.fields[access->field];
    if (field.boundary[d].periodic()) continue;  // images are read like points
    const int offset = access->offset(d);
    if (access->escapes_below(d)) inside.tighten_low(plus(interface.low(field.box, d), -offset));
    if (access->escapes_above(d)) inside.tighten_high(plus(interface.high(field.box, d), -offset));
  }
}

// For a stage without a main piece: ensures that the piece applies nowhere in the part without
// tests. Either the tile misses the piece in some tiled dimension, or `fronts` excludes the piece's
// planes. `tile`: the points of the tile.
void avoid(const StreamContext& context, const std::vector<Interval>& tile, const StagePiece& piece,
           int lag, Interval& fronts) {
  const Interface& interface = context.interface;
  Expr missed = kernel::boolean(false);
  for (int d = 1; d < context.rank; ++d) {
    missed = either(missed, kernel::less(tile[d].high, interface.low(piece.region, d)));
    missed = either(missed, kernel::less(interface.high(piece.region, d), tile[d].low));
  }
  const ir::Affine from_low = piece.region.ranges[0].low - context.program.grid().ranges[0].low;
  if (from_low.is_constant() && from_low.constant <= 16) {  // stay behind the piece, or before it
    fronts.tighten_low(
        select(missed, context.low(0), plus(interface.high(piece.region, 0), 1 + lag)));
  } else {
    fronts.tighten_high(
        select(missed, context.high(0), plus(interface.low(piece.region, 0), lag - 1)));
  }
}

}  // namespace

// The points that a block covers, all rows of threads together; empty in the streaming dimension.
std::vector<Interval> StreamTile::points() const {
  std::vector<Interval> tile(context_.rank);
  for (int axis = 0; axis < context_.rank - 1; ++axis) {
    const int last = context_.flat ? context_.schedule.block[1] - 1 : 0;
    Interval& side = tile[context_.dimension(axis)];
    side.low = origin(axis, 0);
    side.high = plus(origin(axis, last), context_.plan.cover[axis] - 1);
  }
  return tile;
}

Expr StreamTile::points_are_inside() const {
  const std::vector<Interval> tile = points();
  std::vector<Expr> conditions;
  for (int axis = context_.rank - 2; axis >= 0; --axis) {
    const int d = context_.dimension(axis);
    Interval inside;
    for (const StreamStage& stage : context_.plan.stages) limit(context_, stage, d, inside);
    // The first and the last tile also write the points beyond their core.
    const analysis::Reach margin = context_.plan.margin[axis];
    if (margin.low > 0 && !context_.images(d)) inside.tighten_low(plus(context_.low(d), 1));
    if (margin.high > 0 && !context_.images(d)) inside.tighten_high(plus(context_.high(d), -1));
    for (const Quantity& q : context_.plan.quantities) {
      if (!q.loaded() && !q.is_output()) continue;
      inside.tighten_low(context_.interface.low(context_.field_of(q).box, d));
      inside.tighten_high(context_.interface.high(context_.field_of(q).box, d));
    }
    inside.append_to(conditions, tile[d].low, tile[d].high);
  }
  return kernel::all_of(std::move(conditions));
}

Interval StreamTile::fronts_inside() const {
  Interval fronts;
  for (const StreamStage& stage : context_.plan.stages) {
    Interval planes;
    limit(context_, stage, 0, planes);
    if (planes.low) fronts.tighten_low(plus(planes.low, stage.lag));
    if (planes.high) fronts.tighten_high(plus(planes.high, stage.lag));
    if (stage.everywhere || main_piece(context_.program, stage) >= 0) continue;
    // Before this front, the stage's plane is an image.
    if (context_.images(0)) fronts.tighten_low(plus(context_.low(0), stage.lag));
    for (const StagePiece& piece : stage.pieces)
      avoid(context_, points(), piece, stage.lag, fronts);
  }
  for (const Quantity& q : context_.plan.quantities) {
    if (!q.loaded()) continue;
    fronts.tighten_low(plus(context_.interface.low(context_.field_of(q).box, 0), q.lag));
    fronts.tighten_high(plus(context_.interface.high(context_.field_of(q).box, 0), q.lag));
  }
  fronts.tighten_low(context_.low(0));
  fronts.tighten_high(context_.high(0));
  return fronts;
}

}  // namespace stencil::schedule
