#include "compiler/schedule/streaming/results.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/kernel/passes.h"
#include "compiler/schedule/common/levels.h"

namespace stencil::schedule {

namespace {

class ResultWriter {
 public:
  explicit ResultWriter(const StreamParts& parts)
      : context_(parts.context),
        tile_(parts.tile),
        queues_(parts.queues),
        masks_(parts.masks),
        sampled_(parts.sampled) {}

  // Number of vectors per row of the patch in which results are stored.
  int vectors(const Quantity& q) const {
    return context_.plan.patch[0] / context_.global_vector_length(q);
  }

  // No masks in 2-D: a mask would cost a register in the loop, and the test of the columns is
  // shared anyway.
  bool by_mask(const Quantity& q) const { return !context_.flat && masks_.has_room(vectors(q)); }

  // Whether the core test of columns is decided once per patch instead of per vector.
  bool core_by_patch() const {
    const analysis::Reach margin = context_.plan.margin[0];
    const int columns = context_.plan.patch[0];
    return context_.flat && margin.low % columns == 0 && margin.high % columns == 0;
  }

  std::string writers_key(const Quantity& q) const {
    return fmt::format("{} {}", vectors(q), kernel::print(is_written({}, q)));
  }

  Body make_masks(const StreamStage& stage) {
    Body out;
    for (int id : stage.results) {
      const Quantity& q = context_.quantity(id);
      if (!q.is_output() || !by_mask(q)) continue;
      append(out, masks_.declare(writers_key(q), "written", "vectors of the patch to write",
                                 vectors(q), is_written({}, q)));
    }
    return out;
  }

  // First element of the current vector, relative to the patch.
  Expr first_column(const Quantity& q) const {
    return kernel::mul(counter(context_.column_name, vectors(q)),
                       literal(context_.global_vector_length(q)));
  }

  // Condition: the current vector belongs to the core of the tile, and at least some of its points
  // belong to the field. Only then does the tile write it.
  Expr is_written(const Tests& tests, const Quantity& q) const {
    const ir::Box& box = context_.field_of(q).box;
    const Expr x = kernel::add(tile_.first(0), first_column(q));
    std::vector<Expr> conditions;
    if (!core_by_patch()) conditions = tile_.core_conditions(tests, 0, x);
    const Expr first =
        context_.interface.first_vector(q.field, q.component, context_.global_vector_length(q));
    conditions.push_back(
        in_box(tests, context_.rank - 1, box, x, first, !core_by_patch() || vectors(q) == 1));
    if (!context_.flat) {
      const Expr y = tile_.place(1);
      for (const Expr& condition : tile_.core_conditions(tests, 1, y)) {
        conditions.push_back(condition);
      }
      conditions.push_back(in_box(tests, 1, box, y, context_.interface.low(box, 1), true));
    }
    return kernel::all_of(std::move(conditions));
  }

  // Condition: `at` lies in the box, whose first place is `low`. Omits comparisons that
  // core_conditions() imply, because cores lie in the grid. `core_ends`: the core conditions were
  // applied to `at` itself.
  Expr in_box(const Tests& tests, int d, const ir::Box& box, const Expr& at, const Expr& low,
              bool core_ends) const {
    const ir::Range& grid = context_.program.grid().ranges[d];
    const bool images = context_.images(d);
    core_ends &= context_.plan.margin[context_.rank - 1 - d].high > 0;
    std::vector<Expr> out;
    if (images || !(box.ranges[d].low == grid.low)) out.push_back(at_least(at, low));
    if (images || !(box.ranges[d].high == grid.high) || !core_ends) {
      out.push_back(kernel::less_equal(at, context_.interface.high(box, d)));
    }
    return tests.unless_inside(kernel::all_of(std::move(out)));
  }

  bool written_alike(const Quantity& a, const Quantity& b) const {
    return a.lag == b.lag && context_.field_of(a).box == context_.field_of(b).box &&
           writers_key(a) == writers_key(b);
  }

  // The points of a row of the patch that the tile writes, clipped to the field.
  Samples::Lanes lanes_of(const Expr& plane, const Tests& tests, const ir::Box& box) const {
    const int last = context_.rank - 1;
    Samples::Lanes lanes;
    lanes.for_each_part = [this](Body body) { return context_.for_each_part(1, std::move(body)); };
    lanes.for_each_column = [this](Body body) {
      return counted(context_.column_name, context_.patch(0), std::move(body));
    };
    std::vector<Expr> in_row, in_column = tile_.core_conditions(tests, 0, tile_.place(0));
    context_.append_inside(plane, box, 0, in_row);
    lanes.first = {plane};
    for (int axis = last - 1; axis > 0; --axis) {
      const Expr place = tile_.place(axis);
      lanes.first.push_back(place);
      context_.append_inside(place, box, context_.dimension(axis), in_row);
      for (const Expr& condition : tile_.core_conditions(tests, axis, place)) {
        in_row.push_back(condition);
      }
    }
    const auto in_grid = [&](const Expr& place) {
      return larger(smaller(place, context_.high(last)), context_.low(last));
    };
    lanes.first.push_back(in_grid(tile_.first(0)));
    lanes.last_column = in_grid(plus(tile_.first(0), context_.plan.patch[0] - 1));
    lanes.column = tile_.place(0);
    context_.append_inside(lanes.column, box, last, in_column);
    lanes.exists = kernel::all_of(std::move(in_row));
    lanes.column_exists = kernel::all_of(std::move(in_column));
    return lanes;
  }

  // The stage's results that belong to a sampled field.
  std::vector<int> sampled_results(const StreamStage& stage, ir::FieldId field) const {
    std::vector<int> out;
    for (const int id : stage.results) {
      if (context_.quantity(id).field == field) out.push_back(id);
    }
    return out;
  }

  // The kept value of a result at the current point, by step.
  Element kept(const StreamStage& stage, int id) const {
    const Quantity& q = context_.quantity(id);
    const auto [columns, rows] = context_.plan.patch;
    const BufferId buffer = context_.builder.kept_by_thread(
        "sampled", fmt::format("{} {}", q.field, q.component), arithmetic_type(q.type),
        {literal(context_.plan.steps), literal(rows), literal(columns)});
    return {buffer, {literal(stage.step), context_.row(), context_.column()}};
  }

  // No tests here, so that stages stay one basic block; take_samples() tests later.
  Body keep_samples(const StreamStage& stage) const {
    Body body;
    for (const ir::FieldId field : stage.sampled) {
      for (const int id : sampled_results(stage, field)) {
        const Scalar type = arithmetic_type(context_.quantity(id).type);
        body.push_back(store(kept(stage, id), load(queues_.current(id, 0), type)));
      }
    }
    return body.empty() ? body : context_.for_each_point(std::move(body));
  }

  Body take_samples(const StreamStage& stage, const Tests& tests, Samples& samples) const {
    const Expr plane = context_.plane(stage.lag);
    const Expr step = literal(stage.step);
    const Expr number = context_.leaves_out_steps ? kernel::sub(step, context_.left_out()) : step;
    Body out;
    for (const ir::FieldId field : stage.sampled) {
      const auto value = [&](int component) {
        const std::vector<int> results = sampled_results(stage, field);
        const int id = *std::find_if(results.begin(), results.end(), [&](int result) {
          return context_.quantity(result).component == component;
        });
        return load(kept(stage, id), arithmetic_type(context_.quantity(id).type));
      };
      const ir::Box& box = context_.program.fields[field].box;
      append(out, samples.take(field, number, lanes_of(plane, tests, box), value));
    }
    if (out.empty()) return out;
    const Expr some = kernel::operation(Op::Not, {sampled_.is_free(stage.lag)});
    return guarded(kernel::all_of({some, at_least(plane, tile_.first_plane),
                                   kernel::less_equal(plane, tile_.last_plane),
                                   context_.is_done(tests, stage.step)}),
                   std::move(out));
  }

  Body write(const Tests& tests) const {
    std::vector<std::vector<int>> groups;
    for (const StreamStage& stage : context_.plan.stages) {
      for (int id : stage.results) {
        const Quantity& q = context_.quantity(id);
        if (!q.is_output()) continue;
        const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& ids) {
          return written_alike(context_.quantity(ids[0]), q);
        });
        if (group == groups.end()) {
          groups.push_back({id});
        } else {
          group->push_back(id);
        }
      }
    }
    Body out;
    for (const std::vector<int>& ids : groups) out.push_back(threads(write_planes(tests, ids)));
    return out;
  }

  Body write_planes(const Tests& tests, const std::vector<int>& ids) const {
    const Quantity& q = context_.quantity(ids[0]);
    const ir::Box& box = context_.field_of(q).box;
    const Expr plane = context_.plane(q.lag);
    std::vector<Expr> conditions = {at_least(plane, tile_.first_plane),
                                    kernel::less_equal(plane, tile_.last_plane)};
    if (!(box.ranges[0] == context_.program.grid().ranges[0])) {
      context_.append_inside(plane, box, 0, conditions);
    }
    if (core_by_patch()) {
      conditions.push_back(kernel::all_of(tile_.core_conditions(tests, 0, tile_.first(0))));
    }
    const Expr written =
        by_mask(q) ? masks_.is_set(masks_.of(writers_key(q)), vectors(q)) : is_written(tests, q);
    Body moves;
    for (int id : ids) moves.push_back(write_vector(id));
    return guarded(kernel::all_of(std::move(conditions)),
                   context_.for_each_part(vectors(q), guarded(written, std::move(moves))));
  }

  kernel::Statement write_vector(int id) const {
    const Quantity& q = context_.quantity(id);
    const Expr column = first_column(q);
    Point point = {context_.plane(q.lag)};
    if (!context_.flat) point.push_back(tile_.place(1));
    point.push_back(kernel::add(tile_.first(0), column));
    const int slot = result_slot(context_.field_of(q), context_.schedule.time_tile,
                                 context_.plan.steps, q.output);
    return copy({context_.builder.global(q.field, q.component, slot, true),
                 context_.interface.index(point, q.field, q.component)},
                queues_.at(id, literal(0), context_.row(), column),
                context_.global_vector_length(q));
  }

 private:
  const StreamContext& context_;
  const StreamTile& tile_;
  const StreamQueues& queues_;
  StreamMasks& masks_;
  const StreamPointFlags& sampled_;
};

}  // namespace

Body find_results(const StreamParts& parts, const StreamStage& stage) {
  return ResultWriter(parts).make_masks(stage);
}

Body keep_samples(const StreamParts& parts, const StreamStage& stage) {
  return ResultWriter(parts).keep_samples(stage);
}

Body take_samples(const StreamParts& parts, const StreamStage& stage, const Tests& tests,
                  Samples& samples) {
  return ResultWriter(parts).take_samples(stage, tests, samples);
}

Body write_results(const StreamParts& parts, const Tests& tests) {
  return ResultWriter(parts).write(tests);
}

}  // namespace stencil::schedule
