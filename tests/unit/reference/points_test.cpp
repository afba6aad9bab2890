// The tables of a set of points.
#include "compiler/support/place_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace stencil::reference {
namespace {

constexpr int64_t kLow[] = {0, 10}, kHigh[] = {3, 49};

struct Tables {
  std::vector<int32_t> slabs, starts, columns, numbers, entries, firsts, counts;
  std::vector<float> weights;
  int64_t count = 0;

  // Points on a grid of 4 x 40 points, with two buckets per row.
  Tables(int width, const std::vector<std::vector<double>>& at,
         const std::vector<std::vector<double>>& given = {}) {
    std::vector<const double*> places, weighting;
    for (const auto& dimension : at) places.push_back(dimension.data());
    for (const auto& one : given) weighting.push_back(one.data());
    const auto points = static_cast<int64_t>(at[0].size());
    const auto most = static_cast<size_t>(points * width * width);
    slabs.resize(4);
    starts.resize(4 * 2 + 1);
    columns.resize(most);
    numbers.resize(most);
    entries.resize(most);
    firsts.resize(static_cast<size_t>(2 * points));
    weights.resize(most);
    counts.resize(2 * 3 * 5);  // each plane has one group of rows
    const stencil_point_set set{2,      kLow,          kHigh,
                                kLow,   kHigh,         width,
                                points, places.data(), given.empty() ? nullptr : weighting.data()};
    count = stencil_place_points<float>(
        set, {slabs.data(), starts.data(), columns.data(), numbers.data(), weights.data(),
              entries.data(), firsts.data(), counts.data()});
  }
};

TEST(PlacePoints, ListsEntriesByBucketAndNumber) {
  const Tables made(2, {{1.25, 3, 1.25}, {41.5, 49, 41.5}});
  EXPECT_EQ(made.count, 9);  // the second point coincides with a grid point
  EXPECT_EQ(made.slabs, (std::vector<int32_t>{-1, 0, 1, 2}));
  // Rows of planes 1 to 3. Column 41 is in the first bucket, 42 and 49 are in the second.
  const std::vector<int32_t> starts(made.starts.begin(), made.starts.begin() + 7);
  EXPECT_EQ(starts, (std::vector<int32_t>{0, 2, 4, 6, 8, 8, 9}));
  const std::vector<int32_t> numbers(made.numbers.begin(), made.numbers.begin() + 9);
  EXPECT_EQ(numbers, (std::vector<int32_t>{0, 2, 0, 2, 0, 2, 0, 2, 1}));
  EXPECT_EQ(made.weights[0], 0.375f);
  EXPECT_EQ(made.weights[8], 1.0f);
  EXPECT_EQ(std::count(made.entries.begin(), made.entries.end(), -1), 3);
}

TEST(PlacePoints, CountsEntriesOfBoxes) {
  const Tables made(2, {{1.25, 3, 1.25}, {41.5, 49, 41.5}});
  // The number of entries before the given group of rows and bucket, for each plane.
  const auto before = [&](int groups, int buckets) {
    const auto at = made.counts.begin() + (groups * 3 + buckets) * 5;
    return std::vector<int32_t>(at, at + 5);
  };
  EXPECT_EQ(before(1, 0), (std::vector<int32_t>{0, 0, 0, 0, 0}));
  EXPECT_EQ(before(1, 1), (std::vector<int32_t>{0, 0, 2, 4, 4}));
  EXPECT_EQ(before(1, 2), (std::vector<int32_t>{0, 0, 4, 8, 9}));
  EXPECT_EQ(before(0, 2), (std::vector<int32_t>{0, 0, 0, 0, 0}));
}

TEST(PlacePoints, CountsRowsByEights) {
  constexpr int64_t low[] = {0, 0, 0}, high[] = {1, 19, 3};
  const double at[][3] = {{0, 0, 1}, {7, 8, 19}, {0, 3, 0}};
  const double* const places[] = {at[0], at[1], at[2]};
  const stencil_point_set set{3, low, high, low, high, 2, 3, places, nullptr};
  std::vector<int32_t> slabs(2), starts(41), columns(24), numbers(24), entries(24);
  std::vector<int32_t> firsts(9), counts(4 * 2 * 3);
  std::vector<double> weights(24);
  stencil_place_points<double>(set, {slabs.data(), starts.data(), columns.data(), numbers.data(),
                                     weights.data(), entries.data(), firsts.data(), counts.data()});
  const std::vector<int32_t> expected = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1,
                                         0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 2, 3};
  EXPECT_EQ(counts, expected);
}

TEST(PlacePoints, OmitsWeightsBeyondTheDomain) {
  const std::vector<double> nan = {std::numeric_limits<double>::quiet_NaN()};
  const Tables made(3, {{0}, {49}}, {nan, nan, nan, nan, nan, nan});
  EXPECT_EQ(made.count, 4);
  EXPECT_EQ(made.entries, (std::vector<int32_t>{-1, -1, -1, 0, 1, -1, 2, 3, -1}));
  EXPECT_EQ(made.firsts, (std::vector<int32_t>{-1, 48}));
  EXPECT_EQ(made.slabs, (std::vector<int32_t>{0, 1, -1, -1}));
  EXPECT_TRUE(std::isnan(made.weights[0]));
}

}  // namespace
}  // namespace stencil::reference
