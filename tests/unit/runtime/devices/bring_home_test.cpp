#include "runtime/devices/bring_home.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>

namespace stencil::runtime {
namespace {

using Slots = std::vector<int>;

TEST(BringHome, MovesNothingIfAllLevelsAreInPlace) {
  Slots slots = {3, 1, 2};
  EXPECT_TRUE(bring_home(slots, {3, 1}).empty());
  EXPECT_EQ(slots, (Slots{3, 1, 2}));
}

TEST(BringHome, CopiesOneLevelFromTheSpare) {
  Slots slots = {9, 1};  // the newest level is in the spare buffer
  EXPECT_EQ(bring_home(slots, {1}), (std::vector<std::pair<int, int>>{{1, 9}}));
  EXPECT_EQ(slots, (Slots{1, 9}));
}

TEST(BringHome, BreaksCyclesThroughASpare) {
  Slots slots = {2, 1, 9};
  EXPECT_EQ(bring_home(slots, {1, 2}).size(), 3u);
  EXPECT_EQ(slots, (Slots{1, 2, 9}));
}

// For any order of levels and spares: every level arrives with its contents, no buffer is lost, and
// the number of copies is at most the displaced levels plus the cycles.
TEST(BringHome, MovesEveryLevelFromAnywhere) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const size_t levels = 1 + random() % 5, spares = 1 + random() % 3;
    Slots slots(levels + spares);
    std::iota(slots.begin(), slots.end(), 10);
    const Slots home(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(levels));
    std::shuffle(slots.begin(), slots.end(), random);
    std::map<int, int> contents;  // buffer -> the level it holds, or -1
    for (size_t s = 0; s < slots.size(); ++s) {
      contents[slots[s]] = s < levels ? static_cast<int>(s) : -1;
    }
    size_t away = 0;
    for (size_t k = 0; k < levels; ++k) away += slots[k] != home[k];
    const auto copies = bring_home(slots, home);
    for (const auto& [to, from] : copies) contents[to] = contents[from];
    for (size_t k = 0; k < levels; ++k) {
      ASSERT_EQ(slots[k], home[k]);
      ASSERT_EQ(contents[home[k]], static_cast<int>(k));
    }
    ASSERT_LE(copies.size(), away + away / 2);
    std::sort(slots.begin(), slots.end());
    for (size_t s = 0; s < slots.size(); ++s) ASSERT_EQ(slots[s], 10 + static_cast<int>(s));
  }
}

}  // namespace
}  // namespace stencil::runtime
