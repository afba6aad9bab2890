// The `overlapped` family: overlapped tiling as in Holewinski, Pouchet and Sadayappan (ICS'12),
// section 4.
//
// A block loads its tile and the halo of every written field into shared memory once. It computes T
// steps of all stencil functions there, recomputing points in the halo that neighbouring blocks
// compute too, and writes its output box once. Blocks never wait for each other.
//
// The threads of a block cover the hull, which is the largest computed box: block x elements points
// per dimension, where point c belongs to thread c mod block. The hull minus its margins is the
// output box (equation 1 of the paper). A thread keeps its points through all steps. So a barrier
// is needed only if a function reads another thread's values at an offset or overwrites values that
// others read (BarrierPlanner).
//
// If a function reads its own target at offsets, its results wait in per-thread buffers until every
// thread has read the old values (Algorithm 4). Other results go directly to the shared tile.
//
// If a periodic field is read across its edge, places of the tile beyond the grid are images of
// points on the far side. They are loaded from the far side and computed with its coordinates, so
// an access near the edge finds its value at the usual offset. At an image, boundary rules of other
// fields apply in the same way as at the point itself.
//
// If fewer than T steps are left, the first steps of the tile are skipped. The loaded box contains
// the inputs of the remaining steps.
#include "compiler/schedule/overlapped/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "compiler/schedule/common/barrier_planner.h"
#include "compiler/schedule/common/levels.h"
#include "compiler/schedule/common/samples.h"
#include "compiler/schedule/direct/kernel.h"
#include "compiler/schedule/overlapped/shared_tiles.h"

namespace stencil::schedule {

namespace {

// The step being lowered.
struct Step {
  Expr time;
  Expr passed;                          // steps by which time levels have moved before this step
  Expr runs = kernel::boolean(true);    // condition for executing the step
  std::set<ir::FieldId> advanced = {};  // fields that already have their new level

  int is_advanced(ir::FieldId field) const { return advanced.count(field) ? 1 : 0; }
};

class OverlappedKernel {
 public:
  // `interface`: of the whole program.
  OverlappedKernel(const OverlappedTile& tile, const Interface& interface, const std::string& name,
                   kernel::Module& module)
      : program_(tile.program()),
        tile_(tile),
        time_tile_(tile.time_tile()),
        builder_(interface, module, name,
                 fmt::format("Up to {} steps of one tile: load it with its halo, compute, write.",
                             tile.schedule.time_tile)),
        points_(tile, builder_, module),
        tiles_(tile, points_, builder_, module),
        samples_(builder_, module) {}

  void lower(kernel::Module& module) {
    const int steps = tile_.schedule.time_tile;
    const bool hull = tile_.schedule.of<OverlappedSettings>().regions == Regions::Hull;
    const Expr done = step_count();
    declare_results();
    Body body;
    const Expr blocks = points_.cut(module, body);
    std::vector<ir::Access> reads;
    for (const ir::Function& function : program_.functions) {
      for (const ir::Access& access : reads_at_points(function)) reads.push_back(access);
    }
    if (!reads.empty()) no_points_ = builder_.none_weighs(reads, points_.covered(), body);
    const std::vector<ir::Access> sampled = samples_.sets();
    if (!sampled.empty()) no_samples_ = builder_.none_weighs(sampled, points_.covered(), body);
    // With shrinking boxes, ring indices count from the first of T steps, even if steps are
    // skipped.
    append_phase(body, "load the tile with its halo",
                 tiles_.load(hull ? literal(0) : steps_left_out(steps)));
    barriers_.force(body);
    append(body, hull ? equal_steps() : shrinking_steps());
    append_phase(body, "write the points without the halo",
                 tiles_.write_core(done, hull ? done : literal(steps)));
    builder_.kernel().body = std::move(body);
    builder_.finish(blocks, module);
    rotate_levels(program_, module.plan);
  }

 private:
  size_t index_of(const ir::Function& function) const {
    return static_cast<size_t>(&function - program_.functions.data());
  }
  static std::vector<ir::Access> reads_at_points(const ir::Function& function) {
    std::vector<ir::Access> out;
    for (const ir::Piece& piece : function.pieces) {
      analysis::add_reads_at_points(piece.graph, piece.results, out);
    }
    return out;
  }
  const std::vector<analysis::Reads>& reads_of(const ir::Function& function) const {
    return time_tile_.reads[index_of(function)];
  }
  // Whether the field gets a new level in this function. This is the same in all steps.
  bool advances(const ir::Function& function, ir::FieldId target) const {
    const auto place = std::find(function.targets.begin(), function.targets.end(), target);
    return time_tile_.stages[index_of(function)].results[place - function.targets.begin()].advances;
  }

  // Whether the results for `target` must wait because they replace a level that the function reads
  // at offsets.
  bool waits(const ir::Function& function, ir::FieldId target) const {
    const int replaced = advances(function, target) ? tiles_.levels(target) - 1 : 0;
    const auto& reads = reads_of(function);
    return std::any_of(reads.begin(), reads.end(), [&](const analysis::Reads& r) {
      return r.field == target && r.level == replaced && r.at_offset;
    });
  }
  void declare_results() {
    for (const ir::Function& function : program_.functions) {
      for (const ir::FieldId target : function.targets) {
        if (waits(function, target) && !results_.count(target)) declare_results(target);
      }
    }
  }
  void declare_results(ir::FieldId target) {
    const std::vector<ir::Component>& components = program_.fields[target].components;
    for (size_t c = 0; c < components.size(); ++c) {
      const std::string name = builder_.interface().array_name(target, static_cast<int>(c));
      results_[target].push_back(builder_.local(
          kernel::Space::Thread, name + "_result", components[c].type, points_.element_extents(),
          "waits here until every thread has read the old values"));
    }
  }

  // --- Steps

  Body equal_steps() {
    const std::string t = builder_.names().unique("t");
    const Expr passed = kernel::variable(t);
    Step step{kernel::add(first_step(), passed), passed};
    Body body;
    for (const ir::Function& function : program_.functions) {
      append(body, apply(function, time_tile_.hull, step));
    }
    step.runs = kernel::less(plus(passed, 1), step_count());
    append(body, take_samples(step, passed));
    barriers_.force(body);
    Body whole = builder_.scope().take_timed();
    append(whole, std::move(body));
    return as_body(
        loop(kernel::LoopKind::Serial, t, literal(0), step_count(), 1, std::move(whole)));
  }

  Body shrinking_steps() {
    const int steps = tile_.schedule.time_tile;
    const size_t functions = program_.functions.size();
    Body out;
    for (int t = 0; t < steps; ++t) {
      const int left = steps - t;  // remaining steps, including this one
      Step step{plus(kernel::add(first_step(), step_count()), -left), literal(t)};
      if (left > 1) step.runs = at_least(step_count(), literal(left));
      out.push_back({kernel::Comment{fmt::format("step {} of {}", t + 1, steps)}});
      for (size_t f = 0; f < functions; ++f) {
        const ir::Function& function = program_.functions[f];
        const Margin& computed = time_tile_.stages[t * functions + f].computed;
        if (computed.empty()) {  // overwritten before it is read
          step.advanced.insert(function.targets.begin(), function.targets.end());
          continue;
        }
        Body sections = apply(function, computed, step);
        append(out, builder_.scope().take_timed());
        append(out, std::move(sections));
      }
      if (left > 1) {
        append(out, take_samples(step, kernel::sub(literal(t), steps_left_out(steps))));
      }
    }
    return out;
  }

  // Samples that records take at the tile's own points at the end of a step. `number`: steps since
  // the tile's first step.
  Body take_samples(const Step& step, const Expr& number) {
    Body out;
    for (const auto& [field, margin] : tile_.held) {
      const Expr newest = ring_index(step, field, 0);
      Samples::Lanes lanes;
      lanes.first = points_.point();
      lanes.last_column = lanes.column = lanes.first.back();
      lanes.exists = builder_.interface().inside(lanes.first, program_.fields[field].box);
      append(out, samples_.take(field, number, lanes, [&, f = field](int component) {
        return tiles_.value(f, component, newest);
      }));
    }
    if (out.empty()) return out;
    const Body in_core = guarded(points_.computes(Margin(program_.grid().rank())), std::move(out));
    const Expr some = kernel::operation(Op::Not, {no_samples_});
    return as_body(threads(guarded(both(step.runs, some), points_.per_element(in_core, false))));
  }

  // The ring index of a level during a step; accounts for a new level that the step has already
  // made.
  Expr ring_index(const Step& step, ir::FieldId field, int level) const {
    return tiles_.ring_index_after(step.passed, field, level - step.is_advanced(field));
  }
  // A number that identifies the ring index within the step, or within all steps if `passed` is
  // constant.
  int ring_index_number(const Step& step, ir::FieldId field, int level) const {
    const auto* passed = std::get_if<kernel::IntegerLiteral>(&step.passed->kind);
    const int steps = step.is_advanced(field) + static_cast<int>(passed ? passed->value : 0);
    return (steps + tiles_.levels(field) - level) % tiles_.levels(field);
  }

  // Stores a result of a function in a step.
  using Store = std::function<kernel::Statement(const ir::Output&, const Expr&)>;

  // Computes one function on its box. Results that must wait are stored after a barrier.
  Body apply(const ir::Function& function, const Margin& computed, Step& step) {
    BarrierPlanner::Tiles offset_reads, direct, late;
    for (const analysis::Reads& reads : reads_of(function)) {
      if (reads.at_offset && tiles_.hold(reads.field)) {
        offset_reads.insert({reads.field, ring_index_number(step, reads.field, reads.level)});
      }
    }
    // A new level goes to the ring index of the oldest one, unless another function has already
    // made the level.
    std::map<ir::FieldId, Expr> to;
    for (const ir::FieldId target : function.targets) {
      const int made = advances(function, target) ? -1 : 0;
      (waits(function, target) ? late : direct)
          .insert({target, ring_index_number(step, target, made)});
      to[target] = ring_index(step, target, made);
    }
    const Store to_tile = [&](const ir::Output& output, const Expr& value) {
      return tiles_.store(output.field, output.component, to.at(output.field), value);
    };
    const Store to_tile_or_result = [&](const ir::Output& output,
                                        const Expr& value) -> kernel::Statement {
      if (!waits(function, output.field)) return to_tile(output, value);
      return {kernel::Store{results_.at(output.field)[output.component], points_.element_index(),
                            value}};
    };
    Body out;
    barriers_.before(offset_reads, direct, out);
    append(out, builder_.by_points(reads_at_points(function), no_points_, [&] {
      return as_body(section(
          step, pieces(function, computed, keep_values(function, false, computed, step, to_tile),
                       [&](const auto& p) {
                         return evaluate_piece(function, p, step, to_tile_or_result);
                       })));
    }));
    if (!late.empty()) {
      barriers_.before({}, late, out);
      const Body moves = move_results(function, to_tile);
      out.push_back(section(
          step, pieces(function, computed, keep_values(function, true, computed, step, to_tile),
                       [&](const auto&) { return moves; })));
    }
    step.advanced.insert(function.targets.begin(), function.targets.end());
    return out;
  }

  // The code for each point of a thread in a step, if the step is executed. The condition is inside
  // the parallel section, so that barriers are unconditional. All targets handle unconditional
  // barriers well, but PoCL's compile time grows exponentially with the number of conditional ones.
  kernel::Statement section(const Step& step, Body inner) const {
    return threads(guarded(step.runs, points_.per_element(std::move(inner), true)));
  }

  // The code of the piece whose region contains the point; `rest` if no region does.
  template <class AtPiece>
  Body pieces(const ir::Function& function, const Margin& computed, Body rest,
              const AtPiece& at_piece) {
    Body chain = std::move(rest);
    for (size_t p = function.pieces.size(); p-- > 0;) {
      const ir::Piece& piece = function.pieces[p];
      Body body = at_piece(piece);
      const Expr applies = both(points_.computes(computed), points_.exists(piece.region));
      chain = guarded(applies, std::move(body), std::move(chain));
    }
    return chain;
  }

  // `store`: writes a component's value.
  Body evaluate_piece(const ir::Function& function, const ir::Piece& piece, const Step& step,
                      const Store& store) {
    Body body;
    const ReadAccess read = [&](const ir::Access& access, AccessResolver& resolver) {
      if (access.in_place) return builder_.load_in_place(access, resolver);
      const ResolvedAccess resolved = resolver.resolve(access);
      if (!tiles_.hold(access.field) || analysis::resolves_outside_halo(program_, access)) {
        return builder_.load_global(access, resolved);
      }
      const Expr from = ring_index(step, access.field, access.level);
      return apply_boundary(resolved, tiles_.read(access, resolved, from));
    };
    const auto values =
        evaluate(builder_.interface(), piece.graph, piece.results, points_.point(), step.time, read,
                 builder_.scope(), builder_.names(), body, builder_.reductions());
    const std::vector<ir::Output> outputs = ir::outputs(program_, function);
    for (size_t r = 0; r < values.size(); ++r) body.push_back(store(outputs[r], values[r]));
    return body;
  }

  // Where no piece applies, a new level keeps the previous values. `late`: handles targets whose
  // results must wait, otherwise the other targets.
  Body keep_values(const ir::Function& function, bool late, const Margin& computed,
                   const Step& step, const Store& store) const {
    Body moves;
    for (const ir::Output& output : ir::outputs(program_, function)) {
      const ir::FieldId target = output.field;
      if (waits(function, target) != late) continue;
      if (!advances(function, target) || tiles_.levels(target) == 1) continue;
      moves.push_back(
          store(output, tiles_.value(target, output.component, ring_index(step, target, 0))));
    }
    if (moves.empty()) return {};
    return guarded(
        both(points_.computes(computed), points_.exists(ir::target_box(program_, function))),
        std::move(moves));
  }

  Body move_results(const ir::Function& function, const Store& store) const {
    Body moves;
    for (const ir::Output& output : ir::outputs(program_, function)) {
      if (!waits(function, output.field)) continue;
      const Expr result = kernel::load(results_.at(output.field)[output.component],
                                       points_.element_index(), arithmetic_type(output.type));
      moves.push_back(store(output, kernel::convert(result, output.type)));
    }
    return moves;
  }

  const ir::Program& program_;
  const OverlappedTile& tile_;
  const analysis::TimeTile& time_tile_;
  KernelBuilder builder_;
  OverlappedPoints points_;
  SharedTiles tiles_;
  Samples samples_;
  // Per-thread buffers, for targets whose results wait until the old values have been read.
  std::map<ir::FieldId, std::vector<kernel::BufferId>> results_;
  BarrierPlanner barriers_;
  Expr no_points_;   // condition: no source or receiver in the computed box; null: none is read
  Expr no_samples_;  // as no_points_, for the points that records sample
};

}  // namespace

void lower_overlapped(const OverlappedTile& tile, kernel::Module& module) {
  const ir::Program& whole = tile.step->whole;
  const Interface interface(whole, tile.schedule.rows);
  module.plan.time_tile = tile.schedule.time_tile;
  const std::string name = interface.names_in(module).unique(whole.name + "_tile");
  OverlappedKernel(tile, interface, name, module).lower(module);
  append_direct(interface, tile.step->swept, tile.schedule, module);
}

}  // namespace stencil::schedule
