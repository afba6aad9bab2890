// The subdomain that a program computes after decomposition (compiler/decompose), and its exchanges
// with the other subdomains. All subdomains make the same exchanges in the same order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace stencil::ir {

// A box of grid points: inclusive bounds per dimension, outermost first. Empty if a high bound is
// below its low bound.
using Points = std::vector<std::array<int64_t, 2>>;

inline int64_t count(const Points& box) {
  int64_t points = 1;
  for (const auto& [low, high] : box) points *= high < low ? 0 : high - low + 1;
  return points;
}

// A box of one level of a field, all its components, in the field's own coordinates.
struct Patch {
  int field = 0;
  int level = 0;
  Points box;
};

// The patches sent to and received from another subdomain, in the order of the messages.
struct PatchExchange {
  int subdomain = 0;
  int send_tag = 0, receive_tag = 0;
  std::vector<Patch> sent, received;
};

// The exchanges before a phase or a group of reductions (decompose::Needs). They are repeated after
// `tiles_per_exchange` tiles of at most `common_tile` steps or iterations each.
struct HaloExchange {
  int64_t common_tile = 1, tiles_per_exchange = 1;
  std::vector<PatchExchange> exchanges;
  // The first of the list with the same exchanges in all subdomains; may be this one.
  size_t same_as = 0;
};

// The share of a subdomain in a reduction of the whole program. The reduction is cut into tiles
// (numbered from 0 in each dimension), and each subdomain reduces a box of them. The values of all
// tiles are gathered and then combined. A reduction that gives a profile has no tiles here: each
// subdomain computes some points of the profile.
struct SharedTiles {
  std::vector<int64_t> counts;  // number of tiles of the whole reduction, per dimension
  std::vector<Points> taken;    // box of tiles per subdomain
};

struct Subdomain {
  int number = 0, count = 1;
  std::vector<Points> owned;  // by DomainId: the points that this subdomain computes
  // The halo depth of the first domain below and above a subdomain, on sides that have a neighbour.
  Points depth;
  std::vector<std::array<bool, 2>> neighbours;    // per dimension: is there one below, above?
  std::vector<HaloExchange> halo_exchanges;       // before each phase or group of reductions
  std::vector<HaloExchange> start_exchanges;      // before each phase of `start`
  std::vector<std::optional<SharedTiles>> tiles;  // by ReductionId
  // by ReductionId: how a profile is gathered after it is computed
  std::vector<std::vector<PatchExchange>> profiles;
};

}  // namespace stencil::ir
