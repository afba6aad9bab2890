// Builds a report from a ranked space.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedule/explore.h"
#include "tools/stencilc/explore/report.h"

namespace stencil::explore {

// The model's numbers for the first `most` candidates, in order. None is marked as chosen.
std::vector<Candidate> candidates_of(schedule::Scheduler& scheduler,
                                     const std::vector<schedule::Candidate>& ranked, size_t most);

// The tile of a supported schedule; `target` and `source` are not set.
Winner winner_of(schedule::Scheduler& scheduler, const schedule::Schedule& schedule);

// The best known schedule of each time tile, in the family of `schedule`.
std::vector<Neighbour> neighbours_of(const schedule::Space& space,
                                     const schedule::Schedule& schedule);

// Fills in the report's curves over the time tile. Requires `candidates`, with measurements.
void add_curves(schedule::Scheduler& scheduler, const schedule::Space& space, Report& report);

// Report::flops; open extents get their usual values.
double flops_of(const ir::Program& program);

ReportMachine machine_of(const schedule::Machine& machine);

}  // namespace stencil::explore
