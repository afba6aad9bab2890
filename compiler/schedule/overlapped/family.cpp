// Proposes, checks and costs tiles of the `overlapped` family. Code generation is in kernel.cpp.
#include "compiler/schedule/overlapped/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <optional>

#include "compiler/schedule/common/shapes.h"
#include "compiler/schedule/common/slow_operations.h"
#include "compiler/schedule/direct/family.h"
#include "compiler/schedule/overlapped/cpu.h"
#include "compiler/schedule/overlapped/kernel.h"
#include "compiler/schedule/overlapped/work.h"

namespace stencil::schedule {

using analysis::Margin;

namespace {

Schedule make(int time_tile, const Shape& block, const Shape& elements) {
  Schedule schedule;
  schedule.family = "overlapped";
  schedule.own = OverlappedSettings{.regions = Regions::Hull};
  schedule.time_tile = time_tile;
  schedule.block = block;
  schedule.elements = elements;
  return schedule;
}

// Threads and elements that cover a box. As many threads as a block allows go to x, then to y and
// so on, so that neighbours in x are in the same warp. Elements cover the rest.
Schedule cover(int time_tile, const Shape& box, const Machine& machine) {
  const int64_t most = std::min(256, machine.threads),
                from_z = std::min(64, machine.threads_from_z);
  Shape block, elements;
  for (size_t axis = 0; axis < kMaxRank; ++axis) {
    int64_t free = most / block.product();
    if (axis == 0) free = std::min<int64_t>(free, machine.threads_in_x);
    if (axis == 1) free = std::min<int64_t>(free, machine.threads_in_y);
    if (axis > 1) free = std::min(free, from_z / block.product(2));
    while (box[axis] % free != 0 && free < box[axis]) --free;
    block[axis] = static_cast<int>(std::min<int64_t>(box[axis], free));
    elements[axis] = box[axis] / block[axis];
  }
  return make(time_tile, block, elements);
}

// Tiles of rank 4 and higher are nearly cubes, because every side has a halo. The size that fits
// shared memory depends strongly on the rank, so boxes are tried one by one, each with half the
// points of its predecessor. Each time the longest side is halved, or on ties the outermost of the
// longest. In this comparison x counts at half its length.
std::vector<Schedule> many_dimensional_shapes(int rank, int time_tile, const Machine& machine) {
  constexpr int64_t kMostPoints = 8192, kFewestPoints = 16;
  Shape box = {16};
  for (int axis = 1; axis < rank; ++axis) box[axis] = 8;
  std::vector<Schedule> out;
  while (box.product() >= kFewestPoints) {
    if (box.product() <= kMostPoints) out.push_back(cover(time_tile, box, machine));
    size_t longest = 0;
    for (size_t axis = 1; axis < kMaxRank; ++axis) {
      const int length = longest == 0 ? box[0] / 2 : box[longest];
      if (box[axis] > 1 && box[axis] >= length) longest = axis;
    }
    box[longest] /= 2;
  }
  return out;
}

// Tile shapes to try for a rank, largest first. Up to rank 3 these are the fastest measured on an
// H200 (docs/design/performance.md), followed by smaller ones for programs with many fields.
std::vector<Schedule> shapes(int rank, int time_tile, const Machine& machine) {
  if (rank > 3) return many_dimensional_shapes(rank, time_tile, machine);
  if (rank == 1) {
    return {make(time_tile, {256, 1, 1}, {8, 1, 1}), make(time_tile, {128, 1, 1}, {2, 1, 1})};
  }
  if (rank == 2) {
    return {make(time_tile, {32, 16, 1}, {4, 4, 1}), make(time_tile, {32, 16, 1}, {2, 4, 1}),
            make(time_tile, {32, 8, 1}, {1, 4, 1}), make(time_tile, {16, 8, 1}, {1, 2, 1})};
  }
  return {make(time_tile, {32, 8, 1}, {1, 2, 16}), make(time_tile, {32, 8, 1}, {1, 1, 8}),
          make(time_tile, {16, 8, 1}, {1, 1, 8}), make(time_tile, {8, 8, 1}, {1, 1, 8})};
}

std::shared_ptr<const OverlappedStep> step_of(const analysis::TimeTiles& tiles) {
  return {std::shared_ptr<const void>(), &tiles.kept<OverlappedStep>()};
}

// The first read outside the halo of a field that the program writes, if any. Fields that are never
// written can be read from memory.
std::optional<analysis::ReadOutsideHalo> written_read_outside_halo(const ir::Program& program) {
  for (const analysis::ReadOutsideHalo& read : analysis::reads_outside_halo(program)) {
    if (ir::is_written(program, read.field)) return read;
  }
  return std::nullopt;
}

// Division, roots and functions in double precision are subroutines, which leave few registers for
// a thread's points.
bool calls_in_double(const ir::Program& program) {
  for (const ir::Function& function : program.functions) {
    for (const ir::Piece& piece : function.pieces) {
      const bool wide = !piece.results.empty() && piece.graph[piece.results[0]].type == Scalar::F64;
      if (wide && slow_operations(piece.graph, piece.results, program.fp).calls > 0) return true;
    }
  }
  return false;
}

class PlannedTiles final : public Plan {
 public:
  PlannedTiles(const analysis::TimeTiles& tiles, OverlappedTile tile, const Machine& machine)
      : tiles_(tiles), tile_(std::move(tile)), machine_(machine) {}

  // Traffic of a tile: it loads its shared tiles once and coefficient fields once (later steps hit
  // the cache), and writes its output box for each level that remains. Swept functions are added.
  Footprint cost() const override {
    const analysis::TimeTile& time_tile = tile_.time_tile();
    const std::vector<int64_t> lengths = tile_.core();
    const double core = analysis::points(lengths, Margin(lengths.size()));
    Footprint out;
    for (size_t f = 0; f < tile_.program().fields.size(); ++f) {
      const ir::FieldId id = static_cast<ir::FieldId>(f);
      const ir::Field& field = tile_.program().fields[f];
      const double bytes = static_cast<double>(bytes_per_point(field));
      const auto needed = analysis::needed_of(time_tile, id);
      const auto held = tile_.held.find(id);
      if (!needed) continue;
      const Margin& margin = held == tile_.held.end() ? *needed : held->second;
      out.bytes_read +=
          bytes * analysis::points(lengths, margin) * analysis::levels_loaded(time_tile, id);
      if (held == tile_.held.end()) continue;
      out.bytes_written += bytes * core * analysis::levels_made(field, tile_.schedule.time_tile);
    }
    const double useful = core * tile_.schedule.time_tile;
    out.bytes_read /= useful;
    out.bytes_written /= useful;
    count_sweeps(tile_.step->whole, tile_.step->swept, out);
    out.redundancy = analysis::redundancy(
        time_tile, lengths, tile_.schedule.of<OverlappedSettings>().regions == Regions::Hull);
    out.shared_bytes = shared_bytes(tile_);
    out.threads = static_cast<int>(tile_.schedule.block.product());
    out.output = lengths;
    return out;
  }

  std::optional<TileWork> work() const override { return work_of(tiles_, tile_); }

  // From 3-D on, most of a tile that fits shared memory or a CPU's cache is halo. In 3-D, one step
  // per sweep was measured to be faster on both. A tile of one step reduces traffic only if several
  // functions share it.
  std::string unrewarding() const override {
    const int rank = tile_.program().grid().rank();
    if (rank >= 3)
      return fmt::format("in {}-D recomputing the halo costs more than it saves", rank);
    if (!written_read_outside_halo(tile_.step->whole)) return "";
    const Family direct = direct_family();
    Diagnostics none;
    const Footprint tiles = cost();
    const Footprint sweeps =
        direct.plan(tiles_, direct.propose(tiles_, machine_).schedule, machine_, none)->cost();
    const bool saves =
        tiles.bytes_read + tiles.bytes_written < sweeps.bytes_read + sweeps.bytes_written;
    return saves ? ""
                 : "a boundary rule that may read outside the halo limits tiles to one step, "
                   "which saves nothing";
  }

  void lower(kernel::Module& module) const override { lower_overlapped(tile_, module); }

 private:
  const analysis::TimeTiles& tiles_;
  const OverlappedTile tile_;
  const Machine machine_;
};

// Refuses T > 1 if a read outside the halo is of a written field. Such a read needs its values in
// memory, and a tile does not write the results of its inner steps to memory.
void refuse_reads_outside_halo(const ir::Program& program, const Schedule& schedule,
                               Diagnostics& diagnostics) {
  const auto read = written_read_outside_halo(program);
  if (!read || schedule.time_tile == 1) return;
  Diagnostic& error = diagnostics.error(
      "L016", read->span,
      fmt::format("overlapped refused: the boundary of '{}' may read outside the halo",
                  program.fields[read->field].name));
  error.expected = "T=1, which reads it from memory";
  error.found = fmt::format("T={}", schedule.time_tile);
  error.hint = "declare the field on the whole grid, or use T=1";
}

PlanPtr plan(const analysis::TimeTiles& tiles, const Schedule& schedule, const Machine& machine,
             Diagnostics& diagnostics) {
  refuse_advanced_levels(tiles.program(), schedule, diagnostics);
  refuse_reads_outside_halo(tiles.program(), schedule, diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  OverlappedTile tile(step_of(tiles), schedule);
  refuse_small_tile(tiles.program(), schedule, tile.sides, diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  const int64_t bytes = shared_bytes(tile);
  refuse_shared_bytes(schedule, "the tiles", bytes, machine, diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  refuse_block_bytes(schedule, bounded_sum(bytes, result_bytes(tile)), machine, diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  return std::make_shared<PlannedTiles>(tiles, std::move(tile), machine);
}

// The deepest useful tile whose shared tiles fit 70 % of shared memory. If there is none, the
// deepest one whose shared tiles fit all of it.
Schedule usual(const analysis::TimeTiles& tiles, const Machine& machine) {
  const ir::Program& program = tiles.program();
  const auto step = step_of(tiles);
  const int deepest = written_read_outside_halo(program) ? 1 : INT_MAX;
  if (machine.threads_are_loops) return overlapped_on_cpu(step, machine, deepest);
  // The rest of the memory serves as L1 cache.
  const int64_t usual_bytes = machine.shared_bytes / 10 * 7;
  constexpr int kMostPointsWithCalls = 4;
  const int rank = program.grid().rank();
  const int most = std::min(rank == 1 ? 16 : rank == 2 ? 6 : rank == 3 ? 2 : 1, deepest);
  const bool calls = calls_in_double(program);
  for (const int64_t limit : {usual_bytes, machine.shared_bytes}) {
    for (int t = most; t >= 1; --t) {
      for (const Schedule& shape : shapes(rank, t, machine)) {
        const Schedule schedule = with_fewer_threads(shape, machine);
        if (schedule.elements.product() > kMostPointsWithCalls && calls) continue;
        const OverlappedTile tile(step, schedule);
        if (pays(tile.sides) && shared_bytes(tile) <= limit) return schedule;
      }
    }
  }
  for (const Schedule& shape : shapes(rank, 1, machine)) {
    const Schedule schedule = with_fewer_threads(shape, machine);
    Diagnostics refusals;
    if (plan(tiles, schedule, machine, refusals)) return schedule;
  }
  return with_fewer_threads(shapes(rank, 1, machine).front(), machine);
}

Proposal propose(const analysis::TimeTiles& tiles, const Machine& machine) {
  const std::string why =
      fmt::format("the deepest of a few usual tiles that is at most half halo and fits {}",
                  machine.threads_are_loops ? "the second-level cache" : "shared memory");
  const bool outside_halo = written_read_outside_halo(tiles.program()).has_value();
  return {
      usual(tiles, machine),
      why + (outside_halo ? "; one step, because a boundary rule may read outside the halo" : "")};
}

Shapes usual_shapes(int rank) {
  if (rank == 1) {
    return {shapes_of(rank, {{{16, 32, 64, 128, 256}}, 256}),
            shapes_of(rank, {{{1, 2, 3, 4, 8}}, 8})};
  }
  return {shapes_of(rank, {{{4, 8, 16, 32}, {1, 2, 4, 8}, {1, 2}}, 256, 64}),
          shapes_of(rank, {{{1, 2, 3}, {1, 2, 3, 4, 8}, {1, 2, 4, 8}, {1, 2}}, 64, 16})};
}

}  // namespace

Family overlapped_family() {
  Family out{"overlapped",
             "T steps per launch in shared memory, halos recomputed (Holewinski et al., ICS'12)",
             overlapped_settings(),
             propose,
             plan,
             usual_shapes};
  out.own = OverlappedSettings{};
  out.presets = {
      {"holewinski-overlapped",
       "tiles of several steps in shared memory, the same box at every step",
       "Holewinski, Pouchet, Sadayappan 2012, section 4",
       {"overlapped T=8 block=256 elements=4 regions=hull",
        "overlapped T=4 block=32x16 elements=2x4 regions=hull",
        "overlapped T=2 block=32x4x4 elements=1x2x2 regions=hull"}},
      {"holewinski-spatial",
       "tiles of one step in shared memory: no time tiling",
       "Holewinski, Pouchet, Sadayappan 2012, section 5.1",
       {"overlapped T=1 block=256 elements=4 regions=hull",
        "overlapped T=1 block=32x16 elements=2x4 regions=hull",
        "overlapped T=1 block=32x4x4 elements=1x2x2 regions=hull"}},
  };
  return out;
}

}  // namespace stencil::schedule
