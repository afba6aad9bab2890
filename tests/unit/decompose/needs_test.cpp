// The halos of subdomains, compared with halos counted by hand.
#include "compiler/decompose/needs.h"

#include <map>
#include <random>

#include "tests/unit/load.h"

namespace stencil::decompose {
namespace {

using analysis::Margin;
using Halos = std::map<std::pair<std::string, int>, Margin>;  // by field and history level

Halos halos(const std::string& text, const Cuts& cuts, int64_t steps, size_t occasion = 0) {
  const auto program = at_sizes(test::load(text), {});
  Diagnostics diagnostics;
  const auto decomposition = decompose(*program, cuts, steps, diagnostics);
  EXPECT_TRUE(decomposition) << render(Source("", ""), diagnostics);
  if (!decomposition) return {};
  EXPECT_EQ(decomposition->steps, steps);
  Halos out;
  for (const Need& need : decomposition->needs.by_occasion[occasion]) {
    out[{program->fields[need.field].name, need.level}] = need.margin;
  }
  return out;
}

TEST(Needs, JacobiHaloIsOnePointPerStep) {
  const char* const text = R"(
grid G = [0..99, 0..99] steps 9;
field A : real on G;
stencil f : A[1..98, 1..98] = A[-1,0] + A[1,0] + A[0,-1] + A[0,1];
)";
  EXPECT_EQ(halos(text, {2, 2}, 1), (Halos{{{"A", 0}, {{1, 1}, {1, 1}}}}));
  EXPECT_EQ(halos(text, {2, 2}, 5), (Halos{{{"A", 0}, {{5, 5}, {5, 5}}}}));
  EXPECT_EQ(halos(text, {1, 3}, 5), (Halos{{{"A", 0}, {{0, 0}, {5, 5}}}}));  // only dimension 1
}

TEST(Needs, RadiusFourHaloIsFourPointsPerStep) {
  EXPECT_EQ(halos(R"(
grid G = [0..199] steps 9;
field A : real on G boundary clamp;
stencil f : A on G = A[-4] + A[4] + A[0];
)",
                  {2}, 3),
            (Halos{{{"A", 0}, {{12, 12}}}}));
}

// E reads the old H below; H reads the new E above.
TEST(Needs, HalosOfTwoFunctionsAddUp) {
  const char* const text = R"(
grid G = [0..199] steps 9;
field E, H : real on G;
stencil fE : E[1..198] = E[0] + H[0] - H[-1];
stencil fH : H[1..198] = H[0] + E[1] - E[0];
)";
  EXPECT_EQ(halos(text, {2}, 1), (Halos{{{"E", 0}, {{0, 1}}}, {{"H", 0}, {{1, 1}}}}));
  EXPECT_EQ(halos(text, {2}, 4), (Halos{{{"E", 0}, {{3, 4}}}, {{"H", 0}, {{4, 4}}}}));
}

TEST(Needs, HistoryLevelsHaveTheirOwnHalos) {
  const char* const text = R"(
grid G = [0..199] steps 9;
field U : real on G history 2 boundary clamp;
stencil f : U on G = U[-1] + U[1] - U@-1[0];
)";
  EXPECT_EQ(halos(text, {2}, 1), (Halos{{{"U", 0}, {{1, 1}}}}));
  EXPECT_EQ(halos(text, {2}, 4), (Halos{{{"U", 0}, {{4, 4}}}, {{"U", 1}, {{3, 3}}}}));
}

// After four steps, B no longer depends on the initial A; after one step it does.
TEST(Needs, HalosCoverEveryNumberOfSteps) {
  EXPECT_EQ(halos(R"(
grid G = [0..199] steps 9;
field A, B : real on G boundary clamp;
field C : real on G constant;
stencil fB : B on G = A[1];
stencil fA : A on G = C[0];
)",
                  {2}, 4),
            (Halos{{{"A", 0}, {{0, 1}}}}));
}

TEST(Needs, PhasesHaveTheirOwnHalos) {
  const char* const text = R"(
grid G = [0..199] steps 9;
field A, B : real on G boundary clamp;
stencil f : A on G = A[-1] + B[2];
repeat 6 { stencil g : B on G = B[1] + A[0]; }
)";
  EXPECT_EQ(halos(text, {2}, 3, 1), (Halos{{{"A", 0}, {{1, 0}}}, {{"B", 0}, {{0, 2}}}}));
  EXPECT_EQ(halos(text, {2}, 3, 3), (Halos{{{"A", 0}, {{0, 2}}}, {{"B", 0}, {{0, 3}}}}));
}

TEST(Needs, ReductionsNeedThePointsOfStraddlingTiles) {
  const char* const text = R"(
grid G = [0..2047] steps 9;
field A : real on G boundary clamp;
stencil f : A on G = A[-1];
reduce s = sum(A[0]) on [100..1900];
)";
  const auto program = at_sizes(test::load(text), {});
  Diagnostics diagnostics;
  const auto decomposition = decompose(*program, {2}, 2, diagnostics);
  ASSERT_TRUE(decomposition);
  // Reduction tiles of 1024 points begin at 100 and 1124; the second subdomain begins at 1024.
  ASSERT_EQ(decomposition->bounds[0][0][1], 1024);
  const Need& need = decomposition->needs.by_occasion[0].at(0);
  EXPECT_EQ(need.margin, (Margin{{2, 100}}));
  const auto tiles = tiles_of(*program, program->reductions[0], *decomposition);
  EXPECT_EQ(tiles.counts, (std::vector<int64_t>{2}));
  EXPECT_EQ(tiles.taken, (std::vector<ir::Points>{{{0, 0}}, {{1, 1}}}));
  EXPECT_EQ(region_of(*program, program->reductions[0], tiles, 0), (ir::Points{{100, 1123}}));
  EXPECT_EQ(region_of(*program, program->reductions[0], tiles, 1), (ir::Points{{1124, 1900}}));
}

// The reduction reads only points below, but the subdomain must also store the tile's own points.
TEST(Needs, SubdomainsStoreTheReductionTilesAssignedToThem) {
  const auto program = at_sizes(test::load(R"(
grid G = [0..2047] steps 9;
field A : real on G boundary clamp;
stencil f : A on G = A[-1];
reduce s = sum(A[-40]) on [100..1900];
)"),
                                {});
  Diagnostics diagnostics;
  const auto decomposition = decompose(*program, {2}, 1, diagnostics);
  ASSERT_TRUE(decomposition);
  EXPECT_EQ(decomposition->needs.depth[0], (Margin{{41, 100}}));
}

TEST(Needs, EachReductionTileIsAssignedOnce) {
  std::mt19937 random(2);
  for (int turn = 0; turn < 200; ++turn) {
    const auto number = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    const int low = number(0, 40), high = number(low - 1, 219);
    const auto program =
        at_sizes(test::load("grid G = [0..199, 0..219] steps 1;\nfield A : real on G;\n"
                            "stencil f : A on G = 2 * A[0,0];\nreduce s = sum(A[0,0]) on [" +
                            std::to_string(number(0, 90)) + "..199, " + std::to_string(low) + ".." +
                            std::to_string(high) + "];\n"),
                 {});
    Diagnostics diagnostics;
    const auto cut = decompose(*program, {number(1, 4), number(1, 4)}, 1, diagnostics);
    ASSERT_TRUE(cut) << render(Source("", ""), diagnostics);
    const ir::Reduction& reduction = program->reductions[0];
    const auto tiles = tiles_of(*program, reduction, *cut);
    std::map<std::pair<int64_t, int64_t>, int> taken;
    int64_t points = 0;
    for (int subdomain = 0; subdomain < cut->subdomains(); ++subdomain) {
      const ir::Points& own = tiles.taken[subdomain];
      for (int64_t i = own[0][0]; i <= own[0][1]; ++i) {
        for (int64_t j = own[1][0]; j <= own[1][1]; ++j) ++taken[{i, j}];
      }
      points += ir::count(region_of(*program, reduction, tiles, subdomain));
    }
    EXPECT_EQ(static_cast<int64_t>(taken.size()), tiles.counts[0] * tiles.counts[1]);
    for (const auto& [tile, times] : taken) EXPECT_EQ(times, 1);
    const ir::Range& rows = reduction.piece.region.ranges[0];
    EXPECT_EQ(points, (rows.high.constant - rows.low.constant + 1) * (high - low + 1));
  }
}

}  // namespace
}  // namespace stencil::decompose
