// How much memory there still is.
#pragma once

#include <cstdint>
#include <string>

namespace stencil::tune {

// Bytes that this process may still take without anything being swapped out or killed for it: what
// the system has available, and what the control groups of the process (containers, batch systems)
// and its own limit of addresses leave of that. INT64_MAX where the system does not tell.
int64_t free_memory();

// The same of a system whose files begin at `root`, without the limit of addresses.
int64_t free_memory_below(const std::string& root);

}  // namespace stencil::tune
