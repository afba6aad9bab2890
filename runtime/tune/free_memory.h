// Available memory.
#pragma once

#include <cstdint>
#include <string>

namespace stencil::tune {

// Bytes that this process can allocate without causing swapping or an out-of-memory kill: the
// minimum of the system's available memory, the rest of its control groups' limits (containers,
// batch systems) and the rest of its address-space limit. INT64_MAX if unknown.
int64_t free_memory();

// free_memory() of a system whose files are below `root`, without the address-space limit.
int64_t free_memory_below(const std::string& root);

}  // namespace stencil::tune
