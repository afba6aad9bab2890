#include "runtime/tune/race_budget.h"

#include <algorithm>

namespace stencil::tune {

namespace {

constexpr double kOfRun = 0.02;    // of the expected seconds
constexpr double kOfSaved = 0.25;  // of the seconds saved so far
constexpr double kRepays = 20;  // times its cost that must be left: one trial in four gains a fifth

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

bool RaceBudget::allows(double cost, double left) const {
  return cost <= room() && left >= kRepays * cost;
}

bool RaceBudget::is_over(double cost, double left) const {
  return left < kRepays * cost;
}

}  // namespace stencil::tune
