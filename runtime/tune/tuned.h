// What the tuning database says about a program that is about to run, and what goes into it.
#pragma once

#include <optional>

#include "runtime/run/run.h"
#include "runtime/tune/database.h"
#include "runtime/tune/timing.h"

namespace stencil::tune {

// What to take for "auto" on this device: the line that interpolate() names for the program's
// sizes, with its origin ("tuned: measured at 512x512 on 2026-05-01"). Nothing without a database,
// for programs whose sizes are open, and for those of which nothing near is known. A database that
// cannot be read is noted (database_failure) and counts as none.
std::optional<runtime::KnownLine> tuned_line(const ir::Program& program,
                                             const runtime::ChosenDevice& device);

// Keeps what was measured: each candidate of `timings` that has run. `params` are those of the
// timings. False if there is no database, or nothing was measured. R090.
Result<bool> remember(const ir::Program& program, const runtime::Params& params,
                      const runtime::ChosenDevice& device, const Timings& timings);

// A warning, R090: why the database could not be read when this process first asked it; nothing if
// it could.
std::optional<Failure> database_failure();

}  // namespace stencil::tune
