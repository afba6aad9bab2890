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

// How thoroughly the space is searched.
enum class Effort {
  // For `auto`: tries tiles whose sides are powers of two. T grows until the predicted time no
  // longer improves. The other settings are tried for the best few tiles only.
  Quick,
  // For autotuning: as Quick, plus schedules for which the model is less accurate. These have three
  // rows per thread, or short chunks if the blocks of the tile do not fill the first wave.
  Timed,
  // Tries all tile shapes of the families (Family::shapes) with all time tiles. The other settings
  // are tried for the best hundred schedules.
  Whole,
};

// Enumerates and ranks schedules. Prunes families whose plans provide no Plan::work.
Space explore(Scheduler& scheduler, Effort effort);

// The best schedule of each tile (family, T, block, elements), at most `most`, fastest first. These
// are worth compiling or timing, because the model is least certain about differences between
// tiles.
std::vector<Schedule> best_of_tiles(const Space& space, size_t most);

// The work of a plan when `program` runs. Time tiles end where the program evaluates a reduction,
// so some tiles are shortened. A shortened tile costs as much as a full one.
std::optional<TileWork> work_of(const Plan& plan, const ir::Program& program);

// Tiles that autotuning should time in addition to the `known` ones, at most `most`. They are in
// turn the best remaining tile, the best tile with other elements per thread, and the best tile
// with a smaller T. The model makes similar errors for tiles with equal elements or equal T, so
// tiles that differ in these are worth timing.
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

// The prediction for one schedule; nullopt if the schedule is refused or the model does not cover
// its family. `compiled`: resources of the kernels that a full time tile launches, in launch order;
// empty if the kernels were not compiled. Compiled resources replace the model's estimates. If the
// number of kernels differs from the model's, the maximum of each resource is used for all kernels
// and instruction counts are ignored. With compiled kernels, the predicted time is a weighted mean
// of the model's estimate and the estimate from machine code (docs/design/model.md).
std::optional<Candidate> predict(Scheduler& scheduler, const Schedule& schedule,
                                 const std::vector<CompiledKernel>& compiled = {});
// Whether `a` is preferable: schedules that do not spill come first, then the shorter predicted
// time decides.
bool is_faster(const Candidate& a, const Candidate& b);

// All schedules that differ from `schedule` in one setting.
std::vector<Schedule> neighbours(const Schedule& schedule, int rank);

}  // namespace stencil::schedule
