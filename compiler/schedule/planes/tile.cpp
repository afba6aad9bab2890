#include "compiler/schedule/planes/tile.h"

#include <fmt/format.h>

namespace stencil::schedule {

PlanesTile::PlanesTile(const PlanesContext& context, const KernelOfSteps& kernel, Body& body)
    : origin(context.rank), begin(context.rank), end(context.rank) {
  const PlanesPlan& plan = context.plan;
  const Interface& interface = context.interface;
  const auto constant = [&](const std::string& wanted, int64_t value, const std::string& why) {
    return context.builder.constant(kernel.module, kernel.constant_name(wanted), value, why);
  };
  BlockNumber block;
  for (int d = context.rank - 1; d > 0; --d) {
    const std::string& axis = context.axes[d];
    const auto let = [&](const std::string& what, const Expr& value) {
      return context.let(body, what + axis, value);
    };
    const analysis::Reach margin = plan.margin[d];
    const Expr core =
        constant("core_" + axis, plan.core(d),
                 fmt::format("output points of a tile in {}: {} computed, minus {} + {} redundant",
                             axis, plan.cover[d], margin.low, margin.high));
    const Expr count = tiles_along(interface, d, {plan.core(d), core}, plan.spared(d));
    const Expr tiles = let("tiles_", count);
    const Expr number = let("number_", block.take(count, tiles));
    origin[d] =
        let("origin_", tile_origin(interface, d, number, core, context.images(d) ? margin.low : 0));
    const Expr past = plus(context.high(d), 1);
    const Expr core_begin = plus(origin[d], margin.low);
    const Expr core_end = kernel::add(core_begin, core);
    if (context.images(d)) {
      begin[d] = let("begin_", core_begin);
      end[d] = let("end_", smaller(core_end, past));
    } else {  // the first and the last tile have no margin at the grid's ends
      begin[d] = let("begin_", select(is_equal(number, literal(0)), origin[d], core_begin));
      end[d] = let("end_", select(is_equal(plus(number, 1), tiles), past, core_end));
    }
  }
  const std::string& streamed = context.axes[0];
  const Expr chunk =
      constant("chunk", plan.chunk, fmt::format("planes in {} that a block writes", streamed));
  const analysis::Reach rim = rim_of(context.program, 0);
  const Expr number =
      block.take_rest(tiles_along(interface, 0, {plan.chunk, chunk}, rim.low + rim.high));
  blocks = block.blocks();
  begin[0] =
      context.let(body, "begin_" + streamed, tile_origin(interface, 0, number, chunk, -rim.low));
  end[0] = context.let(body, "end_" + streamed,
                       smaller(kernel::add(begin[0], chunk), plus(context.high(0), 1 - rim.high)));
}

}  // namespace stencil::schedule
