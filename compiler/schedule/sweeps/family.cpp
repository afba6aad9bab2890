// The `sweeps` family: one kernel per stencil function and step, as `direct`. A block may pass the
// grid plane by plane, and threads may keep or share operands (tile.h). The family reproduces
// kernels of the papers (presets.cpp). None of its settings is the fastest for any program on
// recent machines (docs/design/notes/overlapped.md), so `auto` never takes it.
#include "compiler/schedule/sweeps/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/schedule/common/limits.h"
#include "compiler/schedule/common/operations.h"
#include "compiler/schedule/common/shapes.h"
#include "compiler/schedule/direct/family.h"
#include "compiler/schedule/sweeps/kernel.h"
#include "compiler/schedule/sweeps/presets.h"
#include "compiler/schedule/sweeps/tile.h"
#include "compiler/schedule/sweeps/work.h"

namespace stencil::schedule {

namespace {

class PlannedTiles final : public Plan {
 public:
  PlannedTiles(const analysis::TimeTiles& tiles, const Schedule& schedule)
      : tiles_(tiles),
        program_(tiles.program()),
        schedule_(schedule),
        sweeps_(plan_sweeps(program_)),
        sweep_tiles_(plan_tiles(program_, sweeps_, schedule_)) {}
  PlannedTiles(const PlannedTiles&) = delete;  // tiles refer to sweeps_

  Footprint cost() const override {
    Footprint out;
    count_sweeps(program_, sweeps_, out);
    for (const SweepTile& tile : sweep_tiles_) {
      const auto copied = static_cast<double>(bytes_of_copies(program_, tile));
      out.bytes_read += copied;
      out.bytes_written += copied;
    }
    for (int d = 0; d < program_.grid().rank(); ++d) {
      int64_t least = 0;
      for (const SweepTile& tile : sweep_tiles_) {
        least = least == 0 ? tile.core(d) : std::min(least, tile.core(d));
      }
      out.output.push_back(std::min(least, usual_extent(program_, d)));
    }
    for (const SweepTile& tile : sweep_tiles_) {
      out.shared_bytes = std::max(out.shared_bytes, tile.shared_bytes(program_));
    }
    out.threads = static_cast<int>(schedule_.block.product());
    return out;
  }

  std::optional<TileWork> work() const override {
    return TileWork{1, usual_points(program_), work_of(tiles_, sweep_tiles_)};
  }

  const std::vector<SweepTile>& sweep_tiles() const { return sweep_tiles_; }

  void lower(kernel::Module& module) const override {
    append_sweeps(Interface(program_, schedule_.rows), sweep_tiles_, module);
  }

 private:
  const analysis::TimeTiles& tiles_;
  const ir::Program& program_;
  const Schedule schedule_;
  const std::vector<Sweep> sweeps_;
  const std::vector<SweepTile> sweep_tiles_;
};

Proposal propose(const analysis::TimeTiles& tiles, const Machine& machine) {
  Proposal out = direct_family().propose(tiles, machine);
  out.schedule.family = "sweeps";
  out.schedule.own = SweepsSettings{};
  return out;
}

// --- Refusals

Diagnostic& refuse(Diagnostics& diagnostics, const char* code, const std::string& what) {
  return diagnostics.error(code, {}, "sweeps refused: " + what);
}

void refuse_swept_shape(const ir::Program& program, const Schedule& schedule,
                        Diagnostics& diagnostics) {
  const int rank = program.grid().rank();
  const int threads = along(schedule.block, rank, 0), elements = along(schedule.elements, rank, 0);
  if (threads == 1 && elements == 1) return;
  Diagnostic& error = refuse(diagnostics, "L019",
                             "with chunk=, block and elements must be 1 in the swept dimension");
  error.expected = fmt::format("block and elements of 1 in {}", axis_names(rank)[0]);
  error.found = fmt::format("block={} elements={}", stencil::print(schedule.block, rank),
                            stencil::print(schedule.elements, rank));
  error.hint = fmt::format("a block sweeps the outermost dimension plane by plane; {} would work",
                           rank == 2 ? "block=64 elements=1" : "block=32x8 elements=1");
}

void refuse_settings(const ir::Program& program, const Schedule& schedule, const Machine& machine,
                     Diagnostics& diagnostics) {
  const bool swept = schedule.chunk != 0;
  if (swept) {
    if (program.grid().rank() == 1) {
      diagnostics
          .error("L018", program.domain().span,
                 "sweeps refused: the grid has one dimension, so there is no plane to sweep")
          .hint = "leave out chunk=, or use --schedule overlapped";
      return;
    }
    refuse_swept_shape(program, schedule, diagnostics);
  }
  const auto needs = [&](const char* what, const char* why, const char* setting) {
    refuse(diagnostics, "L028", fmt::format("{} {}", what, why)).expected = setting;
  };
  if (!swept && schedule.of<SweepsSettings>().column != Column::Cache) {
    needs("column=registers and partial", "need a sweep over planes",
          "chunk=N, the planes that a block sweeps");
  }
  if (!swept && schedule.prefetch > 0) {
    needs("prefetch", "needs a sweep over planes", "chunk=N, the planes that a block sweeps");
  }
  if (schedule.prefetch > 1) {
    needs("prefetch", "is limited to one plane", "prefetch=0 or 1");
  }
  if (schedule.of<SweepsSettings>().halo != Halo::Border &&
      schedule.of<SweepsSettings>().operands != Operands::Shared) {
    needs("halo=cover and remap", "need a halo in shared memory", "operands=shared");
  }
  if (schedule.of<SweepsSettings>().memory == Memory::Haloed &&
      !takes_halos(program, diagnostics)) {
    return;
  }
  const int tiled = program.grid().rank() - (swept ? 1 : 0);
  if (schedule.of<SweepsSettings>().operands == Operands::Rows && tiled < 2) {
    needs("operands=rows", "needs tiles of two or more dimensions", "operands=shared or tile");
  }
  constexpr int kLongestRow = 32;  // supported by all targets (kernel::Shuffle)
  const int lanes = schedule.block[0], longest = std::min(kLongestRow, machine.warp);
  const bool whole = lanes <= longest && (lanes & (lanes - 1)) == 0 &&
                     schedule.block.product() % machine.warp == 0;
  if (schedule.of<SweepsSettings>().operands == Operands::Shuffles && !whole) {
    Diagnostic& error = refuse(diagnostics, "L019",
                               "for operands=shuffles, rows of threads do not form whole warps");
    error.expected = fmt::format("a power of two up to {} in x, and a multiple of {} in all",
                                 longest, machine.warp);
    error.found = fmt::format("block={}", stencil::print(schedule.block, program.grid().rank()));
    error.hint = "neighbours exchange values by warp shuffles along x";
  }
}

// Refuses a tile whose halo leaves nothing to write, or whose halo is wider than the border threads
// can load (one point per side each).
void refuse_narrow(const SweepTile& tile, Diagnostics& diagnostics) {
  for (int d = tile.first_tiled(); d < tile.rank; ++d) {
    const size_t i = static_cast<size_t>(d);
    int64_t least = tile.cover[i].low + tile.cover[i].high + 1;
    for (const TileWindow& window : tile.windows) {
      if (tile.schedule.of<SweepsSettings>().halo != Halo::Border) continue;
      least = std::max({least, window.margin[i].low, window.margin[i].high});
    }
    if (tile.thread_points(d) >= least) continue;
    const std::string axis = axis_names(tile.rank)[i];
    Diagnostic& error =
        refuse(diagnostics, "L014", fmt::format("the tile is smaller than its halo in {}", axis));
    error.expected = fmt::format("block x elements of at least {}", least);
    error.found = fmt::format("{}", tile.thread_points(d));
    error.hint = "a larger block, more elements per thread, operands=cache, or another halo=";
    return;
  }
}

// Refuses tiles beyond the limits below. Beyond them, code size explodes and kernels spill.
void refuse_much(const SweepTile& tile, Diagnostics& diagnostics) {
  constexpr int64_t kMostKept = 256, kMostItems = 64, kMostPlanes = 64;
  const auto error = [&](const char* what, int64_t most, const char* unit, int64_t found) {
    Diagnostic& made = refuse(diagnostics, "L020", what);
    made.expected = fmt::format("at most {} {}", most, unit);
    made.found = fmt::format("{}", found);
    made.hint = "fewer elements per thread, column=cache or operands=cache";
  };
  if (tile.kept_words() > kMostKept) {
    return error("the kept planes exceed a thread's registers", kMostKept,
                 "values of 32 bits per thread", tile.kept_words());
  }
  if (tile.column.lookback() > kMostPlanes) {
    return error("the prologue of a sweep has too many planes", kMostPlanes, "planes",
                 tile.column.lookback());
  }
  for (const TileWindow& window : tile.windows) {
    if (tile.items(window) <= kMostItems) continue;
    return error("a thread would load too many points of the shared tile", kMostItems,
                 "points per thread", tile.items(window));
  }
}

void refuse_large_copies(const SweepTile& tile, Diagnostics& diagnostics) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  for (const HaloedCopy& copy : tile.copies) {
    if (copy.elements() <= kMost) continue;
    Diagnostic& error =
        refuse(diagnostics, "L029", "memory=haloed: the copy of a field is too large");
    error.expected = fmt::format("at most {} elements with the halo", kMost);
    error.found = fmt::format("{}", copy.elements());
    error.hint = "leave out memory=haloed";
    return;
  }
}

void refuse_tile(const ir::Program& program, const SweepTile& tile, const Machine& machine,
                 Diagnostics& diagnostics) {
  refuse_narrow(tile, diagnostics);
  if (!diagnostics.has_errors()) refuse_much(tile, diagnostics);
  if (!diagnostics.has_errors()) refuse_large_copies(tile, diagnostics);
  if (diagnostics.has_errors()) return;
  const int64_t shared = tile.shared_bytes(program);
  refuse_shared_bytes(tile.schedule, "shared operands", shared, machine, diagnostics);
  if (diagnostics.has_errors()) return;
  const int64_t kept = bounded_product(4 * tile.kept_words(), tile.schedule.block.product());
  refuse_block_bytes(tile.schedule, bounded_sum(shared, kept), machine, diagnostics);
}

PlanPtr plan(const analysis::TimeTiles& tiles, const Schedule& schedule, const Machine& machine,
             Diagnostics& diagnostics) {
  refuse_settings(tiles.program(), schedule, machine, diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  const auto out = std::make_shared<PlannedTiles>(tiles, schedule);
  for (const SweepTile& tile : out->sweep_tiles()) {
    refuse_tile(tiles.program(), tile, machine, diagnostics);
    if (diagnostics.has_errors()) return nullptr;
  }
  return out;
}

// A block that sweeps is a plane, so sizes left out are 1 in the swept dimension.
void complete(Schedule& schedule, const std::vector<std::string>& given, int rank) {
  if (schedule.chunk == 0) return;
  const auto is_given = [&](std::string_view setting) {
    return std::find(given.begin(), given.end(), setting) != given.end();
  };
  const size_t swept = static_cast<size_t>(rank) - 1;  // x first
  if (!is_given(shared::kBlock)) schedule.block[swept] = 1;
  if (!is_given(shared::kElements)) schedule.elements[swept] = 1;
}

}  // namespace

Family sweeps_family() {
  Family out{"sweeps",
             "as direct, but sweeping planes and sharing operands; kernels of papers",
             sweeps_settings(),
             propose,
             plan,
             direct_family().shapes,
             complete,
             SweepsSettings{}};
  out.on_request = true;
  out.presets = presets_of_sweeps();
  return out;
}

}  // namespace stencil::schedule
