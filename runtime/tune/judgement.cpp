#include "runtime/tune/judgement.h"

#include <algorithm>
#include <cmath>

namespace stencil::tune {

namespace {

constexpr double kClearly[] = {2, 1.3};  // factors after one and after two rounds
constexpr size_t kRoundsToJudge = 1 + std::size(kClearly);
constexpr double kLeastSpread = 0.005;  // relative to the median
constexpr double kEqual = 1.01;         // factor

TimedRuns in_common(const TimedRuns& of, const TimedRuns& with) {
  TimedRuns out;
  for (const TimedRun& run : of) {
    const bool both = std::any_of(with.begin(), with.end(),
                                  [&](const TimedRun& other) { return other.round == run.round; });
    if (both) out.push_back(run);
  }
  return out;
}

std::vector<double> seconds_of(const TimedRuns& runs) {
  std::vector<double> out;
  for (const TimedRun& run : runs) out.push_back(run.seconds);
  return out;
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

double median(const TimedRuns& runs) {
  return median(seconds_of(runs));
}

double spread(const TimedRuns& runs) {
  const double middle = median(runs);
  std::vector<double> distances = seconds_of(runs);
  for (double& seconds : distances) seconds = std::fabs(seconds - middle);
  return median(std::move(distances));
}

bool beats(const TimedRuns& leader, const TimedRuns& other) {
  const TimedRuns own = in_common(leader, other), its = in_common(other, leader);
  if (own.empty()) return false;
  const double middle = median(own);
  double least = its.front().seconds;
  for (const TimedRun& run : its) least = std::min(least, run.seconds);
  if (own.size() < kRoundsToJudge) return least > kClearly[own.size() - 1] * middle;
  const double noise = std::max({spread(own), spread(its), kLeastSpread * middle});
  return least > middle + noise;
}

bool equals(const TimedRuns& leader, const TimedRuns& other) {
  return median(other) <= kEqual * median(leader);
}

}  // namespace stencil::tune
