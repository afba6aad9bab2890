// Random stencil programs for the property tests: valid by construction, covering every construct
// that lowering must handle, and reproducible from their seed.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/support/scalar.h"
#include "tests/property/choices.h"

namespace stencil::property {

struct GeneratedProgram {
  std::string text;  // the .stn program
  // Values of the integer params: first the sizes, one per dimension, outermost first; then others.
  std::vector<std::pair<std::string, int64_t>> integers;
  // Values of the real params at launch, different from their defaults.
  std::vector<std::pair<std::string, double>> reals;
  int rank = 1;
  // Not 0: linear with integer coefficients. With small integers as initial values and at most this
  // many steps, no operation in double precision rounds, in any order.
  int exact_steps = 0;
  bool sizes_known = false;          // must be known at compile time, because of `else`
  bool finite = false;               // does not accept NaN and infinities as initial values
  std::set<std::string> constructs;  // what it covers, for the coverage table
  // Per dimension: sizes that are larger by a multiple of this are valid too. Empty: all larger
  // ones.
  std::vector<int64_t> size_periods = {};
  // The largest valid size that is at most `size` but not less than the given one.
  int64_t valid_size(size_t d, int64_t size) const;
};

// `seed` determines everything. Grids are small and awkward: 1 to a few tiles wide, often a
// multiple of a tile or one point more or less, often barely larger than the stencil.
GeneratedProgram random_program(uint64_t seed, const Choices& choices = {});

// The name of the program when a test compiles it.
std::string module_name(uint64_t seed, FpMode fp, const std::string& family);

}  // namespace stencil::property
