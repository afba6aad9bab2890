// A block computes a box of the grid. A thread has `elements` points, `block` points apart, and
// tests for each whether it lies in the sweep's domain.
#include "compiler/schedule/direct/kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/schedule/common/statements.h"
#include "compiler/schedule/common/tiling.h"

namespace stencil::schedule {

using kernel::Body;
using kernel::Expr;

namespace {

class DirectKernel {
 public:
  DirectKernel(const Sweep& sweep, const Schedule& schedule, Tiling tiling, KernelBuilder& builder)
      : sweep_(sweep),
        schedule_(schedule),
        rank_(builder.interface().rank()),
        builder_(builder),
        tiling_(std::move(tiling)) {
    const auto axes = axis_names(rank_);
    for (int d = 0; d < rank_; ++d) {
      const size_t i = static_cast<size_t>(d);
      const bool several = along(schedule.elements, rank_, d) > 1;
      loops_.push_back(several ? builder.names().unique("e" + axes[i]) : "");
      axes_.push_back(builder.names().unique(axes[i]));
    }
  }

  Body body() {
    Body out = std::move(tiling_.lets);
    std::vector<ir::Access> reads;  // at points
    for (const ir::Piece& piece : sweep_.function->pieces) {
      analysis::add_reads_at_points(piece.graph, piece.results, reads);
    }
    if (reads.empty()) {
      append(out, all_points());
      return out;
    }
    const GridBox box = written_box();
    const Expr none = builder_.none_weighs(reads, box, out);
    append(out,
           builder_.by_points(
               reads, none, [&] { return all_points(); }, [&] { return sum_ahead(reads, box); }));
    return out;
  }

 private:
  struct ThreadPoint {
    Body lets;
    Point at;
    Expr exists;  // condition: the point is in the domain
  };

  Expr thread(int d) const {
    return along(schedule_.block, rank_, d) > 1
               ? kernel::variable(kernel::kThreadNames[rank_ - 1 - d])
               : literal(0);
  }

  // The thread's current point, in the loops over its elements.
  ThreadPoint point() const {
    ThreadPoint out;
    std::vector<Expr> conditions;
    for (int d = 0; d < rank_; ++d) {
      const size_t i = static_cast<size_t>(d);
      Expr place = thread(d);
      if (!loops_[i].empty()) {
        place = kernel::add(place, kernel::mul(kernel::variable(loops_[i]), builder_.threads(d)));
      }
      out.lets.push_back({kernel::Let{axes_[i], kernel::add(tiling_.origin[i], place)}});
      out.at.push_back(kernel::variable(axes_[i]));
      conditions.push_back(
          kernel::less_equal(out.at.back(), builder_.interface().high(sweep_.domain, d)));
    }
    out.exists = kernel::all_of(std::move(conditions));
    return out;
  }

  Body for_each_element(Body body) const {
    for (int d = rank_ - 1; d >= 0; --d) {
      if (loops_[d].empty()) continue;
      body = as_body(loop(kernel::LoopKind::Unrolled, loops_[d], literal(0), builder_.elements(d),
                          1, std::move(body)));
    }
    return body;
  }

  Body all_points() {
    ThreadPoint point = this->point();
    Body body = std::move(point.lets);
    append(body, guarded(point.exists, sweep_point(builder_, sweep_, point.at, builder_.names())));
    return as_body(threads(for_each_element(std::move(body))));
  }

  GridBox written_box() const {
    GridBox box{tiling_.origin, {}};
    const std::vector<int64_t> points = points_of_block(schedule_, rank_);
    for (int d = 0; d < rank_; ++d) {
      const size_t i = static_cast<size_t>(d);
      box.last.push_back(smaller(plus(tiling_.origin[i], points[i] - 1),
                                 builder_.interface().high(sweep_.domain, d)));
    }
    return box;
  }

  // Sums the point terms of all elements before the points are computed.
  Body sum_ahead(const std::vector<ir::Access>& reads, const GridBox& box) {
    ThreadPoint point = this->point();
    PointLanes lanes;
    lanes.for_each_part = [this](Body body) { return for_each_element(std::move(body)); };
    for (int d = 0; d < rank_; ++d) {
      if (loops_[d].empty()) continue;
      lanes.extents.push_back(builder_.elements(d));
      lanes.index.push_back(kernel::variable(loops_[d]));
    }
    lanes.exists = point.exists;
    lanes.lets = std::move(point.lets);
    lanes.first = point.at;
    lanes.last_column = lanes.column = point.at.back();
    lanes.row_first = box.first.back();
    lanes.row_last = box.last.back();
    auto [zeros, sums] = builder_.sum_ahead(reads, lanes, first_step());
    builder_.read_sums(reads, lanes);
    Body ahead = as_body(threads(std::move(zeros)));
    ahead.push_back(threads(std::move(sums)));
    return ahead;
  }

  const Sweep& sweep_;
  const Schedule& schedule_;
  const int rank_;
  KernelBuilder& builder_;
  Tiling tiling_;
  std::vector<std::string> loops_, axes_;  // variables by dimension; "": one element, no loop
};

}  // namespace

std::vector<int64_t> points_of_block(const Schedule& schedule, int rank) {
  std::vector<int64_t> out;
  for (int d = 0; d < rank; ++d) {
    out.push_back(int64_t{along(schedule.block, rank, d)} * along(schedule.elements, rank, d));
  }
  return out;
}

std::string comment_of(const Sweep& sweep) {
  const char* where = sweep.in_place()            ? "in place"
                      : sweep.targets.size() == 1 ? "to the spare copy"
                                                  : "to spare copies where it reads neighbours";
  return fmt::format("One sweep of {}, {}.", sweep.function->name, where);
}

void lower_direct(const Interface& interface, const Sweep& sweep, const Schedule& schedule,
                  const std::string& name, kernel::Module& module) {
  KernelBuilder builder(interface, module, name, comment_of(sweep));
  builder.set_block(module, schedule.block, schedule.elements);
  std::vector<TileLength> lengths;
  for (const int64_t points : points_of_block(schedule, interface.rank())) {
    const std::string axis = axis_names(interface.rank())[lengths.size()];
    lengths.push_back(
        {points, builder.number_of(module, "core_" + axis, points, "points of a tile in " + axis)});
  }
  Tiling tiling = tile_box(sweep.domain, lengths, builder, module);
  const Expr blocks = tiling.blocks;
  builder.kernel().body = DirectKernel(sweep, schedule, std::move(tiling), builder).body();
  builder.finish(blocks, module);
  append_turn(interface, sweep, module.plan);
}

void append_direct(const Interface& interface, const std::vector<Sweep>& sweeps,
                   const Schedule& schedule, kernel::Module& module) {
  Names kernel_names = interface.names_in(module);
  for (const Sweep& sweep : sweeps) {
    provide_copies(sweep, module.plan);
    lower_direct(interface, sweep, schedule,
                 kernel_names.unique(module.name + "_" + sweep.function->name), module);
  }
}

}  // namespace stencil::schedule
