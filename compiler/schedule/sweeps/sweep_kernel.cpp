#include "compiler/schedule/sweeps/sweep_kernel.h"

#include <fmt/format.h>

#include "compiler/analysis/reads.h"
#include "compiler/schedule/parts/limits.h"
#include "compiler/schedule/parts/statements.h"

namespace stencil::schedule {

using kernel::Body;
using kernel::Expr;

namespace {

// The loops over a thread's elements around what it does at one point; `point` gets the
// coordinates.
struct ElementLoops {
  std::vector<std::string> loop_names;  // "" where there is one element
  std::vector<Expr> extents, index;     // of the loops: how many elements, and which one it is
  Body lets;                            // coordinates of the point
  Point point;
};

ElementLoops element_loops(KernelBuilder& builder, const Schedule& schedule, const Point& origin) {
  const int rank = builder.interface().rank();
  const auto axes = axis_names(rank);
  ElementLoops loops;
  for (int d = 0; d < rank; ++d) {
    const size_t i = static_cast<size_t>(d);
    const int threads = along(schedule.block, rank, d);
    Expr local = threads > 1 ? kernel::variable("thread_" + axes[i]) : kernel::integer(0);
    loops.loop_names.emplace_back();
    if (along(schedule.elements, rank, d) > 1) {
      loops.loop_names.back() = builder.names().unique("e" + axes[i]);
      loops.extents.push_back(literal(along(schedule.elements, rank, d)));
      loops.index.push_back(kernel::variable(loops.loop_names.back()));
      local = kernel::add(
          local, kernel::mul(kernel::variable(loops.loop_names.back()), kernel::integer(threads)));
    }
    const std::string name = builder.names().unique(axes[i]);
    loops.lets.push_back({kernel::Let{name, kernel::add(origin[i], local)}});
    loops.point.push_back(kernel::variable(name));
  }
  return loops;
}

Body wrap(const ElementLoops& loops, const Schedule& schedule, int rank, Body body) {
  for (int d = rank - 1; d >= 0; --d) {
    const std::string& name = loops.loop_names[static_cast<size_t>(d)];
    if (name.empty()) continue;
    Body outer;
    outer.push_back(
        {kernel::For{kernel::LoopKind::Unrolled, name, kernel::integer(0),
                     kernel::integer(along(schedule.elements, rank, d)), 1, std::move(body)}});
    body = std::move(outer);
  }
  return body;
}

// The points of a block's tile, as far as they lie in the domain.
GridBox box_of(const Interface& interface, const Sweep& sweep, const Point& origin,
               const std::vector<TileLength>& lengths) {
  GridBox out{origin, {}};
  for (int d = 0; d < interface.rank(); ++d) {
    const auto i = static_cast<size_t>(d);
    out.last.push_back(
        smaller(plus(origin[i], lengths[i].points - 1), interface.high(sweep.domain, d)));
  }
  return out;
}

const char* where_to(const Sweep& sweep) {
  if (sweep.in_place()) return "in place";
  return sweep.targets.size() == 1 ? "to the spare copy"
                                   : "to spare copies of what it reads around";
}

void lower_sweep(const Interface& interface, const Schedule& schedule, const Sweep& sweep,
                 Names& kernel_names, kernel::Module& module) {
  const int rank = interface.rank();
  KernelBuilder builder(interface, module,
                        kernel_names.unique(module.name + "_" + sweep.function->name),
                        fmt::format("One sweep of {}, {}.", sweep.function->name, where_to(sweep)));
  builder.kernel().threads = schedule.block;
  std::vector<TileLength> lengths;
  for (int d = 0; d < rank; ++d) {
    const int64_t length =
        int64_t{along(schedule.block, rank, d)} * along(schedule.elements, rank, d);
    lengths.push_back({length, kernel::integer(length)});
  }
  Tiling tiling = tile_box(interface, sweep.domain, lengths, builder.names());
  ElementLoops loops = element_loops(builder, schedule, tiling.origin);

  std::vector<Expr> in_domain;
  for (int d = 0; d < rank; ++d) {
    const size_t i = static_cast<size_t>(d);
    in_domain.push_back(kernel::less_equal(loops.point[i], interface.high(sweep.domain, d)));
  }
  const auto for_each_element = [&](Body at_element) {
    return wrap(loops, schedule, rank, std::move(at_element));
  };
  const auto sweep_points = [&] {
    Body at_point = loops.lets;
    at_point.push_back(
        {kernel::If{kernel::all_of(in_domain), sweep_point(builder, sweep, loops.point), {}}});
    return as_body(threads(for_each_element(std::move(at_point))));
  };
  std::vector<ir::Access> reads;
  for (const ir::Piece& piece : sweep.function->pieces) {
    analysis::add_reads_at_points(piece.graph, piece.results, reads);
  }
  Body body = std::move(tiling.lets);
  if (reads.empty()) {
    append(body, sweep_points());
  } else {
    const GridBox box = box_of(interface, sweep, tiling.origin, lengths);
    const Expr none = builder.none_weighs(reads, box, body);
    append(body, builder.by_points(reads, none, sweep_points, [&] {
      PointLanes lanes;
      lanes.for_each_part = for_each_element;
      lanes.extents = loops.extents;
      lanes.index = loops.index;
      lanes.lets = loops.lets;
      lanes.exists = kernel::all_of(in_domain);
      lanes.first = loops.point;
      lanes.last_column = lanes.column = loops.point.back();
      lanes.row_first = box.first.back();
      lanes.row_last = box.last.back();
      auto [zeros, sums] = builder.sum_ahead(reads, lanes, first_step());
      builder.read_sums(reads, lanes);
      Body ahead = as_body(threads(std::move(zeros)));
      ahead.push_back(threads(std::move(sums)));
      return ahead;
    }));
  }
  builder.kernel().body = std::move(body);
  builder.finish(tiling.blocks, module);
  append_turn(interface, sweep, module.plan);
}

}  // namespace

void append_sweeps(const Interface& interface, const Schedule& schedule,
                   const std::vector<Sweep>& sweeps, kernel::Module& module) {
  provide_copies(sweeps, module.plan);
  Names kernel_names = interface.names_in(module);
  for (const Sweep& sweep : sweeps) {
    lower_sweep(interface, schedule, sweep, kernel_names, module);
  }
}

void count_sweeps(const ir::Program& program, const std::vector<Sweep>& sweeps, Footprint& out) {
  for (const Sweep& sweep : sweeps) {
    for (const analysis::Reads& reads : analysis::reads_of(program, *sweep.function)) {
      const size_t field = static_cast<size_t>(reads.field);
      out.bytes_read += static_cast<double>(bytes_per_point(program.fields[field]));
    }
    for (const ir::FieldId target : sweep.function->targets) {
      out.bytes_written +=
          static_cast<double>(bytes_per_point(program.fields[static_cast<size_t>(target)]));
    }
  }
}

}  // namespace stencil::schedule
