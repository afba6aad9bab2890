// The programs of dsl-examples/, made small.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace stencil::property {

struct Example {
  std::string name;
  std::string text;  // the defaults of the integer params that sizes follow from are small
  std::vector<std::pair<std::string, int64_t>> sizes;  // these params and their defaults
};

// All of them, each with at most `most_points` points if its requirements allow that.
std::vector<Example> small_examples(int64_t most_points);

}  // namespace stencil::property
