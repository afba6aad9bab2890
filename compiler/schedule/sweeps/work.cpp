#include "compiler/schedule/sweeps/work.h"

#include <algorithm>
#include <cstdlib>

#include "compiler/schedule/common/limits.h"
#include "compiler/schedule/common/operations.h"
#include "compiler/schedule/direct/work.h"

namespace stencil::schedule {

namespace {

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
      load(elements * at_sides(d, std::abs(read.offset(d))), words);
    }
  }
  for (const TileRow& row : tile.rows) load(elements, words_of(row.from));
  for (const TileWindow& window : tile.windows) {
    const double words = words_of(window.from);
    double filled = window.value ? 0 : elements, stored = elements;
    if (tile.schedule.of<SweepsSettings>().halo == Halo::Remap) {
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
  if (swept.schedule.of<SweepsSettings>().column == Column::Cache) {
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
  if (swept.is_plain()) return work_of(tiles, *swept.sweep, schedule);
  const double elements = static_cast<double>(schedule.elements.product());
  Operations operations;
  operations.add(arithmetic_of(tiles, swept, main_piece_of(*swept.sweep->function)), elements);
  count_operands(program, swept, operations);
  std::vector<int64_t> core;
  for (int d = 0; d < swept.rank; ++d) core.push_back(swept.core(d));
  Work work = launch_of(tiles, *swept.sweep, schedule, operations, core, swept.swept);
  constexpr double kUsual = 24;  // registers without kept values
  work.registers = kUsual + 2 * elements + static_cast<double>(swept.kept_words());
  work.shared_bytes = swept.shared_bytes(program);
  work.barriers = swept.windows.empty() ? 0 : swept.swept ? 2 : 1;
  if (swept.swept) {  // one iteration per plane
    work.iterations =
        static_cast<double>(std::min(core[0], usual_extent(program, 0))) + swept.column.lookback();
    work.ahead = schedule.prefetch;
  }
  return work;
}

// The launch that fills a copy.
Work work_of(const ir::Program& program, const SweepTile& tile, const HaloedCopy& copy) {
  const ir::Field& field = program.fields[copy.from.field];
  const Scalar type = arithmetic_type(field.components[copy.from.component].type);
  const double size = static_cast<double>(size_in_bytes(type));
  Work work;
  work.threads = static_cast<int>(tile.schedule.block.product());
  work.row = tile.schedule.block[0];
  for (int d = 0; d < tile.rank; ++d) {
    work.blocks *= static_cast<double>(
        divide_up(copy.extent(static_cast<size_t>(d)), along(tile.schedule.block, tile.rank, d)));
  }
  work.iteration.loads = work.iteration.stores = words(type);
  work.iteration.accesses = 2;
  work.bytes = 2 * size * work.threads;
  work.footprint = 2 * size * static_cast<double>(copy.elements());
  return work;
}

}  // namespace

std::vector<Work> work_of(const analysis::TimeTiles& tiles, const std::vector<SweepTile>& sweeps) {
  std::vector<Work> out;
  for (const SweepTile& sweep : sweeps) {
    for (const HaloedCopy& copy : sweep.copies) {
      out.push_back(work_of(tiles.program(), sweep, copy));
    }
    out.push_back(work_of(tiles, sweep));
  }
  return out;
}

}  // namespace stencil::schedule
