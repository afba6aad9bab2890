// The `direct` family: one kernel per stencil function and step, a thread per point (or per few
// points).
//
// Every step reads and writes global memory, so its speed ends at the copy bound; it serves any
// program a kernel can serve, and it is what time tiling has to beat.
#include <fmt/format.h>

#include <set>

#include "compiler/schedule/family.h"
#include "compiler/schedule/sweep.h"

namespace stencil::schedule {

namespace {

using kernel::Body;
using kernel::Expr;

// Whether some piece has so many terms in double precision that points of one thread must not be
// unrolled: compilers keep the constants of all terms at hand for the next point, and spill.
bool too_long_to_unroll(const ir::Program& program) {
  constexpr int64_t kTerms = 512;
  for (const ir::Function& function : program.functions) {
    for (const ir::Piece& piece : function.pieces) {
      int64_t terms = 0;
      for (const ir::Node& node : piece.graph.nodes()) {
        terms += node.type == Scalar::F64 && std::holds_alternative<ir::Access>(node.kind) ? 1 : 0;
      }
      if (terms > kTerms) return true;
    }
  }
  return false;
}

// The fastest of those measured on an H200 (docs/performance.md).
Schedule defaults(const ir::Program& program) {
  Schedule schedule;
  schedule.family = "direct";
  if (program.grid.rank() == 1) schedule.block = {256, 1, 1};
  if (program.grid.rank() >= 2) schedule.block = {64, 4, 1};
  if (too_long_to_unroll(program)) return schedule;
  if (program.grid.rank() == 2) schedule.elements = {1, 4, 1};
  if (program.grid.rank() >= 3) schedule.elements = {1, 1, 4};
  return schedule;
}

void refuse(const ir::Program& program, const Schedule&, Diagnostics& diagnostics) {
  refuse_common(program, "direct", diagnostics);
}

// The loops over a thread's elements around what it does at one point; `point` gets the
// coordinates.
struct ElementLoops {
  std::vector<std::string> loop_names;  // "" where there is one element
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

void lower_sweep(const Interface& interface, const Schedule& schedule, const Sweep& sweep,
                 Names& kernel_names, kernel::Module& module) {
  const int rank = interface.rank();
  KernelBuilder builder(interface, kernel_names.unique(module.name + "_" + sweep.function->name),
                        fmt::format("One sweep of {}, {}.", sweep.function->name,
                                    sweep.in_place ? "in place" : "to the spare copy"));
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
  Body at_point = std::move(loops.lets);
  at_point.push_back(
      {kernel::If{kernel::all_of(in_domain), sweep_point(builder, sweep, loops.point), {}}});
  Body body = std::move(tiling.lets);
  body.push_back({kernel::Threads{wrap(loops, schedule, rank, std::move(at_point))}});
  builder.kernel().body = std::move(body);
  builder.finish(tiling.blocks, module);
  append_turn(interface, sweep, module.plan);
}

kernel::Module lower(const ir::Program& program, const Schedule& schedule) {
  const Interface interface(program);
  kernel::Module module = interface.empty_module();
  const auto sweeps = plan_sweeps(program);
  provide_copies(sweeps, module.plan);
  Names kernel_names = interface.names();
  for (const Sweep& sweep : sweeps) lower_sweep(interface, schedule, sweep, kernel_names, module);
  return module;
}

// Each sweep reads every field level it uses once and writes its target once.
Footprint measure_direct(const ir::Program& program, const Schedule& schedule) {
  Footprint out;
  for (const Sweep& sweep : plan_sweeps(program)) {
    std::set<std::pair<ir::FieldId, int>> levels;
    for (const analysis::Reads& reads : analysis::reads_of(program, *sweep.function)) {
      levels.insert({reads.field, reads.level});
    }
    for (const auto& [field, level] : levels) {
      out.bytes_read +=
          static_cast<double>(bytes_per_point(program.fields[static_cast<size_t>(field)]));
    }
    const size_t target = static_cast<size_t>(sweep.function->target);
    out.bytes_written += static_cast<double>(bytes_per_point(program.fields[target]));
  }
  for (int d = 0; d < program.grid.rank(); ++d) {
    out.output.push_back(int64_t{along(schedule.block, program.grid.rank(), d)} *
                         along(schedule.elements, program.grid.rank(), d));
  }
  out.threads = schedule.block[0] * schedule.block[1] * schedule.block[2];
  return out;
}

}  // namespace

Family direct_family() {
  return {"direct",
          "one sweep per stencil function and step; a thread per point",
          {Setting::Block, Setting::Elements},
          defaults,
          nullptr,
          refuse,
          lower,
          measure_direct};
}

}  // namespace stencil::schedule
