#include "compiler/schedule/sweeps/thread_points.h"

#include <algorithm>

#include "compiler/ir/rewrite.h"
#include "compiler/schedule/common/statements.h"

namespace stencil::schedule {

using kernel::Body;
using kernel::Expr;

ThreadPoints::ThreadPoints(const SweepTile& tile, Point origin,
                           std::vector<kernel::BufferId> copies, KernelBuilder& builder)
    : tile_(tile),
      schedule_(tile.schedule),
      rank_(tile.rank),
      origin_(std::move(origin)),
      copies_(std::move(copies)),
      builder_(builder),
      interface_(builder.interface()),
      program_(interface_.program()) {
  const auto axes = axis_names(rank_);
  for (int d = 0; d < rank_; ++d) {
    const bool several = along(schedule_.elements, rank_, d) > 1;
    loops_.push_back(several ? builder_.names().unique("e" + axes[size_t(d)]) : "");
    axes_.push_back(builder_.names().unique(axes[size_t(d)]));
  }
}

Scalar ThreadPoints::type_of(const ir::Access& access) const {
  const ir::Field& field = program_.fields[access.field];
  return arithmetic_type(field.components[access.component].type);
}

std::string ThreadPoints::name_of(const ir::Access& access) const {
  return interface_.slot_name(access.field, access.component, access.level);
}

kernel::BufferId ThreadPoints::kept(const std::string& name, Scalar type, int64_t count,
                                    const std::string& comment) const {
  return builder_.local(kernel::Space::Thread, name, type, {literal(count)}, comment);
}

Expr ThreadPoints::thread(int d) const {
  return along(schedule_.block, rank_, d) > 1
             ? kernel::variable(kernel::kThreadNames[rank_ - 1 - d])
             : literal(0);
}

ThreadPoint ThreadPoints::point(const Expr& plane) const {
  ThreadPoint out;
  out.element = literal(0);
  for (int d = 0; d < rank_; ++d) {
    const size_t i = static_cast<size_t>(d);
    if (tile_.swept && d == 0) {
      out.at.push_back(plane);
      out.place.push_back(literal(0));
      continue;
    }
    Expr place = thread(d);
    if (along(schedule_.elements, rank_, d) > 1) {
      const Expr element = kernel::variable(loops_[i]);
      place = kernel::add(place, kernel::mul(element, builder_.threads(d)));
      out.element = kernel::add(kernel::mul(out.element, builder_.elements(d)), element);
    }
    const Expr first = plus(origin_[i], -tile_.cover[i].low);
    out.lets.push_back({kernel::Let{axes_[i], kernel::add(first, place)}});
    out.at.push_back(kernel::variable(axes_[i]));
    out.place.push_back(place);
  }
  return out;
}

Body ThreadPoints::for_each_element(Body body) const {
  for (int d = rank_ - 1; d >= 0; --d) {
    const std::string& name = loops_[d];
    if (name.empty()) continue;
    body = as_body(loop(kernel::LoopKind::Unrolled, name, literal(0), builder_.elements(d), 1,
                        std::move(body)));
  }
  const bool defines = !body.empty() && std::holds_alternative<kernel::Let>(body.front().kind);
  return defines && !tile_.reads_memory() ? as_body({kernel::Scope{std::move(body)}}) : body;
}

Expr ThreadPoints::is_written(const ThreadPoint& point) const {
  std::vector<Expr> conditions;
  for (int d = tile_.first_tiled(); d < rank_; ++d) {
    const size_t i = static_cast<size_t>(d);
    const analysis::Reach& cover = tile_.cover[i];
    if (cover.low > 0) conditions.push_back(at_least(point.place[i], literal(cover.low)));
    if (cover.high > 0) {
      conditions.push_back(
          kernel::less(point.place[i], literal(tile_.thread_points(d) - cover.high)));
    }
    const ir::Box& domain = tile_.sweep->domain;
    if (!(tile_.tiled.ranges[i].low == domain.ranges[i].low)) {
      conditions.push_back(at_least(point.at[i], interface_.low(domain, d)));
    }
    conditions.push_back(kernel::less_equal(point.at[i], interface_.high(domain, d)));
  }
  return kernel::all_of(std::move(conditions));
}

Expr ThreadPoints::meets_no_rule(const Point& at) const {
  if (tile_.haloed()) return kernel::boolean(true);
  std::vector<Interval> intervals(static_cast<size_t>(rank_));
  for (const ir::Piece& piece : tile_.sweep->function->pieces) {
    for (const auto& [id, access] : ir::accesses(piece.graph, piece.results)) {
      if (!is_operand(program_, *access)) continue;
      const ir::Box& box = program_.fields[access->field].box;
      for (int d = 0; d < rank_; ++d) {
        const size_t i = static_cast<size_t>(d);
        const int64_t offset = access->offset(i);
        if (access->escapes_below(i)) {
          intervals[i].tighten_low(plus(interface_.low(box, d), -offset));
        }
        if (access->escapes_above(i)) {
          intervals[i].tighten_high(plus(interface_.high(box, d), -offset));
        }
      }
    }
  }
  std::vector<Expr> conditions;
  for (size_t d = 0; d < intervals.size(); ++d) {
    intervals[d].append_to(conditions, at[d], at[d]);
  }
  return kernel::all_of(std::move(conditions));
}

Expr ThreadPoints::loaded(const ir::Access& access, const Point& place,
                          const ir::Box* within) const {
  for (size_t c = 0; c < copies_.size(); ++c) {
    const HaloedCopy& copy = tile_.copies[c];
    if (!copy.is_of(access)) continue;
    std::vector<Expr> index;
    for (size_t d = 0; d < place.size(); ++d) index.push_back(plus(place[d], -copy.low[d]));
    return kernel::load(copies_[c], std::move(index), type_of(access));
  }
  ir::Access here = access;
  std::fill(here.maps.begin(), here.maps.end(), 0);
  const ir::Box& box = program_.fields[access.field].box;
  const Expr exists = interface_.inside(place, box, within);
  const Expr value = builder_.load_global(here, place);
  return is_true(exists) ? value : select(exists, value, kernel::zero(value->type));
}

Expr ThreadPoints::loaded_beside(const ir::Access& read, const Point& at, bool writes,
                                 int before) const {
  Point place;
  ir::Box within = tile_.sweep->domain;
  for (size_t d = 0; d < at.size(); ++d) {
    const int64_t offset = read.offset(d);
    place.push_back(plus(at[d], offset));
    ir::Range& range = within.ranges[d];
    const bool planes = tile_.swept && d == 0;
    range = {range.low + (offset - (planes ? before : 0)), range.high + offset};
  }
  return loaded(read, place, writes ? &within : nullptr);
}

}  // namespace stencil::schedule
