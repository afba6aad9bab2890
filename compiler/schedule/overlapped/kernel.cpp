// The `overlapped` family: overlapped tiling as in Holewinski, Pouchet and Sadayappan (ICS'12),
// section 4.
//
// A block loads its tile and the halo of every written field into shared memory once, computes T
// steps of all stencil functions there, recomputing in the halo what its neighbours compute too,
// and writes its output box once. Blocks never wait for each other.
//
// The threads of a block cover the box that is computed first, the largest: block x elements points
// in each dimension, point c belonging to thread c mod block. That box less its margins is the
// output box (the paper's equation 1). A thread keeps its points through all steps, so a barrier is
// needed only when a function reads at an offset what others wrote, or overwrites what others read
// (BarrierPlanner).
//
// A function that reads its target at offsets keeps its results in per-thread buffers until every
// thread has read the old values (Algorithm 4); others write to the shared tile directly.
//
// The tiles of a field with history are a ring of time levels, and what moves from step to step is
// the slot that each level has. A step writes its new level over the oldest one, so it waits for
// nobody unless that level is read at offsets.
//
// Where a periodic field is read across its edge, places of the tile beyond the grid are images of
// the points on the far side: they are loaded from there and computed at those coordinates, so that
// an access near the edge finds its value where it would inside the grid. Rules of other fields
// hold at an image as at the point itself.
//
// When fewer than T steps are left, the first steps of the tile are skipped: what the remaining
// ones need is contained in what was loaded.
#include "compiler/schedule/overlapped/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/schedule/parts/barrier_planner.h"
#include "compiler/schedule/parts/builder.h"
#include "compiler/schedule/parts/levels.h"
#include "compiler/schedule/parts/statements.h"
#include "compiler/schedule/sweeps/sweep_kernel.h"

namespace stencil::schedule {

namespace {

using analysis::Margin;
using analysis::Reach;
using kernel::Body;
using kernel::Expr;

class OverlappedLowering {
 public:
  // `interface` is that of the whole program.
  OverlappedLowering(const OverlappedTile& tile, const Interface& interface,
                     const std::string& name, kernel::Module& module)
      : program_(tile.program()),
        schedule_(tile.schedule),
        tile_(tile),
        time_tile_(tile.time_tile()),
        hull_(time_tile_.hull),
        interface_(interface),
        module_(module),
        builder_(interface_, module, name,
                 fmt::format("Up to {} steps of one tile: load it with its halo, compute, write.",
                             tile.schedule.time_tile)) {}

  void run() {
    builder_.kernel().threads = schedule_.block;
    name_constants();
    declare_tiles();
    Tiling tiling = tile_box(interface_, program_.grid, core_lengths_, builder_.names());
    origin_ = tiling.origin;
    Body body = std::move(tiling.lets);
    append(body, load_tiles());
    barriers_.force(body);
    append(body, schedule_.regions == Regions::Hull ? equal_steps() : shrinking_steps());
    append(body, write_core());
    builder_.kernel().body = std::move(body);
    builder_.finish(tiling.blocks, module_);
    rotate_levels(program_, module_.plan);
  }

 private:
  int rank() const { return interface_.rank(); }
  Expr constant(const std::string& wanted, int64_t value, const std::string& comment) {
    return builder_.constant(module_, wanted, value, comment);
  }

  void name_constants() {
    axes_ = axis_names(rank());
    for (int d = 0; d < rank(); ++d) {
      const size_t i = static_cast<size_t>(d);
      const Reach reach = hull_[i];
      core_lengths_.push_back(
          {tile_.sides[i].core(),
           constant(
               "core_" + axes_[i], tile_.sides[i].core(),
               fmt::format("output points of a tile in {}: {} threads x {} elements, less {} + {} "
                           "recomputed",
                           axes_[i], along(schedule_.block, rank(), d),
                           along(schedule_.elements, rank(), d), reach.low, reach.high))});
      coordinates_.push_back(builder_.names().unique(axes_[i]));
      places_.push_back(tile_.images[i] ? builder_.names().unique("place_" + axes_[i]) : "");
      locals_.push_back(builder_.names().unique("local_" + axes_[i]));
      loop_names_.push_back(
          along(schedule_.elements, rank(), d) > 1 ? builder_.names().unique("e" + axes_[i]) : "");
    }
  }

  // One shared tile per component of every written field, for each time level; a per-thread buffer
  // where results must wait.
  void declare_tiles() {
    for (const auto& [field, margin] : tile_.held) {
      const ir::Field& declared = program_.fields[static_cast<size_t>(field)];
      std::vector<Expr> extents;
      for (size_t d = 0; d < margin.size(); ++d) {
        const int64_t length = tile_.sides[d].core() + margin[d].low + margin[d].high;
        extents.push_back(constant(
            fmt::format("{}_tile_{}", declared.name, axes_[d]), length,
            fmt::format("core_{} and a halo of {} + {}", axes_[d], margin[d].low, margin[d].high)));
      }
      extents_[field] = extents;
      if (levels(field) > 1) extents.insert(extents.begin(), kernel::integer(levels(field)));
      for (size_t c = 0; c < declared.components.size(); ++c) {
        const std::string name = interface_.array_name(field, static_cast<int>(c));
        tiles_[field].push_back(builder_.local(kernel::Space::Shared, name + "_tile",
                                               declared.components[c].type, extents, ""));
      }
    }
    for (const ir::Function& function : program_.functions) {
      if (!staged(function) || results_.count(function.target)) continue;
      std::vector<Expr> extents;
      for (int d = 0; d < rank(); ++d) {
        const int elements = along(schedule_.elements, rank(), d);
        if (elements > 1) extents.push_back(kernel::integer(elements));
      }
      const ir::Field& declared = program_.fields[static_cast<size_t>(function.target)];
      for (size_t c = 0; c < declared.components.size(); ++c) {
        const std::string name = interface_.array_name(function.target, static_cast<int>(c));
        results_[function.target].push_back(
            builder_.local(kernel::Space::Thread, name + "_result", declared.components[c].type,
                           extents, "waits here until every thread has read the old values"));
      }
    }
  }

  // --- Time levels ---

  int levels(ir::FieldId field) const { return tile_.levels.at(field); }
  // What the function does in any step.
  const analysis::Stage& stage_of(const ir::Function& function) const {
    return time_tile_.stages[index_of(function)];
  }
  size_t index_of(const ir::Function& function) const {
    return static_cast<size_t>(&function - program_.functions.data());
  }
  const std::vector<analysis::Reads>& reads_of(const ir::Function& function) const {
    return time_tile_.reads[index_of(function)];
  }
  bool advances(const ir::Function& function) const { return stage_of(function).advances; }

  // The slot of a level: so many steps after step 0, when level @-k is in slot (levels - k) modulo
  // levels, all have moved on by as many.
  Expr slot_after(const Expr& steps, ir::FieldId field, int level) const {
    const int count = levels(field);
    const Expr ahead = kernel::integer((count - level) % count);
    return kernel::operation(Op::Mod, {kernel::add(steps, ahead), kernel::integer(count)});
  }
  // The same in the step being lowered, in which the field may already have a new level.
  int advanced(ir::FieldId field) const { return advanced_.count(field) ? 1 : 0; }
  Expr slot(ir::FieldId field, int level) const {
    return slot_after(passed_, field, level - advanced(field));
  }
  // As a number that tells the slots of one step apart, and where `passed_` is known, of all.
  int slot_number(ir::FieldId field, int level) const {
    const auto* passed = std::get_if<kernel::IntegerLiteral>(&passed_->kind);
    const int steps = advanced(field) + static_cast<int>(passed ? passed->value : 0);
    return (steps + levels(field) - level) % levels(field);
  }

  std::vector<Expr> in_level(const Expr& slot, ir::FieldId field, std::vector<Expr> index) const {
    if (levels(field) > 1) index.insert(index.begin(), slot);
    return index;
  }

  // The results of a function replace a level that it reads at offsets.
  bool staged(const ir::Function& function) const {
    const int replaced = advances(function) ? levels(function.target) - 1 : 0;
    const auto& reads = reads_of(function);
    return std::any_of(reads.begin(), reads.end(), [&](const analysis::Reads& r) {
      return r.field == function.target && r.level == replaced && r.at_offset;
    });
  }

  // Loads every tile with its halo, as far as it lies in the field, and the older levels that are
  // read. Fields with tiles of one shape share the loops.
  Body load_tiles() {
    Body out;
    std::vector<ir::FieldId> left;
    for (const auto& [field, margin] : tile_.held) left.push_back(field);
    while (!left.empty()) {
      const Margin margin = tile_.held.at(left[0]);
      const ir::Box& box = program_.fields[static_cast<size_t>(left[0])].box;
      std::vector<ir::FieldId> group, rest;
      for (ir::FieldId field : left) {
        const bool same = tile_.held.at(field) == margin &&
                          program_.fields[static_cast<size_t>(field)].box == box;
        (same ? group : rest).push_back(field);
      }
      out.push_back({kernel::Threads{load_group(group, margin, box)}});
      left = std::move(rest);
    }
    return out;
  }

  // Defines the coordinate of the tile's place `at`, in a box with that margin: the place itself or
  // the point that it is an image of.
  Body coordinate_lets(int d, const Expr& at, const Reach& margin) const {
    const size_t i = static_cast<size_t>(d);
    Body out;
    if (!tile_.images[i]) {
      out.push_back({kernel::Let{coordinates_[i], at}});
      return out;
    }
    out.push_back({kernel::Let{places_[i], at}});
    out.push_back({kernel::Let{coordinates_[i],
                               wrap(interface_, program_.grid, d, kernel::variable(places_[i]),
                                    margin.low, tile_.sides[i].core() - 1 + margin.high)}});
    return out;
  }

  Expr exists(const Point& point, const ir::Box& box) const {
    return schedule::exists(interface_, point, box, tile_.images);
  }

  Body load_group(const std::vector<ir::FieldId>& group, const Margin& margin, const ir::Box& box) {
    Body body;
    Point point;
    std::vector<Expr> local;
    for (int d = 0; d < rank(); ++d) {
      const size_t i = static_cast<size_t>(d);
      local.push_back(kernel::variable(locals_[i]));
      const Expr first = kernel::sub(origin_[i], kernel::integer(margin[i].low));
      append(body, coordinate_lets(d, kernel::add(first, local.back()), margin[i]));
      point.push_back(kernel::variable(coordinates_[i]));
    }
    Body loads;
    for (ir::FieldId field : group) {
      const ir::Field& declared = program_.fields[static_cast<size_t>(field)];
      for (size_t c = 0; c < declared.components.size(); ++c) {
        for (int level = 0; level < analysis::levels_loaded(time_tile_, field); ++level) {
          const ir::Access here{field, static_cast<int>(c), level,
                                std::vector<int>(static_cast<size_t>(rank()), 0), 0};
          const Expr value =
              kernel::convert(builder_.load_global(here, point), declared.components[c].type);
          const Expr slot = slot_after(steps_before_first(), field, level);
          loads.push_back(
              {kernel::Store{tiles_.at(field)[c], in_level(slot, field, local), value}});
        }
      }
    }
    append(body, guarded(exists(point, box), std::move(loads)));
    for (int d = rank() - 1; d >= 0; --d) {
      const size_t i = static_cast<size_t>(d);
      const int threads = along(schedule_.block, rank(), d);
      Body outer;
      outer.push_back({kernel::For{kernel::LoopKind::Serial, locals_[i], thread(d),
                                   extents_.at(group[0])[i], threads, std::move(body)}});
      body = std::move(outer);
    }
    return body;
  }

  Expr thread(int dimension) const {
    if (along(schedule_.block, rank(), dimension) == 1) return kernel::integer(0);
    return kernel::variable("thread_" + axes_[static_cast<size_t>(dimension)]);
  }

  // --- Steps ---

  // Steps of the tile that are skipped, and steps when all are done: shrinking boxes belong to a
  // step of the tile, counted from the first of T.
  Expr steps_before_first() const {
    if (schedule_.regions == Regions::Hull) return kernel::integer(0);
    return kernel::sub(kernel::integer(schedule_.time_tile), step_count_);
  }
  Expr steps_after_last() const {
    return schedule_.regions == Regions::Hull ? step_count_ : kernel::integer(schedule_.time_tile);
  }

  Body equal_steps() {
    const std::string t = builder_.names().unique("t");
    passed_ = kernel::variable(t);
    advanced_.clear();
    Body step;
    for (const ir::Function& function : program_.functions) {
      append(step, apply(function, hull_, kernel::add(first_step(), kernel::variable(t))));
    }
    barriers_.force(step);
    Body whole = builder_.scope().take_timed();
    append(whole, std::move(step));
    Body out;
    out.push_back({kernel::For{kernel::LoopKind::Serial, t, kernel::integer(0), step_count(), 1,
                               std::move(whole)}});
    return out;
  }

  Body shrinking_steps() {
    Body out;
    for (int t = 0; t < schedule_.time_tile; ++t) {
      const int left = schedule_.time_tile - t;  // steps to do from here, this one included
      const Expr time = kernel::sub(kernel::add(first_step(), step_count()), kernel::integer(left));
      runs_ = left == 1 ? kernel::boolean(true)
                        : kernel::operation(Op::Ge, {step_count(), kernel::integer(left)});
      passed_ = kernel::integer(t);
      advanced_.clear();
      out.push_back({kernel::Comment{fmt::format("step {} of {}", t + 1, schedule_.time_tile)}});
      for (size_t f = 0; f < program_.functions.size(); ++f) {
        const size_t stage = static_cast<size_t>(t) * program_.functions.size() + f;
        const Margin& computed = time_tile_.stages[stage].computed;
        if (computed.empty()) {  // replaced before anybody reads it
          advanced_.insert(program_.functions[f].target);
          continue;
        }
        Body sections = apply(program_.functions[f], computed, time);
        append(out, builder_.scope().take_timed());
        append(out, std::move(sections));
      }
    }
    return out;
  }

  // One function on its box: compute, and where results have to wait, write them after a barrier.
  Body apply(const ir::Function& function, const Margin& computed, const Expr& time) {
    const ir::FieldId target = function.target;
    BarrierPlanner::Tiles offset_reads;
    for (const analysis::Reads& reads : reads_of(function)) {
      if (reads.at_offset && tiles_.count(reads.field)) {
        offset_reads.insert({reads.field, slot_number(reads.field, reads.level)});
      }
    }
    // The new level takes the slot of the oldest one, or another writer has made it already.
    const int made = advances(function) ? -1 : 0;
    const BarrierPlanner::Tiles writes = {{target, slot_number(target, made)}};
    result_slot_ = slot(target, made);
    Body rest = keep_values(function, computed);
    Body out;
    if (!staged(function)) {
      barriers_.before(offset_reads, writes, out);
      out.push_back(section(pieces(function, computed, time, tiles_, std::move(rest))));
    } else {
      barriers_.before(offset_reads, {}, out);
      out.push_back(section(pieces(function, computed, time, results_, {})));
      barriers_.before({}, writes, out);
      out.push_back(section(move_results(function, computed, std::move(rest))));
    }
    advanced_.insert(target);
    return out;
  }

  // Where no piece applies, a new level has the values of the one before.
  Body keep_values(const ir::Function& function, const Margin& computed) {
    const ir::FieldId target = function.target;
    if (!advances(function) || levels(target) == 1) return {};
    const ir::Field& field = program_.fields[static_cast<size_t>(target)];
    Body moves;
    for (size_t c = 0; c < field.components.size(); ++c) {
      const kernel::BufferId tile = tiles_.at(target)[c];
      const Scalar type = field.components[c].type;
      const Expr value = kernel::load(tile, in_level(slot(target, 0), target, tile_index(target)),
                                      arithmetic_type(type));
      store(tile, target, kernel::convert(value, type), moves);
    }
    const Expr condition = kernel::all_of({computes(computed), exists(point(), field.box)});
    return guarded(condition, std::move(moves));
  }

  // What every thread does for each of its points in a step, if the step is to be done at all. The
  // condition stands inside the parallel section: barriers are unconditional, which every target
  // handles well (PoCL's compile time grows exponentially with the number of conditional ones).
  kernel::Statement section(Body inner) const {
    Body body = per_element(std::move(inner), true);
    return {kernel::Threads{guarded(runs_, std::move(body))}};
  }

  Point point() const {
    Point out;
    for (const std::string& name : coordinates_) out.push_back(kernel::variable(name));
    return out;
  }

  // The loops over a thread's elements, with the coordinates defined inside: those of the point at
  // this place of the tile, or, without `images`, those of the place.
  Body per_element(Body inner, bool images) const {
    Body body;
    for (int d = 0; d < rank(); ++d) {
      const size_t i = static_cast<size_t>(d);
      Expr local = thread(d);
      if (!loop_names_[i].empty()) {
        local = kernel::add(local, kernel::mul(kernel::variable(loop_names_[i]),
                                               kernel::integer(along(schedule_.block, rank(), d))));
      }
      body.push_back({kernel::Let{locals_[i], local}});
      const Reach hull = hull_[i];
      const Expr first = kernel::sub(origin_[i], kernel::integer(hull.low));
      const Expr place = kernel::add(first, kernel::variable(locals_[i]));
      if (images) {
        append(body, coordinate_lets(d, place, hull));
      } else {
        body.push_back({kernel::Let{coordinates_[i], place}});
      }
    }
    append(body, std::move(inner));
    for (int d = rank() - 1; d >= 0; --d) {
      const std::string& name = loop_names_[static_cast<size_t>(d)];
      if (name.empty()) continue;
      Body outer;
      outer.push_back(
          {kernel::For{kernel::LoopKind::Unrolled, name, kernel::integer(0),
                       kernel::integer(along(schedule_.elements, rank(), d)), 1, std::move(body)}});
      body = std::move(outer);
    }
    return body;
  }

  // The point lies in the box that is computed (part of the hull that the threads cover).
  Expr computes(const Margin& computed) const {
    std::vector<Expr> conditions;
    for (size_t d = 0; d < computed.size(); ++d) {
      const Reach hull = hull_[d];
      const Expr local = kernel::variable(locals_[d]);
      if (computed[d].low < hull.low) {
        conditions.push_back(
            kernel::operation(Op::Ge, {local, kernel::integer(hull.low - computed[d].low)}));
      }
      if (computed[d].high < hull.high) {
        const int64_t end = tile_.sides[d].cover - (hull.high - computed[d].high);
        conditions.push_back(kernel::less(local, kernel::integer(end)));
      }
    }
    return kernel::all_of(std::move(conditions));
  }

  using Destinations = std::map<ir::FieldId, std::vector<kernel::BufferId>>;

  // `rest`: what is done where no piece applies.
  Body pieces(const ir::Function& function, const Margin& computed, const Expr& time,
              const Destinations& destinations, Body rest) {
    Body chain = std::move(rest);
    for (size_t p = function.pieces.size(); p-- > 0;) {
      const ir::Piece& piece = function.pieces[p];
      Body body;
      const ReadAccess read = [&](const ir::Access& access, Landings& landings) {
        return this->read(access, landings);
      };
      const auto values = evaluate(interface_, piece.graph, piece.results, point(), time, read,
                                   builder_.scope(), builder_.names(), body);
      for (size_t c = 0; c < values.size(); ++c) {
        store(destinations.at(function.target)[c], function.target, values[c], body);
      }
      const Expr condition = kernel::all_of({computes(computed), exists(point(), piece.region)});
      chain = guarded(condition, std::move(body), std::move(chain));
    }
    return chain;
  }

  Body move_results(const ir::Function& function, const Margin& computed, Body rest) {
    Body moves;
    const ir::Field& target = program_.fields[static_cast<size_t>(function.target)];
    for (size_t c = 0; c < target.components.size(); ++c) {
      const kernel::BufferId result = results_.at(function.target)[c];
      const Scalar type = target.components[c].type;
      const Expr value =
          kernel::convert(kernel::load(result, element_index(), arithmetic_type(type)), type);
      store(tiles_.at(function.target)[c], function.target, value, moves);
    }
    Body chain = std::move(rest);
    for (size_t p = function.pieces.size(); p-- > 0;) {
      const Expr condition =
          kernel::all_of({computes(computed), exists(point(), function.pieces[p].region)});
      chain = guarded(condition, moves, std::move(chain));
    }
    return chain;
  }

  // Index of the current element in a per-thread buffer.
  std::vector<Expr> element_index() const {
    std::vector<Expr> index;
    for (const std::string& name : loop_names_) {
      if (!name.empty()) index.push_back(kernel::variable(name));
    }
    return index;
  }

  void store(kernel::BufferId buffer, ir::FieldId field, Expr value, Body& body) {
    const bool shared =
        builder_.kernel().buffers[static_cast<size_t>(buffer)].space == kernel::Space::Shared;
    std::vector<Expr> index =
        shared ? in_level(result_slot_, field, tile_index(field)) : element_index();
    body.push_back({kernel::Store{buffer, std::move(index), std::move(value)}});
  }

  // Where a point of the computed hull lies in the field's tile, `offset` away.
  Expr tile_coordinate(ir::FieldId field, size_t d, int64_t offset) const {
    const int64_t shift = tile_.held.at(field)[d].low - hull_[d].low + offset;
    const Expr local = kernel::variable(locals_[d]);
    return shift < 0 ? kernel::sub(local, kernel::integer(-shift))
                     : kernel::add(local, kernel::integer(shift));
  }

  std::vector<Expr> tile_index(ir::FieldId field) const {
    std::vector<Expr> index;
    for (size_t d = 0; d < locals_.size(); ++d) index.push_back(tile_coordinate(field, d, 0));
    return index;
  }

  Expr read(const ir::Access& access, Landings& landings) {
    const auto tile = tiles_.find(access.field);
    if (tile == tiles_.end() || analysis::lands_far(program_, access)) {
      return builder_.load_global(access, landings.land(access));
    }
    const ir::Field& field = program_.fields[static_cast<size_t>(access.field)];
    const Landing landing = landings.land(access);
    std::vector<Expr> index;
    for (size_t d = 0; d < locals_.size(); ++d) {
      const bool moved = ir::meets(field, access, d, ir::BoundaryKind::Clamp) ||
                         ir::meets(field, access, d, ir::BoundaryKind::Mirror);
      if (!moved) {  // where a constant counts, what the tile holds is dropped
        index.push_back(tile_coordinate(access.field, d, access.offsets[d]));
      } else if (tile_.images[d]) {  // as far from this image as the rule moves the point
        index.push_back(kernel::add(tile_coordinate(access.field, d, 0),
                                    kernel::sub(landing.point[d], point()[d])));
      } else {  // through the grid coordinate, which the boundary rule gave
        const Expr first =
            kernel::sub(origin_[d], kernel::integer(tile_.held.at(access.field)[d].low));
        index.push_back(kernel::sub(landing.point[d], first));
      }
    }
    const Scalar stored = field.components[static_cast<size_t>(access.component)].type;
    return apply_boundary(landing, kernel::load(tile->second[static_cast<size_t>(access.component)],
                                                in_level(slot(access.field, access.level),
                                                         access.field, std::move(index)),
                                                arithmetic_type(stored)));
  }

  // Writes the output box of every written field, as far as it lies in the field, of all levels
  // that were made. They are counted from the oldest, the first made, for which there is always the
  // same slot in memory; fewer than usual may have been made.
  Body write_core() {
    Body stores;
    for (const auto& [field, margin] : tile_.held) {
      const ir::Field& declared = program_.fields[static_cast<size_t>(field)];
      const int most = analysis::levels_made(declared, schedule_.time_tile);
      Expr made = step_count_;
      if (declared.history < schedule_.time_tile) {
        made = kernel::operation(Op::Min, {made, kernel::integer(declared.history)});
      }
      Body body;
      for (int n = 1; n <= most; ++n) {
        const Expr steps = kernel::add(kernel::sub(steps_after_last(), made), kernel::integer(n));
        Body level = write_level(field, slot_after(steps, field, 0),
                                 result_slot(declared, schedule_.time_tile, n, 0));
        if (n == 1) {
          append(body, std::move(level));
        } else {
          const Expr exists = kernel::operation(Op::Ge, {step_count_, kernel::integer(n)});
          body.push_back({kernel::If{exists, std::move(level), {}}});
        }
      }
      stores.push_back({kernel::If{interface_.inside(point(), declared.box), std::move(body), {}}});
    }
    const Margin output(static_cast<size_t>(rank()));
    Body inner = guarded(computes(output), std::move(stores));
    Body out;
    out.push_back({kernel::Threads{per_element(std::move(inner), false)}});
    return out;
  }

  // One level of a field, at the point: from its slot in the tile to a slot of the field.
  Body write_level(ir::FieldId field, const Expr& from, int to) {
    const ir::Field& declared = program_.fields[static_cast<size_t>(field)];
    Body body;
    for (size_t c = 0; c < declared.components.size(); ++c) {
      const Scalar type = declared.components[c].type;
      const Expr value = kernel::load(tiles_.at(field)[c], in_level(from, field, tile_index(field)),
                                      arithmetic_type(type));
      builder_.store_global(field, static_cast<int>(c), to, point(), kernel::convert(value, type),
                            body);
    }
    return body;
  }

  const ir::Program& program_;
  const Schedule& schedule_;
  const OverlappedTile& tile_;
  const analysis::TimeTile& time_tile_;
  const Margin& hull_;  // of what is computed
  const Interface& interface_;
  kernel::Module& module_;
  KernelBuilder builder_;
  BarrierPlanner barriers_;

  std::vector<std::string> axes_;         // z, y, x
  std::vector<std::string> coordinates_;  // variables: grid coordinates of the point
  std::vector<std::string> places_;       // variables: the place that a point's image has; or ""
  std::vector<std::string> locals_;       // variables: its place in the computed hull
  std::vector<std::string> loop_names_;   // of the loops over elements; "" where there is one
  std::vector<TileLength> core_lengths_;
  const Expr step_count_ = step_count();
  Expr runs_ = kernel::boolean(true);  // whether the step being lowered is to be done
  Expr passed_ = kernel::integer(0);   // steps before the step being lowered
  std::set<ir::FieldId> advanced_;     // written so far in the step being lowered
  Expr result_slot_;                   // of the level that the function being lowered writes
  Point origin_;                       // first output point of the tile
  std::map<ir::FieldId, std::vector<Expr>> extents_;  // of the shared tiles
  Destinations tiles_;                                // shared, one buffer per component
  Destinations results_;                              // per thread, of fields with staged writers
};

}  // namespace

kernel::Module lower_overlapped(const OverlappedTile& tile) {
  const ir::Program& whole = tile.step->whole;
  const Interface interface(whole, tile.schedule.rows);
  kernel::Module module = interface.empty_module();
  module.plan.time_tile = tile.schedule.time_tile;
  Names kernel_names = interface.names();
  const std::string name = kernel_names.unique(whole.name + "_tile");
  OverlappedLowering(tile, interface, name, module).run();
  append_sweeps(interface, tile.schedule, tile.step->swept, kernel_names, module);
  return module;
}

}  // namespace stencil::schedule
