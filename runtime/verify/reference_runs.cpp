#include "runtime/verify/reference_runs.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <string>

#include "compiler/reference/interpreter.h"
#include "compiler/reference/points.h"

namespace stencil::runtime {

using reference::State;

namespace {

double points_of(const SizeCase& size) {
  double points = 1;
  for (const ir::Field& field : size.program.fields) {
    const auto box = reference::concrete(field.box, size.params.integers);
    const auto count = box ? reference::count_points(*box) : std::nullopt;
    points = std::max(points, static_cast<double>(count.value_or(1)));
  }
  return points;
}

}  // namespace

ReferenceRuns::ReferenceRuns(const std::vector<SizeCase>& sizes, uint64_t seed, bool only_positive)
    : sizes_(sizes), seed_(seed), only_positive_(only_positive), runs_(sizes.size()) {
  for (const SizeCase& size : sizes) points_.push_back(points_of(size));
}

ReferenceRuns::Runs& ReferenceRuns::runs(size_t size) {
  if (runs_[size]) return *runs_[size];
  const SizeCase& at = sizes_[size];
  std::string error;
  auto state = reference::allocate(at.program, at.params.integers, at.params.reals, error);
  if (!state) throw std::bad_alloc();  // choose_sizes chose small sizes that pass all checks
  // The last size uses the program's own initial values, if any.
  const bool own = size + 1 == sizes_.size() && !at.program.inits.empty();
  if (own) {
    reference::initialise(at.program, *state);
  } else {
    fill_randomly(*state, seed_ + size, size % 2 == 0 || only_positive_);
  }
  // The program's points may be meant for other sizes.
  if (!own || reference::misplaced_points(at.program, *state)) {
    reference::spread_points(at.program, *state);
  }
  runs_[size] = Runs{std::move(*state), {}};
  return *runs_[size];
}

const State& ReferenceRuns::initial(size_t size) {
  return runs(size).initial;
}

const State& ReferenceRuns::after(size_t size, int64_t steps) {
  Runs& of_size = runs(size);
  const auto known = of_size.after.find(steps);
  if (known != of_size.after.end()) return known->second;
  // Continues from the latest earlier state.
  const auto later = of_size.after.upper_bound(steps);
  State state = later == of_size.after.begin() ? of_size.initial : std::prev(later)->second;
  const auto begin = std::chrono::steady_clock::now();
  work_ += static_cast<double>(steps - state.step) * points_[size];
  reference::advance(sizes_[size].reference, state, steps - state.step);
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return of_size.after.emplace(steps, std::move(state)).first->second;
}

double ReferenceRuns::expected_seconds(size_t size, int64_t steps) const {
  if (work_ <= 0) return 0;
  if (const std::optional<Runs>& known = runs_[size]) {
    const auto later = known->after.upper_bound(steps);
    if (later != known->after.begin()) steps -= std::prev(later)->first;
  }
  return seconds_ / work_ * points_[size] * static_cast<double>(steps);
}

}  // namespace stencil::runtime
