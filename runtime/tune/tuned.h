// Looks up and stores results in the tuning database.
#pragma once

#include <optional>

#include "runtime/run/run.h"
#include "runtime/tune/database.h"
#include "runtime/tune/timing.h"

namespace stencil::tune {

// The line for "auto" on this device: the result of interpolate() for the program's sizes, with its
// origin ("tuned: measured at 512x512 on 2026-05-01"). nullopt without a database, if the program's
// sizes are open, or if no entry is near enough. An unreadable database is noted (database_failure)
// and treated as missing.
std::optional<runtime::KnownLine> tuned_line(const ir::Program& program,
                                             const runtime::ChosenDevice& device);

// Stores all candidates of `timings` that have run. `params` are those of the timings. False if
// there is no database or nothing was measured. R090.
Result<bool> remember(const ir::Program& program, const runtime::Params& params,
                      const runtime::ChosenDevice& device, const Timings& timings);

// The warning R090 if the database could not be read at the first access of this process; otherwise
// nullopt.
std::optional<Failure> database_failure();

}  // namespace stencil::tune
