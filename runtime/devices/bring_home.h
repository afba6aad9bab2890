// Moves time levels back to the user's addresses.
//
// Levels rotate in memory: a step writes into a spare copy, which becomes the newest level. If the
// memory is the user's, level k must be at the user's address k after the steps, so levels that are
// elsewhere are copied.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace stencil::runtime {

// `slots` holds the location of each level, newest first, followed by the free memory. It has
// home.size() levels, and at least one free slot if any level is not at its home. Puts level k at
// home[k]. Returns the necessary copies (to, from) in order and updates `slots`.
template <class Memory>
std::vector<std::pair<Memory, Memory>> bring_home(std::vector<Memory>& slots,
                                                  const std::vector<Memory>& home) {
  std::vector<std::pair<Memory, Memory>> copies;
  const auto levels = slots.begin() + static_cast<std::ptrdiff_t>(home.size());
  const auto move = [&](size_t level, typename std::vector<Memory>::iterator free) {
    copies.emplace_back(*free, slots[level]);
    std::swap(*free, slots[level]);
  };
  for (bool away = true; away;) {
    away = false;
    size_t waiting = home.size();  // a level whose home holds another level
    for (size_t k = 0; k < home.size(); ++k) {
      if (slots[k] == home[k]) continue;
      const auto place = std::find(levels, slots.end(), home[k]);
      if (place == slots.end()) {
        waiting = k;
        continue;
      }
      move(k, place);
      away = true;
    }
    if (away || waiting == home.size()) continue;
    move(waiting, levels);  // breaks a cycle by moving one level to free memory
    away = true;
  }
  return copies;
}

}  // namespace stencil::runtime
