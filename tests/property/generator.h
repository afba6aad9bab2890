// Random stencil programs for the property tests: valid by construction, different in every
// construct that lowering has to get right, and reproducible from their seed.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace stencil::property {

struct GeneratedProgram {
  std::string text;  // the .stn program
  std::vector<std::pair<std::string, int64_t>>
      sizes;  // size params without defaults, outermost first
  int rank = 1;
  std::set<std::string> constructs;  // what it exercises, for the coverage table
};

// `seed` decides everything. Grids are small and awkward: 1 to a few tiles wide, often tile
// multiples and their neighbours, often barely larger than the stencil.
GeneratedProgram random_program(uint64_t seed);

}  // namespace stencil::property
