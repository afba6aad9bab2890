// For each plane (or once, where nothing is swept):
//
//   threads    fill the windows from memory, from registers, or from what was loaded ahead
//   shuffle    hand operands along rows of threads
//   barrier    if there are windows
//   threads    load the next plane ahead; compute what the front can be; compute the points, write
//              them; move what is kept on by one plane
//   barrier    if there are windows
//
// Planes ahead of the first one of a chunk fill what is kept; of those each does as much as is
// needed. Points at which some access meets a boundary rule are computed from global memory alone.
#include "compiler/schedule/sweeps/tile_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "compiler/ir/rewrite.h"
#include "compiler/schedule/parts/limits.h"
#include "compiler/schedule/parts/statements.h"

namespace stencil::schedule {

using kernel::Body;
using kernel::Expr;

namespace {

const char* where_to(const Sweep& sweep) {
  if (sweep.in_place()) return "in place";
  return sweep.targets.size() == 1 ? "to the spare copy"
                                   : "to spare copies of what it reads around";
}

class TileKernel {
 public:
  TileKernel(const Interface& interface, const SweepTile& tile, std::string name,
             kernel::Module& module)
      : tile_(tile),
        sweep_(*tile.sweep),
        schedule_(tile.schedule),
        rank_(tile.rank),
        interface_(interface),
        program_(interface.program()),
        module_(module),
        builder_(interface, module, std::move(name),
                 fmt::format("One sweep of {}, {}.", sweep_.function->name, where_to(sweep_))) {
    builder_.kernel().threads = schedule_.block;
    for (int d = 0; d < rank_; ++d) lengths_.push_back({tile.core(d), literal(tile.core(d))});
  }

  void lower() {
    Tiling tiling = tile_box(interface_, sweep_.domain, lengths_, builder_.names());
    origin_ = tiling.origin;
    name_variables();
    declare_buffers();
    Body body = std::move(tiling.lets);
    append_points(body);
    builder_.kernel().body = std::move(body);
    builder_.finish(tiling.blocks, module_);
    append_turn(interface_, sweep_, module_.plan);
  }

 private:
  // A thread's slot in a section: what defines it, its coordinates (in the swept dimension those of
  // the plane), its place in the tile, and its number among the thread's.
  struct Slot {
    Body lets;
    Point at;
    std::vector<Expr> place;
    Expr element;
  };
  // Of a window: grid coordinates, index, number among those that the thread loads.
  struct Cell {
    Point at;
    std::vector<Expr> index;
    Expr item;
    bool own = false;  // a point of the thread
  };
  using AtCell = std::function<Body(const Cell&)>;

  // --- Variables and buffers

  void name_variables() {
    const auto axes = axis_names(rank_);
    for (int d = 0; d < rank_; ++d) {
      const bool several = along(schedule_.elements, rank_, d) > 1;
      loops_.push_back(several ? builder_.names().unique("e" + axes[size_t(d)]) : "");
      axes_.push_back(builder_.names().unique(axes[size_t(d)]));
    }
    if (schedule_.halo == Halo::Remap) cell_ = builder_.names().unique("cell");
    if (!tile_.rows.empty()) lane_ = builder_.names().unique("element");
  }

  Scalar type_of(const ir::Access& access) const {
    const ir::Field& field = program_.fields[static_cast<size_t>(access.field)];
    return arithmetic_type(field.components[static_cast<size_t>(access.component)].type);
  }
  std::string name_of(const ir::Access& access) const {
    return interface_.slot_name(access.field, access.component, access.level);
  }
  kernel::BufferId kept(const std::string& name, Scalar type, int64_t count,
                        const std::string& comment) {
    return builder_.local(kernel::Space::Thread, name, type, {literal(count)}, comment);
  }

  void declare_buffers() {
    const int64_t elements = tile_.elements();
    for (const TileWindow& window : tile_.windows) {
      std::vector<Expr> extents;
      for (int d = tile_.first_tiled(); d < rank_; ++d) {
        extents.push_back(literal(tile_.extent(window, d)));
      }
      windows_.push_back(builder_.local(kernel::Space::Shared, name_of(window.from) + "_tile",
                                        type_of(window.from), std::move(extents),
                                        "what threads of the block read beside their points"));
      window_ahead_.push_back(-1);
      if (schedule_.prefetch == 0) continue;
      window_ahead_.back() = kept(name_of(window.from) + "_ahead", type_of(window.from),
                                  tile_.items(window), "the next plane of the tile");
    }
    for (const TileRow& row : tile_.rows) {
      const std::string name = name_of(row.from);
      const Scalar type = type_of(row.from);
      centres_.push_back(kept(name + "_own", type, elements, "given to threads of the row"));
      centre_ahead_.push_back(
          schedule_.prefetch > 0 ? kept(name + "_ahead", type, elements, "the next plane") : -1);
      beside_.emplace_back();
      for (const int offset : row.offsets) {
        beside_.back()[offset] =
            kept(name + "_beside", type, elements, fmt::format("{:+} in x", offset));
      }
    }
    for (const ir::Access& read : tile_.reads) {
      if (schedule_.prefetch == 0 || !tile_.is_loaded(read)) continue;
      ahead_.push_back({read, kept(name_of(read) + "_ahead", type_of(read), elements,
                                   "read in the next plane")});
    }
    for (const ColumnValue& value : tile_.column.values) {
      values_.push_back(-1);
      if (value.ages == 0) continue;
      const ir::Node& node = (*tile_.column.front)[value.node];
      const auto* access = std::get_if<ir::Access>(&node.kind);
      values_.back() = kept(access ? name_of(*access) + "_planes" : "partial", node.type,
                            elements * value.ages, "of the planes before, the latest first");
    }
  }
  int64_t cells(const TileWindow& window) const {
    int64_t out = 1;
    for (int d = 0; d < rank_; ++d) out *= tile_.extent(window, d);
    return out;
  }
  // Of a value `age` planes ago, from 1.
  Expr instance(size_t value, int age, const Expr& element) const {
    const ColumnValue& of = tile_.column.values[value];
    return kernel::load(values_[value], {instance_index(of, age, element)},
                        (*tile_.column.front)[of.node].type);
  }
  static Expr instance_index(const ColumnValue& value, int age, const Expr& element) {
    return plus(kernel::mul(element, literal(value.ages)), age - 1);
  }

  // --- Places

  Expr thread(int d) const {
    return along(schedule_.block, rank_, d) > 1
               ? kernel::variable(kernel::kThreadNames[static_cast<size_t>(rank_ - 1 - d)])
               : literal(0);
  }

  Slot slot(const Expr& plane) const {
    Slot out;
    out.element = literal(0);
    for (int d = 0; d < rank_; ++d) {
      const size_t i = static_cast<size_t>(d);
      if (tile_.swept && d == 0) {
        out.at.push_back(plane);
        out.place.push_back(literal(0));
        continue;
      }
      const int elements = along(schedule_.elements, rank_, d);
      Expr place = thread(d);
      if (elements > 1) {
        const Expr element = kernel::variable(loops_[i]);
        place = kernel::add(place, kernel::mul(element, literal(along(schedule_.block, rank_, d))));
        out.element = kernel::add(kernel::mul(out.element, literal(elements)), element);
      }
      const Expr first = plus(origin_[i], -tile_.cover[i].low);
      out.lets.push_back({kernel::Let{axes_[i], kernel::add(first, place)}});
      out.at.push_back(kernel::variable(axes_[i]));
      out.place.push_back(place);
    }
    return out;
  }
  // In a scope of its own: sections have several, which define the same coordinates.
  Body for_each_element(Body body) const {
    for (int d = rank_ - 1; d >= 0; --d) {
      const std::string& name = loops_[static_cast<size_t>(d)];
      if (name.empty()) continue;
      body = as_body(loop(kernel::LoopKind::Unrolled, name, literal(0),
                          literal(along(schedule_.elements, rank_, d)), 1, std::move(body)));
    }
    const bool defines = !body.empty() && std::holds_alternative<kernel::Let>(body.front().kind);
    return defines && !reads_memory() ? as_body({kernel::Scope{std::move(body)}}) : body;
  }

  // The slot is a point that the thread writes.
  Expr is_written(const Slot& slot) const {
    std::vector<Expr> conditions;
    for (int d = tile_.first_tiled(); d < rank_; ++d) {
      const size_t i = static_cast<size_t>(d);
      const analysis::Reach& cover = tile_.cover[i];
      if (cover.low > 0) conditions.push_back(at_least(slot.place[i], literal(cover.low)));
      if (cover.high > 0) {
        conditions.push_back(kernel::less(slot.place[i], literal(tile_.slots(d) - cover.high)));
      }
      conditions.push_back(kernel::less_equal(slot.at[i], interface_.high(sweep_.domain, d)));
    }
    return kernel::all_of(std::move(conditions));
  }

  // Whether the accesses of all pieces stay in their fields.
  Expr meets_no_rule(const Point& at) const {
    std::vector<Interval> intervals(static_cast<size_t>(rank_));
    for (const ir::Piece& piece : sweep_.function->pieces) {
      for (const auto& [id, access] : ir::accesses(piece.graph, piece.results)) {
        if (!is_operand(program_, *access)) continue;
        const ir::Box& box = program_.fields[static_cast<size_t>(access->field)].box;
        for (int d = 0; d < rank_; ++d) {
          const size_t i = static_cast<size_t>(d);
          const int64_t offset = access->offsets[i];
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

  // --- Loads

  // What memory has at the place, if that exists; else a zero, which nobody uses. `within`: where
  // the place is known to lie.
  Expr loaded(const ir::Access& access, const Point& place, const ir::Box* within) {
    ir::Access here = access;
    std::fill(here.offsets.begin(), here.offsets.end(), 0);
    const ir::Box& box = program_.fields[static_cast<size_t>(access.field)].box;
    const Expr exists = interface_.inside(place, box, within);
    const Expr value = builder_.load_global(here, place);
    return is_true(exists) ? value : select(exists, value, kernel::zero(value->type));
  }
  // An operand of a slot, loaded by its thread. `writes`: the slot is known to be a point that is
  // written, of a plane from `before` ahead of the first to `after` behind the last.
  Expr loaded_beside(const ir::Access& read, const Point& at, bool writes, int before, int after) {
    Point place;
    ir::Box within = sweep_.domain;
    for (size_t d = 0; d < at.size(); ++d) {
      const int64_t offset = read.offsets[d];
      place.push_back(plus(at[d], offset));
      ir::Range& range = within.ranges[d];
      const bool planes = tile_.swept && d == 0;
      range = {range.low + (offset - (planes ? before : 0)),
               range.high + (offset + (planes ? after : 0))};
    }
    return loaded(read, place, writes ? &within : nullptr);
  }

  // All places of a window that the thread loads, `at` the plane of points.
  Body for_each_cell(const TileWindow& window, const Expr& plane, const AtCell& make) const {
    return schedule_.halo == Halo::Remap ? for_each_numbered_cell(window, plane, make)
                                         : for_each_slot_and_part(window, plane, make);
  }
  Expr plane_of(const TileWindow& window, const Expr& plane) const {
    return plus(plane, window.plane());
  }

  Body for_each_slot_and_part(const TileWindow& window, const Expr& plane,
                              const AtCell& make) const {
    Slot slot = this->slot(plane);
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
    return for_each_element(std::move(body));
  }

  Body for_each_numbered_cell(const TileWindow& window, const Expr& plane,
                              const AtCell& make) const {
    Expr number = literal(0);
    for (int d = 0; d < rank_; ++d) {
      number =
          kernel::add(kernel::mul(number, literal(along(schedule_.block, rank_, d))), thread(d));
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
      cell.at[i] = kernel::add(plus(origin_[i], -tile_.below(window, d)), index);
    }
    Body body = make(cell);
    if (all % threads != 0) body = guarded(kernel::less(number, literal(all)), std::move(body));
    return as_body(loop(kernel::LoopKind::Unrolled, cell_, literal(0), literal(tile_.items(window)),
                        1, std::move(body)));
  }

  bool is_kept(const TileWindow& window, const Cell& cell) const {
    return cell.own && window.value.has_value();
  }

  // Fills the windows that are needed, and hands operands along rows.
  Body share(const Expr& plane, int before) {
    const auto needed = tile_.reads_at(program_, before);
    Body section;
    for (size_t w = 0; w < tile_.windows.size(); ++w) {
      const TileWindow& window = tile_.windows[w];
      if (!tile_.needs(window, needed)) continue;
      append(section, for_each_cell(window, plane, [&](const Cell& cell) {
               const Expr value =
                   is_kept(window, cell)
                       ? instance(static_cast<size_t>(*window.value), window.age, cell.item)
                   : window_ahead_[w] >= 0
                       ? kernel::load(window_ahead_[w], {cell.item}, type_of(window.from))
                       : loaded(window.from, cell.at, nullptr);
               return as_body({kernel::Store{windows_[w], cell.index, value}});
             }));
    }
    const bool fills = !section.empty();
    Body own;
    for (size_t r = 0; r < tile_.rows.size(); ++r) {
      const ir::Access& from = tile_.rows[r].from;
      if (!needs(tile_.rows[r], needed)) continue;
      const Slot slot = this->slot(plane);
      const Expr value = centre_ahead_[r] >= 0
                             ? kernel::load(centre_ahead_[r], {slot.element}, type_of(from))
                             : loaded_beside(from, slot.at, false, 0, 0);
      own.push_back({kernel::Store{centres_[r], {slot.element}, value}});
    }
    if (!own.empty()) {
      Body at_slot = slot(plane).lets;
      append(at_slot, std::move(own));
      append(section, for_each_element(std::move(at_slot)));
    }
    Body out;
    if (!section.empty()) out.push_back(threads(std::move(section)));
    append(out, shuffles(needed));
    if (fills) out.push_back({kernel::Barrier{}});
    return out;
  }
  bool needs(const TileRow& row, const std::vector<ir::Access>& reads) const {
    return std::any_of(reads.begin(), reads.end(),
                       [&](const ir::Access& read) { return tile_.row_of(read) == &row; });
  }
  Body shuffles(const std::vector<ir::Access>& needed) const {
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

  // A plane of which something is loaded ahead of its turn, `before` planes ahead of the first one
  // of points, if there is such a plane.
  struct Next {
    Expr plane;
    int before = 0;
    Expr exists;
  };

  // Loads what the block will share of it.
  Body load_shared(const Next& next) {
    if (schedule_.prefetch == 0) return {};
    const auto needed = tile_.reads_at(program_, next.before);
    Body out;
    for (size_t w = 0; w < tile_.windows.size(); ++w) {
      const TileWindow& window = tile_.windows[w];
      if (!tile_.needs(window, needed)) continue;
      append(out, for_each_cell(window, next.plane, [&](const Cell& cell) {
               if (is_kept(window, cell)) return Body{};
               const Expr value = loaded(window.from, cell.at, nullptr);
               return as_body({kernel::Store{window_ahead_[w], {cell.item}, value}});
             }));
    }
    Slot slot = this->slot(next.plane);
    Body own;
    for (size_t r = 0; r < tile_.rows.size(); ++r) {
      if (!needs(tile_.rows[r], needed)) continue;
      const Expr value = loaded_beside(tile_.rows[r].from, slot.at, false, 0, 0);
      own.push_back({kernel::Store{centre_ahead_[r], {slot.element}, value}});
    }
    if (!own.empty()) {
      Body body = std::move(slot.lets);
      append(body, std::move(own));
      append(out, for_each_element(std::move(body)));
    }
    return guarded(next.exists, std::move(out));
  }
  // And what each thread will read itself, at a slot.
  Body load_own(const Next& next, const Slot& slot) {
    const auto needed = tile_.reads_at(program_, next.before);
    Point at = slot.at;
    at[0] = next.plane;
    Body out;
    for (const auto& [read, buffer] : ahead_) {
      if (std::find(needed.begin(), needed.end(), read) == needed.end()) continue;
      const Expr value = loaded_beside(read, at, !tile_.all_keep(), next.before, 0);
      out.push_back({kernel::Store{buffer, {slot.element}, value}});
    }
    return guarded(next.exists, std::move(out));
  }
  Body load_first(const Next& first) {
    Body out = load_shared(first);
    Slot slot = this->slot(first.plane);
    Body own = load_own(first, slot);
    if (!own.empty()) {
      Body body = std::move(slot.lets);
      const Expr all = tile_.all_keep() ? kernel::boolean(true) : is_written(slot);
      append(body, guarded(all, std::move(own)));
      append(out, for_each_element(std::move(body)));
    }
    return out.empty() ? Body{} : as_body(threads(std::move(out)));
  }

  // --- Values

  // What was loaded ahead, by read, taken before it is overwritten.
  using Taken = std::vector<std::pair<ir::Access, Expr>>;

  Expr operand(const ir::Access& read, const Slot& slot, bool writes, int before,
               const Taken& taken) {
    const auto from_memory = [&] {
      for (const auto& [access, value] : taken) {
        if (access == read) return value;
      }
      return loaded_beside(read, slot.at, writes, before, 0);
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
                           std::move(index), type_of(read));
    } else if (const TileRow* row = tile_.row_of(read)) {
      value = kernel::load(
          beside_[static_cast<size_t>(row - tile_.rows.data())].at(read.offsets.back()),
          {slot.element}, type_of(read));
    } else {
      return from_memory();
    }
    std::vector<Expr> is_there;
    for (const int d : tile_.leaves(read)) {
      const int offset = read.offsets[static_cast<size_t>(d)];
      const bool row = tile_.row_of(read) != nullptr;
      const Expr place = plus(row ? thread(d) : slot.place[static_cast<size_t>(d)], offset);
      const int64_t end = row ? schedule_.block[0] : tile_.slots(d);
      is_there.push_back(offset < 0 ? at_least(place, literal(0))
                                    : kernel::less(place, literal(end)));
    }
    if (is_there.empty()) return value;
    return select(kernel::all_of(std::move(is_there)), value, from_memory());
  }

  ReadAccess reader(const Slot& slot, bool writes, int before, const Taken& taken,
                    const std::vector<Expr>& newest) {
    return [this, &slot, writes, before, &taken, &newest](const ir::Access& access,
                                                          Landings& landings) -> Expr {
      const auto fields = static_cast<ir::FieldId>(program_.fields.size());
      if (access.field >= fields) {
        const auto value = static_cast<size_t>(access.field - fields);
        return access.level == 0 ? newest[value] : instance(value, access.level, slot.element);
      }
      if (access.in_place) return builder_.load_in_place(access, landings);
      if (!is_operand(program_, access)) {
        return builder_.load_global(access, landings.land(access));
      }
      ir::Access read = access;
      read.escapes = 0;
      read.excess.clear();
      return operand(read, slot, writes, before, taken);
    };
  }

  // All points are computed from global memory.
  bool reads_memory() const {
    return tile_.windows.empty() && tile_.rows.empty() && schedule_.column == Column::Cache &&
           schedule_.prefetch == 0;
  }

  // What a thread does in a plane: points, or what is kept ahead of them.
  Body compute(const Expr& plane, int before, const Next& next) {
    Slot slot = this->slot(plane);
    Body out = std::move(slot.lets);
    const Expr writes = is_written(slot);
    if (reads_memory()) {
      append(out, guarded(writes, sweep_point(builder_, sweep_, slot.at, builder_.names())));
      return for_each_element(std::move(out));
    }
    const bool all = tile_.all_keep();
    Names names = builder_.names();
    Body work;
    const Taken taken = take(slot, before, names, work);
    append(work, load_own(next, slot));
    std::vector<Expr> newest(tile_.column.values.size());
    compute_front(slot, !all, before, taken, newest, names, work);
    if (before == 0) {
      Body points = at_point(slot, taken, newest, names);
      append(work, guarded(all ? writes : kernel::boolean(true), std::move(points)));
    }
    append(work, move_on(slot, newest));
    append(out, guarded(all ? kernel::boolean(true) : writes, std::move(work)));
    return for_each_element(std::move(out));
  }

  // What was loaded ahead for this plane.
  Taken take(const Slot& slot, int before, Names& names, Body& body) {
    Taken out;
    const auto needed = tile_.reads_at(program_, before);
    for (const auto& [read, buffer] : ahead_) {
      if (std::find(needed.begin(), needed.end(), read) == needed.end()) continue;
      const Expr value = kernel::load(buffer, {slot.element}, type_of(read));
      out.push_back({read, let(names, body, "now", value)});
    }
    return out;
  }

  void compute_front(const Slot& slot, bool writes, int before, const Taken& taken,
                     std::vector<Expr>& newest, Names& names, Body& body) {
    std::vector<ir::NodeId> nodes;
    std::vector<size_t> which;
    for (size_t v = 0; v < tile_.column.values.size(); ++v) {
      if (tile_.column.values[v].lookback < before) continue;
      nodes.push_back(tile_.column.values[v].node);
      which.push_back(v);
    }
    if (nodes.empty()) return;
    const auto values = evaluate(interface_, *tile_.column.front, nodes, slot.at, first_step(),
                                 reader(slot, writes, before, taken, newest), builder_.scope(),
                                 names, body, builder_.reductions());
    for (const kernel::Statement& statement : body) {
      if (const auto* let = std::get_if<kernel::Let>(&statement.kind)) names.reserve(let->name);
    }
    builder_.scope().set_apart(names);
    for (size_t i = 0; i < which.size(); ++i) newest[which[i]] = let(names, body, "v", values[i]);
    builder_.scope().set_apart(names);
  }

  Body at_point(const Slot& slot, const Taken& taken, const std::vector<Expr>& newest,
                const Names& names) {
    const PieceSources sources = [&](size_t piece) {
      const SweptColumn::Piece& of = tile_.column.pieces[piece];
      return PieceSource{of.graph.get(), &of.results, reader(slot, true, 0, taken, newest)};
    };
    Body inside = sweep_point(builder_, sweep_, slot.at, names, sources);
    const Expr no_rule = meets_no_rule(slot.at);
    if (is_true(no_rule)) return inside;
    return guarded(no_rule, std::move(inside), sweep_point(builder_, sweep_, slot.at, names));
  }

  Body move_on(const Slot& slot, const std::vector<Expr>& newest) {
    Body out;
    for (size_t v = 0; v < tile_.column.values.size(); ++v) {
      const ColumnValue& value = tile_.column.values[v];
      for (int age = value.ages; age > 1; --age) {
        out.push_back({kernel::Store{values_[v],
                                     {instance_index(value, age, slot.element)},
                                     instance(v, age - 1, slot.element)}});
      }
      if (value.ages == 0 || !newest[v]) continue;
      out.push_back(
          {kernel::Store{values_[v], {instance_index(value, 1, slot.element)}, newest[v]}});
    }
    return out;
  }

  // --- The whole

  // One plane of points, or `before` planes ahead of the first one.
  Body one_plane(const Expr& plane, int before, const Next& next) {
    Body out = share(plane, before);
    const bool fills = !out.empty() && std::holds_alternative<kernel::Barrier>(out.back().kind);
    Body section = load_shared(next);
    append(section, compute(plane, before, next));
    out.push_back(threads(std::move(section)));
    // Windows are filled anew once all have read them.
    if (fills && tile_.swept) out.push_back({kernel::Barrier{}});
    return out;
  }

  Body all_planes() {
    if (!tile_.swept) return one_plane(literal(0), 0, {literal(0), 0, kernel::boolean(false)});
    Body out;
    const Expr first = origin_[0];
    const Expr end_of_chunk = plus(first, schedule_.chunk - 1);
    const Expr high = interface_.high(sweep_.domain, 0);
    const Expr last = let(builder_.names(), out, "last_plane",
                          schedule_.chunk == kAllPlanes ? high : smaller(end_of_chunk, high));
    const int lookback = tile_.column.lookback();
    append(out, load_first({plus(first, -lookback), lookback, kernel::boolean(true)}));
    for (int before = lookback; before > 0; --before) {
      const Next next = {plus(first, 1 - before), before - 1, kernel::boolean(true)};
      append(out, one_plane(plus(first, -before), before, next));
    }
    const Expr plane = kernel::variable(axes_[0]);
    const Next next = {plus(plane, 1), 0, kernel::less(plane, last)};
    out.push_back(loop(kernel::LoopKind::Serial, axes_[0], first, plus(last, 1), 1,
                       one_plane(plane, 0, next)));
    return out;
  }
  void append_points(Body& body) {
    std::vector<ir::Access> reads;
    for (const ir::Piece& piece : sweep_.function->pieces) {
      analysis::add_reads_at_points(piece.graph, piece.results, reads);
    }
    if (reads.empty()) return append(body, all_planes());
    GridBox box{origin_, {}};
    for (int d = 0; d < rank_; ++d) {
      const auto i = static_cast<size_t>(d);
      box.last.push_back(
          smaller(plus(origin_[i], lengths_[i].points - 1), interface_.high(sweep_.domain, d)));
    }
    const Expr none = builder_.none_weighs(reads, box, body);
    const auto make = [&] { return all_planes(); };
    const bool ahead = reads_memory() && !tile_.swept;
    append(body, ahead
                     ? builder_.by_points(reads, none, make, [&] { return sum_ahead(reads, box); })
                     : builder_.by_points(reads, none, make));
  }
  Body sum_ahead(const std::vector<ir::Access>& reads, const GridBox& box) {
    Slot slot = this->slot(literal(0));
    PointLanes lanes;
    lanes.for_each_part = [this](Body body) { return for_each_element(std::move(body)); };
    for (int d = 0; d < rank_; ++d) {
      if (loops_[static_cast<size_t>(d)].empty()) continue;
      lanes.extents.push_back(literal(along(schedule_.elements, rank_, d)));
      lanes.index.push_back(kernel::variable(loops_[static_cast<size_t>(d)]));
    }
    lanes.exists = is_written(slot);
    lanes.lets = std::move(slot.lets);
    lanes.first = slot.at;
    lanes.last_column = lanes.column = slot.at.back();
    lanes.row_first = box.first.back();
    lanes.row_last = box.last.back();
    auto [zeros, sums] = builder_.sum_ahead(reads, lanes, first_step());
    builder_.read_sums(reads, lanes);
    Body ahead = as_body(threads(std::move(zeros)));
    ahead.push_back(threads(std::move(sums)));
    return ahead;
  }

  const SweepTile& tile_;
  const Sweep& sweep_;
  const Schedule& schedule_;
  const int rank_;
  const Interface& interface_;
  const ir::Program& program_;
  kernel::Module& module_;
  KernelBuilder builder_;
  std::vector<TileLength> lengths_;
  Point origin_;                           // of the block's tile, its first point that is written
  std::vector<std::string> loops_, axes_;  // variables, by dimension; no loop: ""
  std::string cell_, lane_;
  std::vector<kernel::BufferId> windows_, window_ahead_;        // by window; -1: none
  std::vector<kernel::BufferId> centres_, centre_ahead_;        // by row
  std::vector<std::map<int, kernel::BufferId>> beside_;         // by row, by offset
  std::vector<std::pair<ir::Access, kernel::BufferId>> ahead_;  // reads
  std::vector<kernel::BufferId> values_;                        // by value; -1: not kept
};

}  // namespace

void lower_sweep(const Interface& interface, const SweepTile& tile, Names& kernel_names,
                 kernel::Module& module) {
  const std::string name = kernel_names.unique(module.name + "_" + tile.sweep->function->name);
  TileKernel(interface, tile, name, module).lower();
}

}  // namespace stencil::schedule
