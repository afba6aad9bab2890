#include "runtime/tune/race_budget.h"

#include <algorithm>

namespace stencil::tune {

namespace {

constexpr double kOfRun = 0.02, kOfRunOnCpu = 0.1;  // of the expected seconds
constexpr double kOfSaved = 0.25;                   // of the seconds saved so far
constexpr double kGain = 0.05;  // expected gain of the first trial, of the seconds left
constexpr double kMuch = 0.2;   // predicted gain that is worth more than the usual
constexpr double kTrust = 0.5;  // part of a predicted gain that is expected

}  // namespace

void RaceBudget::led(double seconds, double gain) {
  saved_ += seconds * (gain - 1);
}

void RaceBudget::tried(double steps, double seconds, double leader) {
  lost_ += std::max(seconds - steps * leader, 0.0);
}

double RaceBudget::room() const {
  return (on_cpu_ ? kOfRunOnCpu : kOfRun) * expected_ + kOfSaved * std::max(saved_, 0.0) - lost_;
}

bool RaceBudget::repays(double cost, double left) const {
  return cost <= left * kGain / (1 + failures_);
}

bool RaceBudget::allows_with_gain(double cost, double left, double gain) const {
  return allows(cost, left) || (gain > kMuch && cost < kTrust * gain * left);
}

}  // namespace stencil::tune
