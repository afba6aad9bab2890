// Interpolation between measurements of other sizes.
#include "runtime/tune/entry.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/runtime/tune/entries.h"

namespace stencil::tune {
namespace {

TEST(Interpolate, TakesTheFastestLineOfTheSameSizes) {
  const std::vector<Entry> known = {entry_at({100, 100}, "a", 3e-6),
                                    entry_at({100, 100}, "b", 2e-6),
                                    entry_at({200, 200}, "a", 1e-6)};
  const auto found = interpolate(known, {100, 100});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->schedule, "b");
  EXPECT_EQ(found->seconds, 2e-6);
  EXPECT_TRUE(found->exact);
  EXPECT_EQ(found->from, (std::vector<Sizes>{{100, 100}}));
}

TEST(Interpolate, GivesNothingWithoutNearbySizes) {
  EXPECT_FALSE(interpolate({}, {100}));
  EXPECT_FALSE(interpolate({entry_at({100, 100}, "a", 1e-6)}, {100})) << "another rank";
  EXPECT_FALSE(interpolate({entry_at({100, 100}, "a", 1e-6)}, {100, 201})) << "too far";
  EXPECT_FALSE(interpolate({entry_at({100, 100}, "a", 1e-6)}, {49, 100})) << "too far";
}

// "a" is faster on the small grid, "b" on the large one. Seconds per point are interpolated
// linearly between the logarithms, so the crossover is known.
TEST(Interpolate, InterpolatesBetweenTheNearestSizesOfEachLine) {
  const auto per_point = [](const Sizes& sizes, const char* line, double seconds) {
    return entry_at(sizes, line, seconds * points_of(sizes));
  };
  const std::vector<Entry> known = {
      per_point({100, 100}, "a", 1e-9),    per_point({100, 100}, "b", 4e-9),
      per_point({1600, 1600}, "a", 4e-9),  per_point({1600, 1600}, "b", 1e-9),
      per_point({1600, 1600}, "c", 1e-12),  // fastest, but known on one side only
      per_point({10, 10}, "a", 1e-3),       // further away
  };
  auto found = interpolate(known, {200, 200});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->schedule, "a");
  // A quarter of the way: 4^(1/4) times as long per point.
  EXPECT_NEAR(found->seconds, 1e-9 * std::sqrt(2.0) * 200 * 200, 1e-9);
  EXPECT_FALSE(found->exact);
  EXPECT_EQ(found->from, (std::vector<Sizes>{{100, 100}, {1600, 1600}}));
  found = interpolate(known, {600, 600});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->schedule, "b");
}

// A long narrow grid does not bracket a square one, whatever its number of points.
TEST(Interpolate, NeedsEveryExtentBracketed) {
  const std::vector<Entry> known = {entry_at({10, 100}, "a", 1e-9),
                                    entry_at({10, 1000000}, "a", 1e-9),
                                    entry_at({900, 900}, "b", 1e-3)};
  const auto found = interpolate(known, {1000, 1000});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->schedule, "b") << "near enough";
}

TEST(Interpolate, OtherwiseTakesTheFastestLineOfTheNearestSizes) {
  const std::vector<Entry> known = {entry_at({100, 100}, "a", 1e-9),
                                    entry_at({180, 180}, "b", 4e-6),
                                    entry_at({180, 180}, "c", 2e-6)};
  const auto found = interpolate(known, {200, 200});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->schedule, "c");
  EXPECT_NEAR(found->seconds, 2e-6 * (200.0 * 200) / (180.0 * 180), 1e-12);
  EXPECT_EQ(found->from, (std::vector<Sizes>{{180, 180}}));
  // The order of the entries does not matter.
  const auto again = interpolate({known[2], known[1], known[0]}, {200, 200});
  EXPECT_EQ(again->schedule, "c");
}

TEST(Entry, FlawOfDescribesTheError) {
  const Entry sound = entry_at({10}, "direct", 1e-6);
  EXPECT_EQ(flaw_of(sound), "");
  const auto flaw = [&](auto change) {
    Entry entry = sound;
    change(entry);
    return flaw_of(entry);
  };
  EXPECT_EQ(flaw([](Entry& e) { e.seconds = 0; }), "seconds is not above 0");
  EXPECT_EQ(flaw([](Entry& e) { e.seconds = NAN; }), "seconds is not above 0");
  EXPECT_EQ(flaw([](Entry& e) { e.spread = -1; }), "spread is below 0");
  EXPECT_EQ(flaw([](Entry& e) { e.runs = 0; }), "runs is below 1");
  EXPECT_EQ(flaw([](Entry& e) { e.sizes = {}; }), "sizes has no extent");
  EXPECT_EQ(flaw([](Entry& e) { e.sizes = {4, 0}; }), "sizes has an extent below 1");
  EXPECT_EQ(flaw([](Entry& e) { e.schedule = ""; }), "schedule is empty or too long");
  EXPECT_EQ(flaw([](Entry& e) { e.key.machine = std::string(2000, 'x'); }),
            "machine is empty or too long");
}

}  // namespace
}  // namespace stencil::tune
