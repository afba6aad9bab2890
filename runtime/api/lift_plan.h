// At which sizes, scalars, steps and data both sides are run.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/api/lift_memory.h"

namespace stencil::api {

class LiftPlan {
 public:
  LiftPlan(const lifter::Lifted& lifted, LiftValues& values, const OriginalMemory& memory);

  // Symbols that lengths of arrays and bounds of loops depend on.
  const std::set<int>& sizes() const { return in_shape_; }
  bool has_integers() const { return !integers_.empty(); }

  // What the first runs should cover: a symbol and its value. Sizes of three runs of moderate size
  // come first (symbol -1), then each size from 1, odd ones, and ones beyond the constants of the
  // code.
  struct Target {
    int symbol = -1;
    int64_t value = 0;
  };
  const std::vector<Target>& targets() const { return targets_; }

  // A case for a target that meets the requirements of the program; nothing if none was found.
  // `number`: of the run. Which data and how many steps follow from it.
  std::optional<LiftCase> aim(const Target& target, size_t number);
  // Any case; `number` counts on.
  std::optional<LiftCase> any(size_t number);
  // A case whose sizes an assumption excludes, for the original alone; nothing if there is none.
  std::optional<LiftCase> excluded(size_t number);
  // A size that no case can have because an assumption bounds it from above: its symbol.
  std::optional<int> bounded_above();

  // "sizes n = 1 to 7, 13, 67; m = 3", of all cases.
  std::string sizes_text(const std::vector<LiftCase>& cases) const;
  // A loop that ends by a condition is given time to.
  int64_t most_steps(const LiftCase& one) const;

 private:
  void make_targets();
  std::optional<LiftCase> guess(const Target& target, size_t number);
  std::optional<LiftCase> guess_any(size_t number);
  std::optional<LiftCase> guess_excluded(size_t number);
  std::optional<LiftCase> complete(std::optional<LiftCase> one);
  void scalars(LiftCase& one, size_t number, bool early, int attempt);
  bool points_fit(const LiftCase& one) const;
  bool requirements_hold(const LiftCase& one) const;
  // `possible`: as the program has them; else an empty array has one element.
  bool lengths(LiftCase& one, bool possible) const;
  bool feasible(LiftCase& one, bool with_points, double most_updates) const;
  int64_t some_size(int64_t near, bool small);
  LiftData data(size_t number) const { return kinds_[number % kinds_.size()]; }

  const lifter::Lifted& lifted_;
  LiftValues& values_;
  const OriginalMemory& memory_;
  std::set<int> in_shape_, in_steps_, integers_, tolerances_;
  std::vector<int64_t> fixed_;  // lengths that C fixes, and a little less
  std::vector<int64_t> large_;
  std::vector<int64_t> long_times_;
  std::vector<Target> targets_;
  std::vector<LiftData> kinds_;
};

}  // namespace stencil::api
