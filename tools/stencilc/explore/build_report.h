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

// The best that is known of each other time tile, with the family and form of `schedule`.
std::vector<Neighbour> neighbours_of(const schedule::Space& space,
                                     const schedule::Schedule& schedule);

ReportMachine machine_of(const schedule::Machine& machine);

}  // namespace stencil::explore
