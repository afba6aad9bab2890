// plan.h says what the kernels keep and when.
//
// One kernel serves tiles of one number of steps. A block owns a tile of the inner dimensions and a
// chunk of planes of the outermost; in 2-D each row of threads has a tile of its own. Per iteration
// of the loop over planes:
//
//   load the front plane of every field that is read          registers, ahead of its use
//   for every stage: fetch what it reads beyond the patch     shuffles, published rows
//                    compute its plane, publish rows, write the plane if it is a result
//   barrier (if rows are shared or copied in bulk), move the queues on
//
// Everything a thread touches has its place in the tile, also beyond the grid: values there are
// computed like any other and read by nobody. The first tile of a dimension therefore starts at the
// grid's edge, without a margin. Where a periodic field is read across its edge, places beyond the
// grid are images of the points on the far side instead, loaded from there and computed at those
// coordinates; then every tile has its margins, and the front begins and ends beyond the grid.
//
// The body is written once and has up to three versions, which the variable `tests` tells apart
// when the kernel is compiled. Where the whole tile lies inside (one piece of every function
// applies everywhere, no boundary rule is met, loads stay in their arrays) nothing is tested per
// point; elsewhere, pieces are selected by the point's coordinates; and in a tile of fewer steps
// than the kernel has, by the step, too. Which one runs is decided per iteration, for a block as a
// whole.
#include "compiler/schedule/streaming/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/kernel/sequence.h"
#include "compiler/schedule/parts/levels.h"
#include "compiler/schedule/streaming/landing_offsets.h"
#include "compiler/schedule/streaming/queues.h"

namespace stencil::schedule {

namespace {

class StreamKernel : public StreamQueues {
 public:
  using StreamQueues::StreamQueues;

  void lower(kernel::Module& module) {
    kernel::Kernel& kernel = builder_.kernel();
    kernel.threads = {schedule_.block[0], schedule_.block[1], 1};
    kernel.min_blocks = resident_blocks(schedule_, plan_);
    take_names();
    Expr blocks = cut(module);
    declare_queues();
    Body patch = declare_patch();
    append(patch, make_masks());
    body_.push_back(threads(std::move(patch)));
    const Expr iterations =
        let(body_, "iterations",
            plus(kernel::sub(kernel::add(last_plane_, literal(plan_.tail)), front_begin_), 1));
    append(body_, stage_first(whole_groups(iterations)));
    loop_over_planes(iterations);
    kernel.body = std::move(body_);
    builder_.finish(std::move(blocks), module);
    if (leaves_out_steps()) return;
    std::get<kernel::Launch>(module.plan.actions.back()).steps = plan_.steps;
  }

 private:
  // To a multiple of `unroll`.
  Expr rounded_down(const Expr& n) const {
    if (plan_.unroll == 1) return n;
    return kernel::mul(kernel::operation(Op::Div, {n, literal(plan_.unroll)}),
                       literal(plan_.unroll));
  }
  // The loop takes whole groups of planes.
  Expr whole_groups(const Expr& n) const { return rounded_down(plus(n, plan_.unroll - 1)); }

  // What versions of the body test: places, and in tiles of fewer steps which ones are done, too.
  enum { kNone, kPlaces, kSteps };

  // Iterations 0 .. begin-1 and end .. last are tested, those between are not: two passes, in which
  // versions have some planes each.
  void loop_over_planes(const Expr& iterations) {
    const auto planes = [&](Expr begin, Expr end) -> kernel::Statement {
      return {kernel::For{kernel::LoopKind::Serial, iteration_, std::move(begin), std::move(end),
                          plan_.unroll, counted(unrolled_, plan_.unroll, one_plane())}};
    };
    if (is_false(inside_tile_)) {  // one version for all
      body_.push_back(planes(literal(0), iterations));
      return;
    }
    const Interval fronts = fronts_inside();
    const Expr all = whole_groups(iterations);
    Expr begin = larger(whole_groups(kernel::sub(fronts.low, front_begin_)), literal(0));
    begin = let(body_, "inside_begin", select(inside_tile_, smaller(begin, all), all));
    Expr end = smaller(plus(kernel::sub(fronts.high, front_begin_), 1), all);
    end = let(body_, "inside_end",
              kernel::add(begin, rounded_down(larger(kernel::sub(end, begin), literal(0)))));
    const std::string pass = builder_.names().unique("pass");
    const Expr first_pass = kernel::operation(Op::Eq, {kernel::variable(pass), literal(0)});
    const Expr tests = kernel::variable(tests_);
    inside_ = kernel::operation(Op::Eq, {tests, literal(kNone)});
    whole_ = leaves_out_steps() ? kernel::less(tests, literal(kSteps)) : kernel::boolean(true);
    Body version;
    const Expr from =
        let(version, "from", select(inside_, begin, select(first_pass, literal(0), end)));
    Expr to = select(first_pass, begin, select(inside_, end, iterations));
    if (leaves_out_steps()) {
      const Expr other =
          select(kernel::less(literal(0), left_out()), literal(kPlaces), literal(kSteps));
      to = select(kernel::operation(Op::Eq, {tests, other}), from, to);
    }
    to = let(version, "to", to);
    version.push_back(planes(from, to));
    inside_ = whole_ = kernel::boolean(false);
    Body all_versions;
    all_versions.push_back(
        {kernel::For{kernel::LoopKind::Steps, tests_, literal(kNone),
                     literal(leaves_out_steps() ? kSteps + 1 : kSteps), 1, std::move(version)}});
    body_.push_back({kernel::For{kernel::LoopKind::Serial, pass, literal(0), literal(2), 1,
                                 std::move(all_versions)}});
  }

  Body one_plane() {
    Body out;
    out.push_back({kernel::Let{front_, kernel::add(front_begin_, passed())}});
    fetched_.clear();
    append(out, load_front());
    bool shared_rows = false;
    for (size_t id = 0; id < plan_.quantities.size(); ++id) {
      const Quantity& q = plan_.quantities[id];
      shared_rows |= q.shared_rows;
      if (q.loaded()) publish(static_cast<int>(id), out);
    }
    std::vector<Body> steps(static_cast<size_t>(plan_.steps));
    for (const StreamStage& stage : plan_.stages)
      append(steps[static_cast<size_t>(stage.step)], run(stage));
    append(out, kernel::sequence(step_, std::move(steps), [&](size_t first, size_t last) {
             return steps_title(first, last, plan_.steps);
           }));
    // Behind the loop over steps, which compilers would double for a condition that stays the same
    // in it.
    append(out, write_results());
    // Behind it, copies may overwrite what was read before.
    if (shared_rows || plan_.bulk) out.push_back({kernel::Barrier{}});
    out.push_back(threads(move_queues()));
    return out;
  }

  Body run(const StreamStage& stage) {
    Body out;
    const std::string target = field_of(quantity(stage.results[0])).name;
    if (plan_.stages.size() > static_cast<size_t>(plan_.steps)) {
      out.push_back({kernel::Comment{(stage.everywhere ? "a sum for " : "") + target}});
    }
    for (const auto& [id, age] : stage.planes) append(out, fetch(id, age));
    out.push_back(threads(compute(stage)));
    for (int id : stage.results) publish(id, out);
    return out;
  }

  // The coordinate that a place is computed at; inside the grid its own.
  Expr point_at(int d, const Expr& place) const { return unless_inside(image(d, place), place); }

  Body compute(const StreamStage& stage) {
    const bool only = main_piece(stage) == 0 && stage.pieces.size() == 1;
    if (only || applies_everywhere(stage) || is_false(inside_)) return compute_plane(stage);
    const Expr is_inside = std::exchange(inside_, kernel::boolean(true));
    Body inside = compute_plane(stage);
    inside_ = kernel::boolean(false);
    Body tested = compute_plane(stage);
    inside_ = is_inside;
    return guarded(inside_, std::move(inside), std::move(tested));
  }

  Body compute_plane(const StreamStage& stage) {
    Body body;
    const std::string& plane = point_names_[0];
    body.push_back({kernel::Let{plane, point_at(0, plus(kernel::variable(front_), -stage.lag))}});
    Point point = {kernel::variable(plane)};
    mask_lets(stage, point[0], body);
    Body inner;
    for (int axis = rank() - 2; axis >= 0; --axis) {
      const std::string& name = point_names_[static_cast<size_t>(rank() - 1 - axis)];
      const Expr place = kernel::add(first(axis), axis == 0 ? column() : row());
      inner.push_back({kernel::Let{name, point_at(rank() - 1 - axis, place)}});
      point.push_back(kernel::variable(name));
    }
    append(inner, at_point(stage, point));
    append(body, for_each_point(std::move(inner)));
    return body;
  }

  std::vector<Expr> evaluate_piece(const StreamStage& stage, const StagePiece& piece,
                                   const Point& point, Body& body) {
    const ReadAccess read = [&](const ir::Access& access, Landings& landings) {
      return this->read(stage, access, point, landings);
    };
    builder_.scope().at_step(stage.step);
    const Expr time = time_of(literal(stage.step));
    auto values = evaluate(interface_, *piece.graph, piece.results, point, time, read,
                           builder_.scope(), taken_, body);
    builder_.scope().set_apart(taken_);
    return values;
  }

  Expr old_value(const StreamStage& stage, size_t component) const {
    const int id = stage.old[component];
    const Quantity& q = quantity(id);
    const int age = stage.lag - q.lag;
    return kernel::load(queues_[static_cast<size_t>(id)].registers,
                        place(id, literal(age), row(), column()), q.type);
  }

  Body store(const StreamStage& stage, const std::vector<Expr>& values) const {
    Body out;
    for (size_t c = 0; c < values.size(); ++c) {
      const int id = stage.results[c];
      out.push_back({kernel::Store{queues_[static_cast<size_t>(id)].registers,
                                   place(id, literal(0), row(), column()), values[c]}});
    }
    return out;
  }

  std::vector<Expr> old_values(const StreamStage& stage, const Point& point) {
    std::vector<Expr> out;
    for (size_t c = 0; c < stage.results.size(); ++c) {
      out.push_back(stage.old_in_memory ? value_in_memory(stage, c, point) : old_value(stage, c));
    }
    return out;
  }

  Expr value_in_memory(const StreamStage& stage, size_t component, const Point& point) {
    const Quantity& q = quantity(stage.results[component]);
    Point nearest_point;
    for (size_t d = 0; d < point.size(); ++d) {
      nearest_point.push_back(unless_inside(nearest(point[d], q, d, 1), point[d]));
    }
    return kernel::load(builder_.global(q.field, q.component, 0, false),
                        interface_.index(nearest_point, q.field, q.component), q.type);
  }

  bool applies_everywhere(const StreamStage& stage) const {
    return stage.everywhere || covers_all_places(program_, plan_, stage);
  }

  Body at_point(const StreamStage& stage, const Point& point) {
    taken_ = builder_.names();
    if (applies_everywhere(stage)) return main_piece_at_point(stage, 0, point);
    return is_true(inside_) ? main_piece_at_point(stage, main_piece(stage), point)
                            : tested_at_point(stage, point);
  }

  // Without a main piece, all points keep their values.
  Body main_piece_at_point(const StreamStage& stage, int main, const Point& point) {
    if (main < 0) return store(stage, old_values(stage, point));
    Body body;
    const auto values = evaluate_piece(stage, stage.pieces[static_cast<size_t>(main)], point, body);
    append(body, store(stage, values));
    return body;
  }

  Body tested_at_point(const StreamStage& stage, const Point& point) {
    const bool storage_type = std::any_of(stage.results.begin(), stage.results.end(), [&](int id) {
      return arithmetic_type(quantity(id).type) != quantity(id).type;
    });
    if (storage_type || stage.pieces.size() > 2) return branch_over_pieces(stage, point);
    // Selecting is cheaper than branching: the stages stay one basic block.
    Body body;
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
    builder_.scope().set_apart(taken_);
    append(body, store(stage, values));
    return body;
  }

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

  // `at` is the coordinate of a point: images are points of the grid, other places may lie beyond
  // it.
  void append_covered(const Expr& at, const ir::Box& region, int d, std::vector<Expr>& to) const {
    const size_t i = static_cast<size_t>(d);
    if (images(d) && region.ranges[i] == program_.grid.ranges[i]) return;
    append_inside(at, region, d, to);
  }

  Body make_masks() {
    Body all;
    for (const StreamStage& stage : plan_.stages) {
      for (const StagePiece& piece : stage.pieces) {
        if (applies_everywhere(stage) || !masked()) continue;
        std::vector<Expr> conditions;
        for (int axis = rank() - 2; axis >= 0; --axis) {
          const int d = rank() - 1 - axis;
          const Expr place = kernel::add(first(axis), axis == 0 ? column() : row());
          append_covered(image(d, place), piece.region, d, conditions);
        }
        append(all, make_mask(cross_section(piece.region), "covered",
                              "points of the patch where a function applies", plan_.patch[0],
                              kernel::all_of(std::move(conditions))));
      }
      for (int id : stage.results) {
        const Quantity& q = quantity(id);
        if (!q.is_output() || !writes_by_mask(q)) continue;
        append(all, make_mask(writers_key(q), "written", "vectors of the patch that are results",
                              vectors(q), is_written(q)));
      }
    }
    return all;
  }

  // A bit for each of `columns` parts of the patch's rows, of which the condition is asked.
  Body make_mask(const std::string& key, const std::string& name, const std::string& comment,
                 int columns, const Expr& condition) {
    const auto [entry, fresh] = masks_.try_emplace(key, -1);
    if (!fresh) return {};
    entry->second = builder_.local(kernel::Space::Thread, name, Scalar::I32, {}, comment);
    builder_.kernel().buffers[static_cast<size_t>(entry->second)].zeroed = true;
    const Expr mask = kernel::load(entry->second, {}, Scalar::I32);
    const Expr bit = kernel::operation(
        Op::Shl, {select(condition, literal(1), literal(0)), bit_number(columns)});
    Body set;
    set.push_back({kernel::Store{entry->second, {}, kernel::operation(Op::BitOr, {mask, bit})}});
    return counted(row_, plan_.patch[1], counted(column_, columns, std::move(set)));
  }

  Expr bit_number(int columns) const {
    return kernel::add(kernel::mul(row(), literal(columns)), counter(column_, columns));
  }
  Expr is_set(const Expr& mask, int columns) const {
    const Expr bit = kernel::operation(Op::Shr, {mask, bit_number(columns)});
    return kernel::operation(Op::Ne,
                             {kernel::operation(Op::BitAnd, {bit, literal(1)}), literal(0)});
  }

  // The mask of a region for the plane of a stage: nothing where the plane misses the region.
  void mask_lets(const StreamStage& stage, const Expr& plane, Body& body) {
    live_.clear();
    if (applies_everywhere(stage) || is_true(inside_) || !masked()) return;
    for (const StagePiece& piece : stage.pieces) {
      std::vector<Expr> planes;
      append_covered(plane, piece.region, 0, planes);
      const BufferId mask = masks_.at(cross_section(piece.region));
      const Expr live = select(kernel::all_of(std::move(planes)),
                               kernel::load(mask, {}, Scalar::I32), literal(0));
      live_.push_back(let(body, "live", where_done(live, stage.step)));
    }
  }

  // A mask, or no bits of it in a step that is left out. Not by a condition: one per step, all the
  // same in every plane, is kept in more registers than there are for conditions.
  Expr where_done(const Expr& mask, int step) const {
    if (!leaves_out_steps()) return mask;
    const Expr sign = kernel::operation(Op::Shr, {plus(left_out(), -step - 1), literal(31)});
    return select(whole_, mask, kernel::operation(Op::BitAnd, {mask, sign}));
  }

  Expr covers(const StreamStage& stage, size_t piece, const Point& point) const {
    if (live_.empty()) {
      return unless_inside(kernel::operation(
          Op::And, {is_done(stage.step), interface_.inside(point, stage.pieces[piece].region)}));
    }
    return unless_inside(is_set(live_[piece], plan_.patch[0]));
  }

  Body branch_over_pieces(const StreamStage& stage, const Point& point) {
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

  // What an access reads, the boundary rules of its field included.
  Expr read(const StreamStage& stage, const ir::Access& access, const Point& point,
            Landings& landings) const {
    const Expr plain = cell(stage, access, access.offsets);
    if (access.escapes == 0 || stage.everywhere) return plain;
    // The landing is compared with each place but one.
    const ir::Field& field = program_.fields[static_cast<size_t>(access.field)];
    const bool often = landing_count(field, access) > 3;
    const Landing landing = landings.land(access, often);
    const Expr value = landed(stage, access, access.offsets, 0, point, landing.point);
    return unless_inside(apply_boundary(landing, value), plain);
  }

  // The cell at `offsets`, once the rules of dimension d and of those after it are applied.
  Expr landed(const StreamStage& stage, const ir::Access& access, const std::vector<int>& offsets,
              size_t d, const Point& point, const Point& landing) const {
    if (d == offsets.size()) return cell(stage, access, offsets);
    const ir::Field& field = program_.fields[static_cast<size_t>(access.field)];
    if (ir::meets(field, access, d, ir::BoundaryKind::Mirror)) {
      return mirrored(stage, access, offsets, d, point, landing);
    }
    if (ir::meets(field, access, d, ir::BoundaryKind::Clamp)) {
      return clamped(stage, access, offsets, d, point, landing);
    }
    // Periodic: the cell is an image. A constant replaces the cell's value.
    return landed(stage, access, offsets, d + 1, point, landing);
  }

  // A mirrored access reads at one of few offsets: whichever is that of the point it lands on.
  Expr mirrored(const StreamStage& stage, const ir::Access& access, std::vector<int> offsets,
                size_t d, const Point& point, const Point& landing) const {
    Expr value = landed(stage, access, offsets, d + 1, point, landing);
    const ir::Field& field = program_.fields[static_cast<size_t>(access.field)];
    for (int at : landing_offsets(field, access, d)) {
      if (at == access.offsets[d]) continue;
      offsets[d] = at;
      const Expr there = kernel::operation(Op::Eq, {landing[d], plus(point[d], at)});
      value = select(there, landed(stage, access, offsets, d + 1, point, landing), value);
    }
    return value;
  }

  // A clamped access reads at the offset nearest to its own that is still in the field: further up
  // if its own is below the field, further down if it is above.
  Expr clamped(const StreamStage& stage, const ir::Access& access, std::vector<int> offsets,
               size_t d, const Point& point, const Point& landing) const {
    const ir::Field& field = program_.fields[static_cast<size_t>(access.field)];
    const analysis::Reach reach = analysis::reach_of(field, access, d);
    const int dimension = static_cast<int>(d);
    const auto at = [&](int64_t offset) {
      offsets[d] = static_cast<int>(offset);
      return landed(stage, access, offsets, d + 1, point, landing);
    };
    const int own = access.offsets[d];
    Expr value = at(own);
    if (-reach.low < own) {
      const Expr high = interface_.high(field.box, dimension);
      Expr down = at(-reach.low);
      for (int64_t k = 1 - reach.low; k < own; ++k) {
        down = select(kernel::less_equal(plus(point[d], k), high), at(k), down);
      }
      value = select(kernel::less_equal(plus(point[d], own), high), value, down);
    }
    if (own < reach.high) {
      const Expr low = interface_.low(field.box, dimension);
      Expr up = at(reach.high);
      for (int64_t k = reach.high - 1; k > own; --k) {
        up = select(at_least(plus(point[d], k), low), at(k), up);
      }
      value = select(at_least(plus(point[d], own), low), value, up);
    }
    return value;
  }

  Expr cell(const StreamStage& stage, const ir::Access& access,
            const std::vector<int>& offsets) const {
    const int id = stage.source.at({access.field, access.level, access.component});
    const Quantity& q = quantity(id);
    const int age = stage.lag - offsets.front() - q.lag;
    const int row_offset = flat() ? 0 : offsets[1];
    return kernel::load(
        queues_[static_cast<size_t>(id)].registers,
        place(id, literal(age), plus(row(), row_offset), plus(column(), offsets.back())),
        arithmetic_type(q.type));
  }

  // Results leave a patch by vectors, so many in a row.
  int vectors(const Quantity& q) const { return plan_.patch[0] / global_vector_length(q); }
  // Rows share the test of the columns, for which a mask would be one more register in a loop.
  bool writes_by_mask(const Quantity& q) const {
    return !flat() && plan_.patch[1] * vectors(q) <= 32;
  }
  std::string writers_key(const Quantity& q) {
    const Expr is_inside = std::exchange(inside_, kernel::boolean(false));
    const std::string condition = kernel::print(is_written(q));
    inside_ = is_inside;
    return fmt::format("{} {}", vectors(q), condition);
  }

  // The first element of a vector, from that of the patch on.
  Expr element(const Quantity& q) const {
    return kernel::mul(counter(column_, vectors(q)), literal(global_vector_length(q)));
  }

  // The tile writes the vector, as far as that depends on its place in the tile: it belongs to the
  // core, and at least some of its points to the field.
  Expr is_written(const Quantity& q) const {
    const ir::Box& box = field_of(q).box;
    const Expr x = kernel::add(first(0), element(q));
    std::vector<Expr> conditions;
    if (!core_by_patch()) conditions = core_conditions(0, x);
    conditions.push_back(in_box(
        rank() - 1, box, x, interface_.first_vector(q.field, q.component, global_vector_length(q)),
        !core_by_patch() || vectors(q) == 1));
    if (!flat()) {
      const Expr y = kernel::add(first(1), row());
      for (const Expr& condition : core_conditions(1, y)) conditions.push_back(condition);
      conditions.push_back(in_box(1, box, y, interface_.low(box, 1), true));
    }
    return kernel::all_of(std::move(conditions));
  }

  // Whether columns belong to the core is decided once for the patch; else for every vector.
  bool core_by_patch() const {
    const analysis::Reach margin = plan_.margin[0];
    return flat() && margin.low % plan_.patch[0] == 0 && margin.high % plan_.patch[0] == 0;
  }

  // `at` lies in the box, whose first place is `low`, as far as core_conditions() leave it open:
  // cores lie in the grid. `core_ends`: they were asked of `at` itself.
  Expr in_box(int d, const ir::Box& box, const Expr& at, const Expr& low, bool core_ends) const {
    const size_t i = static_cast<size_t>(d);
    const ir::Range& grid = program_.grid.ranges[i];
    core_ends &= plan_.margin[static_cast<size_t>(rank() - 1 - d)].high > 0;
    std::vector<Expr> out;
    if (images(d) || !(box.ranges[i].low == grid.low)) out.push_back(at_least(at, low));
    if (images(d) || !(box.ranges[i].high == grid.high) || !core_ends) {
      out.push_back(kernel::less_equal(at, interface_.high(box, d)));
    }
    return unless_inside(kernel::all_of(std::move(out)));
  }

  // The results whose planes are ready. Those written at the same planes and places share a test.
  Body write_results() {
    std::vector<std::vector<int>> alike;
    for (const StreamStage& stage : plan_.stages) {
      for (int id : stage.results) {
        if (!quantity(id).is_output()) continue;
        const auto group = std::find_if(alike.begin(), alike.end(), [&](const auto& ids) {
          return quantity(ids[0]).lag == quantity(id).lag &&
                 field_of(quantity(ids[0])).box == field_of(quantity(id)).box &&
                 writers_key(quantity(ids[0])) == writers_key(quantity(id));
        });
        if (group == alike.end()) {
          alike.push_back({id});
        } else {
          group->push_back(id);
        }
      }
    }
    Body out;
    for (const std::vector<int>& ids : alike) out.push_back(threads(write_planes(ids)));
    return out;
  }

  kernel::Statement write_vector(int id) {
    const Quantity& q = quantity(id);
    const ir::Field& field = field_of(q);
    Point point = {plus(kernel::variable(front_), -q.lag)};
    if (!flat()) point.push_back(kernel::add(first(1), row()));
    point.push_back(kernel::add(first(0), element(q)));
    const int slot = result_slot(field, schedule_.time_tile, plan_.steps, q.output);
    return {kernel::Copy{builder_.global(q.field, q.component, slot, true),
                         interface_.index(point, q.field, q.component),
                         queues_[static_cast<size_t>(id)].registers,
                         place(id, literal(0), row(), element(q)), global_vector_length(q)}};
  }

  Body write_planes(const std::vector<int>& ids) {
    const Quantity& q = quantity(ids[0]);
    const ir::Box& box = field_of(q).box;
    const Expr plane = plus(kernel::variable(front_), -q.lag);
    std::vector<Expr> conditions = {at_least(plane, first_plane_),
                                    kernel::less_equal(plane, last_plane_)};
    if (!(box.ranges[0] == program_.grid.ranges[0])) append_inside(plane, box, 0, conditions);
    if (core_by_patch()) conditions.push_back(kernel::all_of(core_conditions(0, first(0))));
    Expr written = is_written(q);
    if (writes_by_mask(q)) {
      const Expr mask = kernel::load(masks_.at(writers_key(q)), {}, Scalar::I32);
      written = is_set(mask, vectors(q));
    }
    Body moves;
    for (int id : ids) moves.push_back(write_vector(id));
    Body rows = counted(row_, plan_.patch[1],
                        counted(column_, vectors(q), guarded(written, std::move(moves))));
    return guarded(kernel::all_of(std::move(conditions)), std::move(rows));
  }

  std::map<std::string, BufferId> masks_;  // by cross section of the region, or writers_key()
  std::vector<Expr> live_;                 // per piece of the stage being written
  Names taken_;
};

}  // namespace

kernel::Module lower_streaming(const analysis::TimeTiles& tiles, const Schedule& schedule,
                               const StreamPlan& plan) {
  const ir::Program& program = tiles.program();
  const bool one = may_leave_out_steps(program, plan);
  return lower_tile_sizes(program, schedule, "stream", one, [&](const KernelOfSteps& kernel) {
    const bool deepest = kernel.steps == plan.steps;
    StreamKernel(program, schedule, kernel,
                 deepest ? plan : plan_stream(tiles, schedule, kernel.steps, plan.machine))
        .lower(kernel.module);
  });
}

}  // namespace stencil::schedule
