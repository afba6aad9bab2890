// Cuts boxes into tiles.
//
// Launches are one-dimensional: all targets support 2^31 - 1 blocks in x, but some only 65,535 in y
// and z. The kernel splits the block number once per block.
#include "compiler/schedule/common/tiling.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/kernel/passes.h"
#include "compiler/schedule/common/builder.h"
#include "compiler/schedule/common/levels.h"
#include "compiler/schedule/common/statements.h"

namespace stencil::schedule {

using kernel::Expr;

Expr tile_count(const Interface& interface, const ir::Box& box, int d, const TileLength& length) {
  const ir::Range& range = box.ranges[d];
  const ir::Affine extent = range.high - range.low + 1;
  if (extent.is_constant()) {
    const int64_t count =
        extent.constant <= 0 ? 0 : (extent.constant + length.points - 1) / length.points;
    return kernel::integer(count, Scalar::I64);
  }
  const Expr longer = kernel::add(kernel::convert(interface.extent(box, d), Scalar::I64),
                                  kernel::integer(length.points - 1, Scalar::I64));
  const Expr count =
      kernel::operation(Op::Div, {longer, kernel::convert(length.expr, Scalar::I64)});
  return kernel::operation(Op::Max, {count, kernel::integer(0, Scalar::I64)});
}

std::vector<int> tile_sizes(int time_tile) {
  std::vector<int> sizes;
  for (int size = time_tile; size >= 1; size /= 2) sizes.push_back(size);
  return sizes;
}

std::string KernelOfSteps::constant_name(const std::string& wanted) const {
  return steps == module.plan.time_tile ? wanted : fmt::format("{}_{}", wanted, steps);
}

void lower_tile_sizes(const ir::Program& program, const Schedule& schedule, const std::string& what,
                      bool one_kernel, kernel::Module& module,
                      const std::function<void(const KernelOfSteps&)>& add) {
  const Interface interface(program, schedule.rows);
  module.plan.time_tile = schedule.time_tile;
  Names kernel_names = interface.names_in(module);
  if (one_kernel && schedule.time_tile > 1) {
    add({interface, kernel_names.unique(program.name + "_" + what), schedule.time_tile, true,
         module});
  } else {
    module.plan.tile_sizes = tile_sizes(schedule.time_tile);
    for (int steps : module.plan.tile_sizes) {
      const std::string name = kernel_names.unique(
          steps == schedule.time_tile ? program.name + "_" + what
                                      : fmt::format("{}_{}_{}", program.name, what, steps));
      add({interface, name, steps, false, module});
      std::get<kernel::Launch>(module.plan.actions.back()).steps = steps;
    }
  }
  rotate_levels(program, module.plan);
}

analysis::Reach rim_of(const ir::Program& program, int d) {
  if (program.origin.rim.empty()) return {};
  const auto& [low, high] = program.origin.rim[d];
  return {low, high};
}

ir::Box without_rim(const ir::Program& program) {
  ir::Box out = program.grid();
  for (int d = 0; d < out.rank(); ++d) {
    const auto& [low, high] = rim_of(program, d);
    ir::Range& range = out.ranges[d];
    range = {range.low + low, range.high - high};
  }
  return out;
}

Expr tiles_along(const Interface& interface, int d, const TileLength& length, int64_t spared) {
  const ir::Box& grid = interface.program().grid();
  const ir::Range& range = grid.ranges[d];
  const ir::Affine extent = range.high - range.low + 1;
  if (extent.is_constant()) {
    if (extent.constant <= 0) return kernel::integer(0);
    const int64_t rest = std::max<int64_t>(extent.constant - spared, 1);
    return kernel::integer((rest + length.points - 1) / length.points);
  }
  const Expr one = kernel::integer(1);
  const Expr points = interface.extent(grid, d);
  const Expr rest = kernel::operation(Op::Max, {kernel::sub(points, kernel::integer(spared)),
                                                kernel::operation(Op::Min, {points, one})});
  const Expr longer = kernel::add(rest, kernel::sub(length.expr, one));
  const Expr count = kernel::operation(Op::Div, {longer, length.expr});
  return kernel::operation(Op::Max, {count, kernel::integer(0)});
}

int along(const Shape& shape, int rank, int dimension) {
  return shape[rank - 1 - dimension];
}

Expr tile_origin(const Interface& interface, int d, const Expr& number, const Expr& core,
                 int64_t below) {
  const Expr low = interface.low(interface.program().grid(), d);
  return plus(kernel::add(low, kernel::mul(number, core)), -below);
}

Expr BlockNumber::take(const Expr& count, const Expr& tiles) {
  const Expr number = modulo(rest_, tiles);
  rest_ = divided(rest_, tiles);
  blocks_ = kernel::mul(blocks_, kernel::convert(count, Scalar::I64));
  return number;
}

Expr BlockNumber::take_rest(const Expr& count) {
  blocks_ = kernel::mul(blocks_, kernel::convert(count, Scalar::I64));
  return rest_;
}

void Interval::tighten_low(const Expr& to) {
  if (limits_.insert("low " + kernel::print(to)).second) low = low ? larger(low, to) : to;
}

void Interval::tighten_high(const Expr& to) {
  if (limits_.insert("high " + kernel::print(to)).second) high = high ? smaller(high, to) : to;
}

void Interval::append_to(std::vector<Expr>& conditions, const Expr& first, const Expr& last) const {
  if (low) conditions.push_back(at_least(first, low));
  if (high) conditions.push_back(kernel::less_equal(last, high));
}

Tiling tile_box(const ir::Box& box, const std::vector<TileLength>& lengths, KernelBuilder& builder,
                kernel::Module& module) {
  const Interface& interface = builder.interface();
  Names& names = builder.names();
  const int rank = interface.rank();
  const auto axes = axis_names(rank);
  Tiling tiling;
  tiling.origin.resize(static_cast<size_t>(rank));
  BlockNumber block;
  for (int d = rank - 1; d >= 0; --d) {
    const size_t i = static_cast<size_t>(d);
    const Expr count = tile_count(interface, box, d, lengths[i]);
    const auto tiles = [&] {
      const std::string name = "tiles_" + axes[i];
      if (const auto* known = std::get_if<kernel::IntegerLiteral>(&count->kind)) {
        return builder.number_of(module, name, known->value, "tiles in " + axes[i]);
      }
      return let(names, tiling.lets, name, kernel::convert(count, Scalar::I32));
    };
    const Expr number = d == 0 ? block.take_rest(count) : block.take(count, tiles());
    const std::string name = names.unique("tile_" + axes[i]);
    const Expr origin = kernel::add(kernel::mul(number, lengths[i].expr), interface.low(box, d));
    tiling.lets.push_back({kernel::Let{name, origin}});
    tiling.origin[i] = kernel::variable(name);
  }
  tiling.blocks = block.blocks();
  return tiling;
}

}  // namespace stencil::schedule
