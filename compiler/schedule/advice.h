// What to ask for instead of a schedule that was refused.
#pragma once

#include "compiler/schedule/scheduler.h"

namespace stencil::schedule {

// Gives the hints of refusals that are about tiles what would do, found by trying.
void advise(Scheduler& scheduler, const Family& family, const Schedule& schedule,
            Diagnostics& reasons);

}  // namespace stencil::schedule
