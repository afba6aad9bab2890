// Enumerates the schedules of a program on a machine and ranks them by the model
// (docs/design/model.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/schedule/model/predict.h"
#include "compiler/schedule/scheduler.h"

namespace stencil::schedule {

struct Candidate {
  Schedule schedule;
  Prediction prediction;
};

// Schedules that were left out for the same reason.
struct Pruned {
  std::string reason;
  std::string example;  // schedule line of the first one
  int64_t count = 0;
};

struct Space {
  std::vector<Candidate> ranked;  // fastest first; schedules that spill come last
  std::vector<Pruned> pruned;     // most frequent reason first
  int64_t looked_at = 0;          // number of schedules planned, including the pruned ones
};

// How much of the space is searched.
enum class Effort {
  // For `auto`: tiles whose sides are powers of two, with growing T until it no longer pays; all
  // other settings for the best few.
  Quick,
  // For autotuning: as Quick, plus cases in which the model is less accurate: three rows per
  // thread, and short chunks for tiles whose first wave does not fill the machine.
  Timed,
  // All tiles that the families list (Family::shapes) with all time tiles; all other settings for
  // the best hundred.
  Whole,
};

// Leaves out families whose plans count no work (Plan::work), with a reason each.
Space explore(Scheduler& scheduler, Effort effort);

// The best schedule of each tile (family, T, block, elements), at most `most`, fastest first. These
// are worth compiling or timing, because the model is least certain about differences between
// tiles.
std::vector<Schedule> best_of_tiles(const Space& space, size_t most);

// The work of a plan in runs of `program`. If the program evaluates something between tiles, tiles
// end there; a shortened tile costs as much as a full one.
std::optional<TileWork> work_of(const Plan& plan, const ir::Program& program);

// Further tiles for autotuning beside the `known` ones, at most `most`. It takes turns between the
// best remaining tile, the best with different elements per thread, and the best with a smaller T.
// The model's errors are common to all tiles that share these properties.
std::vector<Schedule> further_tiles(const Space& space, std::vector<Schedule> known, size_t most);

// Resource usage of a kernel as reported by a compiler.
struct CompiledKernel {
  int registers = 0;         // per thread
  int64_t local_bytes = 0;   // per thread, spilled
  int64_t shared_bytes = 0;  // per block
  // Instructions of one iteration of the main loop, for interior blocks and for blocks at the
  // grid's edge. nullopt if the loop was not found in the machine code.
  std::optional<Issued> issued = {}, edge_issued = {};
};

// The prediction for one schedule; nullopt if it is refused or the model does not cover its family.
// `compiled`: the kernels that a full time tile launches, in launch order, which replace the
// model's estimates; empty: not compiled. If their number differs from the model's, the maximum of
// each resource is used for all kernels and instruction counts are ignored. The predicted time is
// then the weighted mean of the model's estimate and the machine code's (docs/design/model.md).
std::optional<Candidate> predict(Scheduler& scheduler, const Schedule& schedule,
                                 const std::vector<CompiledKernel>& compiled = {});
// Whether `a` is preferable: schedules that do not spill come first, then the shorter predicted
// time decides.
bool is_faster(const Candidate& a, const Candidate& b);

// All schedules that differ from this one in one setting.
std::vector<Schedule> neighbours(const Schedule& schedule, int rank);

}  // namespace stencil::schedule
