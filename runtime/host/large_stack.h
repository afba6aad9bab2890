// Work whose recursion may need more stack than the process has.
#pragma once

#include <functional>

namespace stencil::host {

// Runs `work` on a thread of its own and waits; on this one if no thread can be made. Exceptions
// are passed on.
void with_large_stack(const std::function<void()>& work);

}  // namespace stencil::host
