// Kernels of sweeps. For each plane (or once, if nothing is swept):
//
//   threads    fill the windows from memory, from registers, or from prefetched values
//   shuffle    exchange operands along rows of threads
//   barrier    if there are windows
//   threads    prefetch the next plane; compute the front; compute and write the points; move kept
//              values on by one plane
//   barrier    if there are windows
//
// A prologue over the planes ahead of a chunk fills the kept values. In each of its planes, only
// the values needed later are computed. Points at which an access meets a boundary rule are
// computed from global memory alone, unless loads read copies with halos (haloed.h).
#include "compiler/schedule/sweeps/kernel.h"

#include <algorithm>

#include "compiler/schedule/common/statements.h"
#include "compiler/schedule/direct/kernel.h"
#include "compiler/schedule/sweeps/operands.h"

namespace stencil::schedule {

using kernel::Body;
using kernel::Expr;

namespace {

class TileKernel {
 public:
  TileKernel(const SweepTile& tile, Tiling tiling, std::vector<kernel::BufferId> copies,
             KernelBuilder& builder)
      : tile_(tile),
        sweep_(*tile.sweep),
        schedule_(tile.schedule),
        rank_(tile.rank),
        builder_(builder),
        interface_(builder.interface()),
        program_(interface_.program()),
        tiling_(std::move(tiling)),
        points_(tile, tiling_.origin, std::move(copies), builder),
        queues_(points_),
        operands_(points_, queues_) {}

  Body body() {
    Body out = std::move(tiling_.lets);
    append_points(out);
    return out;
  }

 private:
  using Next = SharedOperands::Next;
  using Taken = SharedOperands::Taken;

  ReadAccess reader(const ThreadPoint& point, bool writes, int before, const Taken& taken,
                    const std::vector<Expr>& newest) {
    return [this, &point, writes, before, &taken, &newest](const ir::Access& access,
                                                           AccessResolver& resolver) -> Expr {
      const auto fields = static_cast<ir::FieldId>(program_.fields.size());
      if (access.field >= fields) {
        const auto value = static_cast<size_t>(access.field - fields);
        return access.level == 0 ? newest[value]
                                 : queues_.instance(value, access.level, point.element);
      }
      if (access.in_place) return builder_.load_in_place(access, resolver);
      if (!is_operand(program_, access)) {
        return builder_.load_global(access, resolver.resolve(access));
      }
      return operands_.operand(without_rules(access), point, writes, before, taken);
    };
  }

  // Work of a thread in a plane: points, or in the prologue only values to keep.
  Body compute(const Expr& plane, int before, const Next& next) {
    ThreadPoint point = points_.point(plane);
    Body out = std::move(point.lets);
    const Expr writes = points_.is_written(point);
    if (tile_.reads_memory()) {
      Body inside = tile_.haloed() ? at_point(point, {}, {}, builder_.names())
                                   : sweep_point(builder_, sweep_, point.at, builder_.names());
      append(out, guarded(writes, std::move(inside)));
      return points_.for_each_element(std::move(out));
    }
    const bool all = tile_.all_keep();
    Names names = builder_.names();
    Body work;
    const Taken taken = operands_.take(point, before, names, work);
    append(work, operands_.load_own(next, point));
    std::vector<Expr> newest(tile_.column.values.size());
    compute_front(point, !all, before, taken, newest, names, work);
    if (before == 0) {
      Body points = at_point(point, taken, newest, names);
      append(work, guarded(all ? writes : kernel::boolean(true), std::move(points)));
    }
    append(work, queues_.move_on(point, newest));
    append(out, guarded(all ? kernel::boolean(true) : writes, std::move(work)));
    return points_.for_each_element(std::move(out));
  }

  void compute_front(const ThreadPoint& point, bool writes, int before, const Taken& taken,
                     std::vector<Expr>& newest, Names& names, Body& body) {
    std::vector<ir::NodeId> nodes;
    std::vector<size_t> which;
    for (size_t v = 0; v < tile_.column.values.size(); ++v) {
      if (tile_.column.values[v].lookback < before) continue;
      nodes.push_back(tile_.column.values[v].node);
      which.push_back(v);
    }
    if (nodes.empty()) return;
    const auto values = evaluate(interface_, *tile_.column.front, nodes, point.at, first_step(),
                                 reader(point, writes, before, taken, newest), builder_.scope(),
                                 names, body, builder_.reductions());
    for (const kernel::Statement& statement : body) {
      if (const auto* let = std::get_if<kernel::Let>(&statement.kind)) names.reserve(let->name);
    }
    builder_.scope().set_apart(names);
    for (size_t i = 0; i < which.size(); ++i) newest[which[i]] = let(names, body, "v", values[i]);
    builder_.scope().set_apart(names);
  }

  Body at_point(const ThreadPoint& point, const Taken& taken, const std::vector<Expr>& newest,
                const Names& names) {
    const PieceSources sources = [&](size_t piece) {
      const SweptColumn::Piece& of = tile_.column.pieces[piece];
      return PieceSource{of.graph.get(), &of.results, reader(point, true, 0, taken, newest)};
    };
    Body inside = sweep_point(builder_, sweep_, point.at, names, sources);
    const Expr no_rule = points_.meets_no_rule(point.at);
    if (is_true(no_rule)) return inside;
    return guarded(no_rule, std::move(inside), sweep_point(builder_, sweep_, point.at, names));
  }

  // --- The whole kernel

  // One plane of points, or of the prologue, `before` planes ahead of the first one.
  Body one_plane(const Expr& plane, int before, const Next& next) {
    Body out = operands_.share(plane, before);
    const bool fills = !out.empty() && std::holds_alternative<kernel::Barrier>(out.back().kind);
    Body section = operands_.load_shared(next);
    append(section, compute(plane, before, next));
    out.push_back(threads(std::move(section)));
    // Windows are refilled only after all threads have read them.
    if (fills && tile_.swept) out.push_back({kernel::Barrier{}});
    return out;
  }

  Body all_planes() {
    if (!tile_.swept) return one_plane(literal(0), 0, {literal(0), 0, kernel::boolean(false)});
    Body out;
    const Expr first = tiling_.origin[0];
    const Expr end_of_chunk = plus(first, schedule_.chunk - 1);
    const Expr high = interface_.high(sweep_.domain, 0);
    const Expr last = let(builder_.names(), out, "last_plane",
                          schedule_.chunk == kAllPlanes ? high : smaller(end_of_chunk, high));
    const int lookback = tile_.column.lookback();
    append(out, operands_.load_first({plus(first, -lookback), lookback, kernel::boolean(true)}));
    for (int before = lookback; before > 0; --before) {
      const Next next = {plus(first, 1 - before), before - 1, kernel::boolean(true)};
      append(out, one_plane(plus(first, -before), before, next));
    }
    const Expr plane = kernel::variable(points_.plane());
    const Next next = {plus(plane, 1), 0, kernel::less(plane, last)};
    out.push_back(loop(kernel::LoopKind::Serial, points_.plane(), first, plus(last, 1), 1,
                       one_plane(plane, 0, next)));
    return out;
  }

  void append_points(Body& body) {
    std::vector<ir::Access> reads;
    for (const ir::Piece& piece : sweep_.function->pieces) {
      analysis::add_reads_at_points(piece.graph, piece.results, reads);
    }
    if (reads.empty()) return append(body, all_planes());
    GridBox box{tiling_.origin, {}};
    for (int d = 0; d < rank_; ++d) {
      const auto i = static_cast<size_t>(d);
      box.last.push_back(
          smaller(plus(tiling_.origin[i], tile_.core(d) - 1), interface_.high(sweep_.domain, d)));
    }
    const Expr none = builder_.none_weighs(reads, box, body);
    const auto make = [&] { return all_planes(); };
    append(body, builder_.by_points(reads, none, make));
  }

  const SweepTile& tile_;
  const Sweep& sweep_;
  const Schedule& schedule_;
  const int rank_;
  KernelBuilder& builder_;
  const Interface& interface_;
  const ir::Program& program_;
  Tiling tiling_;
  const ThreadPoints points_;
  const ColumnQueues queues_;
  const SharedOperands operands_;
};

void lower_sweep(const Interface& interface, const SweepTile& tile, const std::string& name,
                 HaloedMemory& memory, kernel::Module& module) {
  const Sweep& sweep = *tile.sweep;
  if (tile.is_plain()) return lower_direct(interface, sweep, tile.schedule, name, module);
  KernelBuilder builder(interface, module, name, comment_of(sweep));
  builder.set_block(module, tile.schedule.block, tile.schedule.elements);
  std::vector<TileLength> lengths;
  for (int d = 0; d < tile.rank; ++d) {
    const std::string axis = axis_names(tile.rank)[d];
    lengths.push_back({tile.core(d), builder.number_of(module, "core_" + axis, tile.core(d),
                                                       "points of a tile in " + axis)});
  }
  Tiling tiling = tile_box(tile.tiled, lengths, builder, module);
  const Expr blocks = tiling.blocks;
  builder.kernel().body =
      TileKernel(tile, std::move(tiling), memory.read(tile, builder), builder).body();
  builder.finish(blocks, module);
  append_turn(interface, sweep, module.plan);
}

}  // namespace

void append_sweeps(const Interface& interface, const std::vector<SweepTile>& sweeps,
                   kernel::Module& module) {
  HaloedMemory memory(interface, module);
  for (const SweepTile& tile : sweeps) {
    provide_copies(*tile.sweep, module.plan);
    memory.fill(tile);
    Names names = interface.names_in(module);
    lower_sweep(interface, tile, names.unique(module.name + "_" + tile.sweep->function->name),
                memory, module);
    memory.write(tile);
  }
}

}  // namespace stencil::schedule
