// The order in which `verify` runs its cases. The order is fixed before anything runs, so that a
// verification that ends early has covered a known part of the plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stencil::runtime {

// Kernels that are compiled once, and the sizes that they serve.
struct PlannedBuild {
  bool open = false;  // the sizes are params of the kernels
  std::vector<size_t> sizes;
};

// A schedule on a device, as far as the order depends on it.
struct PlannedRow {
  std::string device;
  std::string family;
  bool in_use = false;  // `run` would take this schedule on this device
  int64_t time_tile = 1;
  std::vector<int64_t> steps;        // ascending
  std::vector<PlannedBuild> builds;  // empty: the schedule is refused
};

// One comparison with the reference.
struct VerifyCase {
  enum class Stage { InUse, Family, Edge, Rest };
  size_t row = 0, build = 0;  // positions in the rows and their builds
  size_t size = 0;            // position in the sizes
  int64_t steps = 0;
  Stage stage = Stage::Rest;
  friend bool operator==(const VerifyCase&, const VerifyCase&) = default;
};

// The size with the most points, hence the most tiles; `points` per size.
size_t main_size(const std::vector<double>& points);
// The step count that is tried first: several time tiles and a remainder if the list has one.
int64_t main_steps(const PlannedRow& row);

// Every case of the rows once, in this order:
//   InUse   the schedule that is in use on the first device, with the sizes compiled in
//   Family  one schedule of each other family, and of each family on the other devices
//   Edge    the other sizes and step counts of these schedules
//   Rest    all others, alternating between devices and families
// The first two stages run main_steps() at main_size(), or the first size that a build serves.
std::vector<VerifyCase> plan_cases(const std::vector<PlannedRow>& rows,
                                   const std::vector<double>& points);

}  // namespace stencil::runtime
