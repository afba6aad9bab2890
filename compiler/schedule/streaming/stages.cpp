#include "compiler/schedule/streaming/stages.h"

#include <algorithm>

#include "compiler/kernel/passes.h"
#include "compiler/schedule/streaming/reads.h"

namespace stencil::schedule {

namespace {

class StageWriter {
 public:
  explicit StageWriter(const StreamParts& parts)
      : context_(parts.context),
        tile_(parts.tile),
        queues_(parts.queues),
        masks_(parts.masks),
        point_flags_(parts.point_flags) {}

  bool applies_everywhere(const StreamStage& stage) const {
    return stage.everywhere || covers_all_places(context_.program, context_.plan, stage);
  }

  // --- Points to which a function applies. In the tiled dimensions these are the same for all
  // planes.

  Body make_masks(const StreamStage& stage) {
    const int columns = context_.plan.patch[0];
    if (applies_everywhere(stage) || !masks_.has_room(columns)) return {};
    Body all;
    for (const StagePiece& piece : stage.pieces) {
      std::vector<Expr> conditions;
      for (int axis = context_.rank - 2; axis >= 0; --axis) {
        const int d = context_.dimension(axis);
        append_covered(context_.image(d, tile_.place(axis)), piece.region, d, conditions);
      }
      append(all, masks_.declare(cross_section(piece.region), "covered",
                                 "points of the patch where a function applies", columns,
                                 kernel::all_of(std::move(conditions))));
    }
    return all;
  }

  // Images are points of the grid; other places may lie beyond it.
  void append_covered(const Expr& at, const ir::Box& region, int d, std::vector<Expr>& to) const {
    if (context_.images(d) && region.ranges[d] == context_.program.grid().ranges[d]) return;
    context_.append_inside(at, region, d, to);
  }

  // Identifies the region in the tiled dimensions; its mask is valid for all planes.
  std::string cross_section(const ir::Box& region) const {
    std::string key;
    for (int d = 1; d < context_.rank; ++d) {
      key += kernel::print(context_.interface.low(region, d)) + ".." +
             kernel::print(context_.interface.high(region, d)) + ";";
    }
    return key;
  }

  // Per piece, the mask of its points in the plane; 0 if the plane is outside the region. Empty if
  // masks are not available or not needed.
  std::vector<Expr> live_masks(const StreamStage& stage, const Tests& tests, const Expr& plane,
                               Body& body) const {
    std::vector<Expr> out;
    const bool masked = masks_.has_room(context_.plan.patch[0]);
    if (applies_everywhere(stage) || is_true(tests.inside) || !masked) return out;
    for (const StagePiece& piece : stage.pieces) {
      const Expr mask = masks_.of(cross_section(piece.region));
      std::vector<Expr> planes;
      append_covered(plane, piece.region, 0, planes);
      const Expr live = select(kernel::all_of(std::move(planes)), mask, literal(0));
      if (!context_.leaves_out_steps) {
        out.push_back(context_.let(body, "live", live));
        continue;
      }
      const Expr done = select(is_done_in(plane, piece.region, stage.step), mask, literal(0));
      out.push_back(context_.let(body, "live", select(tests.whole, live, done)));
    }
    return out;
  }

  // Condition: the plane lies in the region and the step is not skipped, as a single comparison.
  // Separate conditions per step would be the same in every plane and would need more predicate
  // registers than there are. The sign is not shifted into a mask either: ptxas 13.0 moves the
  // shift of a warp-uniform register into the branches of points and repeats it for threads that
  // arrive later (docs/design/performance.md).
  Expr is_done_in(const Expr& plane, const ir::Box& region, int step) const {
    // Each term is negative if its condition holds.
    Expr below = plus(context_.left_out(), -step - 1);
    for (const Expr& inwards :
         {kernel::sub(kernel::sub(context_.interface.low(region, 0), literal(1)), plane),
          plus(kernel::sub(plane, context_.interface.high(region, 0)), -1)}) {
      below = kernel::operation(Op::BitAnd, {below, inwards});
    }
    return kernel::less(below, literal(0));
  }

  Expr covers(const StagePoint& at, const std::vector<Expr>& live, size_t piece) const {
    if (!live.empty()) {
      return at.tests.unless_inside(masks_.is_set(live[piece], context_.plan.patch[0]));
    }
    const Expr inside = context_.interface.inside(at.point, at.stage.pieces[piece].region);
    return at.tests.unless_inside(both(context_.is_done(at.tests, at.stage.step), inside));
  }

  // --- A plane

  Body compute(const StreamStage& stage, const Tests& tests) const {
    const bool only = main_piece(context_.program, stage) == 0 && stage.pieces.size() == 1;
    if (only || applies_everywhere(stage) || is_false(tests.inside)) {
      return compute_plane(stage, tests);
    }
    Body inside = compute_plane(stage, tests.known_inside(true));
    Body tested = compute_plane(stage, tests.known_inside(false));
    return guarded(tests.inside, std::move(inside), std::move(tested));
  }

  // In a pass with sources, their sums are computed before the stages (sums_ahead), so that the
  // stages stay one basic block.
  Body compute_plane(const StreamStage& stage, const Tests& tests) const {
    const std::vector<ir::Access> reads = reads_at_points(stage);
    if (reads.empty()) return plane_of(stage, tests);
    return context_.builder.by_points(
        reads, tests.free, [&] { return plane_of(stage, tests); },
        [&] {
          context_.builder.read_sums(reads, lanes_of(stage));
          return Body{};
        });
  }

  // The place, wrapped or clamped into the grid. Values computed beyond the grid are never used.
  Expr in_grid(const Tests& tests, int d, const Expr& place) const {
    const Expr own = tests.unless_inside(context_.image(d, place), place);
    const Expr nearest = larger(smaller(own, context_.high(d)), context_.low(d));
    return tests.unless_inside(nearest, own);
  }

  // A whole row of the patch at once, unless its places may be images.
  PointLanes lanes_of(const StreamStage& stage) const {
    const int columns = context_.plan.patch[0];
    const bool apart = context_.images(context_.rank - 1);
    PointLanes lanes;
    lanes.columns = apart ? 1 : columns;
    lanes.group = context_.place_in_step(stage);
    lanes.steps = literal(context_.plan.steps);
    lanes.step = literal(stage.step);
    if (context_.plan.patch[1] > 1) {
      lanes.extents.push_back(context_.patch(1));
      lanes.index.push_back(context_.row());
    }
    if (apart && columns > 1) {
      lanes.extents.push_back(context_.patch(0));
      lanes.index.push_back(context_.column());
    }
    lanes.column_index = context_.column();
    lanes.exists = kernel::boolean(true);
    return lanes;
  }

  Body sums_ahead(const StreamStage& stage, const Tests& tests) const {
    const std::vector<ir::Access> reads = reads_at_points(stage);
    if (reads.empty()) return {};
    const int columns = context_.plan.patch[0], last = context_.rank - 1;
    const bool apart = context_.images(last);
    PointLanes lanes = lanes_of(stage);
    lanes.for_each_part = [&](Body body) {
      return context_.for_each_part(apart ? columns : 1, std::move(body));
    };
    lanes.for_each_column = [&](Body body) {
      const Expr points = apart ? literal(1) : context_.patch(0);
      return counted(context_.column_name, points, std::move(body));
    };
    lanes.first = {context_.let(lanes.lets, "plane", in_grid(tests, 0, context_.plane(stage.lag)))};
    for (int axis = last - 1; axis > 0; --axis) {
      const int d = context_.dimension(axis);
      lanes.first.push_back(context_.let(lanes.lets, "row", in_grid(tests, d, tile_.place(axis))));
    }
    const auto column = [&](const Expr& place) { return in_grid(tests, last, place); };
    lanes.column = column(tile_.place(0));
    lanes.first.push_back(apart ? lanes.column : column(tile_.first(0)));
    lanes.last_column = apart ? lanes.column : column(plus(tile_.first(0), columns - 1));
    KernelScope& scope = context_.builder.scope();
    scope.at_step(stage.step);
    auto ahead =
        context_.builder.sum_ahead(reads, lanes, context_.time_of(tests, literal(stage.step)));
    const Expr some = kernel::operation(Op::Not, {point_flags_.is_free(stage.lag)});
    append(ahead.zeros, guarded(some, std::move(ahead.sums)));
    return as_body({kernel::Scope{std::move(ahead.zeros)}});
  }

  Body plane_of(const StreamStage& stage, const Tests& tests) const {
    Point point;
    // Inside the grid, a place is its own coordinate.
    const auto define = [&](int d, const Expr& place, Body& body) {
      const std::string& name = context_.points[d];
      body.push_back({kernel::Let{name, tests.unless_inside(context_.image(d, place), place)}});
      point.push_back(kernel::variable(name));
    };
    Body body, inner;
    define(0, context_.plane(stage.lag), body);
    const std::vector<Expr> live = live_masks(stage, tests, point[0], body);
    for (int axis = context_.rank - 2; axis >= 0; --axis) {
      define(context_.dimension(axis), tile_.place(axis), inner);
    }
    append(inner, at_point({stage, tests, point}, live));
    append(body, context_.for_each_point(std::move(inner)));
    return body;
  }

  Body at_point(const StagePoint& at, const std::vector<Expr>& live) const {
    if (applies_everywhere(at.stage)) return main_piece_at(at, 0);
    if (is_true(at.tests.inside)) return main_piece_at(at, main_piece(context_.program, at.stage));
    const bool storage_type =
        std::any_of(at.stage.results.begin(), at.stage.results.end(),
                    [&](int id) { return is_storage(context_.quantity(id).type); });
    // Selecting is cheaper than branching, because the stages stay one basic block.
    return storage_type || at.stage.pieces.size() > 2 ? branch_over_pieces(at, live)
                                                      : select_pieces(at, live);
  }

  // Without a main piece, all points keep their values.
  Body main_piece_at(const StagePoint& at, int main) const {
    if (main < 0) return store(at.stage, old_values(at));
    Body body;
    Names taken = context_.builder.names();
    const auto values = evaluate_piece(at, at.stage.pieces[main], taken, body);
    append(body, store(at.stage, values));
    return body;
  }

  Body select_pieces(const StagePoint& at, const std::vector<Expr>& live) const {
    Body body;
    Names taken = context_.builder.names();
    std::vector<Expr> values = old_values(at);
    for (size_t p = at.stage.pieces.size(); p-- > 0;) {
      Body lets;
      const auto computed = evaluate_piece(at, at.stage.pieces[p], taken, lets);
      for (const kernel::Statement& statement : lets) {
        if (const auto* let = std::get_if<kernel::Let>(&statement.kind)) taken.reserve(let->name);
      }
      append(body, std::move(lets));
      const Expr applies = covers(at, live, p);
      for (size_t c = 0; c < values.size(); ++c) {
        const std::string name = taken.unique("value");
        body.push_back({kernel::Let{name, computed[c]}});
        values[c] = select(applies, kernel::variable(name, computed[c]->type), values[c]);
      }
    }
    context_.builder.scope().set_apart(taken);
    append(body, store(at.stage, values));
    return body;
  }

  Body branch_over_pieces(const StagePoint& at, const std::vector<Expr>& live) const {
    Names taken = context_.builder.names();
    Body chain = store(at.stage, old_values(at));
    for (size_t p = at.stage.pieces.size(); p-- > 0;) {
      Body body;
      const auto values = evaluate_piece(at, at.stage.pieces[p], taken, body);
      append(body, store(at.stage, values));
      chain = as_body({kernel::If{covers(at, live, p), std::move(body), std::move(chain)}});
    }
    return chain;
  }

  std::vector<Expr> evaluate_piece(const StagePoint& at, const StagePiece& piece, Names& taken,
                                   Body& body) const {
    const ReadAccess read_access = [&](const ir::Access& access, AccessResolver& resolver) {
      return read(context_, queues_, at, access, resolver);
    };
    KernelScope& scope = context_.builder.scope();
    scope.at_step(at.stage.step);
    const Expr time = context_.time_of(at.tests, literal(at.stage.step));
    auto values = evaluate(context_.interface, *piece.graph, piece.results, at.point, time,
                           read_access, scope, taken, body, context_.builder.reductions(),
                           context_.residues(piece, at.stage.lag), edges_of(at.tests, piece));
    scope.set_apart(taken);
    return values;
  }

  // Cells of a queue may be read at every place of the tile, so accesses need no rules where their
  // values are not used.
  EdgeTests edges_of(const Tests& tests, const StagePiece& piece) const {
    EdgeTests out{piece.edges};
    out.decide = [&tests](const ir::EdgeCondition& condition, const Expr& value) {
      return tests.unless_inside(value, kernel::boolean(condition.value_inside()));
    };
    if (piece.edges.empty()) return out;
    out.unused = ir::unused_at_edges(*piece.graph, piece.results,
                                     static_cast<size_t>(context_.rank), piece.edges);
    return out;
  }

  // The values that the stage's results replace, at the current point.
  std::vector<Expr> old_values(const StagePoint& at) const {
    std::vector<Expr> out;
    for (size_t c = 0; c < at.stage.results.size(); ++c) {
      if (at.stage.old_in_memory) {
        const Quantity& q = context_.quantity(at.stage.results[c]);
        Point nearest;
        for (int d = 0; d < context_.rank; ++d) {
          const Expr& place = at.point[d];
          nearest.push_back(at.tests.unless_inside(context_.nearest(place, q, d, 1), place));
        }
        const BufferId memory = context_.builder.global(q.field, q.component, 0, false);
        out.push_back(
            kernel::load(memory, context_.interface.index(nearest, q.field, q.component), q.type));
      } else {
        const Quantity& q = context_.quantity(at.stage.old[c]);
        out.push_back(load(queues_.current(at.stage.old[c], at.stage.lag - q.lag), q.type));
      }
    }
    return out;
  }

  Body store(const StreamStage& stage, const std::vector<Expr>& values) const {
    Body out;
    for (size_t c = 0; c < values.size(); ++c) {
      out.push_back(schedule::store(queues_.current(stage.results[c], 0), values[c]));
    }
    return out;
  }

 private:
  const StreamContext& context_;
  const StreamTile& tile_;
  const StreamQueues& queues_;
  StreamMasks& masks_;
  const StreamPointFlags& point_flags_;
};

}  // namespace

Body find_regions(const StreamParts& parts, const StreamStage& stage) {
  return StageWriter(parts).make_masks(stage);
}

Body sums_ahead(const StreamParts& parts, const StreamStage& stage, const Tests& tests) {
  return StageWriter(parts).sums_ahead(stage, tests);
}

Body compute(const StreamParts& parts, const StreamStage& stage, const Tests& tests) {
  return StageWriter(parts).compute(stage, tests);
}

}  // namespace stencil::schedule
