// Chooses the sizes, scalars, steps and data for the runs of the original and the program.
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

  // Symbols in lengths of arrays and bounds of loops.
  const std::set<int>& sizes() const { return in_shape_; }
  bool has_integers() const { return !integers_.empty(); }

  // A symbol and a value for it that one of the first runs should use. The first three runs have
  // moderate sizes and no target (symbol -1). They are followed by small sizes from 1, odd sizes,
  // and sizes beyond the constants of the code.
  struct Target {
    int symbol = -1;
    int64_t value = 0;
  };
  const std::vector<Target>& targets() const { return targets_; }

  // A case for a target that meets the requirements of the program; nullopt if none was found.
  // `number`: index of the run, which determines the kind of data and the number of steps.
  std::optional<LiftCase> aim(const Target& target, size_t number);
  // A random case; `number` continues the count.
  std::optional<LiftCase> any(size_t number);
  // A case that violates a requirement. Only the original can run it. nullopt if none was found.
  std::optional<LiftCase> excluded(size_t number);
  // The symbol of a size that an assumption bounds from above.
  std::optional<int> bounded_above();

  // The sizes of all cases: "sizes n = 1 to 7, 13, 67; m = 3".
  std::string sizes_text(const std::vector<LiftCase>& cases) const;
  // The number of steps to run, which is limited for loops with a stop condition.
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
  // `possible`: refuse empty arrays, as the program does; otherwise treat them as one element.
  bool lengths(LiftCase& one, bool possible) const;
  bool feasible(LiftCase& one, bool with_points, double most_updates) const;
  int64_t some_size(int64_t near, bool small);
  LiftData data(size_t number) const { return kinds_[number % kinds_.size()]; }

  const lifter::Lifted& lifted_;
  LiftValues& values_;
  const OriginalMemory& memory_;
  std::set<int> in_shape_, in_steps_, integers_, tolerances_;
  std::vector<int64_t> fixed_;  // lengths fixed in C, and slightly smaller values
  std::vector<int64_t> large_;
  std::vector<int64_t> long_times_;
  std::vector<Target> targets_;
  std::vector<LiftData> kinds_;
};

}  // namespace stencil::api
