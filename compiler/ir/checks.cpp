// Checks that could not be decided at compile time.
//
// If params are open, semantic analysis leaves three things undecided: `require` conditions, proofs
// of bounds (Check), and whether the sizes fit the integers that index them. All are decided here
// from the values of the params, before anything is allocated or launched. Requirements are small
// scalar graphs over params.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "compiler/ir/axes.h"
#include "compiler/ir/known.h"
#include "compiler/ir/passes.h"
#include "compiler/support/magnitude.h"

namespace stencil::ir {
namespace {

// --- Checks and sizes ----------------------------------------------------------------------------

// The values of the params in `terms` as text: "N = 3, M = 2"; "" if there are none.
std::string values_of(const Program& program, const std::vector<Affine>& terms,
                      const std::vector<int64_t>& integers) {
  std::vector<bool> mentioned(program.params.size(), false);
  for (const Affine& affine : terms) {
    for (const auto& [param, coefficient] : affine.terms) {
      mentioned[param] = true;
    }
  }
  std::string text;
  for (size_t p = 0; p < program.params.size(); ++p) {
    if (!mentioned[p]) continue;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", program.params[p].name, integers[p]);
  }
  return text;
}

bool check_holds(const Check& check, const std::vector<int64_t>& integers) {
  return std::any_of(check.any_nonnegative.begin(), check.any_nonnegative.end(),
                     [&](const Affine& affine) {
                       const std::optional<int64_t> value = evaluate(affine, integers);
                       return value && *value >= 0;
                     });
}

bool fits_index(std::optional<int64_t> value) {
  return value && *value >= -kLargestCoordinate && *value <= kLargestCoordinate;
}

// The size in bytes of one level of a field on `box`. nullopt if it does not fit int64_t, or if
// 32-bit index arithmetic with the bounds or extents could overflow.
std::optional<int64_t> bytes_of_box(const Box& box, int64_t bytes_per_point,
                                    const std::vector<int64_t>& integers) {
  int64_t bytes = bytes_per_point;
  for (const Range& range : box.ranges) {
    const std::optional<int64_t> low = evaluate(range.low, integers);
    const std::optional<int64_t> high = evaluate(range.high, integers);
    if (!fits_index(low) || !fits_index(high)) return std::nullopt;
    const int64_t extent = std::max<int64_t>(*high - *low + 1, 0);
    if (extent > kLargestCoordinate) return std::nullopt;
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return bytes;
}

void check_sizes(const Program& program, const std::vector<int64_t>& integers, Diagnostics& out) {
  auto too_large = [&](Span span, std::string what) {
    Diagnostic& error = out.error("S040", span, what + " is too large");
    error.expected =
        "bounds within +-2^30, at most 2^30 points in a dimension, offsets up to 2^28, and a size "
        "in bytes "
        "that fits a 64-bit integer";
  };
  for (const Domain& domain : program.domains) {
    if (bytes_of_box(domain.box, 1, integers)) continue;
    too_large(domain.span, domain.coarsened ? fmt::format("grid '{}'", domain.name) : "the grid");
  }
  for (const Field& field : program.fields) {
    int64_t bytes = 0;
    for (const Component& component : field.components) bytes += size_in_bytes(component.type);
    // and one for the new level
    if (!bytes_of_box(field.box, bytes * (field.history + 1), integers)) {
      too_large(field.span, fmt::format("field '{}'", field.name));
    }
  }
  for (const Function& function : program.functions) {
    for (const Piece& piece : function.pieces) {
      if (!bytes_of_box(piece.region, 1, integers)) too_large(piece.span, "the region");
      for (const Node& node : piece.graph.nodes()) {
        const auto* access = std::get_if<Access>(&node.kind);
        for (size_t d = 0; access && d < access->maps.size(); ++d) {
          const int64_t farthest = kLargestOffset / access->maps[d].scale;
          if (magnitude(access->offset(d)) > farthest) too_large(node.span, "the offset");
        }
      }
    }
  }
  for (const Reduction& reduction : program.reductions) {
    if (!bytes_of_box(reduction.piece.region, 1, integers)) {
      too_large(reduction.span, "the region");
    }
  }
  if (program.steps && !evaluate(*program.steps, integers)) {
    too_large(program.domain().span, "the number of steps");
  }
}

// Calls visit(affine) for every affine function that is evaluated from open integer params before a
// run.
template <class Visit>
void for_each_affine(const Program& program, Visit visit) {
  const auto box = [&](const Box& box) {
    for (const Range& range : box.ranges) {
      visit(range.low);
      visit(range.high);
    }
  };
  for (const Domain& domain : program.domains) box(domain.box);
  for (const Field& field : program.fields) {
    box(field.box);
    if (const PointSet* set = field.as_point_set()) box(set->within);
  }
  for (const Function& function : program.functions) {
    for (const Piece& piece : function.pieces) box(piece.region);
  }
  for (const Reduction& reduction : program.reductions) box(reduction.piece.region);
  for (const Init& init : program.inits) box(init.piece.region);
  for (const Check& check : program.checks) {
    for (const Affine& affine : check.any_nonnegative) visit(affine);
  }
  for (const Param& param : program.params) {
    if (param.affine) visit(*param.affine);
  }
  for (const StepLimit& limit : program.step_limits) visit(limit.steps);
  if (program.steps) visit(*program.steps);
}

}  // namespace

int64_t most_steps(const Program& program) {
  int64_t ahead = 0;
  const auto look = [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      const auto* access = std::get_if<Access>(&node.kind);
      if (!access || !access->in_place) continue;
      const Field& field = program.fields[access->field];
      if (field.is_series()) ahead = std::max<int64_t>(ahead, access->offset(0));
    }
  };
  for (const Function& function : program.functions) {
    for (const Piece& piece : function.pieces) look(piece.graph);
  }
  for (const Reduction& reduction : program.reductions) look(reduction.piece.graph);
  return kLastStep - ahead;
}

int64_t largest_magnitude(const Program& program, ParamId param) {
  constexpr int64_t kMost = int64_t{1} << 61;  // leaves room for the extent of a range
  int64_t least = INT64_MAX;
  for_each_affine(program, [&](const Affine& affine) {
    int64_t sum = 0;
    bool read = false, fits = affine.constant > -kMost && affine.constant < kMost;
    for (const auto& [term, coefficient] : affine.terms) {
      read |= term == param;
      fits = fits && coefficient > -kMost && coefficient < kMost;
      fits = fits && !__builtin_add_overflow(sum, magnitude(coefficient), &sum);
    }
    if (read) least = std::min(least, fits ? (kMost - magnitude(affine.constant)) / sum : 0);
  });
  return least;
}

Diagnostics failed_checks(const Program& program, const std::vector<int64_t>& integer_params,
                          const std::vector<double>& real_params) {
  std::vector<int64_t> integers = integer_params;
  std::vector<double> reals = real_params;
  integers.resize(program.params.size());
  reals.resize(program.params.size());
  for (size_t p = 0; p < program.params.size(); ++p) {
    if (program.params[p].integer_value) integers[p] = *program.params[p].integer_value;
  }

  Diagnostics failed;
  check_sizes(program, integers, failed);
  check_axes(program, integers, reals, failed);
  for (const Requirement& requirement : program.requirements) {
    const auto values = evaluate_on_params(requirement.graph, integers, reals);
    if (values[requirement.condition].integer != 0) continue;
    failed.error("S035", requirement.span, "requirement not met").expected = requirement.text;
  }
  for (const Check& check : program.checks) {
    if (check_holds(check, integers)) continue;
    failed.error(check.code, check.span, check.message).found =
        values_of(program, check.any_nonnegative, integers);
  }
  return failed;
}

}  // namespace stencil::ir
