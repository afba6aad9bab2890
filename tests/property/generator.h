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

// A small deterministic generator (splitmix64), the same on every platform.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next();
  int below(int n);                // 0 .. n-1
  int between(int low, int high);  // inclusive
  bool chance(int percent);
  double unit();  // [0, 1)
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<size_t>(below(static_cast<int>(from.size())))];
  }

 private:
  uint64_t state_;
};

}  // namespace stencil::property
