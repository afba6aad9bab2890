// Runs work whose recursion may need more stack than the process has.
#pragma once

#include <functional>

namespace stencil::host {

// Runs `work` on a new thread with a 1 GiB stack and waits for it. If no thread can be created,
// runs `work` on the current thread. Exceptions are propagated.
void with_large_stack(const std::function<void()>& work);

}  // namespace stencil::host
