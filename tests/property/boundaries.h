// Random boundaries of fields: one rule for all edges, or rules by dimension and side.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/property/generator.h"

namespace stencil::property {

struct Boundary {
  struct Sides {
    std::string low = "none", high = "none";  // rules as in the program
  };
  std::vector<Sides> dimensions;
  std::string text;  // after the word `boundary`

  bool none() const;                         // no side has a rule
  bool covers() const;                       // every side has one
  std::set<std::string> constructs() const;  // for the coverage table
};

// `everywhere`: every side has a rule, so that no region needs to keep away from an edge.
Boundary random_boundary(Random& random, int rank, bool everywhere);

// What an offset in one dimension asks for: distance of the region from an edge without a rule, and
// points enough that no mirror throws the access over the far edge if that one has no rule.
struct Demand {
  int low = 0, high = 0;  // points between the region and the edge
  int points = 1;
};
Demand demand(const Boundary::Sides& sides, int offset);

}  // namespace stencil::property
