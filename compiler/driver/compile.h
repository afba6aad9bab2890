// The pipeline from a stencil program to source text, as prose. Start reading here (compile.cpp).
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
  // The device that the code is for; nullopt: machine_of(emit.target).
  std::optional<schedule::Machine> machine = {};
  // If not 0, also emit entry points for boxes of the grid, for up to this many steps between two
  // exchanges. Their kernels use the schedule line `box_schedule`.
  int64_t boxes = 0;
  std::string box_schedule = "auto";
  // Both are quoted in the header comment, escaped as for a shell.
  std::string command_line;        // paths as the user wrote them
  std::string file_name = "FILE";  // of the emitted file
};

struct Compiled {
  schedule::Schedule schedule;
  kernel::Module module;  // as made by the schedule
  kernel::Module legal;   // legalized for the target (emit::legalise)
  std::string text;       // the emitted file
  std::string header;     // the C header; empty for targets without a host part
};

// The default machine of emitted code for a target.
schedule::Machine machine_of(emit::Target target);
// The machines of the table that --machine may select for a target.
std::vector<std::string> machines_for(emit::Target target);

// Compiles `program` (from `source`, which the header comment quotes). nullopt on errors.
std::optional<Compiled> compile(const ir::Program& program, const Source& source,
                                const CompileRequest& request, Diagnostics& diagnostics);

// The output of `stencilc explain`: boxes per field and step, halo, redundancy, bytes per point,
// shared memory, the schedule and the reason for it, and all refusals, for kernels on `machine`.
// Lines are wrapped (support/layout.h). The schedule is shown by brief_schedule(), or with all
// settings.
std::string explain(const ir::Program& program, const Source& source,
                    const std::string& schedule_line, Diagnostics& diagnostics,
                    const schedule::Machine& machine = schedule::gpu(), bool all_settings = false);

// Limit on the expression evaluations of --counts per launch (kernel::TraceOptions::most_work):
// some 10 s on two cores.
constexpr int64_t kMostCountedWork = 1 << 27;
// The additional output of `stencilc explain --counts`: tables of what the kernels for `target`
// execute in the first tile of a run (kernel::trace), per kernel. Error U041 and "" if threads are
// loops or a param has no value.
std::string explain_counts(const ir::Program& program, const std::string& schedule_line,
                           Diagnostics& diagnostics, const schedule::Machine& machine,
                           emit::Target target);

}  // namespace stencil
