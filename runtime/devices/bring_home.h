// Bringing time levels back to where their user looks for them.
//
// Levels take turns in memory: a step writes into a spare copy, which then counts as the newest.
// Where some of the memory is the user's, who was promised to find level k at address k, levels
// that stand elsewhere have to move once the steps are done.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace stencil::runtime {

// `slots` says where each level stands, newest first, and then which memory is free: home.size()
// levels, at least one free slot if any level is away. Puts level k at home[k]; returns the copies
// (to, from) that this takes, in order, and leaves `slots` as they are after them.
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
    size_t waiting = home.size();  // a level whose place another one holds
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
    move(waiting, levels);  // a cycle: one steps aside
    away = true;
  }
  return copies;
}

}  // namespace stencil::runtime
