#include "compiler/schedule/common/reduction_work.h"

#include <algorithm>
#include <cmath>

#include "compiler/schedule/common/limits.h"
#include "compiler/schedule/common/operations.h"
#include "compiler/schedule/common/piece_loads.h"

namespace stencil::schedule {

namespace {

// One block per tile of the grid: four points per thread and a share of the pairwise part.
Work work_of_tiles(const analysis::TimeTiles& tiles, const ir::Reduction& reduction) {
  const ir::Program& program = tiles.program();
  const ir::Piece& piece = reduction.piece;
  constexpr double kPoints = 1.0 * ir::kReductionTilePoints / ir::kReductionLanes;
  Work work;
  work.threads = ir::kReductionLanes;
  work.row = static_cast<int>(
      std::min<int64_t>(ir::reduction_tile(program.grid().rank()).back(), ir::kReductionLanes));
  work.points = kPoints;
  work.blocks = std::ceil(usual_points(program) / ir::kReductionTilePoints);
  work.barriers = std::log2(ir::kReductionLanes);
  const auto& kept = tiles.kept<PieceArithmetic>().of(piece.graph, piece.results, Sharing::None);
  work.iteration.add(kept, kPoints);
  const LoadCounts& loads = tiles.kept<PieceLoads>().of(piece, 1, 1);
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
  const std::vector<int> kept = program.fields[*reduction.target].dimensions();
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
  const LoadCounts& loads = tiles.kept<PieceLoads>().of(piece, 1, 1);
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

}  // namespace stencil::schedule
