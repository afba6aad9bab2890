// Runs work whose recursion may need more stack than the process has.
#pragma once

#include <functional>

namespace stencil::host {

// Runs `work` on a new thread with a 1 GiB stack and waits for it; on the current thread if none
// can be created. Exceptions are propagated.
void with_large_stack(const std::function<void()>& work);

}  // namespace stencil::host
