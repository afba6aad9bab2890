// How many threads work is shared among.
#pragma once

#include <cstdlib>
#include <optional>
#include <string_view>

#include "compiler/support/numbers.h"

namespace stencil {

// What STENCIL_THREADS may be: a number from 1 to 4096.
inline std::optional<int> parse_threads(std::string_view text) {
  constexpr int kMost = 4096;
  const auto number = parse_integer(text, 1, kMost);
  return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

// $STENCIL_THREADS, or `processors` if it is not set. What it may not be is reported before
// anything asks (runtime/environment.h).
inline int wanted_threads(int processors) {
  const char* const text = std::getenv("STENCIL_THREADS");
  return parse_threads(text != nullptr ? text : "").value_or(processors);
}

}  // namespace stencil
