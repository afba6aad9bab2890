// What follows from the rows of boundaries.def.
#include "compiler/support/boundary.h"

#include <gtest/gtest.h>

namespace stencil {
namespace {

TEST(BoundaryRows, KeywordsFindTheirRow) {
  for (const BoundaryRow& row : kBoundaryRows) {
    EXPECT_EQ(find_boundary(row.keyword), row.kind);
    EXPECT_EQ(&row_of(row.kind), &row);
  }
  EXPECT_EQ(find_boundary("sideways"), std::nullopt);
}

// Schedules know only plain rules, so every rule is computed from one that finds the same image.
TEST(BoundaryRows, EveryRuleIsStoredAsAPlainOne) {
  for (const BoundaryRow& row : kBoundaryRows) {
    const BoundaryRow& stored = row_of(row.stored());
    EXPECT_TRUE(stored.plain()) << row.keyword;
    EXPECT_EQ(stored.joins_edges(), row.joins_edges()) << row.keyword;
    if (!row.plain()) continue;
    EXPECT_EQ(stored.kind, row.kind) << row.keyword;
  }
  EXPECT_EQ(row_of(BoundaryKind::Linear).stored(), BoundaryKind::Clamp);
  EXPECT_EQ(row_of(BoundaryKind::Antisymmetric).stored(), BoundaryKind::Mirror);
  EXPECT_EQ(row_of(BoundaryKind::Antiperiodic).stored(), BoundaryKind::Periodic);
}

TEST(BoundaryRows, ImageAndSignFindARule) {
  EXPECT_EQ(find_boundary(BoundaryImage::Wrap, 1), BoundaryKind::Periodic);
  EXPECT_EQ(find_boundary(BoundaryImage::Wrap, -1), BoundaryKind::Antiperiodic);
  EXPECT_EQ(find_boundary(BoundaryImage::Point, -1), BoundaryKind::Odd);  // not fixed
  EXPECT_EQ(find_boundary(BoundaryImage::Edge, -1), std::nullopt);
}

TEST(BoundaryRows, ListsOfRules) {
  std::string all;
  list_boundaries([&](std::string_view part) { all += part; });
  EXPECT_TRUE(all.starts_with("none, constant c, clamp, ")) << all;
  EXPECT_TRUE(all.ends_with(", periodic or antiperiodic")) << all;
  EXPECT_NE(all.find(", mirror gradient g, "), std::string::npos) << all;
  EXPECT_EQ(plain_boundary_list(), "none, a number, clamp, mirror or periodic");
}

}  // namespace
}  // namespace stencil
