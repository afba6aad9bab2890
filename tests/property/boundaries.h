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

// Plain: rules that the IR has. Computed: also computed values, odd, fixed and similar rules. All:
// also gradients, which need a floating type.
enum class Rules { Plain, Computed, All };

// `everywhere`: every side has a rule, so that no region needs to keep away from an edge.
Boundary random_boundary(Random& random, int rank, bool everywhere, Rules permitted);

Boundary no_boundary(int rank);

// The least extent of a dimension for an offset: no mirror may reflect an access across the far
// edge if that is refused.
int points_needed(const Boundary::Sides& sides, int offset);

// True if every dimension with these sides must have two points.
bool needs_two_points(const Boundary::Sides& sides);

// The text of a boundary for a field that no function writes, which cannot have fixed edge points:
// with constants beyond the edge instead.
std::string with_constant_edges(std::string text);

}  // namespace stencil::property
