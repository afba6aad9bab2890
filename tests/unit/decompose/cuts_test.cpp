// Cuts as text, and the first point of each subdomain.
#include <numeric>
#include <random>

#include "compiler/decompose/box.h"
#include "compiler/decompose/decomposition.h"
#include "tests/unit/load.h"

namespace stencil::decompose {
namespace {

TEST(Cuts, ArePrintedXFirst) {
  EXPECT_EQ(parse("2x1x4", 3), (Cuts{4, 1, 2}));
  EXPECT_EQ(parse("4", 3), (Cuts{1, 1, 4}));
  EXPECT_EQ(parse("2x3", 2), (Cuts{3, 2}));
  EXPECT_EQ(print({4, 1, 2}), "2x1x4");
  EXPECT_EQ(count({4, 1, 2}), 8);
}

TEST(Cuts, InvalidTextIsRefused) {
  for (const char* text : {"", "x", "2x", "x2", "0", "-1", "2x0", "2y2", "2x2x2", "65537",
                           "256x257", "99999999999999999999", " 2"}) {
    EXPECT_EQ(parse(text, 2), std::nullopt) << text;
  }
  EXPECT_EQ(parse("256x256", 2), (Cuts{256, 256}));
}

TEST(Cuts, AllCutsListsEveryFactorization) {
  EXPECT_EQ(all_cuts(6, 1), (std::vector<Cuts>{{6}}));
  auto all = all_cuts(12, 3);
  EXPECT_EQ(all.size(), 18u);  // (2 + 2 choose 2) ways for the twos, 3 for the three
  for (const Cuts& cuts : all) EXPECT_EQ(count(cuts), 12);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::unique(all.begin(), all.end()), all.end());
}

Decomposition cut(const std::string& text, const Cuts& cuts, int64_t steps = 1) {
  Diagnostics diagnostics;
  auto out = decompose(*at_sizes(test::load(text), {}), cuts, steps, diagnostics);
  EXPECT_TRUE(out) << render(Source("", ""), diagnostics);
  return out ? *out : Decomposition{};
}

TEST(Bounds, AreMultiplesOfTheGrain) {
  const auto out = cut(R"(
grid G = [5..104] steps 1;
field A : real on G boundary clamp;
stencil f : A on G = A[1];
)",
                       {3});
  // The grain is 4. With a grain of 8, some subdomains would have fewer than 8 grains.
  EXPECT_EQ(out.bounds[0], (std::vector<std::vector<int64_t>>{{5, 37, 69, 105}}));
  EXPECT_EQ(out.least_extent(0), 32);
  EXPECT_EQ(out.owned(2), (ir::Points{{69, 104}}));
  EXPECT_FALSE(out.wraps[0]);
}

TEST(Bounds, SubdomainsCoverAllPoints) {
  std::mt19937 random(1);
  for (int turn = 0; turn < 200; ++turn) {
    const auto number = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    const int rows = number(4, 90), columns = number(4, 300), low = number(-9, 9);
    const Cuts cuts = {number(1, 4), number(1, 4)};
    const auto out = cut("grid G = [0.." + std::to_string(rows - 1) + ", " + std::to_string(low) +
                             ".." + std::to_string(low + columns - 1) +
                             "] steps 1;\nfield A : real on G;\nstencil f : A on G = 2 * A[0,0];\n",
                         cuts);
    int64_t points = 0;
    for (int subdomain = 0; subdomain < out.subdomains(); ++subdomain) {
      EXPECT_EQ(out.subdomain_at(out.place_of(subdomain)), subdomain);
      EXPECT_GT(ir::count(out.owned(subdomain)), 0);
      points += ir::count(out.owned(subdomain));
    }
    EXPECT_EQ(points, rows * columns);
    EXPECT_EQ(out.bounds[0][1].front(), low);
    EXPECT_EQ(out.bounds[0][1].back(), low + columns);
  }
}

TEST(Bounds, PositionsBelongToTheSubdomainOfThePointBelow) {
  const auto out = cut(R"(
grid G = [5..104] steps 1;
field A : real on G boundary clamp;
stencil f : A on G = A[1];
)",
                       {3});
  EXPECT_EQ(out.subdomain_of({5.0}), 0);
  EXPECT_EQ(out.subdomain_of({36.999}), 0);
  EXPECT_EQ(out.subdomain_of({37.0}), 1);
  EXPECT_EQ(out.subdomain_of({104.0}), 2);
}

std::string refusal_of_boxes(const std::string& text) {
  Diagnostics boxes;
  EXPECT_FALSE(box_program(test::load(text), 1, boxes));
  EXPECT_EQ(boxes.items().size(), 1u);
  return boxes.items().at(0).code + " " + boxes.items().at(0).message;
}

TEST(Cuts, BoxesOfSeveralGridsAndStartsAreRefusedByName) {
  EXPECT_EQ(refusal_of_boxes(R"(
grid F = [0..64, 0..64] steps 1;
grid C of F by 2;
field A : real on F boundary clamp;
field B : real on C boundary clamp;
stencil f : A on F = A[0,1];
stencil g : B on C = B[1,0];
)"),
            "L033 the grid cannot be split into boxes: grid 'C' is derived from 'F'");
  const std::string fields = "field A, B : real on G boundary clamp;";
  const std::string functions =
      "stencil f : A on G = A[0,1] + B[1,0]; stencil g : B on G = A[1,1];";
  EXPECT_EQ(refusal_of_boxes("grid G = [0..64, 0..64] levels 4 by 2 steps 1;" + fields + functions +
                             "step { f; coarser { g; coarser { f; } } g; }"),
            "L033 the grid cannot be split into boxes: grid 'G_1' is derived from 'G'");
  const std::string one = "grid G = [0..64, 0..64] steps 1;" + fields + functions;
  EXPECT_EQ(refusal_of_boxes(one + "start { repeat 9 { g; } } step { f; }"),
            "L033 the grid cannot be split into boxes: 'start' applies 'g'");
  // a function may be applied several times
  cut(one + "start { repeat 9 { g; } } step { f; g; f; repeat 9 { g; } }", {2, 1});
}

TEST(Sizes, OfDerivedGridsAreFixedToo) {
  const ir::Program open = test::load(R"(
param N : integer;
require N >= 4;
grid F = [0..N-1] steps 1;
grid C of F by 2;
field B : real on C;
stencil g : B on C = 1;
)",
                                      {});
  const auto fixed = at_sizes(open, {9, 4});
  ASSERT_TRUE(fixed);
  EXPECT_EQ(fixed->domains[1].box.ranges[0].high, (ir::Affine{4, {}}));
}

}  // namespace
}  // namespace stencil::decompose
