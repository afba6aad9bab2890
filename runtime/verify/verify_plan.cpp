// Compilation takes most of the time of `verify`: kernels of a large program take half a minute.
// The first two stages therefore compile few kernels and run each once; the third uses these
// kernels for everything that needs no compiler.
#include "runtime/verify/verify_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace stencil::runtime {

size_t main_size(const std::vector<double>& points) {
  const auto most = std::max_element(points.begin(), points.end());
  return most == points.end() ? 0 : static_cast<size_t>(most - points.begin());
}

int64_t main_steps(const PlannedRow& row) {
  const int64_t t = std::max<int64_t>(row.time_tile, 1);
  const int64_t most = 2 * t + 1;  // further counts are for reductions that are due late
  std::pair<bool, int64_t> best{false, row.steps.front()};
  for (const int64_t steps : row.steps) {
    if (steps > most) continue;
    best = std::max(best, {t == 1 || steps % t != 0, steps});
  }
  return best.second;
}

namespace {

using Stage = VerifyCase::Stage;

class Planner {
 public:
  Planner(const std::vector<PlannedRow>& rows, const std::vector<double>& points)
      : rows_(rows), sizes_(points.size()), main_size_(main_size(points)) {}

  std::vector<VerifyCase> plan() {
    add_schedules_in_use();
    add_families();
    add_edges();
    add_rest();
    return std::move(cases_);
  }

 private:
  void add(const VerifyCase& one) {
    if (!planned_.insert({one.row, one.build, one.size, one.steps}).second) return;
    cases_.push_back(one);
    const std::pair<size_t, size_t> kernels{one.row, one.build};
    if (std::find(started_.begin(), started_.end(), kernels) == started_.end()) {
      started_.push_back(kernels);
    }
  }
  const PlannedBuild& build_of(const std::pair<size_t, size_t>& kernels) const {
    return rows_[kernels.first].builds[kernels.second];
  }
  bool serves(const PlannedBuild& build, size_t size) const {
    return std::count(build.sizes.begin(), build.sizes.end(), size) > 0;
  }
  void add_main_case(size_t row, size_t build, Stage stage) {
    const PlannedBuild& kernels = rows_[row].builds[build];
    const size_t size = serves(kernels, main_size_) ? main_size_ : kernels.sizes.front();
    add({row, build, size, main_steps(rows_[row]), stage});
  }

  // A run compiles the sizes into the kernels. The kernels with open sizes follow later.
  void add_schedules_in_use() {
    for (size_t r = 0; r < rows_.size(); ++r) {
      const PlannedRow& row = rows_[r];
      if (!row.in_use || row.device != rows_.front().device || row.builds.empty()) continue;
      const auto closed =
          std::find_if(row.builds.begin(), row.builds.end(), [](const auto& b) { return !b.open; });
      const bool all_open = closed == row.builds.end();
      add_main_case(r, all_open ? 0 : static_cast<size_t>(closed - row.builds.begin()),
                    Stage::InUse);
    }
  }

  // The schedule in use if it is of the family, else the first with several steps per tile.
  void add_families() {
    std::vector<std::pair<std::string, std::string>> order;
    std::map<std::pair<std::string, std::string>, size_t> chosen;
    const auto rank = [](const PlannedRow& row) { return 2 * row.in_use + (row.time_tile > 1); };
    for (size_t r = 0; r < rows_.size(); ++r) {
      const PlannedRow& row = rows_[r];
      if (row.builds.empty()) continue;
      const auto [known, is_new] = chosen.try_emplace({row.device, row.family}, r);
      if (is_new) order.push_back(known->first);
      if (rank(row) > rank(rows_[known->second])) known->second = r;
    }
    const auto in_use = started_;
    for (const auto& group : order) {
      const size_t row = chosen[group];
      const bool has_run = std::any_of(in_use.begin(), in_use.end(),
                                       [&](const auto& kernels) { return kernels.first == row; });
      if (!has_run) add_main_case(row, 0, Stage::Family);
    }
  }

  // Last come the other kernels of the schedule in use, which may take long to compile.
  void add_edges() {
    const auto known = started_;
    add_edges_of(known);
    std::vector<std::pair<size_t, size_t>> others;
    for (const auto& [row, build] : known) {
      for (size_t b = 0; rows_[row].in_use && b < rows_[row].builds.size(); ++b) {
        others.emplace_back(row, b);
      }
    }
    add_edges_of(others);
  }

  void add_edges_of(const std::vector<std::pair<size_t, size_t>>& kernels) {
    for (size_t size = 0; size < sizes_; ++size) {
      for (const auto& [row, build] : kernels) {
        if (!serves(build_of({row, build}), size)) continue;
        for (const int64_t steps : rows_[row].steps) add({row, build, size, steps, Stage::Edge});
      }
    }
  }

  void add_rest() {
    std::map<std::pair<std::string, std::string>, size_t> seen;  // rows of a device and family
    std::vector<std::pair<size_t, size_t>> turns;                // turn, row
    for (size_t r = 0; r < rows_.size(); ++r) {
      if (rows_[r].builds.empty()) continue;
      turns.emplace_back(seen[{rows_[r].device, rows_[r].family}]++, r);
    }
    std::sort(turns.begin(), turns.end());
    for (const auto& [turn, row] : turns) {
      for (size_t build = 0; build < rows_[row].builds.size(); ++build) {
        for (const size_t size : rows_[row].builds[build].sizes) {
          for (const int64_t steps : rows_[row].steps) add({row, build, size, steps, Stage::Rest});
        }
      }
    }
  }

  const std::vector<PlannedRow>& rows_;
  const size_t sizes_, main_size_;
  std::vector<VerifyCase> cases_;
  std::set<std::tuple<size_t, size_t, size_t, int64_t>> planned_;
  std::vector<std::pair<size_t, size_t>>
      started_;  // row and build, in the order of their first case
};

}  // namespace

std::vector<VerifyCase> plan_cases(const std::vector<PlannedRow>& rows,
                                   const std::vector<double>& points) {
  return Planner(rows, points).plan();
}

}  // namespace stencil::runtime
