// When one candidate has beaten another: arithmetic on runs, without devices.
#pragma once

#include <vector>

namespace stencil::tune {

// Seconds per step of a candidate's runs, by round; rounds in which it had no turn are missing.
struct Run {
  int round;
  double seconds;
};
using Runs = std::vector<Run>;

double median(std::vector<double> values);  // of at least one
double median(const Runs& runs);
// The median distance from the median.
double spread(const Runs& runs);

// Whether `leader` beats `other` beyond the noise. Rounds that only one of them took part in do not
// count. From the third round in common on: if the other was never as quick as the leader's median
// and the spread on top, which is that of the noisier one and at least half a percent of the
// median. Before that only what is clear counts: after two rounds if it took 1.3 times the leader's
// median in both, after one if it took twice that.
bool beats(const Runs& leader, const Runs& other);

// Whether `other` may as well be taken for as quick: its median is at most one percent above.
bool equals(const Runs& leader, const Runs& other);

}  // namespace stencil::tune
