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
  // Of the device that the code is for; nothing: what machine_of() says of the target.
  std::optional<schedule::Machine> machine = {};
  // Entry points for boxes of the grid, too, which do up to so many steps between two exchanges; 0:
  // none. Their schedule is `box_schedule`.
  int64_t boxes = 0;
  std::string box_schedule = "auto";
  // Both are quoted in the header comment and written as in a shell.
  std::string command_line;        // paths as the user wrote them
  std::string file_name = "FILE";  // of what is emitted
};

struct Compiled {
  schedule::Schedule schedule;
  kernel::Module module;  // as the schedule makes it
  kernel::Module legal;   // as the target gets it (emit::legalise)
  std::string text;       // the file of kernels
  std::string header;     // the C header; empty for targets without a host part
};

// What schedules of emitted code are for.
schedule::Machine machine_of(emit::Target target);
// The machines of the table that it may be for instead.
std::vector<std::string> machines_for(emit::Target target);

// Compiles `program` (from `source`, which the header comment quotes).
std::optional<Compiled> compile(const ir::Program& program, const Source& source,
                                const CompileRequest& request, Diagnostics& diagnostics);

// What `stencilc explain` prints: boxes per field and step, halo, redundancy, bytes per point,
// shared memory, the schedule and why, and every refusal, of kernels for `machine`. Lines fit
// (support/layout.h); the schedule's is brief_schedule(), or has all settings.
std::string explain(const ir::Program& program, const Source& source,
                    const std::string& schedule_line, Diagnostics& diagnostics,
                    const schedule::Machine& machine = schedule::gpu(), bool all_settings = false);

// Evaluations of expressions that --counts spends on a launch (kernel::TraceOptions::most_work):
// some 10 s of two cores.
constexpr int64_t kMostCountedWork = 1 << 27;
// What `stencilc explain --counts` prints beside it: tables of what the kernels for `target`
// execute in the first tile of a run (kernel::trace), per kernel. U041, and "", where threads are
// loops or a param has no value.
std::string explain_counts(const ir::Program& program, const std::string& schedule_line,
                           Diagnostics& diagnostics, const schedule::Machine& machine,
                           emit::Target target);

}  // namespace stencil
