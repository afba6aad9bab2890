// The kernels of the `planes` family (planes.h says what they keep and when).
//
// A block owns a tile of the inner dimensions, a thread per place, and a chunk of planes of the
// outermost one:
//
//   for every front plane of the chunk, with those before and after it that stages need
//     for every step
//       for every stage: compute its plane into its ring, or, if nobody reads it again, to memory
//                        write the plane to memory if it is a result that is read, too
//
// with barriers before stages that read what other threads have made, and after the last one.
//
// Steps that are alike (PlanesPlan::alike) are one body. What the first one and the last one do
// otherwise, read memory and write it, are conditions `first` and `last` of single loads and
// stores, for each value of which the body is compiled (kernel::Let::cases). Such a kernel serves
// tiles of fewer steps as well: they leave out the first steps, and the fronts that only those have
// planes of. Steps that are not alike are written one by one, as far as kernel::sequence finds no
// loops in them, in a kernel for each of tile_sizes().
//
// Threads are loops on a processor, so what the innermost ones do should be the same for all
// points. With edges=split a stage therefore has several sections: one for the points whose
// accesses all stay inside, without any rule; those around it with boundary rules; and those around
// a function's region, which only carry values over. Each is a box between ends that are named once
// per plane, and becomes a loop nest (compiler/emit/loop_nest.h). Boxes around another are one
// section in a loop over its sides. With edges=tested there is one section, which tests each point.

#include <algorithm>
#include <functional>

#include "compiler/kernel/passes.h"
#include "compiler/kernel/sequence.h"
#include "compiler/schedule/parts/barrier_planner.h"
#include "compiler/schedule/planes/bounds.h"
#include "compiler/schedule/planes/values.h"

namespace stencil::schedule {

namespace {

using analysis::Reach;

class PlanesKernel : public PlanesValues {
 public:
  using PlanesValues::PlanesValues;

  void lower(kernel::Module& module) {
    builder_.kernel().threads = schedule_.block;
    take_names();
    Body body;
    Expr blocks = cut(module, body);
    declare_rings(module);
    body.push_back(pass());
    builder_.kernel().body = std::move(body);
    builder_.finish(std::move(blocks), module);
    if (!alike_) std::get<kernel::Launch>(module.plan.actions.back()).steps = plan_.steps;
  }

 private:
  // --- The pass over the planes ---

  kernel::Statement pass() {
    int64_t first = 0, last = 0;  // of the fronts, from the first and from the last plane written
    for (const PlanesStage& stage : plan_.stages) {
      first = std::min(first, stage.lag - stage.computed[0].low);
      last = std::max(last, stage.lag + stage.computed[0].high);
    }
    const Expr first_front = plus(begin_[0], first);
    Body body;
    body.push_back({kernel::Let{front_, kernel::add(first_front, kernel::variable(iteration_))}});
    append(body, alike_ ? one_for_all_steps() : step_by_step());
    // The next planes take the places of the oldest ones.
    const auto keeps = [](const PlanesRing& ring) { return !ring.components.empty(); };
    if (!alike_ && std::any_of(rings_.begin(), rings_.end(), keeps)) barriers_.force(body);
    const Expr iterations = plus(kernel::sub(end_[0], begin_[0]), last - first);
    return {kernel::For{kernel::LoopKind::Serial, iteration_, fronts_left_out(), iterations, 1,
                        std::move(body)}};
  }
  Body step_by_step() {
    std::vector<Body> steps(static_cast<size_t>(plan_.steps));
    for (const PlanesStage& stage : plan_.stages) {
      append(steps[static_cast<size_t>(stage.step)], run_stage(stage));
    }
    return kernel::sequence(step_, std::move(steps), [&](size_t first, size_t last) {
      return steps_title(first, last, plan_.steps);
    });
  }
  Body one_for_all_steps() {
    const Expr step = kernel::variable(step_);
    const auto name = [](const Expr& variable) {
      return std::get<kernel::Variable>(variable->kind).name;
    };
    Body body;
    body.push_back(
        {kernel::Let{name(first_), kernel::operation(Op::Eq, {step, left_out()}), true}});
    body.push_back({kernel::Let{
        name(last_), kernel::operation(Op::Eq, {step, literal(plan_.steps - 1)}), true}});
    for (const PlanesStage& stage : plan_.stages) {
      if (stage.step == plan_.steps - 1) append(body, run_stage(stage));
    }
    barriers_.force(body);
    Body out;
    out.push_back({kernel::For{kernel::LoopKind::Serial, step_, left_out(), literal(plan_.steps), 1,
                               std::move(body)}});
    return out;
  }
  // Those that only steps which are left out have planes of.
  Expr fronts_left_out() const {
    for (const PlanesStage& stage : plan_.stages) {
      const PlanesStage* before = earlier(stage);
      if (!before) continue;
      const int64_t fronts =
          stage.lag - stage.computed[0].low - (before->lag - before->computed[0].low);
      return kernel::mul(left_out(), literal(fronts));
    }
    return literal(0);
  }
  Body run_stage(const PlanesStage& stage) {
    const PlanesVersion& made = version(stage.result);
    Body out;
    order(stage, out);
    Body body = plane_lets(stage);
    append(body, guarded(kernel::all_of({has_plane(stage), plane_in(target_box(stage))}),
                         schedule_.edges == Edges::Tested ? tested_section(stage)
                                                          : split_sections(stage)));
    const bool repeats = earlier(stage);
    if (made.ring > 0 && made.output >= 0) {
      append(body, repeats ? guarded(last_, write_section(stage)) : write_section(stage));
    }
    Body all;
    all.push_back({kernel::Comment{function_of(stage).name}});
    all.push_back({kernel::Scope{std::move(body)}});
    append(out, alike_ && !repeats ? guarded(last_, std::move(all)) : std::move(all));
    return out;
  }
  // A barrier before the stage if it reads at offsets what others have made since the last one.
  void order(const PlanesStage& stage, Body& body) {
    BarrierPlanner::Tiles offset_reads, writes;
    for (const analysis::Reads& reads : analysis::reads_of(program_, function_of(stage))) {
      const int from = stage.source.at({reads.field, reads.level});
      if (reads.at_offset && version(from).ring > 0) offset_reads.insert({from, 0});
    }
    const PlanesStage* before = earlier(stage);
    const bool kept =
        version(stage.result).ring > 0 || (before && version(before->result).ring > 0);
    if (kept) writes.insert({stage.result, 0});
    barriers_.before(offset_reads, writes, body);
  }
  Body plane_lets(const PlanesStage& stage) const {
    Body out;
    out.push_back({kernel::Let{places_[0], shifted(kernel::variable(front_), stage, -1, lag())}});
    if (images(0)) out.push_back({kernel::Let{points_[0], image(0)}});
    return out;
  }
  Expr has_plane(const PlanesStage& stage) const {
    const Expr place = kernel::variable(places_[0]);
    return kernel::all_of({at_least(place, shifted(begin_[0], stage, -1, below(0))),
                           kernel::less(place, shifted(end_[0], stage, 1, above(0)))});
  }
  // What threads do for the points of a box that meet the condition. `inside`: all of them lie in
  // the grid, so that places are points.
  kernel::Statement section(const PlaneBox& box, const Expr& where, bool inside, Body body,
                            bool few = false) const {
    std::vector<Expr> conditions;
    Body lets;
    for (size_t d = 1; d < rank(); ++d) {
      lets.push_back({kernel::Let{places_[d], kernel::add(origin_[d], local(d))}});
      const Expr place = kernel::variable(places_[d]);
      conditions.push_back(at_least(place, box.begin[d]));
      conditions.push_back(kernel::less(place, box.end[d]));
    }
    for (size_t d = 1; d < rank() && !inside; ++d) {
      if (images(d)) lets.push_back({kernel::Let{points_[d], image(d)}});
    }
    conditions.push_back(where);
    append(lets, guarded(kernel::all_of(std::move(conditions)), std::move(body)));
    return {kernel::Threads{std::move(lets), few}};
  }
  const ir::Box& target_box(const PlanesStage& stage) const {
    return field_of(version(stage.result)).box;
  }
  // The plane has points of the box.
  Expr plane_in(const ir::Box& box) const {
    ir::Box others = box;
    others.ranges[0] = possible(0);
    return interface_.inside(points(), box, &others);
  }
  // Of the points of a plane, those whose place does not tell whether they lie in the box.
  Expr images_in(const ir::Box& box) const { return images_in(box, points()); }
  Expr images_in(const ir::Box& box, const Point& at) const {
    ir::Box others = box;
    for (size_t d = 1; d < rank(); ++d) {
      if (images(d)) others.ranges[d] = possible(d);
    }
    return interface_.inside(at, box, &others);
  }
  bool tests_images(const ir::Box& box) const { return !is_true(images_in(box)); }
  // What a point of a stage may be: images are points of the grid.
  ir::Range possible(size_t d) const {
    const ir::Range& range = program_.grid.ranges[d];
    if (images(d)) return range;
    return {range.low - 1, range.high + 1};
  }
  // What a stage computes, as far as places tell that it lies in the box.
  PlaneBox computed(const PlanesStage& stage, const ir::Box& box, Body& body) {
    PlaneBox out{Point(rank()), Point(rank())};
    for (size_t d = 1; d < rank(); ++d) {
      const int dimension = static_cast<int>(d);
      const Expr begin = shifted(begin_[d], stage, -1, below(d));
      const Expr end = shifted(end_[d], stage, 1, above(d));
      const bool bounded = !images(d);
      const auto limited = [&](Op op, const Expr& tile, const Expr& grid, const Expr& own,
                               const Expr& bound) {
        if (!bounded) return own;
        // A tile that ends where the grid does.
        if (kernel::print(tile) == kernel::print(grid)) return bound;
        return kernel::operation(op, {own, bound});
      };
      out.begin[d] =
          let_end(body, "from", d,
                  limited(Op::Max, begin_[d], low(d), begin, interface_.low(box, dimension)));
      out.end[d] = let_end(body, "to", d,
                           limited(Op::Min, end_[d], plus(high(d), 1), end,
                                   plus(interface_.high(box, dimension), 1)));
    }
    return out;
  }
  // Under a name for this dimension, the same in all stages.
  Expr let_end(Body& body, const std::string& what, size_t d, const Expr& value) {
    if (is_plain(value)) return value;
    const auto [entry, fresh] = ends_.try_emplace(what + "_" + axes_[d]);
    if (fresh) entry->second = builder_.names().unique(entry->first);
    body.push_back({kernel::Let{entry->second, value}});
    return kernel::variable(entry->second);
  }
  Body tested_section(const PlanesStage& stage) {
    Body chain = stage.carries ? carry(stage) : Body{};
    const ir::Function& function = function_of(stage);
    for (size_t p = function.pieces.size(); p-- > 0;) {
      const ir::Piece& piece = function.pieces[p];
      const Expr covered = interface_.inside(points(), piece.region, &target_box(stage));
      chain = guarded(covered, compute(stage, piece, false), std::move(chain));
    }
    Body out;
    const PlaneBox box = computed(stage, target_box(stage), out);
    out.push_back(section(box, images_in(target_box(stage)), false, std::move(chain)));
    return out;
  }
  // --- Sections of their own for what needs no tests ---

  Body split_sections(const PlanesStage& stage) {
    Body out;
    const ir::Function& function = function_of(stage);
    const ir::Box& target = target_box(stage);
    const PlaneBox all = computed(stage, target, out);
    const size_t main = main_piece(function);
    const ir::Box& region = function.pieces[main].region;
    Outside carried;
    if (stage.carries && !tests_images(region)) {
      carried.where = kernel::all_of({images_in(target), missed(function)});
      carried.body = carry(stage);
      carried.few = is_near(region, target);
    } else if (stage.carries) {
      const Expr covered = interface_.inside(points(), region, &target);
      const Expr beside = kernel::operation(Op::Not, {covered});
      out.push_back(section(all, kernel::all_of({images_in(target), beside, missed(function)}),
                            false, carry(stage)));
    }
    append(out, region_sections(stage, function.pieces[main], all, "region", carried));
    for (size_t p = 0; p < function.pieces.size(); ++p) {
      if (p == main) continue;
      Body body = region_sections(stage, function.pieces[p], all, "piece", {});
      out.push_back({kernel::Scope{std::move(body)}});
    }
    return out;
  }
  // What threads do around a part of a box, for points that meet a condition.
  struct Outside {
    Expr where = kernel::boolean(true);
    Body body;
    bool few = false;  // points of a row
  };
  // The part of a piece that lies in the box, as far as places tell, and what is around it.
  Body region_sections(const PlanesStage& stage, const ir::Piece& piece, const PlaneBox& box,
                       const std::string& name, const Outside& carried) {
    const ir::Box& target = target_box(stage);
    Bounds bounds = bounds_of(interface_, piece.region, target);
    for (size_t d = 0; d < rank(); ++d) {
      if (images(d)) bounds[d] = {};
    }
    ir::Box others = piece.region;
    others.ranges[0] = images(0) ? possible(0) : target.ranges[0];
    const Expr has_plane = interface_.inside(points(), piece.region, &others);
    return split(box, bounds, has_plane, name, carried,
                 [&](const PlaneBox& part) { return piece_sections(stage, piece, part); });
  }
  // The places from which no access meets a rule, and around them those with rules.
  Body piece_sections(const PlanesStage& stage, const ir::Piece& piece, const PlaneBox& box) {
    const Bounds inner = bounds_without_rules(interface_, piece, plan_.images,
                                              alike_ ? plan_.margin : stage.computed);
    const auto free = [&](const PlaneBox& part) {
      Body out;
      out.push_back(
          section(part, images_in(piece.region, places()), true, compute(stage, piece, true)));
      return out;
    };
    const auto no_bounds = [](const Interval& one) { return !one.low && !one.high; };
    if (std::all_of(inner.begin(), inner.end(), no_bounds)) return free(box);
    const Outside ruled{images_in(piece.region), compute(stage, piece, false), !images(rank() - 1)};
    Body out;
    out.push_back({kernel::Scope{
        split(box, inner, within(inner[0], kernel::variable(places_[0])), "inner", ruled, free)}});
    return out;
  }
  // The part of a box within bounds, and what is around it. Points before and after it in x are a
  // loop of their own where they are few.
  Body split(const PlaneBox& box, const Bounds& bounds, const Expr& has_plane,
             const std::string& name, const Outside& outside,
             const std::function<Body(const PlaneBox&)>& inside) {
    Body out;
    const bool rows = rank() > 2;  // else a plane is one
    const PlaneBox part = schedule::cut(box, bounds, rows ? has_plane : kernel::boolean(true),
                                        [&](size_t d, bool end, const Expr& value) {
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
    if (!outside.body.empty()) missed.push_back(section(box, outside.where, false, outside.body));
    return guarded(has_plane, std::move(out), std::move(missed));
  }
  Body around(const PlaneBox& box, const PlaneBox& part, const Outside& outside, bool few) {
    const std::vector<PlaneBox> all = sides(box, part);
    Body out;
    if (all.size() == 1) out.push_back(section(all[0], outside.where, false, outside.body, few));
    if (all.size() < 2) return out;
    Body loop;
    const Expr number = kernel::variable(side_);
    PlaneBox side{Point(rank()), Point(rank())};
    Expr any = kernel::boolean(false);
    for (size_t d = 1; d < rank(); ++d) {
      std::vector<Expr> begins, ends;
      for (const PlaneBox& one : all) {
        begins.push_back(one.begin[d]);
        ends.push_back(one.end[d]);
      }
      side.begin[d] = let_end(loop, "side", d, of_side(number, begins));
      side.end[d] = let_end(loop, "side_end", d, of_side(number, ends));
      if (box.begin[d] != part.begin[d])
        any = kernel::operation(Op::Or, {any, kernel::less(box.begin[d], part.begin[d])});
      if (box.end[d] != part.end[d])
        any = kernel::operation(Op::Or, {any, kernel::less(part.end[d], box.end[d])});
    }
    loop.push_back(section(side, outside.where, false, outside.body, few));
    Body sides;
    sides.push_back({kernel::For{kernel::LoopKind::Serial, side_, literal(0),
                                 literal(static_cast<int64_t>(all.size())), 1, std::move(loop)}});
    return guarded(any, std::move(sides));
  }
  // Of the rows that meet the region, few points of the box lie beside it.
  bool is_near(const ir::Box& region, const ir::Box& box) const {
    constexpr int64_t kFew = 16;
    const ir::Affine below = region.ranges.back().low - box.ranges.back().low;
    const ir::Affine above = box.ranges.back().high - region.ranges.back().high;
    return below.is_constant() && above.is_constant() && below.constant < kFew &&
           above.constant < kFew;
  }
  // The piece of which most is expected: the rest lies around it.
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
  // The point lies in none of the pieces but the main one, which is known already.
  Expr missed(const ir::Function& function) const {
    std::vector<Expr> conditions;
    const size_t main = main_piece(function);
    for (size_t p = 0; p < function.pieces.size(); ++p) {
      if (p == main) continue;
      const Expr covered = interface_.inside(points(), function.pieces[p].region);
      conditions.push_back(kernel::operation(Op::Not, {covered}));
    }
    return kernel::all_of(std::move(conditions));
  }
  // A result that is read by later stages: from its ring to memory.
  Body write_section(const PlanesStage& stage) {
    const PlanesVersion& made = version(stage.result);
    const ir::Field& field = field_of(made);
    Body body;
    for (size_t c = 0; c < field.components.size(); ++c) {
      const Scalar type = field.components[c].type;
      const Expr value = kernel::load(ring(stage.result, static_cast<int>(c)),
                                      ring_index(stage.result, slot(ring_of(stage.result), 0), {}),
                                      arithmetic_type(type));
      builder_.store_global(made.field, static_cast<int>(c), memory_slot(made), places(),
                            kernel::convert(value, type), body);
    }
    const Expr place = kernel::variable(places_[0]);
    Body out;
    out.push_back(section({begin_, end_}, interface_.inside(places(), field.box, &program_.grid),
                          true, std::move(body)));
    return guarded(kernel::all_of({at_least(place, begin_[0]), kernel::less(place, end_[0])}),
                   std::move(out));
  }

  BarrierPlanner barriers_;
};

}  // namespace

kernel::Module lower_planes(const analysis::TimeTiles& tiles, const Schedule& schedule,
                            const PlanesPlan& plan) {
  const ir::Program& program = tiles.program();
  return lower_tile_sizes(
      program, schedule, "planes", plan.alike, [&](const KernelOfSteps& kernel) {
        const bool deepest = kernel.steps == plan.steps;
        PlanesKernel(program, schedule, kernel,
                     deepest ? plan : plan_planes(tiles, schedule, kernel.steps))
            .lower(kernel.module);
      });
}

}  // namespace stencil::schedule
