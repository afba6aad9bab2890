// What a program that is one part of a decomposed program (compiler/decompose) swaps with the other
// parts. All parts have the same swaps, in the same order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace stencil::ir {

// Inclusive bounds per dimension, outermost first. Empty if some high is less than its low.
using Points = std::vector<std::array<int64_t, 2>>;

inline int64_t count(const Points& box) {
  int64_t points = 1;
  for (const auto& [low, high] : box) points *= high < low ? 0 : high - low + 1;
  return points;
}

// One level of a field, all its components, in a box of the field's own coordinates.
struct Patch {
  int field = 0;
  int level = 0;
  Points box;
};

// What goes to another part, in order, and what comes from it.
struct Exchange {
  int part = 0;
  int send_tag = 0, receive_tag = 0;
  std::vector<Patch> sent, received;
};

// What is exchanged ahead of something (decompose::Needs), and again when so many rounds of at most
// so many iterations are done.
struct Halo {
  int64_t round = 1, rounds = 1;
  std::vector<Exchange> exchanges;
};

// A reduction of the whole program, of which the part takes some tiles, those of a box of tiles
// (numbered from 0 in each dimension); the values of all tiles are gathered before they are
// combined. One that gives a profile has no tiles here: the part makes some of its points.
struct SharedTiles {
  std::vector<int64_t> counts;  // tiles of the whole, per dimension
  std::vector<Points> taken;    // by part
};

struct Part {
  int number = 0, count = 1;
  Points grid;   // of the whole program
  Points owned;  // the points of the grid that this part is to compute
  Points depth;  // of halos, below and above a part, where there is another one
  std::vector<std::array<bool, 2>> neighbours;    // whether there is: below and above, by dimension
  std::vector<Halo> halos;                        // by phase
  std::vector<std::optional<SharedTiles>> tiles;  // by ReductionId
  std::vector<std::vector<Exchange>> profiles;    // by ReductionId: gathered once it is made
};

}  // namespace stencil::ir
