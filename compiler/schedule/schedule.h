// A schedule is a value: a family of kernels and its tile sizes. It prints as one line and parses
// from that line (--schedule "overlapped T=4 block=32x8 elements=1x4 regions=shrink").
//
// The functions below each answer one question about one program. To ask several questions about
// the same program, use Scheduler (scheduler.h), which caches the analyses.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/schedule/direct/settings.h"
#include "compiler/schedule/machine.h"
#include "compiler/schedule/overlapped/settings.h"
#include "compiler/schedule/planes/settings.h"
#include "compiler/schedule/streaming/settings.h"
#include "compiler/schedule/sweeps/settings.h"
#include "compiler/support/diagnostic.h"

namespace stencil::schedule {

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

constexpr int kAllPlanes = 1 << 20;  // SharedSettings::chunk: sweep the whole grid
constexpr int kMaxTimeTile = 64;     // T

// Settings that several families have. A family ignores those that its table does not list.
struct SharedSettings {
  int time_tile = 1;  // T, steps per launch
  Shape block;        // B, threads per block
  Shape elements;     // E, points per thread
  int chunk = 0;     // planes that a block writes; 0: as many as fill the device, or in `sweeps` no
                     // sweep over planes
  int prefetch = 0;  // prefetch distance in planes
  Interior interior = Interior::Split;
  Rows rows = Rows::Auto;
  friend bool operator==(const SharedSettings&, const SharedSettings&) = default;
};

// Settings that only one family has.
using OwnSettings = std::variant<DirectSettings, OverlappedSettings, PlanesSettings,
                                 StreamingSettings, SweepsSettings>;

struct PhaseSchedule;

// Family::blank makes a schedule of a family.
struct Schedule : SharedSettings {
  std::string family = "direct";
  OwnSettings own;  // of this family
  // Phases of a cut step that have settings of their own.
  std::vector<PhaseSchedule> phases;

  // The own settings, for code of the family.
  template <class Settings>
  const Settings& of() const {
    return std::get<Settings>(own);
  }
  template <class Settings>
  Settings& of() {
    return std::get<Settings>(own);
  }
  friend bool operator==(const Schedule& a, const Schedule& b);
};

// The settings of the phases with this name (PlannedPhase::name). Their rows are those of the
// whole schedule.
struct PhaseSchedule {
  std::string phase;
  Schedule schedule;
  friend bool operator==(const PhaseSchedule&, const PhaseSchedule&) = default;
};

// One line with the settings of the family, in a fixed order. Settings that are
// Setting::unsaid are omitted while they have their first possible value. parse(print(s)) == s.
// Shapes are written x first ("32x8" is 32 in x, 8 in y). Dimensions that the program lacks may be
// omitted. The settings of phases follow, as "; smooth+residual: direct block=64x4".
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

// Name, one-line summary and names of the settings of every family, for --help.
struct FamilyInfo {
  std::string name, summary;
  std::vector<std::string> settings;
};
std::vector<FamilyInfo> families();

}  // namespace stencil::schedule
