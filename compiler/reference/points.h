// Sets of points in the reference interpreter: where they weigh, and what they give at a row.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/reference/state.h"
#include "compiler/support/place_points.h"

namespace stencil::reference {

// What place_points.h says of a set, its weights rounded to the program's `real`.
struct PlacedPoints {
  std::vector<int32_t> slabs, starts, columns, numbers;
  std::vector<float> single;    // weights, if `real` is float
  std::vector<double> weights;  // else
  std::vector<int32_t> entries, firsts;
  // Of an entry, as T.
  template <class T>
  T weight(int32_t entry) const {
    const auto e = static_cast<size_t>(entry);
    return single.empty() ? static_cast<T>(weights[e]) : static_cast<T>(single[e]);
  }
};

// The set with its points where the state has them, for as long as that lives.
class PointSet {
 public:
  PointSet(const ir::Program& program, ir::FieldId set, const State& state);

  // Why the run cannot be: a point that does not lie where it has to, or too many of them.
  std::optional<std::string> refusal() const;
  // Nothing must be refused.
  PlacedPoints place() const;

  const stencil_point_set& set() const { return set_; }

 private:
  int64_t corners() const;

  const ir::Program& program_;
  const ir::Field& field_;
  std::vector<int64_t> low_, high_, first_, last_;
  std::vector<const double*> at_, weights_;
  stencil_point_set set_;
  int64_t first_number_ = 0;
};

// The first refusal of the program's sets.
std::optional<std::string> misplaced_points(const ir::Program& program, const State& state);

// Of random data: places that are numbers from 0 to 1 become places in the domains of their sets.
void spread_points(const ir::Program& program, State& state);
// The same for one field, if it is a set of points.
void spread_points(const ir::Program& program, ir::FieldId field, State& state);

// What the points of a set give at the `count` points of a row that starts at `point`: an access
// with `at_points`, as `type`.
void sum_at_points(const ir::Program& program, const State& state, const ir::Access& access,
                   Scalar type, const std::vector<int64_t>& point, int64_t count, void* out);

}  // namespace stencil::reference
