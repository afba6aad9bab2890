// The kernels of the `planes` family (planes.h says what they keep and when).
//
// One kernel serves tiles of one number of steps. A block owns a tile of the inner dimensions, a
// thread per place, and a chunk of planes of the outermost one:
//
//   for every front plane of the chunk, with those before and after it that stages need
//     for every stage: compute its plane into its ring, or, if nobody reads it again, to memory
//                      write the plane to memory if it is a result that is read, too
//
// with barriers before stages that read what other threads have made, and after the last one.
//
// Threads are loops on a processor, so what the innermost ones do should be the same for all
// points. With edges=split a stage therefore has several sections: one for the points whose
// accesses all stay inside, without any rule; those around it with boundary rules; and those around
// a function's region, which only carry values over. Each is a box cut by comparisons that become
// bounds of loops (compiler/emit/loop_nest.h). With edges=tested there is one section, which tests
// each point.
#include "compiler/schedule/planes.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/rewrite.h"
#include "compiler/kernel/sequence.h"
#include "compiler/schedule/barrier_planner.h"
#include "compiler/schedule/builder.h"
#include "compiler/schedule/levels.h"
#include "compiler/schedule/planes_bounds.h"
#include "compiler/schedule/statements.h"

namespace stencil::schedule {

namespace {

using analysis::Reach;
using kernel::Body;
using kernel::BufferId;
using kernel::Expr;

Expr modulo(const Expr& a, const Expr& b) {
  return kernel::operation(Op::Mod, {a, b});
}

class PlanesKernel {
 public:
  PlanesKernel(const ir::Program& program, const Schedule& schedule, const KernelOfSteps& kernel)
      : program_(program),
        schedule_(schedule),
        interface_(kernel.interface),
        plan_(plan_planes(program, schedule, kernel.steps)),
        builder_(interface_, kernel.module, kernel.name,
                 fmt::format("{} step{} per pass: planes of a tile pass along {}, every step some "
                             "planes behind the one before.",
                             kernel.steps, kernel.steps == 1 ? "" : "s",
                             axis_names(interface_.rank())[0])) {}

  void lower(kernel::Module& module) {
    builder_.kernel().threads = schedule_.block;
    take_names();
    Body body;
    Expr blocks = cut(module, body);
    declare_rings(module);
    body.push_back(pass());
    builder_.kernel().body = std::move(body);
    builder_.finish(std::move(blocks), module);
    std::get<kernel::Launch>(module.plan.actions.back()).steps = plan_.steps;
  }

 private:
  size_t rank() const { return static_cast<size_t>(interface_.rank()); }
  bool images(size_t d) const { return plan_.images[d]; }
  Expr low(size_t d) const { return interface_.low(program_.grid, static_cast<int>(d)); }
  Expr high(size_t d) const { return interface_.high(program_.grid, static_cast<int>(d)); }
  const PlanesVersion& version(int id) const { return plan_.versions[static_cast<size_t>(id)]; }
  const ir::Field& field_of(const PlanesVersion& v) const {
    return program_.fields[static_cast<size_t>(v.field)];
  }
  const ir::Function& function_of(const PlanesStage& stage) const {
    return program_.functions[stage.function];
  }
  int64_t lag_of(const PlanesVersion& made) const {
    return plan_.stages[static_cast<size_t>(made.stage)].lag;
  }

  Expr let(Body& body, const std::string& wanted, const Expr& value) {
    const bool plain = std::holds_alternative<kernel::IntegerLiteral>(value->kind) ||
                       std::holds_alternative<kernel::Variable>(value->kind);
    if (plain) return value;
    const std::string name = builder_.names().unique(wanted);
    body.push_back({kernel::Let{name, value}});
    return kernel::variable(name, value->type);
  }
  Expr constant(kernel::Module& module, const std::string& wanted, int64_t value,
                const std::string& why) {
    return builder_.constant(
        module,
        plan_.steps == schedule_.time_tile ? wanted : fmt::format("{}_{}", wanted, plan_.steps),
        value, why);
  }

  void take_names() {
    Names& names = builder_.names();
    axes_ = axis_names(interface_.rank());
    for (size_t d = 0; d < rank(); ++d) {
      points_.push_back(names.unique(axes_[d]));
      places_.push_back(images(d) ? names.unique("place_" + axes_[d]) : points_.back());
    }
    iteration_ = names.unique("n");
    step_ = names.unique("step");
    builder_.scope().over_steps(step_, plan_.steps, builder_.kernel(), time_of);
    front_ = names.unique("front");
  }

  // --- Tiles and chunks ---

  // Numbers them; afterwards origin_, begin_ and end_ say where a block is. Returns the number of
  // blocks.
  Expr cut(kernel::Module& module, Body& body) {
    Expr blocks = kernel::integer(1, Scalar::I64);
    Expr rest = kernel::convert(kernel::variable("block", Scalar::I64), Scalar::I32);
    origin_.resize(rank());
    begin_.resize(rank());
    end_.resize(rank());
    for (size_t d = rank(); d-- > 1;) {
      const Reach margin = plan_.margin[d];
      const Expr core = constant(
          module, "core_" + axes_[d], plan_.core(static_cast<int>(d)),
          fmt::format("points of a tile in {}: {} places, less {} + {} that are recomputed",
                      axes_[d], plan_.cover[d], margin.low, margin.high));
      const int dimension = static_cast<int>(d);
      const Expr count = tiles_along(interface_, dimension, {plan_.core(dimension), core},
                                     plan_.spared(dimension));
      blocks = kernel::mul(blocks, kernel::convert(count, Scalar::I64));
      const Expr tiles = let(body, "tiles_" + axes_[d], count);
      const Expr number = let(body, "number_" + axes_[d], modulo(rest, tiles));
      rest = kernel::operation(Op::Div, {rest, tiles});
      place_tile(d, number, core, tiles, body);
    }
    const Expr chunk = constant(module, "chunk", plan_.chunk,
                                fmt::format("planes in {} that a block writes", axes_[0]));
    const Expr chunks = tiles_along(interface_, 0, {plan_.chunk, chunk}, 0);
    blocks = kernel::mul(blocks, kernel::convert(chunks, Scalar::I64));
    begin_[0] = let(body, "begin_" + axes_[0], kernel::add(low(0), kernel::mul(rest, chunk)));
    end_[0] = let(body, "end_" + axes_[0],
                  kernel::operation(Op::Min, {kernel::add(begin_[0], chunk), plus(high(0), 1)}));
    return blocks;
  }

  void place_tile(size_t d, const Expr& number, const Expr& core, const Expr& tiles, Body& body) {
    const Reach margin = plan_.margin[d];
    Expr origin = kernel::add(low(d), kernel::mul(number, core));
    if (images(d)) origin = plus(origin, -margin.low);
    origin_[d] = let(body, "origin_" + axes_[d], origin);
    begin_[d] = plus(origin_[d], margin.low);
    end_[d] = kernel::add(begin_[d], core);
    if (images(d)) {
      end_[d] = kernel::operation(Op::Min, {end_[d], plus(high(d), 1)});
    } else {
      const Expr is_first = kernel::operation(Op::Eq, {number, literal(0)});
      const Expr is_last = kernel::operation(Op::Eq, {plus(number, 1), tiles});
      begin_[d] = kernel::operation(Op::Select, {is_first, origin_[d], begin_[d]});
      end_[d] = kernel::operation(Op::Select, {is_last, plus(high(d), 1), end_[d]});
    }
    begin_[d] = let(body, "begin_" + axes_[d], begin_[d]);
    end_[d] = let(body, "end_" + axes_[d], end_[d]);
  }

  void declare_rings(kernel::Module& module) {
    std::vector<Expr> lengths;
    for (size_t d = 1; d < rank(); ++d) {
      lengths.push_back(
          constant(module, "tile_" + axes_[d], plan_.cover[d], "places of a tile in " + axes_[d]));
    }
    // Versions of a field that keep as many planes are one array.
    std::map<std::pair<ir::FieldId, int64_t>, std::vector<size_t>> alike;
    for (size_t id = 0; id < plan_.versions.size(); ++id) {
      const PlanesVersion& v = plan_.versions[id];
      if (v.ring > 0) alike[{v.field, v.ring}].push_back(id);
    }
    rings_.resize(plan_.versions.size());
    for (const auto& [key, versions] : alike) {
      const auto [field_id, planes] = key;
      const ir::Field& field = program_.fields[static_cast<size_t>(field_id)];
      std::vector<Expr> extents = {literal(planes)};
      extents.insert(extents.end(), lengths.begin(), lengths.end());
      if (versions.size() > 1) {
        extents.insert(extents.begin(), literal(static_cast<int64_t>(versions.size())));
      }
      for (size_t i = 0; i < versions.size() && versions.size() > 1; ++i) {
        rings_[versions[i]].version = {literal(static_cast<int64_t>(i))};
      }
      for (size_t c = 0; c < field.components.size(); ++c) {
        const auto kept = [&](size_t id) {
          return is_kept(static_cast<int>(id), static_cast<int>(c));
        };
        if (std::none_of(versions.begin(), versions.end(), kept)) {
          for (size_t id : versions) rings_[id].components.push_back(-1);
          continue;
        }
        const std::string name = interface_.array_name(field_id, static_cast<int>(c));
        const BufferId buffer =
            builder_.local(kernel::Space::Shared, name + "_planes", field.components[c].type,
                           extents, fmt::format("planes of {} after a step", name));
        for (size_t id : versions) rings_[id].components.push_back(buffer);
      }
    }
  }

  // Some stage reads the component of a version that has a ring, or it is written to memory.
  bool is_kept(int id, int component) const {
    if (version(id).output >= 0) return true;
    return std::any_of(plan_.stages.begin(), plan_.stages.end(), [&](const PlanesStage& stage) {
      if (stage.carries && stage.old == id) return true;
      const ir::Function& function = function_of(stage);
      return std::any_of(
          function.pieces.begin(), function.pieces.end(), [&](const ir::Piece& piece) {
            const std::vector<bool> needed = ir::reachable(piece.graph, piece.results);
            for (ir::NodeId n = 0; n < piece.graph.size(); ++n) {
              const auto* access = std::get_if<ir::Access>(&piece.graph[n].kind);
              if (!access || !needed[static_cast<size_t>(n)] || access->component != component)
                continue;
              const auto source = stage.source.find({access->field, access->level});
              if (source != stage.source.end() && source->second == id) return true;
            }
            return false;
          });
    });
  }

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
    std::vector<Body> steps(static_cast<size_t>(plan_.steps));
    for (const PlanesStage& stage : plan_.stages) {
      append(steps[static_cast<size_t>(stage.step)], run_stage(stage));
    }
    append(body, kernel::sequence(step_, std::move(steps), [&](size_t first, size_t last) {
             return steps_title(first, last, plan_.steps);
           }));
    // The next planes take the places of the oldest ones.
    const auto keeps = [](const Ring& ring) { return !ring.components.empty(); };
    if (std::any_of(rings_.begin(), rings_.end(), keeps)) barriers_.force(body);
    const Expr iterations = plus(kernel::sub(end_[0], begin_[0]), last - first);
    return {kernel::For{kernel::LoopKind::Serial, iteration_, literal(0), iterations, 1,
                        std::move(body)}};
  }

  Body run_stage(const PlanesStage& stage) {
    const PlanesVersion& made = version(stage.result);
    Body out;
    out.push_back({kernel::Comment{function_of(stage).name}});
    Body body = plane_lets(stage);
    order(stage, body);
    Body sections;
    if (schedule_.edges == Edges::Tested) {
      sections.push_back(tested_section(stage));
    } else {
      sections = split_sections(stage);
    }
    append(body, guarded(has_plane(stage), std::move(sections)));
    if (made.ring > 0 && made.output >= 0) append(body, write_section(stage));
    out.push_back({kernel::Scope{std::move(body)}});
    return out;
  }

  // A barrier before the stage if it reads at offsets what others have made since the last one.
  void order(const PlanesStage& stage, Body& body) {
    BarrierPlanner::Tiles offset_reads, writes;
    for (const analysis::Reads& reads : analysis::reads_of(program_, function_of(stage))) {
      const int from = stage.source.at({reads.field, reads.level});
      if (reads.at_offset && version(from).ring > 0) offset_reads.insert({from, 0});
    }
    if (version(stage.result).ring > 0) writes.insert({stage.result, 0});
    barriers_.before(offset_reads, writes, body);
  }

  Body plane_lets(const PlanesStage& stage) const {
    Body out;
    out.push_back({kernel::Let{places_[0], plus(kernel::variable(front_), -stage.lag)}});
    if (images(0)) out.push_back({kernel::Let{points_[0], image(0)}});
    return out;
  }

  // What a stage computes of its plane, or nothing if it has no such plane.
  Expr has_plane(const PlanesStage& stage) const {
    const Reach margin = stage.computed[0];
    const Expr place = kernel::variable(places_[0]);
    return kernel::all_of({at_least(place, plus(begin_[0], -margin.low)),
                           kernel::less(place, plus(end_[0], margin.high))});
  }

  // --- Points ---

  Expr image(size_t d) const {
    const Reach margin = plan_.margin[d];
    return wrap(interface_, program_.grid, static_cast<int>(d), kernel::variable(places_[d]),
                margin.low, margin.high);
  }
  Expr local(size_t d) const {  // place in the tile
    if (plan_.cover[d] == 1) return literal(0);
    return kernel::variable("thread_" + axes_[d]);
  }
  Point places() const { return variables(places_); }
  Point points() const { return variables(points_); }
  static Point variables(const std::vector<std::string>& names) {
    Point out;
    for (const std::string& name : names) out.push_back(kernel::variable(name));
    return out;
  }

  // What threads do for the points of a stage that meet the conditions. `inside`: all of them lie
  // in the grid, so that places are points.
  kernel::Statement section(const PlanesStage& stage, const Expr& where, bool inside,
                            Body body) const {
    std::vector<Expr> conditions;
    Body lets;
    for (size_t d = 1; d < rank(); ++d) {
      lets.push_back({kernel::Let{places_[d], kernel::add(origin_[d], local(d))}});
      const Expr place = kernel::variable(places_[d]);
      conditions.push_back(at_least(place, plus(begin_[d], -stage.computed[d].low)));
      conditions.push_back(kernel::less(place, plus(end_[d], stage.computed[d].high)));
    }
    for (size_t d = 1; d < rank() && !inside; ++d) {
      if (images(d)) lets.push_back({kernel::Let{points_[d], image(d)}});
    }
    conditions.push_back(where);
    append(lets, guarded(kernel::all_of(std::move(conditions)), std::move(body)));
    return {kernel::Threads{std::move(lets)}};
  }

  const ir::Box& target_box(const PlanesStage& stage) const {
    return field_of(version(stage.result)).box;
  }
  Expr exists(const ir::Box& box) const {
    return schedule::exists(interface_, points(), box, plan_.images);
  }

  kernel::Statement tested_section(const PlanesStage& stage) {
    Body chain = stage.carries ? carry(stage) : Body{};
    const ir::Function& function = function_of(stage);
    for (size_t p = function.pieces.size(); p-- > 0;) {
      const ir::Piece& piece = function.pieces[p];
      const Expr covered = interface_.inside(points(), piece.region, &target_box(stage));
      chain = guarded(covered, compute(stage, piece, false), std::move(chain));
    }
    return section(stage, exists(target_box(stage)), false, std::move(chain));
  }

  // --- Sections of their own for what needs no tests ---

  Body split_sections(const PlanesStage& stage) {
    Body out;
    const ir::Function& function = function_of(stage);
    if (stage.carries) {
      const ir::Box& region = function.pieces[main_piece(function)].region;
      for (const Expr& beside :
           around(bounds_of(interface_, region, target_box(stage)), points())) {
        const Expr where = kernel::all_of({exists(target_box(stage)), beside, missed(function)});
        out.push_back(section(stage, where, false, carry(stage)));
      }
    }
    for (const ir::Piece& piece : function.pieces) {
      const Bounds inner = bounds_without_rules(interface_, stage, piece, plan_.images);
      const Expr inside =
          kernel::all_of({within(inner, places()),
                          schedule::exists(interface_, places(), piece.region, plan_.images)});
      out.push_back(section(stage, inside, true, compute(stage, piece, true)));
      for (const Expr& beside : around(inner, places())) {
        const Expr where = kernel::all_of({exists(piece.region), beside});
        out.push_back(section(stage, where, false, compute(stage, piece, false)));
      }
    }
    return out;
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

  // --- Values ---

  static Expr time_of(const Expr& step) { return kernel::add(first_step(), step); }

  Body compute(const PlanesStage& stage, const ir::Piece& piece, bool inside) {
    Body body;
    const Point point = inside ? places() : points();
    builder_.scope().at_step(stage.step);
    const Expr time = time_of(literal(stage.step));
    const ReadAccess read = [&](const ir::Access& access, Landings& landings) {
      return this->read(stage, access, point, inside, landings);
    };
    const auto values = evaluate(interface_, piece.graph, piece.results, point, time, read,
                                 builder_.scope(), builder_.names(), body);
    append(body, store(stage, values, point));
    return body;
  }

  Body carry(const PlanesStage& stage) {
    const PlanesVersion& old = version(stage.old);
    const ir::Field& field = field_of(old);
    Body body;
    std::vector<Expr> values;
    for (size_t c = 0; c < field.components.size(); ++c) {
      const Expr value = cell(stage, stage.old, static_cast<int>(c), points());
      values.push_back(kernel::convert(value, field.components[c].type));
    }
    append(body, store(stage, values, points()));
    return body;
  }

  // To the ring, or to memory if there is none.
  Body store(const PlanesStage& stage, const std::vector<Expr>& values, const Point& point) {
    const PlanesVersion& made = version(stage.result);
    Body out;
    for (size_t c = 0; c < values.size(); ++c) {
      if (made.ring == 0) {
        builder_.store_global(made.field, static_cast<int>(c), memory_slot(made), point, values[c],
                              out);
        continue;
      }
      if (!is_kept(stage.result, static_cast<int>(c))) continue;
      out.push_back({kernel::Store{ring(stage.result, static_cast<int>(c)),
                                   ring_index(stage.result, slot(made, 0), {}), values[c]}});
    }
    return out;
  }

  int memory_slot(const PlanesVersion& made) const {
    return result_slot(field_of(made), schedule_.time_tile, plan_.steps, made.output);
  }

  // A result that is read by later stages: from its ring to memory.
  Body write_section(const PlanesStage& stage) {
    const PlanesVersion& made = version(stage.result);
    const ir::Field& field = field_of(made);
    PlanesStage core = stage;  // its points that are written
    core.computed = analysis::Margin(rank());
    Body body;
    for (size_t c = 0; c < field.components.size(); ++c) {
      const Scalar type = field.components[c].type;
      const Expr value =
          kernel::load(ring(stage.result, static_cast<int>(c)),
                       ring_index(stage.result, slot(made, 0), {}), arithmetic_type(type));
      builder_.store_global(made.field, static_cast<int>(c), memory_slot(made), places(),
                            kernel::convert(value, type), body);
    }
    Body out;
    out.push_back(section(core, schedule::exists(interface_, places(), field.box, plan_.images),
                          true, std::move(body)));
    return guarded(has_plane(core), std::move(out));
  }

  // The slot of the plane that a ring got so many iterations ago.
  Expr slot(const PlanesVersion& v, int64_t age) const {
    const Expr n = kernel::variable(iteration_);
    return modulo(age == 0 ? n : plus(n, v.ring - age), literal(v.ring));
  }

  BufferId ring(int id, int component) const {
    return rings_[static_cast<size_t>(id)].components[static_cast<size_t>(component)];
  }

  // The thread's own place unless others are given, per tiled dimension.
  std::vector<Expr> ring_index(int id, const Expr& slot, const std::vector<Expr>& at) const {
    std::vector<Expr> out = rings_[static_cast<size_t>(id)].version;
    out.push_back(slot);
    for (size_t d = 1; d < rank(); ++d) out.push_back(at.empty() ? local(d) : at[d - 1]);
    return out;
  }

  // A version of a component at the point itself.
  Expr cell(const PlanesStage& stage, int id, int component, const Point& point) {
    const PlanesVersion& v = version(id);
    const Scalar type = field_of(v).components[static_cast<size_t>(component)].type;
    if (v.in_memory()) {
      return builder_.load_global({v.field, component, v.level, std::vector<int>(rank(), 0), 0},
                                  point);
    }
    return kernel::load(ring(id, component), ring_index(id, slot(v, stage.lag - lag_of(v)), {}),
                        arithmetic_type(type));
  }

  // What an access reads, its field's boundary rules included unless no point needs them.
  Expr read(const PlanesStage& stage, const ir::Access& access, const Point& point, bool inside,
            Landings& landings) {
    const int id = stage.source.at({access.field, access.level});
    const PlanesVersion& v = version(id);
    ir::Access at = access;
    if (inside) at.escapes = 0;
    if (v.in_memory()) {
      at.level = v.level;
      return builder_.load_global(at, landings.land(at));
    }
    const Landing landing = landings.land(at);
    const Scalar stored = field_of(v).components[static_cast<size_t>(access.component)].type;
    std::vector<Expr> index;
    for (size_t d = 1; d < rank(); ++d) index.push_back(place_read(v, at, d, point, landing));
    const Expr slot = slot_read(stage, v, at, point, landing);
    return apply_boundary(landing, kernel::load(ring(id, at.component), ring_index(id, slot, index),
                                                arithmetic_type(stored)));
  }

  // Images are read like points. Where a constant counts, what is read is dropped, but it has to be
  // in the ring, which it is for the point itself.
  Expr place_read(const PlanesVersion& v, const ir::Access& access, size_t d, const Point& point,
                  const Landing& landing) const {
    const bool escapes = access.escapes_below(d) || access.escapes_above(d);
    const bool stays = access.offsets[d] == 0 && !moved(v, access, d);
    if (!escapes || stays || field_of(v).boundary[d].periodic()) {
      return plus(local(d), access.offsets[d]);
    }
    if (!images(d)) return kernel::sub(landing.point[d], origin_[d]);
    return kernel::add(local(d), kernel::sub(landing.point[d], point[d]));
  }

  // A rule may lead to another point.
  bool moved(const PlanesVersion& v, const ir::Access& access, size_t d) const {
    return ir::meets(field_of(v), access, d, ir::BoundaryKind::Clamp) ||
           ir::meets(field_of(v), access, d, ir::BoundaryKind::Mirror);
  }

  Expr slot_read(const PlanesStage& stage, const PlanesVersion& v, const ir::Access& access,
                 const Point& point, const Landing& landing) const {
    const int offset = access.offsets[0];
    const int64_t age = stage.lag - offset - lag_of(v);
    if (!moved(v, access, 0)) return slot(v, age);
    // Further by as many planes as the rule moves the access. Another side may have a constant,
    // with which it moves up to `offset` planes and what is read is dropped: no number is negative.
    const Expr by = kernel::sub(landing.point[0], plus(point[0], offset));
    const int64_t rounds = (std::abs(offset) + v.ring - 1) / v.ring + 1;
    const Expr n = plus(kernel::variable(iteration_), rounds * v.ring - age);
    return modulo(kernel::add(n, by), literal(v.ring));
  }

  const ir::Program& program_;
  const Schedule& schedule_;
  const Interface& interface_;
  const PlanesPlan plan_;
  KernelBuilder builder_;
  BarrierPlanner barriers_;

  std::vector<std::string> axes_;    // z, y, x
  std::vector<std::string> points_;  // variables: coordinates of the point
  std::vector<std::string> places_;  // variables: the place that its image has, or the point's
  std::string iteration_, step_, front_;
  Point origin_;       // place of a tile's first thread
  Point begin_, end_;  // what a tile writes: its first place, and the one after the last
  struct Ring {
    std::vector<BufferId> components;
    std::vector<Expr> version;  // its index in the buffers, where they hold several
  };
  std::vector<Ring> rings_;  // per version
};

}  // namespace

kernel::Module lower_planes(const ir::Program& program, const Schedule& schedule, const Machine&) {
  return lower_tile_sizes(program, schedule, "planes", false, [&](const KernelOfSteps& kernel) {
    PlanesKernel(program, schedule, kernel).lower(kernel.module);
  });
}

}  // namespace stencil::schedule
