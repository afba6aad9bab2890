#include "compiler/decompose/decomposition.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "compiler/decompose/needs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/support/numbers.h"
#include "compiler/support/shape.h"

namespace stencil::decompose {

// --- Cuts

int count(const Cuts& cuts) {
  return std::accumulate(cuts.begin(), cuts.end(), 1, std::multiplies<>());
}

std::string print(const Cuts& cuts) {
  return fmt::format("{}", fmt::join(cuts.rbegin(), cuts.rend(), "x"));
}

std::optional<Cuts> parse(const std::string& text, int rank) {
  constexpr int64_t kMostSubdomains = 1 << 16;
  Cuts cuts;
  int64_t subdomains = 1;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('x', begin), text.size());
    const auto number = parse_integer(text.substr(begin, end - begin));
    if (!number || *number < 1 || *number > kMostSubdomains) return std::nullopt;
    subdomains *= *number;
    if (subdomains > kMostSubdomains) return std::nullopt;
    cuts.insert(cuts.begin(), static_cast<int>(*number));
    begin = end + 1;
  }
  if (static_cast<int>(cuts.size()) > rank) return std::nullopt;
  cuts.insert(cuts.begin(), static_cast<size_t>(rank) - cuts.size(), 1);
  return cuts;
}

std::vector<Cuts> all_cuts(int subdomains, int rank) {
  if (rank == 1) return {{subdomains}};
  std::vector<Cuts> out;
  for (int first = 1; first <= subdomains; ++first) {
    if (subdomains % first != 0) continue;
    for (Cuts& rest : all_cuts(subdomains / first, rank - 1)) {
      rest.insert(rest.begin(), first);
      out.push_back(std::move(rest));
    }
  }
  return out;
}

// --- Sizes

namespace {

class Sizes {
 public:
  explicit Sizes(const std::vector<int64_t>& integers) : integers_(integers) {}
  bool fit = true;

  void fix(ir::Affine& affine) {
    const auto value = ir::evaluate(affine, integers_);
    fit = fit && value.has_value();
    affine = {value.value_or(0), {}};
  }
  void fix(ir::Box& box) {
    for (ir::Range& range : box.ranges) {
      fix(range.low);
      fix(range.high);
    }
  }

 private:
  const std::vector<int64_t>& integers_;
};

}  // namespace

std::optional<ir::Program> at_sizes(const ir::Program& program,
                                    const std::vector<int64_t>& integers) {
  ir::Program out = program;
  Sizes sizes(integers);
  for (ir::Domain& domain : out.domains) sizes.fix(domain.box);
  for (ir::Field& field : out.fields) {
    sizes.fix(field.box);
    if (auto* set = std::get_if<ir::PointSet>(&field.kind)) sizes.fix(set->within);
  }
  for (ir::Function& function : out.functions) {
    for (ir::Piece& piece : function.pieces) sizes.fix(piece.region);
  }
  for (ir::Init& init : out.inits) sizes.fix(init.piece.region);
  for (ir::Reduction& reduction : out.reductions) sizes.fix(reduction.piece.region);
  out.checks.clear();
  if (!sizes.fit) return std::nullopt;
  return out;
}

// --- Subdomains

std::vector<int> Decomposition::place_of(int subdomain) const {
  std::vector<int> place(cuts.size());
  for (size_t d = cuts.size(); d-- > 0;) {
    place[d] = subdomain % cuts[d];
    subdomain /= cuts[d];
  }
  return place;
}

int Decomposition::subdomain_at(const std::vector<int>& place) const {
  int subdomain = 0;
  for (size_t d = 0; d < cuts.size(); ++d) subdomain = subdomain * cuts[d] + place[d];
  return subdomain;
}

ir::Points Decomposition::owned(int subdomain, ir::DomainId domain) const {
  const std::vector<int> place = place_of(subdomain);
  ir::Points out;
  for (size_t d = 0; d < cuts.size(); ++d) {
    const auto p = static_cast<size_t>(place[d]);
    out.push_back({bounds[domain][d][p], bounds[domain][d][p + 1] - 1});
  }
  return out;
}

// Some kernels support only tiles of T, T/2, ... 1 steps, and the common tile must be one of them.
void Decomposition::set_common_tile(int64_t time_tile) {
  common_tile = std::max<int64_t>(time_tile, 1);
  while (common_tile > steps) common_tile /= 2;
}

int64_t Decomposition::common_tile_of(int64_t lasts) const {
  int64_t out = common_tile;
  while (out > lasts) out /= 2;
  return out;
}

int Decomposition::subdomain_of(const std::vector<double>& place, ir::DomainId domain) const {
  std::vector<int> out;
  for (size_t d = 0; d < cuts.size(); ++d) {
    const std::vector<int64_t>& begins = bounds[domain][d];
    const double at = std::floor(place[d]);
    int p = 0;
    while (p + 1 < cuts[d] && at >= static_cast<double>(begins[static_cast<size_t>(p) + 1])) ++p;
    out.push_back(p);
  }
  return subdomain_at(out);
}

int64_t Decomposition::least_extent(size_t d, ir::DomainId domain) const {
  const std::vector<int64_t>& begins = bounds[domain][d];
  int64_t least = INT64_MAX;
  for (size_t p = 0; p + 1 < begins.size(); ++p) {
    least = std::min(least, begins[p + 1] - begins[p]);
  }
  return least;
}

namespace {

// The unit, in points, in which bounds of subdomains are rounded. A cut within a tile of a
// reduction would deepen the halo, because one subdomain takes the whole tile. Rows should begin at
// a sector of memory. A cut within a cell of a derived grid would deepen the halo of the finer one.
int64_t grain(const ir::Program& program, size_t d, int64_t extent, int subdomains) {
  const auto rank = static_cast<size_t>(program.grid().rank());
  constexpr int64_t kLeastGrains = 8;  // per subdomain, so that subdomains have similar sizes
  const auto is_fine = [&](int64_t unit) { return extent >= kLeastGrains * unit * subdomains; };
  int64_t cells = 1;  // of the coarsest grid whose cells are fine enough
  for (size_t id = 1; id < program.domains.size(); ++id) {
    const int64_t ratio = ir::maps_between(program, static_cast<ir::DomainId>(id), 0)[d].scale;
    if (ratio > cells && is_fine(ratio)) cells = ratio;
  }
  int64_t grain = d + 1 == rank ? 16 : 1;
  if (!program.reductions.empty()) {
    grain = std::max(grain, ir::reduction_tile(program.grid().rank())[d]);
  }
  while (grain > 1 && !is_fine(std::lcm(grain, cells))) grain /= 2;
  return std::lcm(grain, cells);
}

// Subdomains of whole grains, as equal as possible; the last one gets the remainder.
std::vector<int64_t> bounds_of(const ir::Program& program, size_t d, int subdomains) {
  const int64_t low = program.grid().ranges[d].low.constant;
  const int64_t extent = program.grid().ranges[d].high.constant + 1 - low;
  const int64_t size = grain(program, d, extent, subdomains);
  const int64_t grains = extent / size;
  std::vector<int64_t> bounds;
  for (int p = 0; p < subdomains; ++p) bounds.push_back(low + grains * p / subdomains * size);
  bounds.push_back(low + extent);
  return bounds;
}

// Those of a grid that is derived by `ratio` from a grid with the bounds `fine`.
std::vector<int64_t> derived_bounds(const std::vector<int64_t>& fine, int64_t ratio, int64_t low,
                                    int64_t high) {
  std::vector<int64_t> bounds;
  for (const int64_t bound : fine) {
    bounds.push_back(std::clamp(ir::floor_quotient(bound + ratio - 1, ratio), low, high + 1));
  }
  bounds.front() = low;
  bounds.back() = high + 1;
  return bounds;
}

class Checker {
 public:
  Checker(const ir::Program& program, const Cuts& cuts, const Refusal& refusal)
      : program_(program), cuts_(cuts), refusal_(refusal), wraps_(cuts.size(), false) {}

  std::optional<std::vector<bool>> run(Diagnostics& diagnostics) {
    const auto outside_halo = analysis::reads_outside_halo(program_);
    if (!outside_halo.empty()) {
      refuse(outside_halo.front().span,
             fmt::format("the boundary of '{}' may read outside the halo",
                         program_.fields[outside_halo.front().field].name));
    }
    for (size_t d = 0; d < cuts_.size(); ++d) {
      if (cuts_[d] > 1) dimension(d);
    }
    for (const Diagnostic& found : refusals_.items()) diagnostics.add(found);
    if (refusals_.has_errors()) return std::nullopt;
    return wraps_;
  }

 private:
  // Reports each place once: pieces of one function have the same place.
  void refuse(const Span& span, const std::string& why) {
    if (!said_.insert({span.begin, why}).second) return;
    refusals_.error(refusal_.code, span, refusal_.what + ": " + why).hint = refusal_.hint;
  }

  static std::string axis(size_t d, size_t rank) { return kAxes[rank - 1 - d]; }

  void dimension(size_t d) {
    const std::string along = "in " + axis(d, cuts_.size());
    for (const ir::Field& field : program_.fields) {
      if (!field.read_in_place() && field.boundary[d].periodic()) wraps_[d] = true;
    }
    for (const ir::Reduction& reduction : program_.reductions) {
      if (!reduction.target || reduction.at) continue;
      const auto over = ir::reduced_dimensions(program_, reduction);
      if (std::find(over.begin(), over.end(), static_cast<int>(d)) == over.end()) continue;
      refuse(reduction.span, fmt::format("'{}' reduces over points of several subdomains {}",
                                         reduction.name, along));
    }
    if (wraps_[d]) periodic(d, along);
  }

  // The memory beyond a grid holds images of all fields, so all fields must have the period of
  // their grid, and all grids the same period.
  void periodic(size_t d, const std::string& along) {
    for (const ir::Domain& domain : program_.domains) {
      if (!domain.coarsened) continue;
      const ir::Domain& finer = program_.domains[domain.coarsened->of];
      const int64_t ratio = domain.coarsened->ratios[d];
      const auto points = [&](const ir::Domain& of) {
        return of.box.ranges[d].high - of.box.ranges[d].low + 1;
      };
      if (points(domain) * ratio == points(finer)) continue;
      refuse(domain.span,
             fmt::format("the grid '{}' does not cover '{}' {}, where fields are periodic",
                         domain.name, finer.name, along));
    }
    for (const ir::Field& field : program_.fields) {
      if (field.read_in_place()) continue;
      if (!(field.box.ranges[d] == program_.domains[field.domain].box.ranges[d])) {
        refuse(field.span,
               fmt::format("'{}' does not span the grid {}, where other fields are periodic",
                           field.name, along));
      }
    }
    const auto look = [&](const ir::Piece& piece) {
      for (const auto& [id, access] : ir::accesses(piece.graph, piece.results)) {
        if (access->at_points) {  // points have no images
          refuse(piece.graph[id].span,
                 fmt::format(
                     "'{}' is a value at points, which cannot be cut where fields are periodic {}",
                     program_.fields[access->field].name, along));
          return;
        }
        const ir::Field& field = program_.fields[access->field];
        if (field.read_in_place()) continue;
        const bool leaves = access->escapes_below(d) || access->escapes_above(d);
        if (!leaves || field.boundary[d].periodic()) continue;
        refuse(piece.graph[id].span,
               fmt::format("'{}' is not periodic {}, where other fields are", field.name, along));
        return;
      }
    };
    for (const ir::Function& function : program_.functions) {
      for (const ir::Piece& piece : function.pieces) look(piece);
    }
    for (const ir::Reduction& reduction : program_.reductions) look(reduction.piece);
  }

  const ir::Program& program_;
  const Cuts& cuts_;
  const Refusal& refusal_;
  std::vector<bool> wraps_;
  Diagnostics refusals_;
  std::set<std::pair<uint32_t, std::string>> said_;
};

// The first domain and dimension in which a halo reaches beyond the neighbour, or in which a
// subdomain has no points.
struct Narrow {
  ir::DomainId domain;
  size_t d;
  int64_t least;  // points that a subdomain needs
};
std::optional<Narrow> narrow(const Decomposition& decomposition) {
  for (size_t id = 0; id < decomposition.bounds.size(); ++id) {
    const auto domain = static_cast<ir::DomainId>(id);
    for (size_t d = 0; d < decomposition.cuts.size(); ++d) {
      if (decomposition.cuts[d] == 1) continue;
      int64_t least = 1;
      if (!decomposition.needs.depth.empty()) {
        const analysis::Reach& depth = decomposition.needs.depth[domain][d];
        least = std::max({least, depth.low, depth.high});
      }
      if (least > decomposition.least_extent(d, domain)) return Narrow{domain, d, least};
    }
  }
  return std::nullopt;
}

// Takes as many steps as fit, at most `most`. If not even one step fits, returns false with the
// needs of one step. Needs never shrink with the number of steps and are expensive to compute, so
// the search doubles from one step and then bisects.
bool fit_steps(const ir::Program& program, int64_t most, Decomposition& out) {
  const auto take = [&](int64_t steps) {
    out.steps = steps;
    out.needs = needs_of(program, out, steps);
    return !narrow(out);
  };
  int64_t fitting = 0, next = 1;
  while (next <= most && take(next)) {
    fitting = next;
    next = next == most ? most + 1 : std::min(2 * next, most);
  }
  if (fitting == 0) return false;
  for (int64_t beyond = next; beyond - fitting > 1;) {
    const int64_t middle = fitting + (beyond - fitting) / 2;
    (take(middle) ? fitting : beyond) = middle;
  }
  if (out.steps != fitting) take(fitting);
  return true;
}

// "grid 'C'", or "level 4 of 'G'" for a grid with levels.
std::string described(const ir::Program& program, ir::DomainId id) {
  int levels = 0;
  ir::DomainId first = id;
  while (const auto& coarsened = program.domains[first].coarsened) {
    if (program.domains[coarsened->of].span != program.domains[first].span) break;
    first = coarsened->of;
    ++levels;
  }
  return levels == 0 ? fmt::format("grid '{}'", program.domains[id].name)
                     : fmt::format("level {} of '{}'", levels, program.domains[first].name);
}

void report_narrow(const ir::Program& program, const Decomposition& decomposition,
                   const Narrow& narrow, Diagnostics& diagnostics) {
  const auto& [id, d, least] = narrow;
  const ir::Domain& domain = program.domains[id];
  const int subdomains = decomposition.cuts[d];
  const std::string axis = kAxes[decomposition.cuts.size() - 1 - d];
  std::string what = fmt::format(
      "subdomains are narrower in {} than the halo that one step and its reductions need", axis);
  if (domain.coarsened) {
    const int64_t points = high_of(domain.box, d) - low_of(domain.box, d) + 1;
    what = fmt::format("{} has {} points along {}: {} subdomains need at least {} each",
                       described(program, id), points, axis, subdomains, least);
  }
  Diagnostic& error = diagnostics.error("L031", domain.span, what);
  error.expected = fmt::format("at least {} points", least);
  error.found = fmt::format("{}", decomposition.least_extent(d, id));
  error.hint = domain.coarsened
                   ? "use fewer subdomains, fewer levels or grids, or cut another dimension"
                   : "use fewer subdomains, or cut another dimension";
}

}  // namespace

std::optional<std::vector<bool>> dimensions_that_wrap(const ir::Program& program, const Cuts& cuts,
                                                      const Refusal& refusal,
                                                      Diagnostics& diagnostics) {
  return Checker(program, cuts, refusal).run(diagnostics);
}

std::optional<Decomposition> decompose(const ir::Program& program, const Cuts& cuts, int64_t steps,
                                       Diagnostics& diagnostics) {
  Decomposition out;
  out.cuts = cuts;
  out.bounds.resize(program.domains.size());
  for (size_t d = 0; d < cuts.size(); ++d) {
    const ir::Range& range = program.grid().ranges[d];
    if (range.high.constant - range.low.constant + 1 < cuts[d]) {
      diagnostics
          .error(
              "L031", program.domain().span,
              fmt::format("{} subdomains along {}, which has only {} points", cuts[d],
                          kAxes[cuts.size() - 1 - d], range.high.constant - range.low.constant + 1))
          .hint = "use fewer subdomains";
      return std::nullopt;
    }
    out.bounds[0].push_back(bounds_of(program, d, cuts[d]));
    for (size_t id = 1; id < program.domains.size(); ++id) {
      const ir::Domain& domain = program.domains[static_cast<ir::DomainId>(id)];
      out.bounds[static_cast<ir::DomainId>(id)].push_back(
          derived_bounds(out.bounds[domain.coarsened->of][d], domain.coarsened->ratios[d],
                         low_of(domain.box, d), high_of(domain.box, d)));
    }
  }
  const auto wraps = dimensions_that_wrap(
      program, cuts,
      {"L030", "the grid cannot be cut", "cut another dimension, or run on one device"},
      diagnostics);
  if (!wraps) return std::nullopt;
  out.wraps = *wraps;
  auto found = narrow(out);
  if (!found) {
    if (fit_steps(program, std::clamp<int64_t>(steps, 1, kMostSteps), out)) return out;
    found = narrow(out);
  }
  report_narrow(program, out, *found, diagnostics);
  return std::nullopt;
}

double bytes_received(const ir::Program& program, const Decomposition& decomposition,
                      const Need& need) {
  const ir::Field& field = program.fields[need.field];
  double inner = 1, outer = 1;
  for (size_t d = 0; d < decomposition.cuts.size(); ++d) {
    const ir::Range& range = field.box.ranges[d];
    const auto whole = static_cast<double>(range.high.constant - range.low.constant + 1);
    const double own = whole / decomposition.cuts[d];
    const auto& [low, high] = need.margin[d];
    const bool cut = decomposition.cuts[d] > 1;
    const bool both = decomposition.cuts[d] > 2 || decomposition.wraps[d];
    const double around = static_cast<double>(both ? low + high : std::max(low, high));
    inner *= own;
    outer *= own + (cut ? around : 0);
  }
  double bytes = 0;
  for (const ir::Component& component : field.components) {
    bytes += (outer - inner) * static_cast<double>(size_in_bytes(component.type));
  }
  return bytes;
}

double bytes_received(const ir::Program& program, const Decomposition& decomposition,
                      size_t occasion) {
  double bytes = 0;
  for (const Need& need : decomposition.needs.by_occasion[occasion]) {
    bytes += bytes_received(program, decomposition, need);
  }
  return bytes;
}

}  // namespace stencil::decompose
