// The interpreter's results for `verify`: computed once per size and step count, and shared by all
// schedules and devices.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "runtime/verify/verify_cases.h"

namespace stencil::runtime {

class ReferenceRuns {
 public:
  // `seed` determines the random initial values. With `only_positive` all of them are positive, so
  // that results within a tolerance can be compared.
  ReferenceRuns(const std::vector<SizeCase>& sizes, uint64_t seed, bool only_positive);

  // The initial data at a size.
  const reference::State& initial(size_t size);
  // The state after that many steps.
  const reference::State& after(size_t size, int64_t steps);

  // Points of the largest field, per size.
  const std::vector<double>& points() const { return points_; }
  // Seconds that after() is expected to take, by the average of those so far; 0 before the first.
  double expected_seconds(size_t size, int64_t steps) const;

 private:
  struct Runs {
    reference::State initial;
    std::map<int64_t, reference::State> after;
  };
  Runs& runs(size_t size);

  const std::vector<SizeCase>& sizes_;
  const uint64_t seed_;
  const bool only_positive_;
  std::vector<double> points_;
  std::vector<std::optional<Runs>> runs_;
  double seconds_ = 0, work_ = 0;  // seconds spent, and points times steps done in them
};

}  // namespace stencil::runtime
