#include "compiler/schedule/common/record.h"

#include <fmt/format.h>

#include <functional>

#include "compiler/schedule/common/statements.h"

namespace stencil::schedule {

namespace {

using kernel::Body;
using kernel::Expr;

constexpr int kRecordThreads = 32;  // supported by every device

Expr long_literal(int64_t value) {
  return kernel::integer(value, Scalar::I64);
}

class RecordKernel {
 public:
  RecordKernel(const ReductionModule& to, const ir::Reduction& record, int samples)
      : to_(to),
        record_(record),
        set_(to.interface.point_set(*record.at)),
        type_(ir::value_type(record)),
        builder_(to.builder(
            "record_" + record.name,
            fmt::format("Record {}: a thread fills the row of one point.", record.name))),
        total_(builder_.local(kernel::Space::Thread, "total", type_, {}, "")),
        entries_(table(set_.entries)),
        weights_(table(set_.weights)) {
    if (samples != kernel::kNoScratch) samples_ = table(samples);
  }

  kernel::Launch launch() {
    const ir::Field& series = to_.program.fields[*record_.target];
    const kernel::BufferId rows = builder_.global(*record_.target, 0, 0, true);
    builder_.kernel().threads = {kRecordThreads, 1, 1};
    const int steps = samples_ < 0 ? 1 : to_.module.plan.time_tile;
    Body body, of_point;
    const Expr number = let(names(), body, "number",
                            kernel::add(kernel::mul(kernel::variable("block", Scalar::I64),
                                                    long_literal(kRecordThreads)),
                                        kernel::as_long(kernel::variable("thread_x"))));
    // The step to record. Without samples, this is the last step of the tile, because the tile ends
    // where the row is due.
    Expr step = plus(step_count(), -1);
    if (samples_ >= 0) {
      const Expr own = kernel::convert(divided(number, set_.points), Scalar::I32);
      step = let(names(), body, "step", own);
    }
    const Expr done = let(names(), body, "done", plus(kernel::add(first_step(), step), 1));
    const Expr every = literal(record_.every);
    const Expr row = let(names(), body, "row", plus(divided(done, every), -1));
    std::vector<Expr> filled = {kernel::less(number, kernel::mul(set_.points, long_literal(steps))),
                                kernel::less(step, step_count()),
                                kernel::less(row, to_.interface.extent(series.box, 0))};
    if (record_.every > 1) filled.push_back(is_equal(modulo(done, every), literal(0)));
    const Expr p =
        let(names(), of_point, "p",
            kernel::convert(samples_ < 0 ? number : modulo(number, set_.points), Scalar::I32));
    of_point.push_back({kernel::Store{total_, {}, kernel::zero(type_)}});
    Body in_memory = add_weighted(p, [&](const Expr&, const auto& corner, Body& at) {
      return value_at(builder_, record_, point_of(p, corner, at), at);
    });
    if (samples_ < 0) {
      append(of_point, std::move(in_memory));
    } else {
      const Expr all = to_.module.plan.scratch[set_.entries].elements;
      Body in_tile = add_weighted(p, [&](const Expr& entry, const auto&, Body&) {
        const Expr place =
            kernel::add(kernel::mul(kernel::as_long(step), all), kernel::as_long(entry));
        return kernel::load(samples_, {place}, type_);
      });
      append(of_point, guarded(is_equal(step, plus(step_count(), -1)), std::move(in_memory),
                               std::move(in_tile)));
    }
    of_point.push_back({kernel::Store{rows, {row, p}, kernel::load(total_, {}, type_)}});
    append(body, guarded(kernel::all_of(std::move(filled)), std::move(of_point)));
    builder_.kernel().body = as_body(threads(std::move(body)));
    const Expr all = kernel::mul(set_.points, long_literal(steps));
    return builder_.launch(
        divided(kernel::add(all, long_literal(kRecordThreads - 1)), long_literal(kRecordThreads)),
        to_.module);
  }

 private:
  Names& names() { return builder_.names(); }
  kernel::BufferId table(int memory) { return builder_.scratch(to_.module.plan, memory, false); }

  Point point_of(const Expr& p, const std::vector<Expr>& corner, Body& body) {
    const auto axes = axis_names(to_.interface.rank());
    const auto rank = static_cast<int64_t>(axes.size());
    const kernel::BufferId firsts = table(set_.firsts);
    Point point;
    for (size_t d = 0; d < axes.size(); ++d) {
      const Expr place = kernel::add(kernel::mul(kernel::as_long(p), long_literal(rank)),
                                     long_literal(static_cast<int64_t>(d)));
      const Expr first = kernel::load(firsts, {place}, Scalar::I32);
      point.push_back(let(names(), body, axes[d], kernel::add(first, corner[d])));
    }
    return point;
  }

  // Adds weight * value to the total for each grid point at which point `p` has an entry, in
  // row-major order.
  using Value = std::function<Expr(const Expr& entry, const std::vector<Expr>& corner, Body& body)>;
  Body add_weighted(const Expr& p, const Value& value) {
    const auto axes = axis_names(to_.interface.rank());
    std::vector<Expr> corner;
    Expr place = kernel::as_long(p);
    for (const std::string& axis : axes) {
      corner.push_back(kernel::variable(names().unique("k" + axis)));
      place =
          kernel::add(kernel::mul(place, long_literal(set_.width)), kernel::as_long(corner.back()));
    }
    Body body, weighed;
    const Expr entry = let(names(), body, "entry", kernel::load(entries_, {place}, Scalar::I32));
    const Expr there = value(entry, corner, weighed);
    const Expr weight = kernel::convert(kernel::load(weights_, {entry}, set_.weight), type_);
    const Expr product = let(names(), weighed, "weighed", kernel::mul(weight, there));
    weighed.push_back(
        {kernel::Store{total_, {}, kernel::add(kernel::load(total_, {}, type_), product)}});
    append(body, guarded(at_least(entry, literal(0)), std::move(weighed)));
    for (size_t d = axes.size(); d-- > 0;) {
      const std::string& counter = std::get<kernel::Variable>(corner[d]->kind).name;
      body = as_body(loop(kernel::LoopKind::Serial, counter, literal(0), literal(set_.width), 1,
                          std::move(body)));
    }
    return body;
  }

  const ReductionModule& to_;
  const ir::Reduction& record_;
  const kernel::PointSet& set_;
  const Scalar type_;
  KernelBuilder builder_;
  const kernel::BufferId total_, entries_, weights_;
  kernel::BufferId samples_ = -1;
};

}  // namespace

kernel::Launch record_rows(const ReductionModule& to, const ir::Reduction& record, int samples) {
  return RecordKernel(to, record, samples).launch();
}

}  // namespace stencil::schedule
