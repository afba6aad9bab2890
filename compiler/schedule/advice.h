// Suggests alternatives to a refused schedule.
#pragma once

#include "compiler/schedule/scheduler.h"

namespace stencil::schedule {

// For each refusal about tiles in `reasons`, finds a schedule that works by trial and names it in
// the hint.
void advise(Scheduler& scheduler, const Family& family, const Schedule& schedule,
            Diagnostics& reasons);

}  // namespace stencil::schedule
