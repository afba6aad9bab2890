#include "compiler/schedule/sweeps/tile.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "compiler/ir/rewrite.h"
#include "compiler/schedule/common/operations.h"
#include "compiler/schedule/common/tiling.h"

namespace stencil::schedule {

namespace {

bool is_same_array(const ir::Access& a, const ir::Access& b) {
  return a.field == b.field && a.component == b.component && a.level == b.level;
}

bool has_windows(const Schedule& schedule) {
  return schedule.of<SweepsSettings>().operands == Operands::Shared ||
         schedule.of<SweepsSettings>().operands == Operands::Rows ||
         schedule.of<SweepsSettings>().operands == Operands::Tile;
}

class TilePlanner {
 public:
  TilePlanner(const ir::Program& program, const Sweep& sweep, const Schedule& schedule)
      : program_(program) {
    tile_.sweep = &sweep;
    tile_.schedule = schedule;
    tile_.swept = schedule.chunk != 0;
    tile_.rank = program.grid().rank();
    tile_.cover.resize(static_cast<size_t>(tile_.rank));
    tile_.tiled = sweep.domain;
    tile_.column = sweep_column(program, *sweep.function, schedule.of<SweepsSettings>().column);
  }

  SweepTile plan() {
    tile_.reads = tile_.reads_at(program_, 0);
    if (has_windows(tile_.schedule)) find_windows();
    if (tile_.schedule.of<SweepsSettings>().operands == Operands::Shuffles) find_rows();
    return std::move(tile_);
  }

 private:
  bool is_beside(const ir::Access& read) const {
    const auto first = read.maps.begin() + tile_.first_tiled();
    return std::any_of(first, read.maps.end(),
                       [](const ir::IndexMap& map) { return map.offset != 0; });
  }

  // For each array, a window of the plane with the most reads beside the point; the last one on
  // ties.
  void find_windows() {
    std::map<std::tuple<ir::FieldId, int, int, int>, int> beside;
    for (const ir::Access& read : tile_.reads) {
      const int plane = tile_.swept ? read.offset(0) : 0;
      if (is_beside(read)) ++beside[{read.field, read.component, read.level, plane}];
    }
    for (const auto& [key, count] : beside) {
      const auto& [field, component, level, plane] = key;
      ir::Access from{field, component, level, std::vector<ir::IndexMap>(size_t(tile_.rank))};
      if (tile_.swept) from.maps[0].offset = plane;
      auto known = std::find_if(tile_.windows.begin(), tile_.windows.end(),
                                [&](const TileWindow& w) { return is_same_array(w.from, from); });
      if (known == tile_.windows.end()) {
        tile_.windows.push_back({from, analysis::Margin(size_t(tile_.rank)), {}, 0, {}});
      } else if (count >= beside.at({field, component, level, known->plane()})) {
        known->from = from;
      }
    }
    for (TileWindow& window : tile_.windows) find_margin(window);
    std::erase_if(tile_.windows, [&](const TileWindow& window) { return !is_read(window); });
    if (tile_.schedule.of<SweepsSettings>().halo == Halo::Cover) {
      for (const TileWindow& window : tile_.windows) {
        tile_.cover = analysis::hull(tile_.cover, window.margin);
      }
      for (TileWindow& window : tile_.windows) window.margin = tile_.cover;
    }
    if (tile_.schedule.of<SweepsSettings>().halo == Halo::Border) {
      for (TileWindow& window : tile_.windows) {
        find_parts(window);
        find_value(window);
      }
    }
    if (tile_.schedule.of<SweepsSettings>().halo == Halo::Remap) {
      for (TileWindow& window : tile_.windows) widen_to_sectors(window);
      begin_with_sector();
    }
  }

  // Whether some read beside the point can be in the window: its offsets are shorter than the tile.
  bool is_read(const TileWindow& window) const {
    return std::any_of(tile_.reads.begin(), tile_.reads.end(), [&](const ir::Access& read) {
      if (tile_.window_of(read) != &window || !is_beside(read)) return false;
      const std::vector<int> beyond = tile_.leaves(read);
      return std::all_of(beyond.begin(), beyond.end(),
                         [&](int d) { return std::abs(read.offset(d)) < tile_.thread_points(d); });
    });
  }

  bool in_halo(int d) const {
    if (d < tile_.first_tiled() || tile_.schedule.of<SweepsSettings>().operands == Operands::Tile)
      return false;
    return tile_.schedule.of<SweepsSettings>().operands != Operands::Rows || d + 1 < tile_.rank;
  }

  void find_margin(TileWindow& window) {
    for (const ir::Access& read : tile_.reads) {
      if (tile_.window_of(read) != &window) continue;
      for (int d = 0; d < tile_.rank; ++d) {
        if (!in_halo(d)) continue;
        analysis::Reach& reach = window.margin[d];
        const int64_t offset = read.offset(d);
        reach = {std::max(reach.low, -offset), std::max(reach.high, offset)};
      }
    }
  }

  // Finds the parts of the halo that some read leads into.
  void find_parts(TileWindow& window) {
    std::set<std::vector<int>> parts;
    for (const ir::Access& read : tile_.reads) {
      if (tile_.window_of(read) != &window) continue;
      std::vector<std::vector<int>> of_read = {{}};
      for (int d = 0; d < tile_.rank; ++d) {
        const int offset = in_halo(d) ? read.offset(d) : 0;
        std::vector<std::vector<int>> longer;
        for (std::vector<int> part : of_read) {
          part.push_back(0);
          longer.push_back(part);
          part.back() = offset < 0 ? -1 : 1;
          if (offset != 0) longer.push_back(part);
        }
        of_read = std::move(longer);
      }
      parts.insert(of_read.begin(), of_read.end());
    }
    parts.erase(std::vector<int>(static_cast<size_t>(tile_.rank), 0));
    window.parts.assign(parts.begin(), parts.end());
  }

  // Finds a kept value that holds the thread's own points of the window's plane, if there is one.
  void find_value(TileWindow& window) {
    int before = 0;  // earliest plane that needs the window
    while (tile_.needs(window, tile_.reads_at(program_, before + 1))) ++before;
    for (size_t v = 0; v < tile_.column.values.size(); ++v) {
      const ColumnValue& value = tile_.column.values[v];
      const auto* access = std::get_if<ir::Access>(&(*tile_.column.front)[value.node].kind);
      if (!access || !is_same_array(*access, window.from) || is_beside(*access)) continue;
      const int age = access->offset(0) - window.plane();
      if (age < 1 || age > value.ages || before + age > value.lookback) continue;
      window.value = static_cast<int>(v);
      window.age = age;
    }
  }

  // Elements per memory sector.
  int64_t sector_elements(const TileWindow& window) const {
    constexpr int64_t kSector = 32;
    const ir::Field& field = program_.fields[window.from.field];
    const Scalar type = field.components[window.from.component].type;
    return std::max<int64_t>(kSector / size_in_bytes(type), 1);
  }
  // Widens the halo in x so that the loads of a row are whole sectors.
  void widen_to_sectors(TileWindow& window) {
    const int64_t elements = sector_elements(window);
    analysis::Reach& x = window.margin.back();
    x = {divide_up(x.low, elements) * elements, divide_up(x.high, elements) * elements};
  }
  // Extends the tiled box so that tiles start at a sector, if their rows are whole sectors. Rows of
  // fields start at a sector at the grid's edge.
  void begin_with_sector() {
    int64_t elements = 1;
    for (const TileWindow& window : tile_.windows) {
      elements = std::max(elements, sector_elements(window));
    }
    ir::Range& x = tile_.tiled.ranges.back();
    const ir::Affine from_edge = x.low - program_.grid().ranges.back().low;
    if (tile_.thread_points(tile_.rank - 1) % elements != 0 || !from_edge.is_constant()) return;
    const int64_t ahead = from_edge.constant % elements;
    if (ahead > 0) x.low = x.low - ahead;
  }

  void find_rows() {
    if (tile_.schedule.block[0] == 1) return;
    for (const ir::Access& read : tile_.reads) {
      const int offset = read.maps.back().offset;
      if (offset == 0 || (tile_.rank == 1 && tile_.swept)) continue;
      ir::Access from = read;
      from.maps.back() = 0;
      auto row = std::find_if(tile_.rows.begin(), tile_.rows.end(),
                              [&](const TileRow& other) { return other.from == from; });
      if (row == tile_.rows.end()) row = tile_.rows.insert(row, {from, {}});
      row->offsets.push_back(offset);
    }
  }

  const ir::Program& program_;
  SweepTile tile_;
};

}  // namespace

SweepTile plan_tile(const ir::Program& program, const Sweep& sweep, const Schedule& schedule) {
  return TilePlanner(program, sweep, schedule).plan();
}

std::vector<SweepTile> plan_tiles(const ir::Program& program, const std::vector<Sweep>& sweeps,
                                  const Schedule& schedule) {
  std::vector<SweepTile> out;
  for (const Sweep& sweep : sweeps) out.push_back(plan_tile(program, sweep, schedule));
  if (schedule.of<SweepsSettings>().memory == Memory::Haloed) plan_copies(program, out);
  return out;
}

int64_t SweepTile::thread_points(int d) const {
  if (swept && d == 0) return 1;
  return int64_t{along(schedule.block, rank, d)} * along(schedule.elements, rank, d);
}

int64_t SweepTile::core(int d) const {
  if (swept && d == 0) return schedule.chunk;
  const analysis::Reach& around = cover[d];
  return thread_points(d) - around.low - around.high;
}

int64_t SweepTile::extent(const TileWindow& window, int d) const {
  if (swept && d == 0) return 1;
  const analysis::Reach& around = window.margin[d];
  return bounded_sum(core(d), bounded_sum(around.low, around.high));
}

int64_t SweepTile::below(const TileWindow& window, int d) const {
  return window.margin[d].low;
}

const TileWindow* SweepTile::window_of(const ir::Access& read) const {
  for (const TileWindow& window : windows) {
    if (!is_same_array(window.from, read)) continue;
    return !swept || read.offset(0) == window.plane() ? &window : nullptr;
  }
  return nullptr;
}

const TileRow* SweepTile::row_of(const ir::Access& read) const {
  if (read.maps.back().offset == 0) return nullptr;
  for (const TileRow& row : rows) {
    const bool same = is_same_array(row.from, read) &&
                      std::equal(read.maps.begin(), read.maps.end() - 1, row.from.maps.begin());
    if (same) return &row;
  }
  return nullptr;
}

std::vector<int> SweepTile::leaves(const ir::Access& read) const {
  if (row_of(read)) return {rank - 1};
  const TileWindow* window = window_of(read);
  std::vector<int> out;
  for (int d = first_tiled(); window && d < rank; ++d) {
    const int64_t offset = read.offset(d);
    const analysis::Reach& around = window->margin[d];
    if (-offset > around.low || offset > around.high) out.push_back(d);
  }
  return out;
}

std::vector<ir::Access> SweepTile::reads_at(const ir::Program& program, int before) const {
  std::vector<ir::Access> out;
  const auto add = [&](ir::Access access) {
    access = without_rules(std::move(access));
    if (std::find(out.begin(), out.end(), access) == out.end()) out.push_back(std::move(access));
  };
  for (const ir::Access& access : column.reads(program, before)) add(access);
  for (size_t p = 0; before == 0 && p < column.pieces.size(); ++p) {
    const SweptColumn::Piece& piece = column.pieces[p];
    for (const auto& [id, access] : ir::accesses(*piece.graph, piece.results)) {
      if (is_operand(program, *access)) add(*access);
    }
  }
  return out;
}

bool SweepTile::needs(const TileWindow& window, const std::vector<ir::Access>& some) const {
  return std::any_of(some.begin(), some.end(),
                     [&](const ir::Access& read) { return window_of(read) == &window; });
}

bool SweepTile::all_keep() const {
  return std::any_of(windows.begin(), windows.end(),
                     [](const TileWindow& window) { return window.value.has_value(); });
}

int64_t SweepTile::shared_bytes(const ir::Program& program) const {
  int64_t out = 0;
  for (const TileWindow& window : windows) {
    const ir::Field& field = program.fields[window.from.field];
    int64_t bytes = size_in_bytes(arithmetic_type(field.components[window.from.component].type));
    for (int d = 0; d < rank; ++d) bytes = bounded_product(bytes, extent(window, d));
    out = bounded_sum(out, bytes);
  }
  return out;
}

int64_t SweepTile::items(const TileWindow& window) const {
  if (schedule.of<SweepsSettings>().halo != Halo::Remap) {
    return elements() * static_cast<int64_t>(1 + window.parts.size());
  }
  int64_t cells = 1;
  for (int d = 0; d < rank; ++d) cells = bounded_product(cells, extent(window, d));
  return divide_up(cells, schedule.block.product());
}

int64_t SweepTile::kept_words() const {
  const int64_t each = elements(), ahead = schedule.prefetch;
  int64_t values = 0;  // prefetched or received by shuffles; two words at most
  for (const TileRow& row : rows) {
    values += (1 + ahead + static_cast<int64_t>(row.offsets.size())) * each;
  }
  for (const ir::Access& read : reads) values += is_loaded(read) ? ahead * each : 0;
  for (const TileWindow& window : windows) {
    values = bounded_sum(values, bounded_product(ahead, items(window)));
  }
  int64_t out = bounded_product(2, values);
  for (const ColumnValue& value : column.values) {
    const int64_t of = int64_t{value.ages} * words((*column.front)[value.node].type);
    out = bounded_sum(out, bounded_product(of, each));
  }
  return out;
}

}  // namespace stencil::schedule
