#include "compiler/schedule/sweeps/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "compiler/schedule/common/statements.h"

namespace stencil::schedule {

using kernel::Body;
using kernel::Expr;

// --- The column

ColumnQueues::ColumnQueues(const ThreadPoints& points) : points_(points), tile_(points.tile()) {
  const int64_t elements = tile_.elements();
  for (const ColumnValue& value : tile_.column.values) {
    values_.push_back(-1);
    if (value.ages == 0) continue;
    const ir::Node& node = (*tile_.column.front)[value.node];
    const auto* access = std::get_if<ir::Access>(&node.kind);
    values_.back() =
        points_.kept(access ? points_.name_of(*access) + "_planes" : "partial", node.type,
                     elements * value.ages, "of previous planes, the newest first");
  }
}

Expr ColumnQueues::instance(size_t value, int age, const Expr& element) const {
  const ColumnValue& of = tile_.column.values[value];
  return kernel::load(values_[value], {instance_index(of, age, element)},
                      (*tile_.column.front)[of.node].type);
}

Expr ColumnQueues::instance_index(const ColumnValue& value, int age, const Expr& element) {
  return plus(kernel::mul(element, literal(value.ages)), age - 1);
}

Body ColumnQueues::move_on(const ThreadPoint& point, const std::vector<Expr>& newest) const {
  Body out;
  for (size_t v = 0; v < tile_.column.values.size(); ++v) {
    const ColumnValue& value = tile_.column.values[v];
    for (int age = value.ages; age > 1; --age) {
      out.push_back({kernel::Store{values_[v],
                                   {instance_index(value, age, point.element)},
                                   instance(v, age - 1, point.element)}});
    }
    if (value.ages == 0 || !newest[v]) continue;
    out.push_back(
        {kernel::Store{values_[v], {instance_index(value, 1, point.element)}, newest[v]}});
  }
  return out;
}

// --- The tile

SharedOperands::SharedOperands(const ThreadPoints& points, const ColumnQueues& queues)
    : points_(points),
      queues_(queues),
      tile_(points.tile()),
      schedule_(tile_.schedule),
      rank_(tile_.rank),
      program_(points.builder().interface().program()) {
  KernelBuilder& builder = points.builder();
  if (schedule_.of<SweepsSettings>().halo == Halo::Remap) cell_ = builder.names().unique("cell");
  if (!tile_.rows.empty()) lane_ = builder.names().unique("element");
  const int64_t elements = tile_.elements();
  for (const TileWindow& window : tile_.windows) {
    std::vector<Expr> extents;
    for (int d = tile_.first_tiled(); d < rank_; ++d) {
      extents.push_back(literal(tile_.extent(window, d)));
    }
    windows_.push_back(builder.local(kernel::Space::Shared, points_.name_of(window.from) + "_tile",
                                     points_.type_of(window.from), std::move(extents),
                                     "shared by the block: the tile and its halo"));
    window_ahead_.push_back(-1);
    if (schedule_.prefetch == 0) continue;
    window_ahead_.back() =
        points_.kept(points_.name_of(window.from) + "_ahead", points_.type_of(window.from),
                     tile_.items(window), "the next plane of the tile");
  }
  for (const TileRow& row : tile_.rows) {
    const std::string name = points_.name_of(row.from);
    const Scalar type = points_.type_of(row.from);
    centres_.push_back(points_.kept(name + "_own", type, elements, "read by threads of the row"));
    centre_ahead_.push_back(schedule_.prefetch > 0
                                ? points_.kept(name + "_ahead", type, elements, "the next plane")
                                : kernel::BufferId(-1));
    beside_.emplace_back();
    for (const int offset : row.offsets) {
      beside_.back()[offset] =
          points_.kept(name + "_beside", type, elements, fmt::format("{:+} in x", offset));
    }
  }
  for (const ir::Access& read : tile_.reads) {
    if (schedule_.prefetch == 0 || !tile_.is_loaded(read)) continue;
    ahead_.push_back({read, points_.kept(points_.name_of(read) + "_ahead", points_.type_of(read),
                                         elements, "read in the next plane")});
  }
}

int64_t SharedOperands::cells(const TileWindow& window) const {
  int64_t out = 1;
  for (int d = 0; d < rank_; ++d) out *= tile_.extent(window, d);
  return out;
}

Body SharedOperands::for_each_cell(const TileWindow& window, const Expr& plane,
                                   const AtCell& make) const {
  return schedule_.of<SweepsSettings>().halo == Halo::Remap
             ? for_each_numbered_cell(window, plane, make)
             : for_each_point_and_part(window, plane, make);
}

Expr SharedOperands::plane_of(const TileWindow& window, const Expr& plane) const {
  return plus(plane, window.plane());
}

Body SharedOperands::for_each_point_and_part(const TileWindow& window, const Expr& plane,
                                             const AtCell& make) const {
  ThreadPoint point = points_.point(plane);
  const auto cell = [&](const std::vector<int>* part) {
    Cell out;
    out.own = !part;
    out.at = point.at;
    if (tile_.swept) out.at[0] = plane_of(window, plane);
    for (int d = tile_.first_tiled(); d < rank_; ++d) {
      const size_t i = static_cast<size_t>(d);
      const analysis::Reach& around = window.margin[i];
      const int side = part ? (*part)[i] : 0;
      const int64_t away = side < 0 ? -around.low : side > 0 ? around.high : 0;
      out.at[i] = plus(out.at[i], away);
      out.index.push_back(plus(point.place[i], around.low - tile_.cover[i].low + away));
    }
    const int64_t number = part ? 1 + (part - window.parts.data()) : 0;
    out.item = plus(point.element, number * tile_.elements());
    return out;
  };
  Body body = std::move(point.lets);
  append(body, make(cell(nullptr)));
  for (const std::vector<int>& part : window.parts) {
    std::vector<Expr> is_next;
    for (int d = tile_.first_tiled(); d < rank_; ++d) {
      const size_t i = static_cast<size_t>(d);
      const analysis::Reach& around = window.margin[i];
      if (part[i] < 0) is_next.push_back(kernel::less(point.place[i], literal(around.low)));
      if (part[i] > 0) {
        is_next.push_back(at_least(point.place[i], literal(tile_.thread_points(d) - around.high)));
      }
    }
    append(body, guarded(kernel::all_of(std::move(is_next)), make(cell(&part))));
  }
  return points_.for_each_element(std::move(body));
}

Body SharedOperands::for_each_numbered_cell(const TileWindow& window, const Expr& plane,
                                            const AtCell& make) const {
  Expr number = literal(0);
  for (int d = 0; d < rank_; ++d) {
    number = kernel::add(kernel::mul(number, points_.builder().threads(d)), points_.thread(d));
  }
  const int64_t threads = schedule_.block.product(), all = cells(window);
  const Expr item = kernel::variable(cell_);
  number = kernel::add(number, kernel::mul(item, literal(threads)));
  Cell cell;
  cell.item = item;
  cell.at.resize(static_cast<size_t>(rank_));
  if (tile_.swept) cell.at[0] = plane_of(window, plane);
  Expr rest = number;
  for (int d = rank_ - 1; d >= tile_.first_tiled(); --d) {
    const size_t i = static_cast<size_t>(d);
    const Expr extent = literal(tile_.extent(window, d));
    const Expr index = d == tile_.first_tiled() ? rest : modulo(rest, extent);
    if (d > tile_.first_tiled()) rest = divided(rest, extent);
    cell.index.insert(cell.index.begin(), index);
    cell.at[i] = kernel::add(plus(points_.origin()[i], -tile_.below(window, d)), index);
  }
  Body body = make(cell);
  if (all % threads != 0) body = guarded(kernel::less(number, literal(all)), std::move(body));
  return as_body(loop(kernel::LoopKind::Unrolled, cell_, literal(0), literal(tile_.items(window)),
                      1, std::move(body)));
}

bool SharedOperands::is_kept(const TileWindow& window, const Cell& cell) const {
  return cell.own && window.value.has_value();
}

Body SharedOperands::share(const Expr& plane, int before) const {
  const auto needed = tile_.reads_at(program_, before);
  Body section;
  for (size_t w = 0; w < tile_.windows.size(); ++w) {
    const TileWindow& window = tile_.windows[w];
    if (!tile_.needs(window, needed)) continue;
    append(section, for_each_cell(window, plane, [&](const Cell& cell) {
             const Expr value =
                 is_kept(window, cell)
                     ? queues_.instance(static_cast<size_t>(*window.value), window.age, cell.item)
                 : window_ahead_[w] >= 0
                     ? kernel::load(window_ahead_[w], {cell.item}, points_.type_of(window.from))
                     : points_.loaded(window.from, cell.at, nullptr);
             return as_body({kernel::Store{windows_[w], cell.index, value}});
           }));
  }
  const bool fills = !section.empty();
  Body own;
  for (size_t r = 0; r < tile_.rows.size(); ++r) {
    const ir::Access& from = tile_.rows[r].from;
    if (!needs(tile_.rows[r], needed)) continue;
    const ThreadPoint point = points_.point(plane);
    const Expr value = centre_ahead_[r] >= 0
                           ? kernel::load(centre_ahead_[r], {point.element}, points_.type_of(from))
                           : points_.loaded_beside(from, point.at, false, 0);
    own.push_back({kernel::Store{centres_[r], {point.element}, value}});
  }
  if (!own.empty()) {
    Body at_point = points_.point(plane).lets;
    append(at_point, std::move(own));
    append(section, points_.for_each_element(std::move(at_point)));
  }
  Body out;
  if (!section.empty()) out.push_back(threads(std::move(section)));
  append(out, shuffles(needed));
  if (fills) out.push_back({kernel::Barrier{}});
  return out;
}

bool SharedOperands::needs(const TileRow& row, const std::vector<ir::Access>& reads) const {
  return std::any_of(reads.begin(), reads.end(),
                     [&](const ir::Access& read) { return tile_.row_of(read) == &row; });
}

Body SharedOperands::shuffles(const std::vector<ir::Access>& needed) const {
  kernel::Shuffle shuffle;
  shuffle.name = lane_;
  shuffle.count = static_cast<int>(tile_.elements());
  const Expr element = shuffle.count > 1 ? kernel::variable(lane_) : literal(0);
  for (size_t r = 0; r < tile_.rows.size(); ++r) {
    if (!needs(tile_.rows[r], needed)) continue;
    for (const auto& [offset, buffer] : beside_[r]) {
      if (std::abs(offset) >= schedule_.block[0]) continue;
      shuffle.moves.push_back({buffer, {element}, centres_[r], {element}, offset});
    }
  }
  return shuffle.moves.empty() ? Body{} : as_body({std::move(shuffle)});
}

Body SharedOperands::load_shared(const Next& next) const {
  if (schedule_.prefetch == 0) return {};
  const auto needed = tile_.reads_at(program_, next.before);
  Body out;
  for (size_t w = 0; w < tile_.windows.size(); ++w) {
    const TileWindow& window = tile_.windows[w];
    if (!tile_.needs(window, needed)) continue;
    append(out, for_each_cell(window, next.plane, [&](const Cell& cell) {
             if (is_kept(window, cell)) return Body{};
             const Expr value = points_.loaded(window.from, cell.at, nullptr);
             return as_body({kernel::Store{window_ahead_[w], {cell.item}, value}});
           }));
  }
  ThreadPoint point = points_.point(next.plane);
  Body own;
  for (size_t r = 0; r < tile_.rows.size(); ++r) {
    if (!needs(tile_.rows[r], needed)) continue;
    const Expr value = points_.loaded_beside(tile_.rows[r].from, point.at, false, 0);
    own.push_back({kernel::Store{centre_ahead_[r], {point.element}, value}});
  }
  if (!own.empty()) {
    Body body = std::move(point.lets);
    append(body, std::move(own));
    append(out, points_.for_each_element(std::move(body)));
  }
  return guarded(next.exists, std::move(out));
}

Body SharedOperands::load_own(const Next& next, const ThreadPoint& point) const {
  const auto needed = tile_.reads_at(program_, next.before);
  Point at = point.at;
  at[0] = next.plane;
  Body out;
  for (const auto& [read, buffer] : ahead_) {
    if (std::find(needed.begin(), needed.end(), read) == needed.end()) continue;
    const Expr value = points_.loaded_beside(read, at, !tile_.all_keep(), next.before);
    out.push_back({kernel::Store{buffer, {point.element}, value}});
  }
  return guarded(next.exists, std::move(out));
}

Body SharedOperands::load_first(const Next& first) const {
  Body out = load_shared(first);
  ThreadPoint point = points_.point(first.plane);
  Body own = load_own(first, point);
  if (!own.empty()) {
    Body body = std::move(point.lets);
    const Expr all = tile_.all_keep() ? kernel::boolean(true) : points_.is_written(point);
    append(body, guarded(all, std::move(own)));
    append(out, points_.for_each_element(std::move(body)));
  }
  return out.empty() ? Body{} : as_body(threads(std::move(out)));
}

SharedOperands::Taken SharedOperands::take(const ThreadPoint& point, int before, Names& names,
                                           Body& body) const {
  Taken out;
  const auto needed = tile_.reads_at(program_, before);
  for (const auto& [read, buffer] : ahead_) {
    if (std::find(needed.begin(), needed.end(), read) == needed.end()) continue;
    const Expr value = kernel::load(buffer, {point.element}, points_.type_of(read));
    out.push_back({read, let(names, body, "now", value)});
  }
  return out;
}

Expr SharedOperands::operand(const ir::Access& read, const ThreadPoint& point, bool writes,
                             int before, const Taken& taken) const {
  const auto from_memory = [&] {
    for (const auto& [access, value] : taken) {
      if (access == read) return value;
    }
    return points_.loaded_beside(read, point.at, writes, before);
  };
  Expr value;
  if (const TileWindow* window = tile_.window_of(read)) {
    std::vector<Expr> index;
    for (int d = tile_.first_tiled(); d < rank_; ++d) {
      const size_t i = static_cast<size_t>(d);
      index.push_back(
          plus(point.place[i], window->margin[i].low - tile_.cover[i].low + read.offset(i)));
    }
    value = kernel::load(windows_[window - tile_.windows.data()], std::move(index),
                         points_.type_of(read));
  } else if (const TileRow* row = tile_.row_of(read)) {
    value = kernel::load(beside_[row - tile_.rows.data()].at(read.maps.back().offset),
                         {point.element}, points_.type_of(read));
  } else {
    return from_memory();
  }
  std::vector<Expr> is_there;
  for (const int d : tile_.leaves(read)) {
    const int offset = read.offset(d);
    const bool row = tile_.row_of(read) != nullptr;
    const Expr place = plus(row ? points_.thread(d) : point.place[d], offset);
    const int64_t end = row ? schedule_.block[0] : tile_.thread_points(d);
    is_there.push_back(offset < 0 ? at_least(place, literal(0))
                                  : kernel::less(place, literal(end)));
  }
  if (is_there.empty()) return value;
  return select(kernel::all_of(std::move(is_there)), value, from_memory());
}

}  // namespace stencil::schedule
