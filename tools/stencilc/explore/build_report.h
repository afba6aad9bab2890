// From a ranked space to a report.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedule/explore.h"
#include "tools/stencilc/explore/report.h"

namespace stencil::explore {

// What the model says of the first `most` candidates, in their order. Nothing is marked as chosen.
std::vector<Candidate> candidates_of(schedule::Scheduler& scheduler,
                                     const std::vector<schedule::Candidate>& ranked, size_t most);

// The tile of a schedule that is not refused; without the target and the source.
Winner winner_of(schedule::Scheduler& scheduler, const schedule::Schedule& schedule);

// The best that is known of each time tile, with the family of `schedule`.
std::vector<Neighbour> neighbours_of(const schedule::Space& space,
                                     const schedule::Schedule& schedule);

// Fills in what a report has of curves over the time tile. Of its other members `candidates` is
// needed, with what was measured.
void add_curves(schedule::Scheduler& scheduler, const schedule::Space& space, Report& report);

// Report::flops; extents that are open are as usual.
double flops_of(const ir::Program& program);

ReportMachine machine_of(const schedule::Machine& machine);

}  // namespace stencil::explore
