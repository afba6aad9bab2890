#include "tests/property/random.h"

#include <numeric>

namespace stencil::property {

uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15u;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
int Random::below(int n) {
  return static_cast<int>(next() % static_cast<uint64_t>(n));
}
int Random::between(int low, int high) {
  return low + below(high - low + 1);
}
bool Random::chance(int percent) {
  return below(100) < percent;
}
double Random::unit() {
  return static_cast<double>(next() >> 11) * 0x1p-53;
}

int Random::weighted(const std::vector<int>& weights) {
  int at = below(std::accumulate(weights.begin(), weights.end(), 0));
  int index = 0;
  while (at >= weights[index]) at -= weights[index++];
  return index;
}

}  // namespace stencil::property
