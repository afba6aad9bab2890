#include "compiler/decompose/exchanges.h"

#include <algorithm>

#include "compiler/decompose/restrict.h"

namespace stencil::decompose {

namespace {

using Direction = std::vector<int>;  // -1, 0 or 1 per dimension

int tag_of(const Direction& direction) {
  int tag = 0;
  for (const int step : direction) tag = 3 * tag + step + 1;
  return tag;
}

Direction opposite(Direction direction) {
  for (int& step : direction) step = -step;
  return direction;
}

std::vector<Direction> directions(const Decomposition& decomposition) {
  std::vector<Direction> out = {{}};
  for (const int subdomains : decomposition.cuts) {
    std::vector<Direction> longer;
    for (const Direction& direction : out) {
      for (int step = subdomains > 1 ? -1 : 0; step <= (subdomains > 1 ? 1 : 0); ++step) {
        longer.push_back(direction);
        longer.back().push_back(step);
      }
    }
    out = std::move(longer);
  }
  std::erase(out, Direction(decomposition.cuts.size(), 0));
  return out;
}

std::optional<int> neighbour(const Decomposition& decomposition, int subdomain,
                             const Direction& direction) {
  std::vector<int> place = decomposition.place_of(subdomain);
  for (size_t d = 0; d < place.size(); ++d) {
    const int subdomains = decomposition.cuts[d];
    place[d] += direction[d];
    if (decomposition.wraps[d]) place[d] = (place[d] + subdomains) % subdomains;
    if (place[d] < 0 || place[d] >= subdomains) return std::nullopt;
  }
  return decomposition.subdomain_at(place);
}

// The points of a field in one direction from the subdomain's owned points. Their depth is what the
// subdomain needs there (received), or what the neighbour needs on its side (sent).
ir::Points patch(const ir::Program& program, const Decomposition& decomposition, int subdomain,
                 const Need& need, const Direction& direction, bool received) {
  const ir::Field& field = program.fields[need.field];
  const ir::Points owned = decomposition.owned(subdomain, field.domain);
  ir::Points out;
  for (size_t d = 0; d < owned.size(); ++d) {
    auto [low, high] = owned[d];
    const auto& [below, above] = need.margin[d];
    if (direction[d] < 0) {
      high = received ? low - 1 : low + above - 1;
      low = received ? low - below : low;
    } else if (direction[d] > 0) {
      low = received ? high + 1 : high - below + 1;
      high = received ? high + above : high;
    }
    if (!decomposition.wraps[d]) {
      low = std::max(low, field.box.ranges[d].low.constant);
      high = std::min(high, field.box.ranges[d].high.constant);
    }
    out.push_back({low, high});
  }
  return out;
}

// `occasions`: the needs before each phase or group of reductions; `lasts`: see Needs.
std::vector<ir::HaloExchange> halos(const ir::Program& program, const Decomposition& decomposition,
                                    int subdomain, const std::vector<std::vector<Need>>& occasions,
                                    const std::vector<int64_t>& lasts) {
  std::vector<ir::HaloExchange> halos;
  for (size_t p = 0; p < occasions.size(); ++p) {
    ir::HaloExchange halo;
    halo.common_tile = decomposition.common_tile_of(lasts[p]);
    halo.tiles_per_exchange = std::max<int64_t>(lasts[p] / halo.common_tile, 1);
    halo.same_as = static_cast<size_t>(std::find(occasions.begin(), occasions.end(), occasions[p]) -
                                       occasions.begin());
    for (const Direction& direction : directions(decomposition)) {
      const auto other = neighbour(decomposition, subdomain, direction);
      if (!other) continue;
      ir::PatchExchange exchange{*other, tag_of(direction), tag_of(opposite(direction)), {}, {}};
      for (const Need& need : occasions[p]) {
        for (const bool received : {false, true}) {
          const ir::Points box =
              patch(program, decomposition, subdomain, need, direction, received);
          if (ir::count(box) == 0) continue;
          (received ? exchange.received : exchange.sent).push_back({need.field, need.level, box});
        }
      }
      if (!exchange.sent.empty() || !exchange.received.empty()) {
        halo.exchanges.push_back(std::move(exchange));
      }
    }
    halos.push_back(std::move(halo));
  }
  return halos;
}

}  // namespace

std::vector<ir::HaloExchange> halos_of(const ir::Program& program,
                                       const Decomposition& decomposition, int subdomain) {
  const Needs& needs = decomposition.needs;
  return halos(program, decomposition, subdomain, needs.by_occasion, needs.lasts);
}

std::vector<ir::HaloExchange> halos_of_start(const ir::Program& program,
                                             const Decomposition& decomposition, int subdomain) {
  const Needs& needs = decomposition.needs;
  return halos(program, decomposition, subdomain, needs.in_start, needs.start_lasts);
}

std::vector<ir::PatchExchange> profile_exchanges(const ir::Program& program,
                                                 const Decomposition& decomposition, int subdomain,
                                                 ir::FieldId profile) {
  std::vector<ir::PatchExchange> out;
  const ir::Field& field = program.fields[profile];
  const ir::Points own = owned_points(program, decomposition, subdomain, profile);
  (void)field;
  for (int other = 0; other < decomposition.subdomains(); ++other) {
    if (other == subdomain) continue;
    const ir::Points theirs = owned_points(program, decomposition, other, profile);
    if (theirs == own) continue;  // both compute it: the cut is along another dimension
    ir::PatchExchange exchange{other, 0, 0, {}, {}};
    if (ir::count(own) > 0) exchange.sent.push_back({profile, 0, own});
    if (ir::count(theirs) > 0) exchange.received.push_back({profile, 0, theirs});
    out.push_back(std::move(exchange));
  }
  return out;
}

}  // namespace stencil::decompose
