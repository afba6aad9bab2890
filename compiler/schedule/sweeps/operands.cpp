#include "compiler/schedule/sweeps/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "compiler/schedule/parts/statements.h"

namespace stencil::schedule {

using kernel::Body;
using kernel::Expr;

// --- The column

ColumnQueues::ColumnQueues(const TileSlots& slots) : slots_(slots), tile_(slots.tile()) {
  const int64_t elements = tile_.elements();
  for (const ColumnValue& value : tile_.column.values) {
    values_.push_back(-1);
    if (value.ages == 0) continue;
    const ir::Node& node = (*tile_.column.front)[value.node];
    const auto* access = std::get_if<ir::Access>(&node.kind);
    values_.back() =
        slots_.kept(access ? slots_.name_of(*access) + "_planes" : "partial", node.type,
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

Body ColumnQueues::move_on(const Slot& slot, const std::vector<Expr>& newest) const {
  Body out;
  for (size_t v = 0; v < tile_.column.values.size(); ++v) {
    const ColumnValue& value = tile_.column.values[v];
    for (int age = value.ages; age > 1; --age) {
      out.push_back({kernel::Store{values_[v],
                                   {instance_index(value, age, slot.element)},
                                   instance(v, age - 1, slot.element)}});
    }
    if (value.ages == 0 || !newest[v]) continue;
    out.push_back({kernel::Store{values_[v], {instance_index(value, 1, slot.element)}, newest[v]}});
  }
  return out;
}

// --- The tile

SharedOperands::SharedOperands(const TileSlots& slots, const ColumnQueues& queues)
    : slots_(slots),
      queues_(queues),
      tile_(slots.tile()),
      schedule_(tile_.schedule),
      rank_(tile_.rank),
      program_(slots.builder().interface().program()) {
  KernelBuilder& builder = slots.builder();
  if (schedule_.halo == Halo::Remap) cell_ = builder.names().unique("cell");
  if (!tile_.rows.empty()) lane_ = builder.names().unique("element");
  const int64_t elements = tile_.elements();
  for (const TileWindow& window : tile_.windows) {
    std::vector<Expr> extents;
    for (int d = tile_.first_tiled(); d < rank_; ++d) {
      extents.push_back(literal(tile_.extent(window, d)));
    }
    windows_.push_back(builder.local(kernel::Space::Shared, slots_.name_of(window.from) + "_tile",
                                     slots_.type_of(window.from), std::move(extents),
                                     "shared by the block: the tile and its halo"));
    window_ahead_.push_back(-1);
    if (schedule_.prefetch == 0) continue;
    window_ahead_.back() =
        slots_.kept(slots_.name_of(window.from) + "_ahead", slots_.type_of(window.from),
                    tile_.items(window), "the next plane of the tile");
  }
  for (const TileRow& row : tile_.rows) {
    const std::string name = slots_.name_of(row.from);
    const Scalar type = slots_.type_of(row.from);
    centres_.push_back(slots_.kept(name + "_own", type, elements, "read by threads of the row"));
    centre_ahead_.push_back(schedule_.prefetch > 0
                                ? slots_.kept(name + "_ahead", type, elements, "the next plane")
                                : -1);
    beside_.emplace_back();
    for (const int offset : row.offsets) {
      beside_.back()[offset] =
          slots_.kept(name + "_beside", type, elements, fmt::format("{:+} in x", offset));
    }
  }
  for (const ir::Access& read : tile_.reads) {
    if (schedule_.prefetch == 0 || !tile_.is_loaded(read)) continue;
    ahead_.push_back({read, slots_.kept(slots_.name_of(read) + "_ahead", slots_.type_of(read),
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
  return schedule_.halo == Halo::Remap ? for_each_numbered_cell(window, plane, make)
                                       : for_each_slot_and_part(window, plane, make);
}

Expr SharedOperands::plane_of(const TileWindow& window, const Expr& plane) const {
  return plus(plane, window.plane());
}

Body SharedOperands::for_each_slot_and_part(const TileWindow& window, const Expr& plane,
                                            const AtCell& make) const {
  Slot slot = slots_.slot(plane);
  const auto cell = [&](const std::vector<int>* part) {
    Cell out;
    out.own = !part;
    out.at = slot.at;
    if (tile_.swept) out.at[0] = plane_of(window, plane);
    for (int d = tile_.first_tiled(); d < rank_; ++d) {
      const size_t i = static_cast<size_t>(d);
      const analysis::Reach& around = window.margin[i];
      const int side = part ? (*part)[i] : 0;
      const int64_t away = side < 0 ? -around.low : side > 0 ? around.high : 0;
      out.at[i] = plus(out.at[i], away);
      out.index.push_back(plus(slot.place[i], around.low - tile_.cover[i].low + away));
    }
    const int64_t number = part ? 1 + (part - window.parts.data()) : 0;
    out.item = plus(slot.element, number * tile_.elements());
    return out;
  };
  Body body = std::move(slot.lets);
  append(body, make(cell(nullptr)));
  for (const std::vector<int>& part : window.parts) {
    std::vector<Expr> is_next;
    for (int d = tile_.first_tiled(); d < rank_; ++d) {
      const size_t i = static_cast<size_t>(d);
      const analysis::Reach& around = window.margin[i];
      if (part[i] < 0) is_next.push_back(kernel::less(slot.place[i], literal(around.low)));
      if (part[i] > 0) {
        is_next.push_back(at_least(slot.place[i], literal(tile_.slots(d) - around.high)));
      }
    }
    append(body, guarded(kernel::all_of(std::move(is_next)), make(cell(&part))));
  }
  return slots_.for_each_element(std::move(body));
}

Body SharedOperands::for_each_numbered_cell(const TileWindow& window, const Expr& plane,
                                            const AtCell& make) const {
  Expr number = literal(0);
  for (int d = 0; d < rank_; ++d) {
    number = kernel::add(kernel::mul(number, literal(along(schedule_.block, rank_, d))),
                         slots_.thread(d));
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
    cell.at[i] = kernel::add(plus(slots_.origin()[i], -tile_.below(window, d)), index);
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
                     ? kernel::load(window_ahead_[w], {cell.item}, slots_.type_of(window.from))
                     : slots_.loaded(window.from, cell.at, nullptr);
             return as_body({kernel::Store{windows_[w], cell.index, value}});
           }));
  }
  const bool fills = !section.empty();
  Body own;
  for (size_t r = 0; r < tile_.rows.size(); ++r) {
    const ir::Access& from = tile_.rows[r].from;
    if (!needs(tile_.rows[r], needed)) continue;
    const Slot slot = slots_.slot(plane);
    const Expr value = centre_ahead_[r] >= 0
                           ? kernel::load(centre_ahead_[r], {slot.element}, slots_.type_of(from))
                           : slots_.loaded_beside(from, slot.at, false, 0);
    own.push_back({kernel::Store{centres_[r], {slot.element}, value}});
  }
  if (!own.empty()) {
    Body at_slot = slots_.slot(plane).lets;
    append(at_slot, std::move(own));
    append(section, slots_.for_each_element(std::move(at_slot)));
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
             const Expr value = slots_.loaded(window.from, cell.at, nullptr);
             return as_body({kernel::Store{window_ahead_[w], {cell.item}, value}});
           }));
  }
  Slot slot = slots_.slot(next.plane);
  Body own;
  for (size_t r = 0; r < tile_.rows.size(); ++r) {
    if (!needs(tile_.rows[r], needed)) continue;
    const Expr value = slots_.loaded_beside(tile_.rows[r].from, slot.at, false, 0);
    own.push_back({kernel::Store{centre_ahead_[r], {slot.element}, value}});
  }
  if (!own.empty()) {
    Body body = std::move(slot.lets);
    append(body, std::move(own));
    append(out, slots_.for_each_element(std::move(body)));
  }
  return guarded(next.exists, std::move(out));
}

Body SharedOperands::load_own(const Next& next, const Slot& slot) const {
  const auto needed = tile_.reads_at(program_, next.before);
  Point at = slot.at;
  at[0] = next.plane;
  Body out;
  for (const auto& [read, buffer] : ahead_) {
    if (std::find(needed.begin(), needed.end(), read) == needed.end()) continue;
    const Expr value = slots_.loaded_beside(read, at, !tile_.all_keep(), next.before);
    out.push_back({kernel::Store{buffer, {slot.element}, value}});
  }
  return guarded(next.exists, std::move(out));
}

Body SharedOperands::load_first(const Next& first) const {
  Body out = load_shared(first);
  Slot slot = slots_.slot(first.plane);
  Body own = load_own(first, slot);
  if (!own.empty()) {
    Body body = std::move(slot.lets);
    const Expr all = tile_.all_keep() ? kernel::boolean(true) : slots_.is_written(slot);
    append(body, guarded(all, std::move(own)));
    append(out, slots_.for_each_element(std::move(body)));
  }
  return out.empty() ? Body{} : as_body(threads(std::move(out)));
}

SharedOperands::Taken SharedOperands::take(const Slot& slot, int before, Names& names,
                                           Body& body) const {
  Taken out;
  const auto needed = tile_.reads_at(program_, before);
  for (const auto& [read, buffer] : ahead_) {
    if (std::find(needed.begin(), needed.end(), read) == needed.end()) continue;
    const Expr value = kernel::load(buffer, {slot.element}, slots_.type_of(read));
    out.push_back({read, let(names, body, "now", value)});
  }
  return out;
}

Expr SharedOperands::operand(const ir::Access& read, const Slot& slot, bool writes, int before,
                             const Taken& taken) const {
  const auto from_memory = [&] {
    for (const auto& [access, value] : taken) {
      if (access == read) return value;
    }
    return slots_.loaded_beside(read, slot.at, writes, before);
  };
  Expr value;
  if (const TileWindow* window = tile_.window_of(read)) {
    std::vector<Expr> index;
    for (int d = tile_.first_tiled(); d < rank_; ++d) {
      const size_t i = static_cast<size_t>(d);
      index.push_back(
          plus(slot.place[i], window->margin[i].low - tile_.cover[i].low + read.offsets[i]));
    }
    value = kernel::load(windows_[static_cast<size_t>(window - tile_.windows.data())],
                         std::move(index), slots_.type_of(read));
  } else if (const TileRow* row = tile_.row_of(read)) {
    value =
        kernel::load(beside_[static_cast<size_t>(row - tile_.rows.data())].at(read.offsets.back()),
                     {slot.element}, slots_.type_of(read));
  } else {
    return from_memory();
  }
  std::vector<Expr> is_there;
  for (const int d : tile_.leaves(read)) {
    const int offset = read.offsets[static_cast<size_t>(d)];
    const bool row = tile_.row_of(read) != nullptr;
    const Expr place = plus(row ? slots_.thread(d) : slot.place[static_cast<size_t>(d)], offset);
    const int64_t end = row ? schedule_.block[0] : tile_.slots(d);
    is_there.push_back(offset < 0 ? at_least(place, literal(0))
                                  : kernel::less(place, literal(end)));
  }
  if (is_there.empty()) return value;
  return select(kernel::all_of(std::move(is_there)), value, from_memory());
}

}  // namespace stencil::schedule
