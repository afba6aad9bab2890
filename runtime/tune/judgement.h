// Decides when one candidate beats another, from the times of their runs.
#pragma once

#include <vector>

namespace stencil::tune {

// A timed run of a candidate. In a round each candidate has at most one.
struct TimedRun {
  int round;
  double seconds;  // per step
};
using TimedRuns = std::vector<TimedRun>;

double median(std::vector<double> values);  // of at least one value
double median(const TimedRuns& runs);
// The median absolute deviation.
double spread(const TimedRuns& runs);

// Whether `leader` beats `other` beyond the noise. Only rounds with runs of both count. From the
// third such round on, every run of `other` must exceed the leader's median by more than the spread
// (of the noisier candidate, at least half a percent of the median). Before that, only clear
// differences count: every run of `other` must exceed 1.3 times the leader's median after two
// rounds, and twice the median after one.
bool beats(const TimedRuns& leader, const TimedRuns& other);

// Whether `other` counts as equally fast: its median is at most one percent above.
bool equals(const TimedRuns& leader, const TimedRuns& other);

}  // namespace stencil::tune
