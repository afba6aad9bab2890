// The maps between grids, the places of their points, and which accesses leave a field.
#include <gtest/gtest.h>

#include <numeric>

#include "compiler/ir/axes.h"
#include "compiler/ir/program.h"
#include "compiler/ir/region.h"

namespace stencil::ir {
namespace {

Box range_box(int64_t low, int64_t high) {
  Box box;
  box.ranges.push_back({Affine{low, {}}, Affine{high, {}}});
  return box;
}

Domain derived(DomainId of, int ratio, bool cells = false) {
  Domain domain;
  domain.box = range_box(0, 0);
  domain.coarsened = Coarsening{of, {ratio}, cells};
  return domain;
}

// F, then C = F by 2, D = C by 3 cells, E = F by 4, H = F by 3.
Program family() {
  Program program;
  program.domain().box = range_box(0, 47);
  program.domains.push_back(derived(0, 2));
  program.domains.push_back(derived(1, 3, true));
  program.domains.push_back(derived(0, 4));
  program.domains.push_back(derived(0, 3));
  return program;
}

TEST(IndexMaps, RoundDown) {
  for (int scale = 1; scale <= 4; ++scale) {
    for (int divisor = 1; divisor <= 4; ++divisor) {
      for (int offset = -9; offset <= 9; ++offset) {
        IndexMap map(offset);
        map.scale = scale;
        map.divisor = divisor;
        for (int64_t i = -9; i <= 9; ++i) {
          const int64_t at = map.of(i), exact = scale * i + offset;
          EXPECT_LE(at * divisor, exact);
          EXPECT_GT((at + 1) * divisor, exact);
        }
      }
    }
  }
}

TEST(IndexMaps, BetweenGridsFollowTheRatiosToTheFirstGrid) {
  const Program program = family();
  const int to_first[] = {1, 2, 6, 4, 3};
  for (int from = 0; from < 5; ++from) {
    for (int to = 0; to < 5; ++to) {
      const std::vector<IndexMap> maps = maps_between(program, from, to);
      ASSERT_EQ(maps.size(), 1u);
      EXPECT_EQ(maps[0].offset, 0);
      EXPECT_EQ(maps[0].scale * to_first[to], maps[0].divisor * to_first[from]);
      EXPECT_EQ(std::gcd(maps[0].scale, maps[0].divisor), 1);
      EXPECT_EQ(maps[0].shifts(), to_first[from] == to_first[to]);
    }
  }
}

TEST(Places, OfCellsAreInTheMiddleOfTheCellsThatTheyCover) {
  const Program program = family();
  const auto place = [&](int domain, int64_t i) {
    const auto [ratio, shift] = place_in_first_domain(program, domain, 0);
    return ratio * static_cast<double>(i) + shift;
  };
  for (int64_t i = -3; i <= 3; ++i) {
    EXPECT_EQ(place(0, i), i);
    EXPECT_EQ(place(1, i), 2 * i);
    // Cell i of D covers points 3 * i to 3 * i + 2 of C, which lie at 6 * i to 6 * i + 4.
    EXPECT_EQ(place(2, i), 6 * i + 2);
    EXPECT_EQ(place(3, i), 4 * i);
  }
}

TEST(Places, GiveTheAxesOfAField) {
  Program program = family();
  Field field;
  field.box = range_box(0, 7);
  field.domain = 2;
  const std::vector<AxisValue> axes = axes_of(program, field, {{0.5, 0.25}});
  ASSERT_EQ(axes.size(), 1u);
  EXPECT_EQ(axes[0].origin, 0.5 + 0.25 * 2);
  EXPECT_EQ(axes[0].spacing, 0.25 * 6);
  EXPECT_FALSE(indices_are_coordinates(program, field));
  field.domain = 0;
  EXPECT_TRUE(indices_are_coordinates(program, field));
  // In single precision each operation rounds, as in a program.
  program.real = Scalar::F32;
  field.domain = 4;
  const auto rounded = axes_of(program, field, {{0, static_cast<double>(0.1F)}});
  EXPECT_EQ(rounded[0].spacing, static_cast<double>(0.1F * 3.0F));
}

// All points of a small region, compared with the bits that RegionBounds finds.
TEST(RegionsAcrossGrids, EscapesAreFoundExactlyForKnownSizes) {
  for (int scale = 1; scale <= 3; ++scale) {
    for (int divisor = 1; divisor <= 3; ++divisor) {
      if (scale > 1 && divisor > 1 && scale == divisor) continue;
      for (int offset = -6; offset <= 6; ++offset) {
        for (int64_t low = -4; low <= 2; ++low) {
          for (int64_t high = low; high <= low + 7; ++high) {
            Program program;
            program.domain().box = range_box(-20, 20);
            program.domains.push_back(derived(0, 2));
            Field field;
            field.box = range_box(-3, 4);
            field.domain = 1;
            field.boundary = uniform_boundary(1, {BoundaryKind::Clamp, {}});
            program.fields.push_back(field);
            const Box region = range_box(low, high);
            RegionBounds bounds(program, {}, region, {&region});
            Access access{0, 0, 0, shifts({offset}), 0};
            access.maps[0].scale = scale;
            access.maps[0].divisor = divisor;
            uint32_t expected = 0;
            bool reaches_low = false, reaches_high = false;
            for (int64_t i = low; i <= high; ++i) {
              const int64_t at = access.maps[0].of(i);
              expected |= at < -3 ? 1u : at > 4 ? 2u : 0u;
              reaches_low |= at <= -3;
              reaches_high |= at >= 4;
            }
            EXPECT_EQ(bounds.escapes(access), expected);
            EXPECT_EQ(bounds.may_reach_edge(access, 0, true), reaches_low);
            EXPECT_EQ(bounds.may_reach_edge(access, 0, false), reaches_high);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace stencil::ir
