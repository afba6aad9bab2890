// Sets of points in the reference interpreter: their lookup tables, and their contribution to a
// row.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/reference/state.h"
#include "compiler/support/place_points.h"

namespace stencil::reference {

// The tables of place_points.h for a set, with weights rounded to Field::weight.
struct PlacedPoints {
  std::vector<int32_t> slabs, starts, columns, numbers;
  std::vector<float> single;    // weights, if Field::weight is F32
  std::vector<double> weights;  // weights otherwise
  std::vector<int32_t> entries, firsts;
  // The weight of an entry as T.
  template <class T>
  T weight(int32_t entry) const {
    const auto e = static_cast<size_t>(entry);
    return single.empty() ? static_cast<T>(weights[e]) : static_cast<T>(single[e]);
  }
};

// A set of points with positions from the state, which must outlive it.
class PointSet {
 public:
  PointSet(const ir::Program& program, ir::FieldId set, const State& state);

  // Why a run is impossible: a point outside its allowed range, or too many points. nullopt if it
  // is possible.
  std::optional<std::string> refusal() const;
  // Requires that refusal() is nullopt.
  PlacedPoints place() const;

  const stencil_point_set& set() const { return set_; }

 private:
  int64_t corners() const;

  const ir::Field& field_;
  std::vector<int64_t> low_, high_, first_, last_;
  std::vector<const double*> at_, weights_;
  stencil_point_set set_;
  int64_t first_number_ = 0;
};

// The first refusal among the program's sets of points.
std::optional<std::string> misplaced_points(const ir::Program& program, const State& state);

// For random data: maps values from 0 to 1 to positions in the domains of their sets.
void spread_points(const ir::Program& program, State& state);
// Spreads one field, if it is a set of points.
void spread_points(const ir::Program& program, ir::FieldId field, State& state);

// The contribution of a set of points to the `count` points of a row that starts at `point`: an
// access with `at_points`, as `type`.
void sum_at_points(const ir::Program& program, const State& state, const ir::Access& access,
                   Scalar type, const std::vector<int64_t>& point, int64_t count, void* out);

}  // namespace stencil::reference
