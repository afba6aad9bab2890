// Suggests alternatives to a refused schedule.
#pragma once

#include "compiler/schedule/scheduler.h"

namespace stencil::schedule {

// Adds an alternative that works, found by trial, to the hints of refusals about tiles.
void advise(Scheduler& scheduler, const Family& family, const Schedule& schedule,
            Diagnostics& reasons);

}  // namespace stencil::schedule
