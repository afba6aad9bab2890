// The kernels of the `planes` family. See plan.h for what is kept and when it is computed.
//
// A block computes a tile of the inner dimensions, with one thread per place, for a chunk of planes
// along the streaming dimension:
//
//   for each front plane of the chunk, including prologue and epilogue
//     for each step
//       for each stage: compute its plane into its ring, or into memory if it is not read again
//                       copy the plane to memory if it is a result that is also read
//
// with barriers before stages that read other threads' results, and after the last stage.
//
// If steps are alike (PlanesPlan::alike), one body serves all of them. Only the first step reads
// memory and only the last one writes it. Conditions `first` and `last` guard these loads and
// stores, and the body is compiled for each of their values (kernel::Let::cases). Such a kernel
// also serves tiles of fewer steps: it skips the first steps and the fronts that only they need. If
// steps are not alike, they are written one by one, except where kernel::sequence finds loops. Each
// of tile_sizes() then has its own kernel.
//
// On a CPU threads are loops, so innermost loops should treat all points alike. With interior=split
// a stage has several sections: (1) points where no access meets a boundary rule; (2) the rest of
// these columns, with rules in the outer dimensions, which are the same for a whole row; (3) the
// ends of rows, with all rules; (4) points outside a function's region, where old values are
// copied. Each section is a box whose bounds are named once per plane, and becomes a loop nest
// (compiler/emit/loop_nest.h). The boxes that surround another box form one section, in a loop over
// the sides. With interior=tested there is one section, which tests each point.
#include "compiler/schedule/planes/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "compiler/kernel/passes.h"
#include "compiler/kernel/sequence.h"
#include "compiler/schedule/common/barrier_planner.h"
#include "compiler/schedule/common/samples.h"
#include "compiler/schedule/planes/bounds.h"
#include "compiler/schedule/planes/values.h"

namespace stencil::schedule {

namespace {

auto lag() {
  return [](const PlanesStage& stage) { return stage.lag; };
}
auto below(int d) {
  return [d](const PlanesStage& stage) { return stage.computed[d].low; };
}
auto above(int d) {
  return [d](const PlanesStage& stage) { return stage.computed[d].high; };
}

// Generates the code of a stage for the points of its plane.
class Sections {
 public:
  Sections(const PlanesContext& context, const PlanesTile& tile, const PlanesRings& rings)
      : context_(context), tile_(tile), values_(context, tile, rings) {}

  // Defines the coordinates of the plane that the stage computes.
  Body plane_lets(const PlanesStage& stage) const {
    Body out;
    const Expr place = context_.shifted(kernel::variable(context_.front), stage, -1, lag());
    out.push_back({kernel::Let{context_.place_names[0], place}});
    if (context_.images(0)) {
      out.push_back({kernel::Let{context_.point_names[0], context_.image(0)}});
    }
    return out;
  }
  // Computes that plane, if it exists.
  Body compute(const PlanesStage& stage) {
    const Expr place = context_.place(0);
    const Expr has_plane =
        both(at_least(place, context_.shifted(tile_.begin[0], stage, -1, below(0))),
             kernel::less(place, context_.shifted(tile_.end[0], stage, 1, above(0))));
    std::vector<ir::Access> reads;
    for (const ir::Piece& piece : context_.function_of(stage).pieces) {
      analysis::add_reads_at_points(piece.graph, piece.results, reads);
    }
    Body body;
    const Expr none = reads.empty() ? kernel::boolean(true)
                                    : context_.builder.none_weighs(reads, covered(), body);
    append(body, context_.builder.by_points(
                     reads, none,
                     [&] {
                       return context_.schedule.interior == Interior::Tested
                                  ? tested_section(stage)
                                  : split_sections(stage);
                     },
                     [&] { return sums_ahead(stage, reads); }));
    return guarded(both(has_plane, plane_in(target_box(stage))), std::move(body));
  }
  // Takes the samples of records from the rings of the stage's results, if the results are final in
  // their step.
  Body take_samples(const PlanesStage& stage, Samples& samples) const {
    const Expr step = context_.step_of(stage);
    const Expr number = context_.alike ? kernel::sub(step, context_.left_out()) : step;
    Body out;
    for (const analysis::StageResult& result : stage.results) {
      const PlanesVersion& made = context_.version(result.made);
      const PlanesStage* before = context_.earlier(stage);
      const size_t target = static_cast<size_t>(&result - stage.results.data());
      // In a body for all steps, the stage is that of the last step.
      const int id = before ? before->results[target].made : result.made;
      if (!context_.version(id).sampled) continue;
      const GridBox covered = this->covered();
      Samples::Lanes lanes;
      lanes.first = context_.places();
      lanes.last_column = lanes.column = lanes.first.back();
      lanes.exists = kernel::boolean(true);
      lanes.row_first = covered.first.back();
      lanes.row_last = covered.last.back();
      Body taken = samples.take(made.field, number, lanes, [&](int component) {
        return values_.newest(result.made, component);
      });
      const Expr in_field = context_.interface.inside(
          context_.places(), context_.field_of(made).box, &context_.program.grid());
      out.push_back(section({tile_.begin, tile_.end}, in_field, 0, std::move(taken)));
    }
    const Expr place = context_.place(0);
    return out.empty()
               ? out
               : guarded(both(at_least(place, tile_.begin[0]), kernel::less(place, tile_.end[0])),
                         std::move(out));
  }
  // Copies results that later stages also read from their rings to memory.
  Body write(const PlanesStage& stage) {
    const Expr place = context_.place(0);
    const Expr in_field =
        context_.interface.inside(context_.places(), target_box(stage), &context_.program.grid());
    return guarded(both(at_least(place, tile_.begin[0]), kernel::less(place, tile_.end[0])),
                   as_body(section({tile_.begin, tile_.end}, in_field, 0, values_.write(stage))));
  }

 private:
  // Code for the points around a part of a box that meet a condition.
  struct Outside {
    Expr where = kernel::boolean(true);
    Body body;
    int inside = 0;    // see `section`
    bool few = false;  // a row has few such points
  };
  // Code for the points of a box that meet the condition. In dimensions from `inside` on, all of
  // them lie in the grid, so place and point are the same.
  kernel::Statement section(const PlaneBox& box, const Expr& where, int inside, Body body,
                            bool few = false) const {
    std::vector<Expr> conditions;
    Body lets;
    for (int d = 1; d < context_.rank; ++d) {
      lets.push_back(
          {kernel::Let{context_.place_names[d], kernel::add(tile_.origin[d], context_.local(d))}});
      const Expr place = context_.place(d);
      conditions.push_back(at_least(place, box.begin[d]));
      conditions.push_back(kernel::less(place, box.end[d]));
    }
    for (int d = 1; d < inside; ++d) {
      if (context_.images(d))
        lets.push_back({kernel::Let{context_.point_names[d], context_.image(d)}});
    }
    conditions.push_back(where);
    append(lets, guarded(kernel::all_of(std::move(conditions)), std::move(body)));
    return {kernel::Threads{std::move(lets), few}};
  }
  const ir::Box& target_box(const PlanesStage& stage) const {
    return ir::target_box(context_.program, context_.function_of(stage));
  }
  // The part of the grid in this plane that the tile covers.
  GridBox covered() const {
    const Expr plane = context_.points()[0];
    GridBox out{{plane}, {plane}};
    for (int d = 1; d < context_.rank; ++d) {
      const Expr last = plus(tile_.origin[d], context_.plan.cover[d] - 1);
      context_.builder.append_in_grid(d, tile_.origin[d], last, context_.images(d), out);
    }
    return out;
  }
  // Sums over sources for all points of the plane that the stage computes.
  Body sums_ahead(const PlanesStage& stage, const std::vector<ir::Access>& reads) {
    const GridBox covered = this->covered();
    PointLanes lanes;
    lanes.exists = kernel::boolean(true);
    lanes.first = context_.points();
    lanes.last_column = lanes.column = lanes.first.back();
    lanes.row_first = covered.first.back();
    lanes.row_last = covered.last.back();
    const Expr step = context_.step_of(stage);
    context_.builder.scope().at_step(step);
    auto ahead = context_.builder.sum_ahead(reads, lanes, context_.time_of(step));
    context_.builder.read_sums(reads, lanes);
    Body out;
    const PlaneBox box = computed(stage, target_box(stage), out);
    const Expr where = images_in(target_box(stage));
    out.push_back(section(box, where, context_.rank, std::move(ahead.zeros)));
    out.push_back(section(box, where, context_.rank, std::move(ahead.sums)));
    return as_body({kernel::Scope{std::move(out)}});
  }
  // Condition: the plane has points of the box.
  Expr plane_in(const ir::Box& box) const {
    ir::Box others = box;
    others.ranges[0] = possible(0);
    return context_.interface.inside(context_.points(), box, &others);
  }
  // Condition: the point lies in the box. Omits dimensions without images, in which the loop bounds
  // over places imply the condition.
  Expr images_in(const ir::Box& box) const { return images_in(box, context_.points()); }
  Expr images_in(const ir::Box& box, const Point& at) const {
    ir::Box others = box;
    for (int d = 1; d < context_.rank; ++d) {
      if (context_.images(d)) others.ranges[d] = possible(d);
    }
    return context_.interface.inside(at, box, &others);
  }
  // Range of coordinates of a stage's points; periodic images are wrapped into the grid.
  ir::Range possible(int d) const {
    const ir::Range& range = context_.program.grid().ranges[d];
    if (context_.images(d)) return range;
    return {range.low - 1, range.high + 1};
  }
  // The places that a stage computes, limited to `box` in dimensions without images.
  PlaneBox computed(const PlanesStage& stage, const ir::Box& box, Body& body) {
    PlaneBox out{Point(context_.rank), Point(context_.rank)};
    for (int d = 1; d < context_.rank; ++d) {
      const Expr begin = context_.shifted(tile_.begin[d], stage, -1, below(d));
      const Expr end = context_.shifted(tile_.end[d], stage, 1, above(d));
      const auto limited = [&](Op op, const Expr& tile, const Expr& grid, const Expr& own,
                               const Expr& bound) {
        if (context_.images(d)) return own;
        // the tile ends where the grid does
        if (kernel::print(tile) == kernel::print(grid)) return bound;
        return kernel::operation(op, {own, bound});
      };
      out.begin[d] = let_end(
          body, "from", d,
          limited(Op::Max, tile_.begin[d], context_.low(d), begin, context_.interface.low(box, d)));
      out.end[d] = let_end(body, "to", d,
                           limited(Op::Min, tile_.end[d], plus(context_.high(d), 1), end,
                                   plus(context_.interface.high(box, d), 1)));
    }
    return out;
  }
  // Binds a bound to a name that is the same in all stages.
  Expr let_end(Body& body, const std::string& what, int d, const Expr& value) {
    if (is_plain(value)) return value;
    const auto [entry, fresh] = ends_.try_emplace(what + "_" + context_.axes[d]);
    if (fresh) entry->second = context_.builder.names().unique(entry->first);
    body.push_back({kernel::Let{entry->second, value}});
    return kernel::variable(entry->second);
  }
  Body tested_section(const PlanesStage& stage) {
    Body chain = stage.carries ? values_.carry(stage) : Body{};
    const ir::Function& function = context_.function_of(stage);
    for (size_t p = function.pieces.size(); p-- > 0;) {
      const ir::Piece& piece = function.pieces[p];
      const Expr covered =
          context_.interface.inside(context_.points(), piece.region, &target_box(stage));
      chain = guarded(covered, values_.compute(stage, piece, context_.rank), std::move(chain));
    }
    Body out;
    const PlaneBox box = computed(stage, target_box(stage), out);
    out.push_back(section(box, images_in(target_box(stage)), context_.rank, std::move(chain)));
    return out;
  }

  // --- Separate sections for points that need no tests

  Body split_sections(const PlanesStage& stage) {
    Body out;
    const ir::Function& function = context_.function_of(stage);
    const ir::Box& target = target_box(stage);
    const PlaneBox all = computed(stage, target, out);
    const size_t main = main_piece(function);
    const ir::Box& region = function.pieces[main].region;
    Outside carried;
    if (stage.carries && is_true(images_in(region))) {
      carried.where = kernel::all_of({images_in(target), missed(function)});
      carried.body = values_.carry(stage);
      carried.inside = context_.rank;
      carried.few = is_near(region, target);
    } else if (stage.carries) {
      const Expr covered = context_.interface.inside(context_.points(), region, &target);
      const Expr beside = kernel::operation(Op::Not, {covered});
      out.push_back(section(all, kernel::all_of({images_in(target), beside, missed(function)}),
                            context_.rank, values_.carry(stage)));
    }
    append(out, region_sections(stage, function.pieces[main], all, "region", carried));
    for (size_t p = 0; p < function.pieces.size(); ++p) {
      if (p == main) continue;
      out.push_back({kernel::Scope{region_sections(stage, function.pieces[p], all, "piece", {})}});
    }
    return out;
  }
  // The code of a piece for the part of the box in the piece's region, and `carried` for the rest
  // of the box. In dimensions with images, the code itself tests the region.
  Body region_sections(const PlanesStage& stage, const ir::Piece& piece, const PlaneBox& box,
                       const std::string& name, const Outside& carried) {
    const ir::Box& target = target_box(stage);
    Bounds bounds = bounds_of(context_.interface, piece.region, target);
    for (int d = 0; d < context_.rank; ++d) {
      if (context_.images(d)) bounds[d] = {};
    }
    ir::Box others = piece.region;
    others.ranges[0] = context_.images(0) ? possible(0) : target.ranges[0];
    const Expr has_plane = context_.interface.inside(context_.points(), piece.region, &others);
    return split(box, bounds, has_plane, name, carried,
                 [&](const PlaneBox& part) { return piece_sections(stage, piece, part); });
  }
  // Separates columns in which no access meets a rule in x from the ends of rows. Within these
  // columns, separates places where no access meets any rule from the others.
  Body piece_sections(const PlanesStage& stage, const ir::Piece& piece, const PlaneBox& box) {
    const int x = context_.rank - 1;
    Bounds rows = bounds_without_rules(context_.interface, piece, context_.plan.images,
                                       context_.alike ? context_.plan.margin : stage.computed);
    Bounds columns(rows.size());
    std::swap(rows[x], columns[x]);
    const auto is_open = [](const Interval& one) { return one.is_open(); };
    const bool rules_in_rows = !std::all_of(rows.begin(), rows.end(), is_open);
    const auto where = [&](int inside) { return images_in(piece.region, context_.points(inside)); };
    const auto free = [&](const PlaneBox& part) {
      return as_body(section(part, where(0), 0, values_.compute(stage, piece, 0)));
    };
    const auto in_columns = [&](const PlaneBox& part) {
      if (!rules_in_rows) return free(part);
      const Outside ruled{where(x), values_.compute(stage, piece, x), x};
      return split(part, rows, within(rows[0], context_.place(0)), "inner", ruled, free);
    };
    if (is_open(columns[x]) && !rules_in_rows) return free(box);
    if (is_open(columns[x])) return as_body({kernel::Scope{in_columns(box)}});
    const Outside ruled{where(context_.rank), values_.compute(stage, piece, context_.rank),
                        context_.rank, !context_.images(x)};
    return as_body(
        {kernel::Scope{split(box, columns, kernel::boolean(true), "inner", ruled, in_columns)}});
  }
  // The code `inside` for the part of a box within the bounds, and `outside` for the rest. If there
  // are few points before and after the part in x, they get a loop of their own.
  Body split(const PlaneBox& box, const Bounds& bounds, const Expr& has_plane,
             const std::string& name, const Outside& outside,
             const std::function<Body(const PlaneBox&)>& inside) {
    Body out;
    const bool rows = context_.rank > 2;  // otherwise a plane is a single row
    const PlaneBox part = schedule::cut(box, bounds, rows ? has_plane : kernel::boolean(true),
                                        [&](int d, bool end, const Expr& value) {
                                          return let_end(out, end ? name + "_end" : name, d, value);
                                        });
    if (!outside.body.empty()) {
      PlaneBox whole_rows = part;
      whole_rows.begin.back() = box.begin.back();
      whole_rows.end.back() = box.end.back();
      const bool apart = outside.few && rows;
      if (apart) append(out, around(box, whole_rows, outside, false));
      append(out, around(apart ? whole_rows : box, part, outside, outside.few));
    }
    append(out, inside(part));
    if (rows) return out;
    Body missed;
    if (!outside.body.empty())
      missed.push_back(section(box, outside.where, outside.inside, outside.body));
    return guarded(has_plane, std::move(out), std::move(missed));
  }
  Body around(const PlaneBox& box, const PlaneBox& part, const Outside& outside, bool few) {
    const std::vector<PlaneBox> all = sides(box, part);
    Body out;
    if (all.size() == 1)
      out.push_back(section(all[0], outside.where, outside.inside, outside.body, few));
    if (all.size() < 2) return out;
    Body body;
    const Expr number = kernel::variable(context_.side);
    PlaneBox side{Point(context_.rank), Point(context_.rank)};
    Expr any = kernel::boolean(false);
    for (int d = 1; d < context_.rank; ++d) {
      std::vector<Expr> begins, ends;
      for (const PlaneBox& one : all) {
        begins.push_back(one.begin[d]);
        ends.push_back(one.end[d]);
      }
      side.begin[d] = let_end(body, "side", d, of_side(number, begins));
      side.end[d] = let_end(body, "side_end", d, of_side(number, ends));
      if (box.begin[d] != part.begin[d])
        any = either(any, kernel::less(box.begin[d], part.begin[d]));
      if (box.end[d] != part.end[d]) any = either(any, kernel::less(part.end[d], box.end[d]));
    }
    body.push_back(section(side, outside.where, outside.inside, outside.body, few));
    const Expr count = literal(static_cast<int64_t>(all.size()));
    return guarded(any, as_body(loop(kernel::LoopKind::Serial, context_.side, literal(0), count, 1,
                                     std::move(body))));
  }
  // Whether few points of the box lie beside the region in each of its rows.
  bool is_near(const ir::Box& region, const ir::Box& box) const {
    constexpr int64_t kFew = 16;
    const ir::Affine below = region.ranges.back().low - box.ranges.back().low;
    const ir::Affine above = box.ranges.back().high - region.ranges.back().high;
    return below.is_constant() && above.is_constant() && below.constant < kFew &&
           above.constant < kFew;
  }
  // The piece that extends in the most dimensions and so probably has the most points. The other
  // pieces are treated as lying around it.
  static size_t main_piece(const ir::Function& function) {
    size_t main = 0;
    int widest = -1;
    for (size_t p = 0; p < function.pieces.size(); ++p) {
      int wide = 0;  // dimensions in which it has more than one point
      for (const ir::Range& range : function.pieces[p].region.ranges) {
        wide += range.low == range.high ? 0 : 1;
      }
      if (wide > widest) main = p;
      widest = std::max(widest, wide);
    }
    return main;
  }
  // Condition: the point lies in no piece except possibly the main one, which is tested separately.
  Expr missed(const ir::Function& function) const {
    std::vector<Expr> conditions;
    const size_t main = main_piece(function);
    for (size_t p = 0; p < function.pieces.size(); ++p) {
      if (p == main) continue;
      const Expr covered = context_.interface.inside(context_.points(), function.pieces[p].region);
      conditions.push_back(kernel::operation(Op::Not, {covered}));
    }
    return kernel::all_of(std::move(conditions));
  }

  const PlanesContext& context_;
  const PlanesTile& tile_;
  const PlanesValues values_;
  std::map<std::string, std::string> ends_;  // variables for bounds of boxes
};

class PlanesKernel {
 public:
  PlanesKernel(const Schedule& schedule, const KernelOfSteps& kernel, const PlanesPlan& plan)
      : builder_(kernel.interface, kernel.module, kernel.name,
                 fmt::format("{}{} step{} per pass along {}: each step runs some planes behind the "
                             "previous step.",
                             kernel.or_fewer ? "Up to " : "", kernel.steps,
                             kernel.steps == 1 ? "" : "s", axis_names(kernel.interface.rank())[0])),
        context_(schedule, plan, kernel.or_fewer, builder_),
        tile_(context_, kernel, body_),
        rings_(context_, kernel),
        sections_(context_, tile_, rings_),
        samples_(builder_, kernel.module) {}

  void lower(kernel::Module& module) {
    append_phase(
        body_,
        "each iteration advances every step by one plane; the first and the last ones skip "
        "steps without a plane",
        as_body(pass()));
    builder_.set_block(module, context_.schedule.block, {});
    builder_.kernel().body = std::move(body_);
    builder_.finish(tile_.blocks, module);
  }

 private:
  kernel::Statement pass() {
    int64_t first = 0, last = 0;  // fronts relative to the first and to the last plane written
    for (const PlanesStage& stage : context_.plan.stages) {
      first = std::min(first, stage.lag - stage.computed[0].low);
      last = std::max(last, stage.lag + stage.computed[0].high);
    }
    const Expr n = kernel::variable(context_.iteration);
    Body body;
    body.push_back({kernel::Let{context_.front, kernel::add(plus(tile_.begin[0], first), n)}});
    append(body, context_.alike ? one_for_all_steps() : step_by_step());
    // the next planes overwrite the oldest ones
    if (!context_.alike && rings_.any()) barriers_.force(body);
    const Expr iterations = plus(kernel::sub(tile_.end[0], tile_.begin[0]), last - first);
    return loop(kernel::LoopKind::Serial, context_.iteration, fronts_left_out(), iterations, 1,
                std::move(body));
  }
  Body step_by_step() {
    const int of = context_.plan.steps;
    std::vector<Body> steps(of);
    for (const PlanesStage& stage : context_.plan.stages) {
      append(steps[stage.step], run_stage(stage));
    }
    return kernel::sequence(context_.step, std::move(steps), [&](size_t first, size_t last) {
      return steps_title(first, last, of);
    });
  }
  Body one_for_all_steps() {
    const Expr step = kernel::variable(context_.step);
    const int steps = context_.plan.steps;
    Body body;
    const auto define = [&](const Expr& variable, const Expr& number) {
      const std::string& name = std::get<kernel::Variable>(variable->kind).name;
      body.push_back({kernel::Let{name, is_equal(step, number), true}});
    };
    define(context_.first, context_.left_out());
    define(context_.last, literal(steps - 1));
    for (const PlanesStage& stage : context_.plan.stages) {
      if (stage.step == steps - 1) append(body, run_stage(stage));
    }
    barriers_.force(body);
    return as_body(loop(kernel::LoopKind::Serial, context_.step, context_.left_out(),
                        literal(steps), 1, std::move(body)));
  }
  // Number of fronts that only the skipped steps need.
  Expr fronts_left_out() const {
    for (const PlanesStage& stage : context_.plan.stages) {
      const PlanesStage* before = context_.earlier(stage);
      if (!before) continue;
      const int64_t fronts =
          stage.lag - stage.computed[0].low - (before->lag - before->computed[0].low);
      return kernel::mul(context_.left_out(), literal(fronts));
    }
    return literal(0);
  }
  Body run_stage(const PlanesStage& stage) {
    const bool written_late =
        std::any_of(stage.results.begin(), stage.results.end(),
                    [&](const auto& result) { return context_.is_written_late(result.made); });
    const bool repeats = context_.earlier(stage);
    Body out;
    order(stage, out);
    Body body = sections_.plane_lets(stage);
    append(body, sections_.compute(stage));
    Body samples = sections_.take_samples(stage, samples_);
    if (!samples.empty()) {
      const Expr others =
          context_.alike ? kernel::operation(Op::Not, {context_.last}) : kernel::boolean(true);
      append(body, guarded(others, std::move(samples)));
    }
    if (written_late) {
      append(body,
             repeats ? guarded(context_.last, sections_.write(stage)) : sections_.write(stage));
    }
    Body all;
    all.push_back({kernel::Comment{context_.function_of(stage).name}});
    all.push_back({kernel::Scope{std::move(body)}});
    append(out,
           context_.alike && !repeats ? guarded(context_.last, std::move(all)) : std::move(all));
    return out;
  }
  // Appends a barrier if the stage reads at offsets what other threads wrote since the last one.
  void order(const PlanesStage& stage, Body& body) {
    BarrierPlanner::Tiles offset_reads, writes;
    for (const analysis::Reads& reads :
         analysis::reads_of(context_.program, context_.function_of(stage))) {
      const int from = stage.source.at({reads.field, reads.level});
      if (reads.at_offset && context_.version(from).ring > 0) offset_reads.insert({from, 0});
    }
    const PlanesStage* before = context_.earlier(stage);
    for (size_t target = 0; target < stage.results.size(); ++target) {
      const auto has_ring = [&](const PlanesStage* one) {
        return one && context_.version(one->results[target].made).ring > 0;
      };
      if (has_ring(&stage) || has_ring(before)) writes.insert({stage.results[target].made, 0});
    }
    barriers_.before(offset_reads, writes, body);
  }

  KernelBuilder builder_;
  Body body_;
  const PlanesContext context_;
  const PlanesTile tile_;
  const PlanesRings rings_;
  Sections sections_;
  Samples samples_;
  BarrierPlanner barriers_;
};

}  // namespace

void lower_planes(const analysis::TimeTiles& tiles, const Schedule& schedule,
                  const PlanesPlan& plan, kernel::Module& module) {
  const ir::Program& program = tiles.program();
  lower_tile_sizes(
      program, schedule, "planes", plan.alike, module, [&](const KernelOfSteps& kernel) {
        const bool deepest = kernel.steps == plan.steps;
        PlanesKernel(schedule, kernel, deepest ? plan : plan_planes(tiles, schedule, kernel.steps))
            .lower(kernel.module);
      });
}

}  // namespace stencil::schedule
