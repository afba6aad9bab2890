#include "compiler/schedule/direct/work.h"

#include <algorithm>
#include <cmath>

#include "compiler/schedule/common/limits.h"
#include "compiler/schedule/common/piece_loads.h"
#include "compiler/schedule/common/tiling.h"
#include "compiler/schedule/direct/kernel.h"

namespace stencil::schedule {

size_t main_piece_of(const ir::Function& function) {
  std::vector<ir::Box> regions;
  for (const ir::Piece& piece : function.pieces) regions.push_back(piece.region);
  return main_piece(regions);
}

Work launch_of(const analysis::TimeTiles& tiles, const Sweep& sweep, const Schedule& schedule,
               const Operations& operations, const std::vector<int64_t>& core, bool by_planes) {
  const ir::Program& program = tiles.program();
  const ir::Function& function = *sweep.function;
  const ir::Piece& piece = function.pieces[main_piece_of(function)];
  const int rank = program.grid().rank();
  const double elements = static_cast<double>(schedule.elements.product());
  Work work;
  work.row =
      static_cast<int>(std::min<int64_t>(schedule.block[0], usual_extent(program, rank - 1)));
  work.threads = static_cast<int>(schedule.block.product());
  work.points = elements;
  work.iteration = operations;
  for (const ir::NodeId result : piece.results) {
    work.iteration.stores += elements * words(piece.graph[result].type);
    work.iteration.accesses += elements;
  }
  work.iteration.selects = elements * static_cast<double>(function.pieces.size() - 1);
  // A block's tile and the halo around it, which neighbouring blocks read, too.
  std::vector<int64_t> tile;
  double plane = 1;  // grid points per plane
  for (int d = 0; d < rank; ++d) {
    const auto extent = static_cast<double>(usual_extent(program, d));
    const double length = static_cast<double>(core[d]), blocks = std::ceil(extent / length);
    work.blocks *= blocks;
    plane *= d == 0 ? 1 : extent;
    if (by_planes && d == 0) {
      tile.push_back(1);
      continue;
    }
    tile.push_back(std::min(core[d], usual_extent(program, d)));
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
      if (by_planes && d == 0) around[d] = {};  // planes pass one after another
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

Work work_of(const analysis::TimeTiles& tiles, const Sweep& sweep, const Schedule& schedule) {
  const int rank = tiles.program().grid().rank();
  const ir::Piece& piece = sweep.function->pieces[main_piece_of(*sweep.function)];
  const double elements = static_cast<double>(schedule.elements.product());
  Operations operations;
  operations.add(tiles.kept<PieceArithmetic>().of(piece.graph, piece.results, Sharing::None),
                 elements);
  const int in_line = along(schedule.elements, rank, 0);
  const LoadCounts& loads =
      tiles.kept<PieceLoads>().of(piece, in_line, along(schedule.block, rank, 0));
  operations.loads = loads.words * elements / in_line;
  operations.accesses = loads.accesses * elements / in_line;
  return launch_of(tiles, sweep, schedule, operations, points_of_block(schedule, rank), false);
}

std::vector<Work> work_of(const analysis::TimeTiles& tiles, const std::vector<Sweep>& sweeps,
                          const Schedule& schedule) {
  std::vector<Work> out;
  for (const Sweep& sweep : sweeps) out.push_back(work_of(tiles, sweep, schedule));
  return out;
}

}  // namespace stencil::schedule
