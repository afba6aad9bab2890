// A schedule is a value: which family of code, with which tile sizes. It prints as one line and
// parses from that line (--schedule "overlapped T=4 block=32x8 elements=1x4 regions=shrink").
//
// This is also the way in: the functions below answer one question about a program; to ask several
// about the same one, see scheduler.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/schedule/machine.h"
#include "compiler/support/diagnostic.h"

namespace stencil::schedule {

// Which box of points a time tile computes at each of its steps.
enum class Regions {
  Shrink,  // only what later steps need: the box gets smaller step by step
  Hull,    // the paper's choice (section 4.2): the same box, the largest, at every step
};

// How a streamed linear function is summed.
enum class Form {
  Gather,   // from the planes it reads, kept in registers
  Scatter,  // as each plane arrives it is added to every sum it belongs to (reorders: --fp=fast
            // only)
};

// How planes come from memory.
enum class Loads {
  Registers,  // into registers
  Async,      // into shared memory by copies that run on their own, and from there into registers
  Bulk,       // likewise, but a copy is the whole plane of a tile
};

// Which versions of a streaming kernel's body exist.
enum class Edges {
  Split,   // one without tests for the inside of the grid, one with tests for its edges
  Tested,  // the one with tests only
};

// How rows, the runs of points in x, lie in the memory that kernels use (rows.h).
enum class Rows {
  Auto,    // padded, except in C++, whose kernels work in the user's own arrays
  Padded,  // apart by a few elements more than they are long, where that aligns them
  Dense,   // as in the user's arrays
};

// What a thread that sweeps a column of planes keeps of it.
enum class Column {
  Cache,      // nothing: every operand is read again, from the cache at best
  Registers,  // operands, from the plane where one is read first to the plane where it is last
  Partial,    // what can be computed of the planes that are there: partial sums, for one
};

// Where a thread finds what it reads beside its own points.
enum class Operands {
  Cache,     // in global memory
  Shared,    // in shared memory: the points of the block's tile, with the halo
  Rows,      // likewise, but for what lies beyond the ends of rows: that is in global memory
  Tile,      // likewise without any halo
  Shuffles,  // in x, with the threads of the row, in global memory otherwise
};

// How the halo of a tile comes to shared memory.
enum class Halo {
  Border,  // the threads next to it load it, besides their own points
  Cover,   // it has threads of its own, which do nothing else
  Remap,   // all threads, numbered anew over the tile with its halo, load some points each
};

constexpr int kAllPlanes = 1 << 20;  // Schedule::chunk: all that there are

struct Schedule {
  std::string family = "direct";
  int time_tile = 1;  // T, steps per launch
  Shape block;        // B, threads per block
  Shape elements;     // E, points per thread
  Regions regions = Regions::Shrink;
  int chunk = 0;     // planes a block writes; 0: chosen so that blocks fill the device, in `direct`
                     // those of block and elements
  int prefetch = 0;  // planes loaded ahead of their use
  int unroll = 0;    // planes per iteration of the streamed loop; 0: the length of the queues
  int resident = 0;  // blocks per multiprocessor that registers are rationed for; 0: estimated
  Loads loads = Loads::Registers;
  Form form = Form::Gather;
  Edges edges = Edges::Split;
  Rows rows = Rows::Auto;
  Column column = Column::Cache;
  Operands operands = Operands::Cache;
  Halo halo = Halo::Border;
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

// One line with the settings that the family has, in a fixed order; those that it leaves unsaid
// (Family::unsaid) only if they are not the first that they may be.
// parse(print(s)) == s.
// Shapes are written x first ("32x8" is 32 in x, 8 in y); dimensions the program lacks may be left
// out.
std::string print(const Schedule& schedule, int rank = 3);

// Settings left out take the family's defaults for `program`. "@NAME" is a preset (presets.h),
// which settings behind it change. Errors L001 (unknown family, preset or setting, with the nearest
// name), L002 (value out of range), L018 (a preset that has no line for so few dimensions); nothing
// then.
std::optional<Schedule> parse(const std::string& line, const ir::Program& program,
                              Diagnostics& diagnostics, const Machine& machine = gpu());

// What "auto" means: on a GPU the schedule that the model expects to be the fastest (explore.h), on
// a CPU the defaults of the first family that serves the program and pays. `refusals`, if given,
// receives why other families were passed over.
Schedule choose(const ir::Program& program, Diagnostics* refusals = nullptr,
                const Machine& machine = gpu());

// Whether a refusal says what would do instead, which is found by trying; not for those who try
// many schedules themselves.
enum class Advice { Given, None };

// The module for this schedule, or nothing and at least one L0xx error that names the feature, the
// schedule and the reason, with the span of the feature in the program.
std::optional<kernel::Module> lower(const ir::Program& program, const Schedule& schedule,
                                    Diagnostics& diagnostics, const Machine& machine = gpu(),
                                    Advice advice = Advice::Given);

// What the program cannot have, for `explain`: a schedule line, and the errors with which `lower`
// refuses it. The lines are: each family with its defaults for the program, one setting that is a
// word beside the defaults, and the shortest time tile above the default that is refused.
struct Refusal {
  std::string line;
  Diagnostics reasons;
};
std::vector<Refusal> refusals(const ir::Program& program, const Machine& machine = gpu());

// What a schedule costs, by counting; per useful point and step, for the inside of a large grid.
struct Footprint {
  double bytes_read = 0;  // global memory, each byte counted once per tile (or sweep)
  double bytes_written = 0;
  double redundancy = 1;        // points computed per useful point
  int64_t shared_bytes = 0;     // per block
  int threads = 1;              // per block
  std::vector<int64_t> output;  // points a block writes per dimension, outermost first
};
// Nothing if `lower` refuses the schedule.
std::optional<Footprint> measure(const ir::Program& program, const Schedule& schedule,
                                 const Machine& machine = gpu());

// The names of all families, and one line on each, for --help and explain.
struct FamilyInfo {
  std::string name, summary;
};
std::vector<FamilyInfo> families();

}  // namespace stencil::schedule
