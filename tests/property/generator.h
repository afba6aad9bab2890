// Random stencil programs for the property tests: valid by construction, different in every
// construct that lowering has to get right, and reproducible from their seed.
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
  // Values of the integer params: sizes, a dimension each, outermost first, and others.
  std::vector<std::pair<std::string, int64_t>> integers;
  // Values of the real params at launch, other ones than their defaults.
  std::vector<std::pair<std::string, double>> reals;
  int rank = 1;
  // Linear with integer coefficients: with small integers as initial values and no more steps than
  // this, no operation of its doubles rounds, in whatever order they are done. 0: not such a
  // program.
  int exact_steps = 0;
  bool sizes_known = false;  // needed where the program is compiled: of what `else` stands for
  bool finite = false;       // takes no NaN and no infinities as initial values
  std::set<std::string> constructs;  // what it exercises, for the coverage table
};

// `seed` decides everything. Grids are small and awkward: 1 to a few tiles wide, often tile
// multiples and their neighbours, often barely larger than the stencil.
GeneratedProgram random_program(uint64_t seed, const Choices& choices = {});

// What the program is called where a test compiles it.
std::string module_name(uint64_t seed, FpMode fp, const std::string& family);

}  // namespace stencil::property
