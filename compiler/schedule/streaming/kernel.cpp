// Kernels of the `streaming` family. See plan.h for what they keep and when they compute it.
//
// A kernel serves tiles of T steps and, if may_leave_out_steps(), of fewer. A block owns a tile of
// the inner dimensions and a chunk of planes of the streaming dimension; in 2-D each row of threads
// has its own tile. Each iteration of the loop over planes does the following:
//
//   load the front plane of every field that is read          registers, prefetched
//   for every stage: fetch what it reads beyond the patch     shuffles, published rows
//                    compute its plane, publish rows, write the plane if it is a result
//   barrier (if rows are shared or copied in bulk), move the queues on
//
// Tiles extend beyond the grid. Values there are computed like others but never used. So the first
// tile of a dimension starts at the grid's edge, without a margin. If a periodic field is read
// across its edge, places beyond the grid are images of points on the far side instead: they are
// loaded from there and computed at those coordinates. In this case every tile has margins, and the
// front starts and ends beyond the grid.
//
// The body has up to three variants, selected by the compile-time variable `tests`. (1) If the
// whole tile is inside (one piece of every function applies everywhere, no boundary rule is met,
// loads stay in their arrays), points are not tested. (2) Otherwise coordinates select the pieces.
// (3) In a tile of fewer steps than the kernel has, the step is tested, too. A block chooses a
// variant per iteration.
#include "compiler/schedule/streaming/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "compiler/kernel/sequence.h"
#include "compiler/schedule/streaming/loads.h"
#include "compiler/schedule/streaming/results.h"
#include "compiler/schedule/streaming/stages.h"

namespace stencil::schedule {

namespace {

class StreamKernel {
 public:
  StreamKernel(const Schedule& schedule, const KernelOfSteps& kernel, const StreamPlan& plan)
      : builder_(kernel.interface, kernel.module, kernel.name,
                 fmt::format("{} step{} per pass along {}: each step runs some planes behind the "
                             "previous step.",
                             kernel.steps, kernel.steps == 1 ? "" : "s", axis_names(plan.rank)[0])),
        context_(schedule, plan, kernel.or_fewer, kernel.module, builder_),
        tile_(context_, kernel, body_),
        queues_(context_),
        loads_(context_, tile_, queues_),
        masks_(context_),
        point_flags_(context_, tile_, reads_at_points(plan)),
        samples_(builder_, kernel.module),
        sampled_(context_, tile_, plan.sampled ? samples_.sets() : std::vector<ir::Access>()),
        passes_(context_, tile_, all_points(plan), StreamPointFlags::Of::Pass),
        parts_{context_, tile_, queues_, masks_, point_flags_, sampled_} {}

  void lower(kernel::Module& module) {
    const StreamPlan& plan = context_.plan;
    kernel::Kernel& kernel = builder_.kernel();
    kernel.min_blocks = occupancy_of(context_.schedule, plan);
    Body patch = tile_.declare_patch();
    for (const StreamStage& stage : plan.stages) {
      append(patch, find_regions(parts_, stage));
      append(patch, find_results(parts_, stage));
    }
    body_.push_back(threads(std::move(patch)));
    const Expr last_front = plus(tile_.last_plane, plan.drain);
    const Expr iterations =
        context_.let(body_, "iterations", plus(kernel::sub(last_front, tile_.front_begin), 1));
    append_phase(body_, "prologue: start to copy the first planes",
                 loads_.start(whole_groups(iterations)));
    look_up_points();
    const std::string loop =
        fmt::format("steady state: each iteration loads a plane, and every step computes one{}",
                    plan.drain == 0 ? "" : "; the last iterations are the epilogue");
    append_phase(body_, loop,
                 is_false(tile_.is_inside)  // one variant for all iterations
                     ? as_body(planes(literal(0), iterations, {}))
                     : versions(iterations));
    kernel.body = std::move(body_);
    builder_.finish(tile_.blocks, module);
    std::get<kernel::Launch>(module.plan.actions.back()).outer_blocks = tile_.outer_blocks;
  }

 private:
  // Names of the fields that a stage writes.
  std::string targets(const StreamStage& stage) const {
    std::string out;
    const ir::Field* last = nullptr;
    for (const int id : stage.results) {
      const ir::Field& field = context_.field_of(context_.quantity(id));
      if (&field != last) out += (last ? ", " : "") + field.name;
      last = &field;
    }
    return out;
  }
  // Rounded down to a multiple of `unroll`.
  Expr rounded_down(const Expr& n) const {
    const Expr unroll = literal(context_.plan.unroll);
    return kernel::mul(divided(n, unroll), unroll);
  }
  // Rounded up to a multiple of `unroll`, because the loop processes whole groups of planes.
  Expr whole_groups(const Expr& n) const { return rounded_down(plus(n, context_.plan.unroll - 1)); }

  // Accesses at points in stages, and at sampled points.
  std::vector<ir::Access> all_points(const StreamPlan& plan) const {
    std::vector<ir::Access> out = reads_at_points(plan);
    const std::vector<ir::Access> sets = samples_.sets();
    if (plan.sampled) out.insert(out.end(), sets.begin(), sets.end());
    return out;
  }

  // Sets the flags of planes and passes with points, unless the block has none at all.
  void look_up_points() {
    const auto box = passes_.looked_at();
    if (!box) return;
    no_points_ = builder_.none_weighs(all_points(context_.plan), *box, body_);
    Body flags = passes_.look_up();
    append(flags, point_flags_.look_up());
    append(flags, sampled_.look_up());
    append(body_, guarded(kernel::operation(Op::Not, {no_points_}), std::move(flags)));
    body_.push_back({kernel::Barrier{}});
  }

  // The loop over the planes of a range of iterations.
  kernel::Statement planes(const Expr& begin, const Expr& end, const Tests& tests) {
    return loop(kernel::LoopKind::Serial, context_.iteration, begin, end, context_.plan.unroll,
                one_pass(tests));
  }

  // If point sets are used, generates a second variant of the pass for planes without points. This
  // variant is one basic block, as in a program without points, and one flag selects it for all
  // planes of the pass.
  Body one_pass(const Tests& tests) {
    const int planes = context_.plan.unroll;
    const auto flag = passes_.is_pass_free();
    if (!flag) return counted(context_.unrolled, planes, one_plane(tests));
    Tests free = tests;
    free.free = kernel::boolean(true);
    // Planes with points are rare, so their loop stays rolled.
    Body populated = one_plane(tests);
    if (planes > 1) {
      populated = as_body(loop(kernel::LoopKind::Rolled, context_.unrolled, literal(0),
                               literal(planes), 1, std::move(populated)));
    }
    return guarded(either(no_points_, *flag), counted(context_.unrolled, planes, one_plane(free)),
                   std::move(populated));
  }

  // Code for each stage of a plane, as a rolled loop over steps. This code runs rarely, and
  // unrolled it would overflow the I-cache.
  Body rolled(const std::function<Body(const StreamStage&)>& make) {
    std::vector<Body> steps(static_cast<size_t>(context_.plan.steps));
    for (const StreamStage& stage : context_.plan.stages) {
      append(steps[stage.step], make(stage));
    }
    const auto is_empty = [](const Body& body) { return body.empty(); };
    if (std::all_of(steps.begin(), steps.end(), is_empty)) return {};
    Body out = kernel::sequence(context_.step, std::move(steps));
    for (kernel::Statement& statement : out) {
      auto* over_steps = std::get_if<kernel::For>(&statement.kind);
      if (over_steps && over_steps->kind == kernel::LoopKind::Steps) {
        over_steps->kind = kernel::LoopKind::Rolled;
      }
    }
    return as_body(threads(std::move(out)));
  }

  // Tests in the variants: none; bounds of places; bounds of places and skipped steps.
  enum { kNone, kPlaces, kSteps };

  // Iterations [0, begin) and [end, last] use a tested variant, and those between them the untested
  // one. Two passes over the variants cover these ranges.
  Body versions(const Expr& iterations) {
    const bool leaves_out_steps = context_.leaves_out_steps;
    const Interval fronts = tile_.fronts_inside();
    const Expr first = tile_.front_begin;
    const Expr all = whole_groups(iterations);
    Expr begin = larger(whole_groups(kernel::sub(fronts.low, first)), literal(0));
    begin = context_.let(body_, "inside_begin", select(tile_.is_inside, smaller(begin, all), all));
    Expr end = smaller(plus(kernel::sub(fronts.high, first), 1), all);
    end =
        context_.let(body_, "inside_end",
                     kernel::add(begin, rounded_down(larger(kernel::sub(end, begin), literal(0)))));
    const std::string pass = builder_.names().unique("pass");
    const Expr first_pass = is_equal(kernel::variable(pass), literal(0));
    const Expr number = kernel::variable(context_.tests);
    const Tests tests = {
        is_equal(number, literal(kNone)),
        leaves_out_steps ? kernel::less(number, literal(kSteps)) : kernel::boolean(true),
        kernel::boolean(false)};
    Body version;
    const Expr from = context_.let(
        version, "from", select(tests.inside, begin, select(first_pass, literal(0), end)));
    Expr to = select(first_pass, begin, select(tests.inside, end, iterations));
    if (leaves_out_steps) {
      const Expr other =
          select(kernel::less(literal(0), context_.left_out()), literal(kPlaces), literal(kSteps));
      to = select(is_equal(number, other), from, to);
    }
    to = context_.let(version, "to", to);
    version.push_back(planes(from, to, tests));
    const int count = leaves_out_steps ? kSteps + 1 : kSteps;
    return as_body(loop(kernel::LoopKind::Serial, pass, literal(0), literal(2), 1,
                        as_body(loop(kernel::LoopKind::Steps, context_.tests, literal(kNone),
                                     literal(count), 1, std::move(version)))));
  }

  Body one_plane(const Tests& tests) {
    const StreamPlan& plan = context_.plan;
    Body out;
    out.push_back({kernel::Let{context_.front, kernel::add(tile_.front_begin, context_.passed())}});
    const bool populated = !is_true(tests.free);
    if (populated) {
      append(out,
             rolled([&](const StreamStage& stage) { return sums_ahead(parts_, stage, tests); }));
    }
    append(out, loads_.load_front(tests));
    bool shared_rows = false;
    for (int id = 0; id < context_.quantities(); ++id) {
      const Quantity& q = context_.quantity(id);
      shared_rows |= q.shared_rows;
      if (q.loaded()) append(out, queues_.publish(id));
    }
    std::vector<Body> steps(plan.steps);
    std::set<std::pair<int, int>> fetched;  // (quantity, age)
    for (const StreamStage& stage : plan.stages) {
      Body& step = steps[stage.step];
      if (plan.stages.size() > steps.size()) {
        step.push_back(
            {kernel::Comment{(stage.everywhere ? "partial sum for " : "") + targets(stage)}});
      }
      for (const auto& [id, age] : stage.planes) {
        if (fetched.insert({id, age}).second) append(step, queues_.fetch(id, age));
      }
      step.push_back(threads(compute(parts_, stage, tests)));
      Body kept = populated ? keep_samples(parts_, stage) : Body{};
      if (!kept.empty()) step.push_back(threads(std::move(kept)));
      for (int id : stage.results) append(step, queues_.publish(id));
    }
    append(out, kernel::sequence(context_.step, std::move(steps), [&](size_t first, size_t last) {
             return steps_title(first, last, plan.steps);
           }));
    if (populated) {
      append(out, rolled([&](const StreamStage& stage) {
               return take_samples(parts_, stage, tests, samples_);
             }));
    }
    // Results are written after the loop over steps. Inside it, the condition would make compilers
    // duplicate the loop.
    append_phase(out, "write the plane that has all its steps", write_results(parts_, tests));
    // After this barrier, copies may overwrite planes that were read before it.
    if (shared_rows || plan.bulk) out.push_back({kernel::Barrier{}});
    append_phase(out, "all planes become one iteration older", as_body(threads(queues_.move())));
    return out;
  }

  KernelBuilder builder_;
  Body body_;
  const StreamContext context_;
  StreamTile tile_;
  const StreamQueues queues_;
  StreamLoads loads_;
  StreamMasks masks_;
  StreamPointFlags point_flags_;
  Samples samples_;
  StreamPointFlags sampled_;
  StreamPointFlags passes_;
  Expr no_points_;  // condition: no points in the block
  const StreamParts parts_;
};

}  // namespace

void lower_streaming(const analysis::TimeTiles& tiles, const Schedule& schedule,
                     const StreamPlan& plan, kernel::Module& module) {
  const ir::Program& program = tiles.program();
  const bool one = may_leave_out_steps(program, plan);
  lower_tile_sizes(program, schedule, "stream", one, module, [&](const KernelOfSteps& kernel) {
    const bool deepest = kernel.steps == plan.steps;
    StreamKernel(schedule, kernel,
                 deepest ? plan : plan_stream(tiles, schedule, kernel.steps, plan.machine))
        .lower(kernel.module);
  });
}

}  // namespace stencil::schedule
