// How much memory is read, for each level of it to serve the reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/schedule/machine.h"

namespace stencil::measure {

// How memory is read in the figures: bytes in all, and by each of a device's levels.
struct WorkingSets {
  struct Level {
    std::string name;  // "L1", "L2", "L3", "memory"
    int64_t bytes;
  };
  std::vector<Level> levels;          // the nearest first; memory is the last
  std::vector<int64_t> around_cache;  // from well inside the machine's last cache to well beyond
};
// Multiples of kChunkBytes, powers of two in `levels`; none has more than `most_bytes`.
WorkingSets working_sets(const schedule::Machine& machine, int64_t most_bytes);

}  // namespace stencil::measure
