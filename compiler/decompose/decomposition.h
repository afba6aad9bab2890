// A decomposition cuts the grid along some of its dimensions into subdomains, one per device. A
// subdomain owns a box of the grid. It has memory for this box and a halo around it, whose depth
// follows from the backward analysis (analysis/time_tile.h) of the steps between two exchanges. The
// decomposition is independent of the schedule, and schedule families do not know of it: a
// subdomain is an ordinary program (restrict.h).
//
// Derived grids are cut at the same places as the first grid: point i of a grid derived by the
// ratio r belongs to the subdomain that owns point r * i of the finer grid, which is the first cell
// that a cell i covers. Every domain has a halo depth of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/analysis/reads.h"
#include "compiler/ir/program.h"
#include "compiler/ir/subdomain.h"
#include "compiler/support/diagnostic.h"

namespace stencil::decompose {

// Number of subdomains along each dimension of the grid, outermost first; all 1: not cut.
using Cuts = std::vector<int>;

int count(const Cuts& cuts);
// "2x1x4", x first, as shapes in schedules; nullopt if `text` is not valid for a grid of this rank.
std::string print(const Cuts& cuts);
std::optional<Cuts> parse(const std::string& text, int rank);
// All ways to cut a grid of this rank into this many subdomains.
std::vector<Cuts> all_cuts(int subdomains, int rank);

// The program with constant sizes, from the param values in `integers` (by ParamId). The result has
// no run-time checks, so the caller must have made them. nullopt if a bound overflows.
std::optional<ir::Program> at_sizes(const ir::Program& program,
                                    const std::vector<int64_t>& integers);

// The bounds of a program with constant sizes.
inline int64_t low_of(const ir::Box& box, size_t d) {
  return box.ranges[d].low.constant;
}
inline int64_t high_of(const ir::Box& box, size_t d) {
  return box.ranges[d].high.constant;
}

// What a subdomain reads around its owned points in `steps` steps. In a phase with several
// iterations, `steps` counts iterations.
struct Need {
  ir::FieldId field;
  int level;
  analysis::Margin margin;  // beyond the owned points of the field's domain, in its points
  friend bool operator==(const Need&, const Need&) = default;
};
// Needs per exchange. If the step is not cut into phases, there is one exchange, for the steps and
// the reductions between them. Otherwise there are two per phase, for the reductions before it and
// for its iterations, and one for the reductions after the last phase.
struct Needs {
  std::vector<std::vector<Need>> by_occasion;
  std::vector<int64_t> lasts;  // steps or iterations between two exchanges, per exchange
  // The same for the phases of `start`, which has one exchange per phase.
  std::vector<std::vector<Need>> in_start;
  std::vector<int64_t> start_lasts;
  IdVector<ir::DomainId, analysis::Margin> depth;  // the hull of all needs
  // By function: how far beyond the owned points a subdomain computes it.
  std::vector<analysis::Margin> computed;
};

struct Decomposition {
  Cuts cuts;
  int64_t steps = 1;        // between two exchanges, at most
  int64_t common_tile = 1;  // steps of one time tile; several may lie between two exchanges
  // Per domain and dimension: where subdomains begin, and the end of the last one.
  IdVector<ir::DomainId, std::vector<std::vector<int64_t>>> bounds;
  std::vector<bool> wraps;  // per dimension: it is cut, and fields are periodic there
  Needs needs;

  // Sets the common tile for a schedule with this time tile.
  void set_common_tile(int64_t time_tile);
  // The common tile of an exchange after this number of steps or iterations.
  int64_t common_tile_of(int64_t lasts) const;

  int subdomains() const { return count(cuts); }
  std::vector<int> place_of(int subdomain) const;  // along each dimension
  int subdomain_at(const std::vector<int>& place) const;
  ir::Points owned(int subdomain, ir::DomainId domain = 0) const;
  // The subdomain that owns a position between grid points: the owner of the point below.
  int subdomain_of(const std::vector<double>& place, ir::DomainId domain = 0) const;
  // The smallest extent of a subdomain in dimension d, in points.
  int64_t least_extent(size_t d, ir::DomainId domain = 0) const;
};

// The text of errors for programs that cannot be cut: "WHAT: why".
struct Refusal {
  std::string code, what, hint;
};
// Which of the cut dimensions wrap around. If a dimension cannot be cut: nullopt and all reasons as
// errors. `program` may have open sizes.
std::optional<std::vector<bool>> dimensions_that_wrap(const ir::Program& program, const Cuts& cuts,
                                                      const Refusal& refusal,
                                                      Diagnostics& diagnostics);

// How far beyond its owned points a subdomain's values must be correct at the end of a time tile.
analysis::Margin left_by_tile(const ir::Program& program, const Decomposition& decomposition);

// Upper limit of steps between two exchanges; beyond it an extra message costs nothing.
constexpr int64_t kMostSteps = 1024;

// Cuts the grids of a program with constant sizes. Errors: L030, with the reason and its place, if
// a dimension cannot be cut; L031 if subdomains of a grid or level are smaller than their halo for
// one step. If they are smaller than the halo for `steps` steps, fewer steps are used.
std::optional<Decomposition> decompose(const ir::Program& program, const Cuts& cuts, int64_t steps,
                                       Diagnostics& diagnostics);

// Upper bound of the bytes that a subdomain receives: in an exchange, and for one level of a field.
double bytes_received(const ir::Program& program, const Decomposition& decomposition,
                      size_t occasion);
double bytes_received(const ir::Program& program, const Decomposition& decomposition,
                      const Need& need);

}  // namespace stencil::decompose
