// The schedules that a program can have on a machine, ranked by the model (docs/model.md).
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

// Schedules that were left out for one reason.
struct Pruned {
  std::string reason;
  std::string example;  // the line of the first of them
  int64_t count = 0;
};

struct Space {
  std::vector<Candidate> ranked;  // fastest first; one that spills behind all that do not
  std::vector<Pruned> pruned;     // the most frequent reason first
  int64_t looked_at = 0;          // schedules that were planned, the pruned ones among them
};

// How much of the space is looked at.
enum class Effort {
  // What `auto` does: tiles whose sides are powers of two, deeper and deeper until that no longer
  // pays; all other settings for the best few.
  Quick,
  // For a clock to choose from: the same with what the model is less sure of, tiles of three rows a
  // thread, and where one wave does not fill the machine, short chunks for every tile.
  Timed,
  // Every tile that the families list (Family::shapes), with every time tile; all other settings
  // for the best hundred.
  Whole,
};

// Families whose plans count no work (Plan::work) are left out, each with its reason.
Space explore(Scheduler& scheduler, Effort effort);

// The best of each tile (family, T, block, elements), at most so many, fastest first: what is worth
// a compiler's or a clock's opinion, since the model knows least about what differs most.
std::vector<Schedule> best_of_tiles(const Space& space, size_t most);

// What a plan asks of its machine in the runs of a program: where something is evaluated between
// tiles they end there, and one that is cut short costs no less.
std::optional<TileWork> work_of(const Plan& plan, const ir::Program& program);

// Tiles for a clock to try beside those that are known, at most so many, by turns: the best that is
// left, the best with other points a thread than all before, and the best with a smaller T, since
// what the model gets wrong about these it gets wrong for all tiles that have them.
std::vector<Schedule> further_tiles(const Space& space, std::vector<Schedule> known, size_t most);

// What a compiler has made of a kernel.
struct CompiledKernel {
  int registers = 0;         // per thread
  int64_t local_bytes = 0;   // per thread, in memory for want of registers
  int64_t shared_bytes = 0;  // per block
  // Of an iteration of its main loop, inside of the grid and in blocks at its edge. Nothing where
  // that loop is not known in the machine code.
  std::optional<Issued> issued = {}, edge_issued = {};
};

// One schedule; nothing where it is refused or the model knows nothing of its family. `compiled`:
// the kernels that a whole time tile launches, in that order, instead of what the model expects;
// empty: none were compiled. If the model counts another number of kernels, the hungriest stands
// for all, and no instructions are known. The time is then the mean of what the model and what the
// machine code say (docs/model.md).
std::optional<Candidate> predict(Scheduler& scheduler, const Schedule& schedule,
                                 const std::vector<CompiledKernel>& compiled = {});
// True if `a` is to be preferred: it is expected to be faster, and does not spill unless both do.
bool is_faster(const Candidate& a, const Candidate& b);

// The schedules that differ from this one in one setting.
std::vector<Schedule> neighbours(const Schedule& schedule, int rank);

}  // namespace stencil::schedule
