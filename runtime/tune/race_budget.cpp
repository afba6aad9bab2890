#include "runtime/tune/race_budget.h"

#include <algorithm>

namespace stencil::tune {

namespace {

constexpr double kOfRun = 0.02;    // of the expected seconds
constexpr double kOfSaved = 0.25;  // of the seconds saved so far
constexpr double kGain = 0.1;      // expected gain of the first trial, of the seconds left

}  // namespace

void RaceBudget::led(double seconds, double gain) {
  saved_ += seconds * (gain - 1);
}

void RaceBudget::tried(double steps, double seconds, double leader) {
  lost_ += std::max(seconds - steps * leader, 0.0);
}

double RaceBudget::room() const {
  return kOfRun * expected_ + kOfSaved * std::max(saved_, 0.0) - lost_;
}

bool RaceBudget::repays(double cost, double left) const {
  return cost <= left * kGain / (1 + failures_);
}

}  // namespace stencil::tune
