// How many threads work is shared among.
#pragma once

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace stencil {

// $STENCIL_THREADS if that is a number from 1 to 4096, else `processors`.
inline int wanted_threads(int processors) {
  constexpr int kMost = 4096;
  const char* const text = std::getenv("STENCIL_THREADS");
  if (text == nullptr) return processors;
  int number = 0;
  const char* const end = text + std::strlen(text);
  const auto [at, error] = std::from_chars(text, end, number);
  const bool sound = error == std::errc() && at == end && number >= 1 && number <= kMost;
  return sound ? number : processors;
}

}  // namespace stencil
