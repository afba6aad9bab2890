// The pipeline from a stencil program to source text. Start reading the compiler in compile.cpp.
#pragma once

#include <optional>
#include <string>

#include "compiler/emit/emit.h"
#include "compiler/ir/program.h"
#include "compiler/schedule/schedule.h"

namespace stencil {

struct CompileRequest {
  std::string schedule = "auto";  // one schedule line, or "auto"
  emit::Options emit;
  // The device for which the code is emitted. nullopt: machine_of(emit.target).
  std::optional<schedule::Machine> machine = {};
  std::string machine_text;  // the machine in the header comment; "": not mentioned
  // If not 0, also emit entry points for boxes of the grid, for up to this many steps between two
  // exchanges. Their kernels use the schedule line `box_schedule`.
  int64_t boxes = 0;
  std::string box_schedule = "auto";
  // The header comment quotes both, escaped as for a shell.
  std::string command_line;        // with paths as the user wrote them
  std::string file_name = "FILE";  // name of the emitted file
};

struct Compiled {
  schedule::Schedule schedule;
  kernel::Module module;  // the module that the schedule makes
  kernel::Module legal;   // legalized for the target (emit::legalise)
  std::string text;       // the emitted file
  std::string header;     // the C header; empty for targets without a host part
  std::string fortran;    // the Fortran module; empty if the header is
};

// The machine that emitted code for a target assumes by default.
schedule::Machine machine_of(emit::Target target);
// The machines of the table that --machine accepts for a target.
std::vector<std::string> machines_for(emit::Target target);
// The machine of that name as the target uses it; nullopt if machines_for() lacks it.
std::optional<schedule::Machine> machine_for(emit::Target target, const std::string& name);
// OpenCL files contain only kernels and run on GPUs and CPUs.
bool runs_anywhere(emit::Target target);

// Compiles `program`. The header comment quotes `source`. Returns nullopt on errors.
std::optional<Compiled> compile(const ir::Program& program, const Source& source,
                                const CompileRequest& request, Diagnostics& diagnostics);

// The output of `stencilc explain` for kernels on `machine`: boxes per field and step, halo,
// redundancy, bytes per point, shared memory, the schedule with the reason for it, and all
// refusals. Lines are wrapped (support/layout.h). The schedule is shown in brief (brief_schedule())
// or with all settings.
std::string explain(const ir::Program& program, const Source& source,
                    const std::string& schedule_line, Diagnostics& diagnostics,
                    const schedule::Machine& machine = schedule::gpu(), bool all_settings = false);

// The largest number of expressions that --counts evaluates for each launch
// (kernel::TraceOptions::most_work). This takes about 10 s on two cores.
constexpr int64_t kMostCountedWork = 1 << 27;
// The additional output of `stencilc explain --counts`. For each kernel, tables show what the code
// for `target` executes in the first tile of a run (kernel::trace). Reports U041 and returns "" if
// threads are loops or a param has no value.
std::string explain_counts(const ir::Program& program, const std::string& schedule_line,
                           Diagnostics& diagnostics, const schedule::Machine& machine,
                           emit::Target target);

}  // namespace stencil
