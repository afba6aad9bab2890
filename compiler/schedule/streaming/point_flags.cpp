#include "compiler/schedule/streaming/point_flags.h"

#include <algorithm>
#include <utility>

namespace stencil::schedule {

StreamPointFlags::StreamPointFlags(const StreamContext& context, const StreamTile& tile,
                                   std::vector<ir::Access> reads, Of of)
    : context_(context), tile_(tile), reads_(std::move(reads)) {
  const StreamPlan& plan = context.plan;
  if (reads_.empty()) return;
  for (const StreamStage& stage : plan.stages) ahead_ = std::max<int64_t>(ahead_, stage.lag);
  const Chunks chunks = cut_chunks(context.program, context.schedule, plan);
  all_ = std::max(chunks.length, chunks.boundary_length) + plan.fill + plan.drain + plan.unroll +
         ahead_ + plan.known.modulus[0] - 1;
  const int64_t least = of == Of::Pass ? plan.unroll : 1;  // planes per flag, at least
  planes_ = (all_ + least * kPointFlags - 1) / (least * kPointFlags) * least;
  flags_ = (all_ + planes_ - 1) / planes_;
  looked_ = of == Of::Pass ? planes_ + ahead_ : planes_;
  free_ = context.builder.local(kernel::Space::Shared,
                                of == Of::Pass ? "free_passes" : "free_planes", Scalar::U8,
                                {literal(flags_)}, "1 for planes without sources and receivers");
}

Body StreamPointFlags::look_up() {
  if (flags_ == 0) return {};
  const std::string flag = context_.builder.names().unique("flag");
  const Shape& block = context_.schedule.block;
  const Expr row = block[1] > 1 ? kernel::variable("thread_y") : literal(0);
  const Expr thread = kernel::add(context_.thread(0), kernel::mul(row, context_.threads(0)));
  const Expr place =
      plus(kernel::add(tile_.front_begin, kernel::mul(kernel::variable(flag), literal(planes_))),
           -ahead_);
  Body body;
  const Expr none = context_.builder.none_weighs(reads_, tile_.covered(place, looked_), body);
  body.push_back(
      {kernel::Store{free_,
                     {kernel::variable(flag)},
                     kernel::convert(select(none, literal(1), literal(0)), Scalar::U8)}});
  return as_body(threads(as_body(loop(kernel::LoopKind::Serial, flag, thread, literal(flags_),
                                      block[0] * block[1], std::move(body)))));
}

std::optional<GridBox> StreamPointFlags::looked_at() const {
  if (flags_ == 0) return std::nullopt;
  return tile_.covered(plus(tile_.front_begin, -ahead_), all_);
}

Expr StreamPointFlags::is_free(int lag) const {
  const Expr plane = plus(context_.passed(), ahead_ - lag);
  const Expr flag = kernel::load(free_, {divided(plane, literal(planes_))}, Scalar::I32);
  return kernel::operation(Op::Ne, {flag, literal(0)});
}

std::optional<Expr> StreamPointFlags::is_pass_free() const {
  if (flags_ == 0) return std::nullopt;
  const Expr flag = divided(kernel::variable(context_.iteration), literal(planes_));
  return kernel::operation(Op::Ne, {kernel::load(free_, {flag}, Scalar::I32), literal(0)});
}

}  // namespace stencil::schedule
