// Random numbers for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stencil::property {

// A small deterministic generator (splitmix64), the same on every platform.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next();
  int below(int n);                // 0 .. n-1
  int between(int low, int high);  // inclusive
  bool chance(int percent);
  double unit();                                  // [0, 1)
  int weighted(const std::vector<int>& weights);  // an index, with probability by weight
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(static_cast<int>(from.size()))];
  }

 private:
  uint64_t state_;
};

}  // namespace stencil::property
