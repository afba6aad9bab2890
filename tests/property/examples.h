// Small versions of the programs in dsl-examples/.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace stencil::property {

struct Example {
  std::string name;
  std::string text;  // with small defaults of the integer params that determine sizes
  std::vector<std::pair<std::string, int64_t>> sizes;  // these params and their defaults
};

// All examples, each with at most `most_points` points if its requirements permit that.
std::vector<Example> small_examples(int64_t most_points);

}  // namespace stencil::property
