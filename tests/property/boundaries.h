// Random boundaries of fields: one rule for all edges, or rules by dimension and side.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/property/random.h"

namespace stencil::property {

struct Boundary {
  struct Sides {
    std::string low = "none", high = "none";  // rules as in the program
  };
  std::vector<Sides> dimensions;
  std::string text;  // after the word `boundary`

  bool none() const;                         // no side has a rule
  bool covers() const;                       // every side has one
  bool plain() const;                        // no value is computed, no side is odd or the like
  std::set<std::string> constructs() const;  // for the coverage table
};

// `everywhere`: every side has a rule, so that no region needs to keep away from an edge.
// `computed`: rules may have values that are no numbers, or be odd and the like.
Boundary random_boundary(Random& random, int rank, bool everywhere, bool computed);

Boundary no_boundary(int rank);

// How many points a dimension must have for an offset, so that no mirror throws an access over the
// far edge where that is not allowed.
int points_needed(const Boundary::Sides& sides, int offset);

}  // namespace stencil::property
