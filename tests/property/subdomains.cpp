#include "tests/property/subdomains.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/analysis/reads.h"
#include "compiler/decompose/needs.h"
#include "compiler/decompose/restrict.h"
#include "compiler/driver/cutting.h"
#include "compiler/ir/passes.h"
#include "compiler/ir/rewrite.h"
#include "tests/property/case.h"
#include "tests/property/schedules.h"

namespace stencil::property {

void draw_cuts(Random& random, int time_tile, Recipe& recipe) {
  static const int kMore[] = {0, 300, 60, 24, 6};  // most points, by rank
  const auto rank = static_cast<size_t>(recipe.program.rank);
  recipe.cuts.assign(rank, 1);
  const int dimensions = std::min(random.pick<int>({1, 1, 1, 2, 2, 3}), recipe.program.rank);
  std::vector<size_t> left(rank);
  std::iota(left.begin(), left.end(), 0);
  for (int n = 0; n < dimensions; ++n) {
    const size_t d = random.pick(left);
    std::erase(left, d);
    recipe.cuts[d] = random.between(2, dimensions == 1 ? 4 : dimensions == 2 ? 3 : 2);
  }
  if (random.chance(2)) recipe.cuts.assign(rank, 1);
  recipe.exchange = random.between(1, 3 * time_tile);
  for (size_t d = 0; d < rank; ++d) {
    if (recipe.cuts[d] == 1 || rank > 4 || !random.chance(80)) continue;
    int64_t size = recipe.program.integers[d].second + random.between(0, kMore[rank]);
    if (d + 1 == rank && random.chance(50)) size = (size + 7) / 8 * 8;
    recipe.program.integers[d].second = recipe.program.valid_size(d, size);
  }
}

void draw_outer_blocks(Random& random, schedule::Schedule& schedule, Recipe& recipe) {
  const auto rank = static_cast<size_t>(recipe.program.rank);
  recipe.cuts.assign(rank, 1);
  recipe.cuts[0] = random.between(2, 4);
  recipe.exchange = schedule.time_tile * random.between(1, 2);
  schedule.chunk = random.between(3, 6);
  const int64_t more = recipe.cuts[0] * schedule.chunk * random.between(4, 8);
  recipe.program.integers[0].second =
      recipe.program.valid_size(0, recipe.program.integers[0].second + more);
}

std::optional<decompose::Decomposition> cut_of(const Recipe& recipe, const ir::Program& at_sizes,
                                               std::string& refusal) {
  Diagnostics refusals;
  auto out = decompose::decompose(at_sizes, recipe.cuts, recipe.exchange, refusals);
  if (!out) refusal = refusals.items().front().code;
  return out;
}

std::shared_ptr<const Cut> lower_subdomains(ir::Program at_sizes,
                                            decompose::Decomposition decomposition,
                                            schedule::Schedule& schedule, std::string& refusal,
                                            std::string& problem) {
  auto cut = std::make_shared<Cut>();
  cut->whole = std::move(at_sizes);
  cut->decomposition = std::move(decomposition);
  const int typical = typical_subdomain(cut->decomposition);
  const auto subdomains = static_cast<size_t>(cut->decomposition.subdomains());
  for (size_t p = 0; p < subdomains; ++p) {
    cut->subdomains.push_back(
        decompose::restrict_to(cut->whole, cut->decomposition, static_cast<int>(p)));
    cut->subdomains.back().name += fmt::format("_subdomain{}", p);
    const auto unsound = ir::verify(cut->subdomains.back());
    if (!unsound.empty()) {
      problem = fmt::format("IR of subdomain {}: {}", p, unsound[0]);
      return nullptr;
    }
  }
  cut->modules.resize(subdomains);
  const auto lower = [&](size_t p, schedule::Schedule& by) {
    auto module = lower_somehow(cut->subdomains[p], by, refusal);
    if (module) cut->modules[p] = std::move(*module);
    return module.has_value();
  };
  if (!lower(static_cast<size_t>(typical), schedule)) return nullptr;
  for (size_t p = 0; p < subdomains; ++p) {
    schedule::Schedule other = schedule;
    if (static_cast<int>(p) != typical && !lower(p, other)) return nullptr;
  }
  return cut;
}

// --- Coverage
// ----------------------------------------------------------------------------------------

namespace {

using Found = std::set<std::string>;

bool spans(const ir::Box& outer, const ir::Box& inner) {
  return outer.ranges == inner.ranges;
}

void note_fields(const Cut& cut, Found& found) {
  const ir::Program& program = cut.whole;
  for (size_t f = 0; f < program.fields.size(); ++f) {
    const ir::Field& field = program.fields[f];
    if (field.is_point_set()) found.insert("points");
    if (field.read_in_place()) continue;
    for (size_t d = 0; d < cut.decomposition.cuts.size(); ++d) {
      if (cut.decomposition.cuts[d] == 1) continue;
      if (field.boundary[d].has(ir::BoundaryKind::Mirror)) found.insert("mirror");
      if (field.boundary[d].has(ir::BoundaryKind::Clamp)) found.insert("clamp");
      if (field.boundary[d].periodic()) found.insert("periodic edges across cuts");
    }
    if (!spans(program.grid(), field.box)) found.insert("sub-grid");
    if (!ir::changes(program, static_cast<ir::FieldId>(f))) continue;
    if (field.history > 1) found.insert("several levels");
    for (const ir::Component& component : field.components) {
      const Scalar type = component.type;
      if (type == Scalar::Bool) found.insert("bool");
      if (type == Scalar::F16 || type == Scalar::BF16) found.insert("half");
      if (type == Scalar::I8 || type == Scalar::U8) found.insert("byte");
    }
    for (int subdomain = 0; subdomain < cut.decomposition.subdomains(); ++subdomain) {
      const auto owned = decompose::owned_points(program, cut.decomposition, subdomain,
                                                 static_cast<ir::FieldId>(f));
      if (ir::count(owned) == 0) found.insert("subdomain without points of a field");
    }
  }
}

void note_functions(const Cut& cut, Found& found) {
  if (cut.whole.functions.size() > 1) found.insert("several functions");
  for (const ir::Function& function : cut.whole.functions) {
    if (function.targets.size() > 1) found.insert("several targets");
  }
  for (const ir::Program& subdomain : cut.subdomains) {
    for (const ir::Function& function : subdomain.functions) {
      const ir::Box& region = function.pieces.front().region;
      const bool empty = std::any_of(
          region.ranges.begin(), region.ranges.end(),
          [](const ir::Range& range) { return range.high.constant < range.low.constant; });
      if (function.pieces.size() == 1 && empty)
        found.insert("subdomain without points of a function");
    }
  }
}

// Whether some subdomain receives values of a field for reads from another grid.
bool receives_for_other_grids(const Cut& cut, const ir::Function& function) {
  for (const ir::Piece& piece : function.pieces) {
    for (const auto& [id, access] : ir::accesses(piece.graph, piece.results)) {
      const ir::FieldId field = access->field;
      if (cut.whole.fields[field].domain == function.domain) continue;
      for (const auto& needs : cut.decomposition.needs.by_occasion) {
        const auto is_needed = [&](const auto& need) { return need.field == field; };
        if (std::any_of(needs.begin(), needs.end(), is_needed)) return true;
      }
    }
  }
  return false;
}

void note_grids(const Cut& cut, Found& found) {
  if (!cut.whole.start.empty()) found.insert("start");
  const auto& occasions = cut.decomposition.needs.in_start;
  if (std::any_of(occasions.begin(), occasions.end(), [](const auto& o) { return !o.empty(); })) {
    found.insert("start with exchanges");
  }
  for (const ir::Domain& domain : cut.whole.domains) {
    if (!domain.coarsened) continue;
    found.insert(domain.coarsened->cells ? "grid of cells" : "grid of vertices");
    for (size_t d = 0; d < cut.decomposition.cuts.size(); ++d) {
      if (cut.decomposition.wraps[d]) found.insert("derived grid with periodic edges");
    }
  }
  for (const ir::Function& function : cut.whole.functions) {
    if (function.domain != ir::DomainId(0)) found.insert("function of a derived grid");
    if (receives_for_other_grids(cut, function)) found.insert("halo for another grid");
  }
  for (const ir::Reduction& reduction : cut.whole.reductions) {
    if (reduction.domain != ir::DomainId(0)) found.insert("reduction on a derived grid");
  }
}

bool straddles(const Cut& cut, const ir::Reduction& reduction) {
  const auto tiles = decompose::tiles_of(cut.whole, reduction, cut.decomposition);
  for (int subdomain = 0; subdomain < cut.decomposition.subdomains(); ++subdomain) {
    const auto region = decompose::region_of(cut.whole, reduction, tiles, subdomain);
    const auto owned = cut.decomposition.owned(subdomain);
    for (size_t d = 0; d < owned.size() && ir::count(region) > 0; ++d) {
      if (region[d][1] > owned[d][1]) return true;
    }
  }
  return false;
}

void note_reductions(const Cut& cut, Found& found) {
  for (const ir::Reduction& reduction : cut.whole.reductions) {
    if (ir::sampled_by(cut.whole, reduction)) found.insert("sampled record");
    if (reduction.in_step) found.insert("reduction in steps");
    if (reduction.at) {
      found.insert("record");
    } else if (reduction.target) {
      found.insert("profile");
    } else {
      found.insert(straddles(cut, reduction) ? "tiles across cuts" : "tiles within subdomains");
    }
  }
}

}  // namespace

std::set<std::string> constructs_of(const Cut& cut) {
  Found found;
  note_fields(cut, found);
  note_grids(cut, found);
  note_functions(cut, found);
  note_reductions(cut, found);
  const auto sides = std::count_if(cut.decomposition.cuts.begin(), cut.decomposition.cuts.end(),
                                   [](int subdomains) { return subdomains > 1; });
  found.insert(fmt::format("cut in {} dimensions", sides));
  const auto note_outer_blocks = [&](const kernel::Module& module) {
    const kernel::HaloExchange* halo = kernel::exchange_beside_tiles(module.plan);
    if (!halo) return;
    const kernel::Launch* launch = kernel::launch_with_outer_blocks(module.plan, halo->common_tile);
    const auto& [low, high] = launch->outer_blocks;
    found.insert(low > 0 && high > 0 ? "outer blocks at both ends" : "outer blocks at one end");
  };
  for (const kernel::Module& module : cut.modules) note_outer_blocks(module);
  if (cut.whole.run.until) found.insert("stop");
  if (ir::repeats_in_steps(cut.whole)) found.insert("repeat");
  if (ir::cuts_steps(cut.whole)) found.insert("phases");
  if (cut.decomposition.steps > 1) found.insert("several steps between exchanges");
  return found;
}

const std::set<std::string>& cut_constructs() {
  static const std::set<std::string> kAll = {"bool",
                                             "byte",
                                             "clamp",
                                             "cut in 1 dimensions",
                                             "cut in 2 dimensions",
                                             "cut in 3 dimensions",
                                             "derived grid with periodic edges",
                                             "function of a derived grid",
                                             "grid of cells",
                                             "grid of vertices",
                                             "half",
                                             "halo for another grid",
                                             "mirror",
                                             "outer blocks at both ends",
                                             "outer blocks at one end",
                                             "subdomain without points of a field",
                                             "subdomain without points of a function",
                                             "periodic edges across cuts",
                                             "phases",
                                             "points",
                                             "profile",
                                             "record",
                                             "reduction in steps",
                                             "reduction on a derived grid",
                                             "repeat",
                                             "sampled record",
                                             "several functions",
                                             "several levels",
                                             "several steps between exchanges",
                                             "several targets",
                                             "start",
                                             "start with exchanges",
                                             "steps beyond an exchange",
                                             "steps between exchanges no multiple of T",
                                             "stop",
                                             "sub-grid",
                                             "tiles across cuts",
                                             "tiles within subdomains"};
  return kAll;
}

}  // namespace stencil::property
