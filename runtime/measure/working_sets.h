// Working-set sizes at which each level of memory serves the reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/schedule/machine.h"

namespace stencil::measure {

// Sizes in bytes used for the figures.
struct WorkingSets {
  struct Level {
    std::string name;  // "L1", "L2", "L3", "memory"
    int64_t bytes;
  };
  std::vector<Level> levels;          // nearest first; memory is last
  std::vector<int64_t> around_cache;  // from well below the size of the last cache to well beyond
};
// Multiples of kChunkBytes, powers of two in `levels`; at most `most_bytes`.
WorkingSets working_sets(const schedule::Machine& machine, int64_t most_bytes);

}  // namespace stencil::measure
