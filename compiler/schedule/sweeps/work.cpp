#include "compiler/schedule/sweeps/work.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "compiler/ir/rewrite.h"
#include "compiler/schedule/common/limits.h"
#include "compiler/schedule/common/operations.h"
#include "compiler/schedule/common/tiling.h"

namespace stencil::schedule {

namespace {

// Loads of a thread whose elements follow one another along the outermost dimension, `apart` points
// from each other. If adjacent, neighbouring elements share loads. Sharing in other dimensions is
// not counted, because a thread of a sweep has too few registers.
struct Loads {
  double words = 0, accesses = 0;
};

Loads count_loads(const ir::Program& program, const ir::Piece& piece, int elements, int apart) {
  using Place = std::tuple<ir::FieldId, int, int, std::vector<int>>;
  std::set<Place> places;
  Loads out;
  for (const auto& [id, access] : ir::accesses(piece.graph, piece.results)) {
    if (access->per_step) continue;
    for (int e = 0; e < elements; ++e) {
      const ir::Field& field = program.fields[access->field];
      std::vector<int> at = access->offsets;
      for (size_t d = 0; d < at.size(); ++d) at[d] += field.dimension(d) == 0 ? e * apart : 0;
      const auto place =
          places.insert({access->field, access->level, access->component, std::move(at)});
      if (!place.second) continue;
      out.words += words(piece.graph[id].type);
      out.accesses += 1;
    }
  }
  return out;
}

// Loads per piece, cached (TimeTiles::kept).
class PieceLoads {
 public:
  explicit PieceLoads(const ir::Program& program) : program_(program) {}
  const Loads& of(const ir::Piece& piece, int elements, int apart) {
    const auto [entry, fresh] = known_.try_emplace({&piece, elements, apart});
    if (fresh) entry->second = count_loads(program_, piece, elements, apart);
    return entry->second;
  }

 private:
  const ir::Program& program_;
  std::map<std::tuple<const ir::Piece*, int, int>, Loads> known_;
};

// Adds the operations with which the threads of a block load, share and exchange operands in a
// plane.
void count_operands(const ir::Program& program, const SweepTile& tile, Operations& out) {
  const double elements = static_cast<double>(tile.elements());
  const auto words_of = [&](const ir::Access& access) {
    const ir::Field& field = program.fields[access.field];
    return static_cast<double>(words(arithmetic_type(field.components[access.component].type)));
  };
  // Fraction of the warps with threads at a side of the tile; at the ends of rows, all warps.
  const auto at_sides = [&](int d, int64_t reach) {
    if (d + 1 == tile.rank) return 1.0;
    return std::min(1.0, static_cast<double>(reach) / static_cast<double>(tile.thread_points(d)));
  };
  const auto load = [&](double count, double words) {
    out.loads += count * words;
    out.accesses += count;
  };
  for (const ir::Access& read : tile.reads) {
    const double words = words_of(read);
    if (tile.is_loaded(read)) {
      load(elements, words);
      continue;
    }
    if (tile.window_of(read)) {
      out.shared += elements * words;
      out.accesses += elements;
    } else {
      out.shuffles += elements * words;
    }
    for (const int d : tile.leaves(read)) {
      load(elements * at_sides(d, std::abs(read.offsets[d])), words);
    }
  }
  for (const TileRow& row : tile.rows) load(elements, words_of(row.from));
  for (const TileWindow& window : tile.windows) {
    const double words = words_of(window.from);
    double filled = window.value ? 0 : elements, stored = elements;
    if (tile.schedule.halo == Halo::Remap) {
      filled = stored = static_cast<double>(tile.items(window));
    }
    for (const std::vector<int>& part : window.parts) {
      double threads = elements;
      for (int d = 0; d < tile.rank; ++d) {
        const analysis::Reach& around = window.margin[d];
        const int side = part[d];
        if (side != 0) threads *= at_sides(d, side < 0 ? around.low : around.high);
      }
      filled += threads;
      stored += threads;
    }
    load(filled, words);
    out.shared += stored * words;
    out.accesses += stored;
  }
}

// Arithmetic per point of the piece, including the front's.
Operations arithmetic_of(const analysis::TimeTiles& tiles, const SweepTile& swept, size_t number) {
  const ir::Piece& piece = swept.sweep->function->pieces[number];
  if (swept.schedule.column == Column::Cache) {
    return tiles.kept<PieceArithmetic>().of(piece.graph, piece.results, Sharing::None);
  }
  const FpMode fp = tiles.program().fp;
  const SweptColumn::Piece& rest = swept.column.pieces[number];
  std::vector<ir::NodeId> values;
  for (const ColumnValue& value : swept.column.values) values.push_back(value.node);
  Operations out = arithmetic(*rest.graph, rest.results, fp, Sharing::None);
  return out.add(arithmetic(*swept.column.front, values, fp, Sharing::None));
}

Work work_of(const analysis::TimeTiles& tiles, const SweepTile& swept) {
  const ir::Program& program = tiles.program();
  const Schedule& schedule = swept.schedule;
  const ir::Function& function = *swept.sweep->function;
  std::vector<ir::Box> regions;
  for (const ir::Piece& piece : function.pieces) regions.push_back(piece.region);
  const size_t main = main_piece(regions);
  const ir::Piece& piece = function.pieces[main];
  const int rank = program.grid.rank();
  const double elements = static_cast<double>(schedule.elements.product());
  Work work;
  work.row =
      static_cast<int>(std::min<int64_t>(schedule.block[0], usual_extent(program, rank - 1)));
  work.threads = static_cast<int>(schedule.block.product());
  work.points = static_cast<double>(schedule.elements.product());
  work.iteration.add(arithmetic_of(tiles, swept, main), elements);
  if (swept.is_plain()) {
    const int in_line = along(schedule.elements, rank, 0);
    const Loads& loads =
        tiles.kept<PieceLoads>().of(piece, in_line, along(schedule.block, rank, 0));
    work.iteration.loads = loads.words * elements / in_line;
    work.iteration.accesses = loads.accesses * elements / in_line;
  } else {
    count_operands(program, swept, work.iteration);
    constexpr double kUsual = 24;  // registers without kept values
    work.registers = kUsual + 2 * elements + static_cast<double>(swept.kept_words());
    work.shared_bytes = swept.shared_bytes(program);
    work.barriers = swept.windows.empty() ? 0 : swept.swept ? 2 : 1;
  }
  for (const ir::NodeId result : piece.results) {
    work.iteration.stores += elements * words(piece.graph[result].type);
    work.iteration.accesses += elements;
  }
  work.iteration.selects = elements * static_cast<double>(function.pieces.size() - 1);
  // A block's tile and the halo around it, which neighbouring blocks read, too.
  std::vector<int64_t> tile;
  double plane = 1;  // grid points per plane
  for (int d = 0; d < rank; ++d) {
    const int64_t covered = swept.core(d);
    const auto extent = static_cast<double>(usual_extent(program, d));
    const double length = static_cast<double>(covered), blocks = std::ceil(extent / length);
    work.blocks *= blocks;
    plane *= d == 0 ? 1 : extent;
    if (swept.swept && d == 0) {  // one iteration per plane
      work.iterations = std::min(length, extent) + swept.column.lookback();
      work.ahead = schedule.prefetch;
      tile.push_back(1);
      continue;
    }
    tile.push_back(std::min(covered, usual_extent(program, d)));
    work.inside *= extent / (blocks * length);
  }
  // Blocks are executed along rows first, so a whole plane of blocks runs before a plane is read
  // again.
  const double read = bytes_of_planes(program, function);
  work.held_bytes = plane * read;
  work.planes_read = elements * read;
  const analysis::Margin none(tile.size());
  double once = 0;
  const auto add = [&](ir::FieldId field, analysis::Margin around) {
    for (size_t d = 0; d < around.size(); ++d) {  // not beyond the grid
      const int64_t most = usual_extent(program, static_cast<int>(d));
      around[d] = {std::min(around[d].low, most), std::min(around[d].high, most)};
      if (swept.swept && d == 0) around[d] = {};  // planes pass one after another
    }
    const auto bytes = static_cast<double>(bytes_per_point(program.fields[field]));
    const double row =
        bytes * static_cast<double>(tile.back() + around.back().low + around.back().high);
    work.bytes += bytes * analysis::points(tile, around) * sectors(row) / row;
    once += bytes * analysis::points(tile, none);
  };
  for (const analysis::Reads& reads : analysis::reads_of(program, function)) {
    add(reads.field, analysis::reached(none, reads));
  }
  for (const ir::FieldId target : function.targets) add(target, none);
  work.compulsory = once / work.bytes;
  work.footprint = once / analysis::points(tile, none) * usual_points(program);
  return work;
}

// One block per tile of the grid: four points per thread and a share of the pairwise part.
Work work_of_tiles(const analysis::TimeTiles& tiles, const ir::Reduction& reduction) {
  const ir::Program& program = tiles.program();
  const ir::Piece& piece = reduction.piece;
  constexpr double kPoints = 1.0 * ir::kReductionTilePoints / ir::kReductionLanes;
  Work work;
  work.threads = ir::kReductionLanes;
  work.row = static_cast<int>(
      std::min<int64_t>(ir::reduction_tile(program.grid.rank()).back(), ir::kReductionLanes));
  work.points = kPoints;
  work.blocks = std::ceil(usual_points(program) / ir::kReductionTilePoints);
  work.barriers = std::log2(ir::kReductionLanes);
  const auto& kept = tiles.kept<PieceArithmetic>().of(piece.graph, piece.results, Sharing::None);
  work.iteration.add(kept, kPoints);
  const Loads& loads = tiles.kept<PieceLoads>().of(piece, 1, 1);
  work.iteration.loads = loads.words * kPoints;
  work.iteration.accesses = loads.accesses * kPoints;
  const double read = bytes_read(program, reduction);
  work.bytes = read * ir::kReductionTilePoints;
  work.footprint = read * usual_points(program);
  work.planes_read = kPoints * read;
  return work;
}

// Sizes of a reduction over some dimensions: points and tiles per profile point, profile points,
// and blocks that share these.
struct ProfileCounts {
  double points = 1, tiles = 1, places = 1, blocks = 1;
};

ProfileCounts count_profile(const ir::Program& program, const ir::Reduction& reduction) {
  constexpr double kPlaces = 16;  // per block (reduce_over.cpp)
  const std::vector<int> over = ir::reduced_dimensions(program, reduction);
  const std::vector<int64_t> tile = ir::reduction_tile(static_cast<int>(over.size()));
  ProfileCounts out;
  for (size_t i = 0; i < over.size(); ++i) {
    const auto extent = static_cast<double>(usual_extent(program, over[i]));
    out.points *= extent;
    out.tiles *= std::ceil(extent / static_cast<double>(tile[i]));
  }
  const std::vector<int>& kept = program.fields[*reduction.target].dimensions;
  for (const int d : kept) {
    const auto extent = static_cast<double>(usual_extent(program, d));
    out.places *= extent;
    out.blocks *= d == kept.back() ? std::ceil(extent / kPlaces) : extent;
  }
  return out;
}

// One block per tile and group of profile points, 16 lanes per point.
Work work_of_profile(const analysis::TimeTiles& tiles, const ir::Reduction& reduction,
                     const ProfileCounts& counts) {
  const ir::Program& program = tiles.program();
  const ir::Piece& piece = reduction.piece;
  Work work;
  work.threads = ir::kReductionLanes;
  work.row = ir::kProfileLanes;
  work.points = std::ceil(counts.points / counts.tiles / ir::kProfileLanes);
  work.blocks = counts.blocks * counts.tiles;
  work.barriers = std::log2(ir::kProfileLanes);
  const auto& kept = tiles.kept<PieceArithmetic>().of(piece.graph, piece.results, Sharing::None);
  work.iteration.add(kept, work.points);
  const Loads& loads = tiles.kept<PieceLoads>().of(piece, 1, 1);
  work.iteration.loads = loads.words * work.points;
  work.iteration.accesses = loads.accesses * work.points;
  const double read = bytes_read(program, reduction);
  work.bytes = read * work.points * work.threads;
  work.footprint = read * usual_points(program);
  work.planes_read = work.points * read;
  return work;
}

// Combines the tile values of each profile point.
Work work_of_profile_values(const ProfileCounts& counts, Scalar type) {
  const auto bytes = static_cast<double>(size_in_bytes(type));
  Work work;
  work.threads = ir::kReductionLanes;
  work.row = ir::kProfileLanes;
  work.blocks = counts.blocks;
  work.iterations = std::ceil(counts.tiles / ir::kProfileLanes);
  work.barriers = std::log2(ir::kProfileLanes) / work.iterations;
  work.iteration.loads = words(type);
  work.iteration.accesses = 1;
  work.bytes = bytes * work.threads;
  work.footprint = bytes * counts.tiles * counts.places;
  return work;
}

// One block that combines all tile values.
Work work_of_values(const Work& tiles, Scalar type) {
  Work work;
  work.threads = ir::kReductionLanes;
  work.row = ir::kReductionLanes;
  work.iterations = std::ceil(tiles.blocks / ir::kReductionLanes);
  work.barriers = std::log2(ir::kReductionLanes) / work.iterations;
  work.iteration.loads = words(type);
  work.iteration.accesses = 1;
  work.bytes = 1.0 * ir::kReductionLanes * static_cast<double>(size_in_bytes(type));
  work.footprint = work.bytes * work.iterations;
  return work;
}

}  // namespace

double bytes_read(const ir::Program& program, const ir::Reduction& reduction) {
  const ir::Function as_function{reduction.name, {}, {reduction.piece}, reduction.span};
  double bytes = 0;
  for (const analysis::Reads& reads : analysis::reads_of(program, as_function)) {
    bytes += static_cast<double>(bytes_per_point(program.fields[reads.field]));
  }
  return bytes;
}

std::vector<Work> work_of(const analysis::TimeTiles& tiles, const ir::Reduction& reduction) {
  const Scalar type = ir::value_type(reduction);
  if (!reduction.target) {
    const Work of_tiles = work_of_tiles(tiles, reduction);
    return {of_tiles, work_of_values(of_tiles, type)};
  }
  const ProfileCounts counts = count_profile(tiles.program(), reduction);
  std::vector<Work> out = {work_of_profile(tiles, reduction, counts)};
  if (counts.tiles > 1) out.push_back(work_of_profile_values(counts, type));
  if (is_float(type)) out.push_back(work_of_values(out.back(), Scalar::I32));  // NaN check
  return out;
}

std::vector<Work> work_of(const analysis::TimeTiles& tiles, const std::vector<SweepTile>& sweeps) {
  std::vector<Work> out;
  for (const SweepTile& sweep : sweeps) out.push_back(work_of(tiles, sweep));
  return out;
}

}  // namespace stencil::schedule
