// A decomposition: the grid cut along some of its dimensions into parts, each for a device of its
// own. A part owns a box of the grid and has memory for that and for a halo around it, as deep as
// the backward analysis (analysis/time_tile.h) says of the steps between two exchanges. What is
// cut and how deep is a value beside the schedule, and families know nothing of it: a part is a
// program like others (restrict.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/analysis/reads.h"
#include "compiler/ir/part.h"
#include "compiler/ir/program.h"
#include "compiler/support/diagnostic.h"

namespace stencil::decompose {

// Parts along each dimension of the grid, outermost first; all 1: nothing is cut.
using Cuts = std::vector<int>;

int count(const Cuts& cuts);
// "2x1x4", x first, as schedules give shapes; nothing if `text` is none for a grid of that rank.
std::string print(const Cuts& cuts);
std::optional<Cuts> parse(const std::string& text, int rank);
// Every way to cut a grid of that rank into `parts`.
std::vector<Cuts> all_cuts(int parts, int rank);

// The program with numbers for its sizes: those that its params have in `integers` (by ParamId).
// Checks that depend on them are gone: they must have been made. Nothing if a bound overflows.
std::optional<ir::Program> at_sizes(const ir::Program& program,
                                    const std::vector<int64_t>& integers);

// The bounds of a program at sizes.
inline int64_t low_of(const ir::Box& box, size_t d) {
  return box.ranges[d].low.constant;
}
inline int64_t high_of(const ir::Box& box, size_t d) {
  return box.ranges[d].high.constant;
}

// What is read around the points that a part owns, in `steps` steps (iterations, in a phase that
// has more).
struct Need {
  ir::FieldId field;
  int level;
  analysis::Margin margin;  // beyond the owned points
};
// By occasion: one where nothing cuts the step, for its steps and the reductions between them. Else
// for each phase the reductions ahead of it and its iterations, and what is reduced behind the
// last.
struct Needs {
  std::vector<std::vector<Need>> by_occasion;
  std::vector<int64_t> lasts;  // iterations between two exchanges, likewise
  analysis::Margin depth;      // the hull of all
};

struct Decomposition {
  Cuts cuts;
  int64_t steps = 1;  // between two exchanges, at most
  int64_t round = 1;  // steps of a tile: as many as fit lie between exchanges
  std::vector<std::vector<int64_t>>
      bounds;               // per dimension: where parts begin, and behind the last
  std::vector<bool> wraps;  // per dimension: cut, and fields are periodic there
  Needs needs;

  // For time tiles of so many steps.
  void set_round(int64_t time_tile);
  int64_t round_of(size_t occasion) const;

  int parts() const { return count(cuts); }
  std::vector<int> place_of(int part) const;  // along each dimension
  int part_at(const std::vector<int>& place) const;
  ir::Points owned(int part) const;
  // The part that a place between points of the grid belongs to: that of the point below.
  int part_of(const std::vector<double>& place) const;
  // Points of a part per dimension, at least.
  int64_t least_extent(size_t d) const;
};

// How a program is refused that cannot be cut: "WHAT: why".
struct Refusal {
  std::string code, what, hint;
};
// Which dimensions wrap around, of those that have several parts. Nothing, and all that stands
// against the cuts, if a dimension cannot be cut. The program need not be at sizes.
std::optional<std::vector<bool>> dimensions_that_wrap(const ir::Program& program, const Cuts& cuts,
                                                      const Refusal& refusal,
                                                      Diagnostics& diagnostics);

// How far beyond the points that a part owns values have to be right when a time tile is done.
analysis::Margin left_by_tile(const ir::Program& program, const Decomposition& decomposition);

// Between two exchanges, at most: beyond that a message more costs nothing.
constexpr int64_t kMostSteps = 1024;

// Cuts the grid of a program at sizes. L030, with what stands against it and its place, where a
// dimension cannot be cut; L031 where parts are smaller than their halo for one step. Where they
// are for `steps`, there are fewer.
std::optional<Decomposition> decompose(const ir::Program& program, const Cuts& cuts, int64_t steps,
                                       Diagnostics& diagnostics);

// Bytes that a part receives at an exchange, at most: all, and of one field's level.
double bytes_received(const ir::Program& program, const Decomposition& decomposition,
                      size_t occasion);
double bytes_received(const ir::Program& program, const Decomposition& decomposition,
                      const Need& need);

}  // namespace stencil::decompose
