// Capture of a call in a CUDA graph of the user: which plans it can contain.
//
// The launches of a captured call are repeated with the same arguments by each launch of the graph.
// The host takes no part in these launches: it does not count steps and reads nothing back.
#pragma once

#include "compiler/kernel/plan.h"
#include "compiler/reference/state.h"
#include "stencil/result.h"

namespace stencil::runtime {

// R047, with the name of the construct, if steps from this state cannot be captured.
Status check_capture(const kernel::Module& module, const reference::State& state);

// R047 for a call that waits or copies while the stream is being captured. `what`: "wait for
// steps".
Failure refused_in_capture(const char* what);

}  // namespace stencil::runtime
