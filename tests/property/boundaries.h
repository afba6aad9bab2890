// Random boundaries of fields: one rule for all edges, or rules by dimension and side.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/property/random.h"

namespace stencil::property {

struct Boundary {
  struct Sides {
    std::string low = "none", high = "none";  // rules as spelled in the program
  };
  std::vector<Sides> dimensions;
  std::string text;  // after the word `boundary`

  bool none() const;                         // no side has a rule
  bool covers() const;                       // every side has a rule
  bool plain() const;                        // only rules that the IR has (not odd, linear, ...)
  std::set<std::string> constructs() const;  // for the coverage table
};

// `everywhere`: every side has a rule, so that no region needs to keep away from an edge.
// `computed`: permits computed values, and odd and similar rules.
Boundary random_boundary(Random& random, int rank, bool everywhere, bool computed);

Boundary no_boundary(int rank);

// The least extent of a dimension for an offset: no mirror may reflect an access across the far
// edge if that is refused.
int points_needed(const Boundary::Sides& sides, int offset);

}  // namespace stencil::property
