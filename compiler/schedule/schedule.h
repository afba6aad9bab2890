// A schedule is a value: a family of kernels and its tile sizes. It prints as one line and parses
// from that line (--schedule "overlapped T=4 block=32x8 elements=1x4 regions=shrink").
//
// The functions below each answer one question about one program. To ask several questions about
// the same program, use Scheduler (scheduler.h), which caches the analyses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/schedule/machine.h"
#include "compiler/support/diagnostic.h"

namespace stencil::schedule {

// The box of points that a time tile computes at each of its steps.
enum class Regions {
  Shrink,  // only what later steps need: the box shrinks from step to step
  Hull,    // the largest box at every step (Holewinski et al., section 4.2)
};

// How a streaming kernel evaluates a linear function.
enum class Form {
  Gather,   // reads all planes of the sum from registers
  Scatter,  // adds each plane on arrival to all sums that need it (reorders sums: --fp=fast only)
};

// How planes are loaded from global memory.
enum class Loads {
  Registers,  // directly into registers
  Async,      // into shared memory by asynchronous copies, from there into registers
  Bulk,       // as Async, but one bulk copy loads the whole plane of a tile
};

// Which variants of a streaming kernel's loop body are generated.
enum class Interior {
  Split,   // one without bounds tests for the interior, one with tests for the grid's boundary
  Tested,  // only the variant with tests
};

// Layout of rows (contiguous points in x) in the memory that kernels use (rows.h).
enum class Rows {
  Auto,    // padded; dense in C++, whose kernels work in the user's own arrays
  Padded,  // row pitch rounded up so that rows are aligned
  Dense,   // same layout as the user's arrays
};

// What a thread that sweeps a column of planes keeps in registers.
enum class Column {
  Cache,      // nothing: every operand is loaded when it is used, usually from cache
  Registers,  // operands, from the first plane that reads an operand to the last
  Partial,    // values computed from the planes loaded so far, such as partial sums
};

// Where a thread reads operands at neighbouring points.
enum class Operands {
  Cache,     // global memory
  Shared,    // shared memory, which holds the block's tile and its halo
  Rows,      // shared memory; the halo beyond row ends stays in global memory
  Tile,      // shared memory for the tile only; the whole halo stays in global memory
  Shuffles,  // warp shuffles along x, global memory in other directions
};

// Which threads load the halo of a shared-memory tile.
enum class Halo {
  Border,  // threads at the border, in addition to their own points
  Cover,   // extra threads that only load
  Remap,   // all threads, renumbered over the tile including its halo
};

constexpr int kAllPlanes = 1 << 20;  // Schedule::chunk: sweep the whole grid

struct Schedule {
  std::string family = "direct";
  int time_tile = 1;  // T, steps per launch
  Shape block;        // B, threads per block
  Shape elements;     // E, points per thread
  Regions regions = Regions::Shrink;
  int chunk = 0;     // planes that a block writes; 0: as many as fill the device, or in `sweeps` no
                     // sweep over planes
  int prefetch = 0;  // prefetch distance in planes
  int unroll = 0;    // planes per iteration of the streaming loop; 0: length of the register queues
  int occupancy = 0;  // target that limits registers, in blocks per multiprocessor; 0: estimated
  Loads loads = Loads::Registers;
  Form form = Form::Gather;
  Interior interior = Interior::Split;
  Rows rows = Rows::Auto;
  Column column = Column::Cache;
  Operands operands = Operands::Cache;
  Halo halo = Halo::Border;
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

// One line with the settings of the family, in a fixed order. Settings in Family::unsaid are
// omitted while they have their first possible value. parse(print(s)) == s. Shapes are written x
// first ("32x8" is 32 in x, 8 in y). Dimensions that the program lacks may be omitted.
std::string print(const Schedule& schedule, int rank = 3);

// Settings left out take the family's defaults for `program`. "@NAME" is a preset (presets.h);
// settings after it override the preset's. Returns nullopt on errors: L001 (unknown family, preset
// or setting, with the nearest name), L002 (value out of range), L018 (preset not defined for this
// rank). Old names of settings ("edges"), and settings that moved to another family, are accepted
// silently, because stored lines contain them.
std::optional<Schedule> parse(const std::string& line, const ir::Program& program,
                              Diagnostics& diagnostics, const Machine& machine = gpu());

// One note for each old name of a setting in the line, and for each setting that moved to another
// family. For lines that a user has written.
Diagnostics notes_on_old_names(const std::string& line);
// The line with old names of settings and their families replaced by present ones, and with single
// blanks.
std::string with_present_names(const std::string& line);

// The schedule for "auto": see Scheduler::choose. `refusals`, if given, receives the reasons why
// other families were not chosen.
Schedule choose(const ir::Program& program, Diagnostics* refusals = nullptr,
                const Machine& machine = gpu());

// Whether a refusal names an alternative that works. To find an alternative, the compiler makes
// several trial plans, so callers that try many schedules disable advice.
enum class Advice { Given, None };

// The module for this schedule. On failure returns nullopt and reports at least one L0xx error that
// names the feature, the schedule and the reason, with the feature's span in the program.
std::optional<kernel::Module> lower(const ir::Program& program, const Schedule& schedule,
                                    Diagnostics& diagnostics, const Machine& machine = gpu(),
                                    Advice advice = Advice::Given);

// For `explain`: schedule lines that the program cannot have, with the errors from `lower`. Lines
// tried: each family with its defaults for the program, the defaults with one keyword setting
// changed, and the smallest refused time tile above the default.
struct Refusal {
  std::string line;
  Diagnostics reasons;
};
std::vector<Refusal> refusals(const ir::Program& program, const Machine& machine = gpu());

// Static cost of a schedule, per useful point and step, in the interior of a large grid.
struct Footprint {
  double bytes_read = 0;  // global memory, each byte counted once per tile (or sweep)
  double bytes_written = 0;
  double redundancy = 1;        // points computed per useful point
  int64_t shared_bytes = 0;     // per block
  int threads = 1;              // per block
  std::vector<int64_t> output;  // points written per block and dimension, outermost first
};
// nullopt if `lower` refuses the schedule.
std::optional<Footprint> measure(const ir::Program& program, const Schedule& schedule,
                                 const Machine& machine = gpu());

// Name and one-line summary of every family, for --help and explain.
struct FamilyInfo {
  std::string name, summary;
};
std::vector<FamilyInfo> families();

}  // namespace stencil::schedule
