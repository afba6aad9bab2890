// The `overlapped` family towards the rest of the compiler: tile numbers, defaults and refusals.
// The code it generates is in overlapped.cpp.
#include "compiler/schedule/overlapped.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <optional>

#include "compiler/ir/rewrite.h"
#include "compiler/schedule/blocks.h"
#include "compiler/schedule/family.h"
#include "compiler/schedule/levels.h"
#include "compiler/schedule/stream_plan.h"

namespace stencil::schedule {

using analysis::Margin;
using analysis::Reach;

OverlappedStep split_step(const ir::Program& program) {
  size_t tiled = program.functions.size();
  for (const FarRead& read : far_reads(program)) {
    for (size_t f = 0; f < read.function; ++f) {
      if (program.functions[f].target == read.field) tiled = std::min(tiled, read.function);
    }
  }
  OverlappedStep step = {program, plan_sweeps(program)};
  step.tiled.functions.resize(tiled);
  step.swept.erase(step.swept.begin(), step.swept.begin() + static_cast<std::ptrdiff_t>(tiled));
  return step;
}

OverlappedGeometry plan_overlapped(const ir::Program& program, const Schedule& schedule) {
  OverlappedGeometry geometry;
  geometry.analysis = analysis::analyze_tile(program, schedule.time_tile);
  const analysis::TileAnalysis& tile = geometry.analysis;
  const int rank = program.grid.rank();
  for (int d = 0; d < rank; ++d) {
    const Reach reach = tile.computed_hull[static_cast<size_t>(d)];
    const int64_t cover =
        int64_t{along(schedule.block, rank, d)} * along(schedule.elements, rank, d);
    geometry.threads_cover.push_back(cover);
    geometry.core.push_back(cover - reach.low - reach.high);
  }
  geometry.images = image_dimensions(program, true);
  for (size_t f = 0; f < program.fields.size(); ++f) {
    if (!ir::is_written(program, static_cast<ir::FieldId>(f))) continue;
    Margin& held = geometry.held[static_cast<int>(f)];
    held = *tile.held[0][f][0];
    for (const auto& margin : tile.held[0][f]) {
      if (margin) held = analysis::hull(held, *margin);
    }
    geometry.levels[static_cast<int>(f)] =
        levels_kept(program, static_cast<ir::FieldId>(f), schedule.time_tile);
  }
  if (schedule.regions == Regions::Shrink) return geometry;
  // Under the hull policy every function computes the hull at every step: what it reads must exist,
  // even where its value no longer matters.
  for (const ir::Function& function : program.functions) {
    for (const analysis::Reads& reads : analysis::reads_of(program, function)) {
      const auto held = geometry.held.find(reads.field);
      if (held == geometry.held.end()) continue;
      const Margin reached = analysis::reached(tile.computed_hull, reads);
      held->second = analysis::hull(held->second, reached);
    }
  }
  for (auto& [field, margin] : geometry.held) margin = analysis::hull(margin, tile.computed_hull);
  return geometry;
}

int64_t shared_tile_bytes(const ir::Program& program, const OverlappedGeometry& geometry) {
  int64_t bytes = 0;
  for (const auto& [field, margin] : geometry.held) {
    int64_t points = geometry.levels.at(field);
    for (size_t d = 0; d < margin.size(); ++d) {
      points = bounded_product(points, geometry.core[d] + margin[d].low + margin[d].high);
    }
    const int64_t each = bytes_per_point(program.fields[static_cast<size_t>(field)]);
    bytes = bounded_sum(bytes, bounded_product(points, each));
  }
  return bytes;
}

int64_t result_bytes(const ir::Program& program, const OverlappedGeometry& geometry) {
  int64_t bytes = 0;
  for (const auto& [field, margin] : geometry.held) {
    int64_t points = bytes_per_point(program.fields[static_cast<size_t>(field)]);
    for (const int64_t length : geometry.threads_cover) points = bounded_product(points, length);
    bytes = bounded_sum(bytes, points);
  }
  return bytes;
}

namespace {

Schedule make(int time_tile, const Shape& block, const Shape& elements) {
  Schedule schedule;
  schedule.family = "overlapped";
  schedule.regions = Regions::Hull;
  schedule.time_tile = time_tile;
  schedule.block = block;
  schedule.elements = elements;
  return schedule;
}

// The threads and elements that cover a box: as many threads as fit a block of usual size go to x,
// then to y and so on, which keeps neighbours in x together; what is left are elements.
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

// Tiles of rank 4 and more: nearly cubes, since every side has a halo. What fits shared memory
// depends on the rank so much that boxes are tried one by one, each with half the points of the one
// before: its longest side is cut, the outermost of them, and x counts half.
std::vector<Schedule> many_dimensional_shapes(int rank, int time_tile, const Machine& machine) {
  constexpr int64_t kMostPoints = 8192, kFewestPoints = 16;
  Shape box = {16};
  for (int axis = 1; axis < rank; ++axis) box[static_cast<size_t>(axis)] = 8;
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

// Tile shapes to try for a rank, largest first: up to rank 3 the fastest of those measured on an
// H200 (docs/performance.md), and smaller ones for programs with many fields.
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

// A read that lands far and needs the values of a step; nothing if there is none. Fields that
// nobody writes are in memory.
std::optional<FarRead> written_far_read(const ir::Program& program) {
  for (const FarRead& read : far_reads(program)) {
    if (ir::is_written(program, read.field)) return read;
  }
  return std::nullopt;
}

// The output box is at least half the computed box in every dimension.
bool pays(const OverlappedGeometry& geometry) {
  for (size_t d = 0; d < geometry.core.size(); ++d) {
    if (2 * geometry.core[d] < geometry.threads_cover[d]) return false;
  }
  return true;
}

// Divisions, roots and functions in double precision are subroutines, which leave few registers for
// the points of a thread.
bool calls_in_double(const ir::Program& program) {
  for (const ir::Function& function : program.functions) {
    for (const ir::Piece& piece : function.pieces) {
      const bool wide = !piece.results.empty() && piece.graph[piece.results[0]].type == Scalar::F64;
      if (wide && slow_operations(piece.graph, piece.results, program.fp).calls > 0) return true;
    }
  }
  return false;
}

void refuse(const ir::Program& program, const Schedule& schedule, const Machine& machine,
            Diagnostics& diagnostics);

// The deepest time tile up to the usual one that pays and whose shared tiles fit what GPUs of the
// last generations have; failing that, what the largest has.
Schedule defaults(const ir::Program& program, const Machine& machine) {
  const int deepest = written_far_read(program) ? 1 : INT_MAX;
  if (machine.threads_are_loops) return overlapped_on_processor(program, machine, deepest);
  constexpr int64_t kUsualSharedBytes = 160 * 1024;  // compute capability 8.0 and later
  constexpr int kMostPointsWithCalls = 4;
  const int rank = program.grid.rank();
  const int usual = std::min(rank == 1 ? 16 : rank == 2 ? 6 : rank == 3 ? 2 : 1, deepest);
  const ir::Program tiled = split_step(program).tiled;
  for (const int64_t limit :
       {std::min(kUsualSharedBytes, machine.shared_bytes), machine.shared_bytes}) {
    for (int t = usual; t >= 1; --t) {
      for (const Schedule& shape : shapes(rank, t, machine)) {
        const Schedule schedule = with_fewer_threads(shape, machine);
        const int64_t points = schedule.elements.product();
        if (points > kMostPointsWithCalls && calls_in_double(program)) continue;
        const OverlappedGeometry geometry = plan_overlapped(tiled, schedule);
        if (pays(geometry) && shared_tile_bytes(tiled, geometry) <= limit) return schedule;
      }
    }
  }
  for (const Schedule& shape : shapes(rank, 1, machine)) {
    const Schedule schedule = with_fewer_threads(shape, machine);
    Diagnostics refusals;
    refuse(program, schedule, machine, refusals);
    if (!refusals.has_errors()) return schedule;
  }
  return with_fewer_threads(shapes(rank, 1, machine).front(), machine);
}

std::string rationale(const ir::Program& program, const Machine& machine) {
  return fmt::format("the deepest of a few usual tiles that is at most half halo and fits {}",
                     machine.threads_are_loops ? "the second-level cache" : "shared memory") +
         (written_far_read(program) ? "; a boundary that may lead far allows one step" : "");
}

// Between two steps of a tile memory does not have the values that such a read may need.
void refuse_far_reads(const ir::Program& program, const Schedule& schedule,
                      Diagnostics& diagnostics) {
  const auto read = written_far_read(program);
  if (!read || schedule.time_tile == 1) return;
  Diagnostic& error = diagnostics.error(
      "L016", read->span,
      fmt::format("overlapped tiling refused: the boundary of '{}' may lead far from the point",
                  program.fields[static_cast<size_t>(read->field)].name));
  error.expected = "T=1, which reads it from memory";
  error.found = fmt::format("T={}", schedule.time_tile);
  error.hint = "declare the field on the whole grid, or use T=1";
}

void refuse(const ir::Program& program, const Schedule& schedule, const Machine& machine,
            Diagnostics& diagnostics) {
  refuse_far_reads(program, schedule, diagnostics);
  if (diagnostics.has_errors()) return;
  const ir::Program tiled = split_step(program).tiled;
  const OverlappedGeometry geometry = plan_overlapped(tiled, schedule);
  for (size_t d = 0; d < geometry.core.size(); ++d) {
    if (geometry.core[d] >= 1) continue;
    const Reach reach = geometry.analysis.computed_hull[d];
    Diagnostic& error = diagnostics.error(
        "L014", {},
        fmt::format("overlapped tiling refused: the tile is smaller than its halo in {}",
                    axis_names(program.grid.rank())[d]));
    error.expected = fmt::format("block x elements of at least {} for T={}",
                                 reach.low + reach.high + 1, schedule.time_tile);
    error.found = fmt::format("{}", geometry.threads_cover[d]);
    error.hint = "fewer steps per tile, a larger block or more elements per thread";
    return;
  }
  const int64_t bytes = shared_tile_bytes(tiled, geometry);
  if (bytes > machine.shared_bytes) {
    Diagnostic& error =
        diagnostics.error("L015", {}, "overlapped tiling refused: the tiles exceed shared memory");
    error.expected = fmt::format("at most {} bytes per block", machine.shared_bytes);
    error.found = fmt::format("{} bytes", bytes);
    error.hint = "fewer elements per thread or a smaller block";
    return;
  }
  const int64_t all = bounded_sum(bytes, result_bytes(tiled, geometry));
  refuse_block_bytes(schedule, all, machine, diagnostics);
}

// A tile loads what its shared tiles hold once, and coefficient fields once (later steps find them
// in cache), and writes its output box of every level that it leaves. Functions that are swept come
// on top.
Footprint measure_overlapped(const ir::Program& whole, const Schedule& schedule, const Machine&) {
  const OverlappedStep step = split_step(whole);
  const ir::Program& program = step.tiled;
  const OverlappedGeometry geometry = plan_overlapped(program, schedule);
  Footprint out;
  double core = 1;
  for (int64_t length : geometry.core) core *= static_cast<double>(length);
  for (size_t f = 0; f < program.fields.size(); ++f) {
    const double bytes = static_cast<double>(bytes_per_point(program.fields[f]));
    const auto& needed = geometry.analysis.held[0][f][0];
    const auto held = geometry.held.find(static_cast<int>(f));
    if (!needed) continue;
    const Margin& margin = held == geometry.held.end() ? *needed : held->second;
    double points = 1;
    for (size_t d = 0; d < margin.size(); ++d) {
      points *= static_cast<double>(geometry.core[d] + margin[d].low + margin[d].high);
    }
    out.bytes_read += bytes * points * levels_read(program, static_cast<ir::FieldId>(f));
    if (held == geometry.held.end()) continue;
    out.bytes_written += bytes * core * analysis::levels_made(program.fields[f], schedule.time_tile);
  }
  const double useful = core * schedule.time_tile;
  out.bytes_read /= useful;
  out.bytes_written /= useful;
  count_sweeps(whole, step.swept, out);
  out.redundancy =
      analysis::redundancy(geometry.analysis, geometry.core, schedule.regions == Regions::Hull);
  out.shared_bytes = shared_tile_bytes(program, geometry);
  out.threads = static_cast<int>(schedule.block.product());
  out.output = geometry.core;
  return out;
}

// From 3-D on the halo is most of a tile that fits shared memory, or a processor's cache. Measured
// in 3-D, one step per sweep is faster on both. A tile of one step saves traffic only if several
// functions share it.
std::string unrewarding(const ir::Program& program, const Machine& machine) {
  const int rank = program.grid.rank();
  if (rank >= 3) return fmt::format("in {}-D recomputing the halo costs more than it saves", rank);
  if (!written_far_read(program)) return "";
  const Footprint tiles = measure_overlapped(program, defaults(program, machine), machine);
  const Footprint sweeps =
      direct_family().measure(program, direct_family().defaults(program, machine), machine);
  const bool saves =
      tiles.bytes_read + tiles.bytes_written < sweeps.bytes_read + sweeps.bytes_written;
  return saves ? ""
               : "a boundary that may lead far allows one step per launch, which saves nothing";
}

}  // namespace

Family overlapped_family() {
  return {"overlapped",
          "T steps per launch in shared memory, halos recomputed (Holewinski et al., ICS'12)",
          {Setting::TimeTile, Setting::Block, Setting::Elements, Setting::Regions, Setting::Rows},
          defaults,
          rationale,
          unrewarding,
          refuse,
          lower_overlapped,
          measure_overlapped};
}

}  // namespace stencil::schedule
