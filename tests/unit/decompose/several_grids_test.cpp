// Subdomains of programs with several grids: bounds of derived grids, halos across grids, and grids
// that are too small.
#include <map>
#include <random>

#include "compiler/decompose/exchanges.h"
#include "tests/unit/load.h"

namespace stencil::decompose {
namespace {

using analysis::Margin;
using FieldHalos = std::map<std::string, Margin>;  // by field

struct CutProgram {
  ir::Program program;
  Decomposition cut;

  // The needs of a phase of the step: field -> halo.
  FieldHalos halos(size_t phase) const { return named(cut.needs.by_occasion.at(2 * phase + 1)); }
  FieldHalos halos_in_start(size_t phase) const { return named(cut.needs.in_start.at(phase)); }
  FieldHalos named(const std::vector<Need>& needs) const {
    FieldHalos out;
    for (const Need& need : needs) out[program.fields[need.field].name] = need.margin;
    return out;
  }
};

CutProgram cut_grids(const std::string& text, const Cuts& cuts, int64_t steps = 1) {
  CutProgram out{*at_sizes(test::load(text), {}), {}};
  Diagnostics diagnostics;
  auto found = decompose(out.program, cuts, steps, diagnostics);
  EXPECT_TRUE(found) << render(Source("", ""), diagnostics);
  if (found) out.cut = *found;
  return out;
}

std::string refusal_of_cut(const std::string& text, const Cuts& cuts) {
  Diagnostics diagnostics;
  EXPECT_FALSE(decompose(*at_sizes(test::load(text), {}), cuts, 1, diagnostics));
  EXPECT_EQ(diagnostics.items().size(), 1u);
  const Diagnostic& first = diagnostics.items().at(0);
  return first.code + " " + first.message;
}

TEST(SeveralGrids, CoarsePointsBelongToTheOwnerOfTheirFinePoint) {
  std::mt19937 random(7);
  for (int turn = 0; turn < 100; ++turn) {
    const auto number = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    const bool cells = turn % 2 == 0;
    const int ratio = number(1, 4), subdomains = number(1, 4);
    const int low = cells ? 0 : number(-9, 9);
    const int points = cells ? ratio * number(20, 60) : number(80, 240);
    const CutProgram made =
        cut_grids(fmt::format("grid F = [{}..{}] steps 1; grid C of F by {}{};"
                              "field a : real on F; field b : real on C;"
                              "stencil f : a on F = 1; stencil g : b on C = 2;",
                              low, low + points - 1, ratio, cells ? " cells" : ""),
                  {subdomains});
    const ir::Box& coarse = made.program.domains[1].box;
    int64_t owned = 0;
    for (int subdomain = 0; subdomain < subdomains; ++subdomain) {
      const auto fine = made.cut.owned(subdomain, 0)[0], own = made.cut.owned(subdomain, 1)[0];
      EXPECT_GE(own[0] * ratio, fine[0]);
      EXPECT_LE(own[1] * ratio, fine[1]);
      owned += own[1] - own[0] + 1;
      EXPECT_EQ(made.cut.subdomain_of({static_cast<double>(own[0])}, 1), subdomain);
      EXPECT_EQ(made.cut.subdomain_of({static_cast<double>(own[1]) + 0.5}, 1), subdomain);
    }
    EXPECT_EQ(owned, high_of(coarse, 0) - low_of(coarse, 0) + 1);
  }
}

// Bounds are multiples of the ratio of the coarsest level that leaves eight of its cells per
// subdomain, which is level 2 here.
TEST(SeveralGrids, BoundsLieBetweenCells) {
  const CutProgram made = cut_grids(R"(
grid G = [0..242, 0..35] levels 4 by [3, 1] cells steps 1;
field u : real on G;
stencil f : u on G = u[0,0] + 1;
step { f; coarser { f; coarser { f; coarser { f; } } } }
)",
                                    {2, 1});
  EXPECT_EQ(made.cut.bounds[0][0], (std::vector<int64_t>{0, 117, 243}));
  EXPECT_EQ(made.cut.bounds[1][0], (std::vector<int64_t>{0, 39, 81}));
  EXPECT_EQ(made.cut.bounds[2][0], (std::vector<int64_t>{0, 13, 27}));
  EXPECT_EQ(made.cut.bounds[3][0], (std::vector<int64_t>{0, 5, 9}));
}

constexpr const char* kTransfers = R"(
grid G = [0..128, 0..128] levels 2 by 2 steps 1;
field u, r : real on G boundary constant 0;
stencil residual : r on G = u[-1,0] + u[1,0];
stencil restrict : r on G = fine r[-1,0] + fine r[0,0] + fine r[2,0];
stencil correct : u on G = u[0,0] + coarse u[0,0] + coarse u[1,0];
step { residual; coarser { restrict; } correct; }
)";

// The second subdomain begins at fine point 64 and coarse point 32.
TEST(SeveralGrids, HalosAcrossGridsAreThoseOfTheMaps) {
  const CutProgram made = cut_grids(kTransfers, {2, 1});
  ASSERT_EQ(made.cut.bounds[0][0][1], 64);
  ASSERT_EQ(made.cut.bounds[1][0][1], 32);
  EXPECT_EQ(made.halos(0), (FieldHalos{{"u", {{1, 1}, {0, 0}}}}));
  // Coarse point 32 reads fine 63. Coarse 31 reads fine 64, which the first subdomain lacks.
  EXPECT_EQ(made.halos(1), (FieldHalos{{"r", {{1, 1}, {0, 0}}}}));
  EXPECT_EQ(made.halos(2), (FieldHalos{}));  // the coarse field u never changes
  EXPECT_EQ(made.cut.needs.depth[0], (Margin{{1, 1}, {0, 0}}));
  EXPECT_EQ(made.cut.needs.depth[1], (Margin{{0, 1}, {0, 0}}));  // fine 63 reads coarse 32
}

// A phase of several functions computes the first of them beyond the owned points.
TEST(SeveralGrids, HalosAcrossGridsGrowWithThePhase) {
  const CutProgram made = cut_grids(R"(
grid F = [0..127] steps 1;
grid C of F by 2 cells;
field a : real on F boundary clamp;
field b, c : real on C boundary clamp;
stencil f : b on C = a[0] + a[1];
stencil g : c on C = b[-3] + b[0];
stencil h : a on F = a[0] + c[0];
step { f; g; h; }
)",
                                    {2});
  EXPECT_EQ(made.halos(0), (FieldHalos{{"a", {{6, 0}}}}));
  EXPECT_EQ(made.cut.needs.computed[0], (Margin{{3, 0}}));
  EXPECT_EQ(made.cut.needs.depth[1], (Margin{{3, 0}}));
}

// Places that a boundary rule gives count, not those before it: mirrored reads stay near the edge,
// and constants are not read.
TEST(SeveralGrids, HalosAcrossGridsFollowBoundaryRules) {
  const CutProgram made = cut_grids(R"(
grid F = [0..127] steps 1;
grid C of F by 2 cells;
subgrid near of C = [0..2];
field a : real on F boundary mirror;
field b : real on near boundary constant 1;
field c, d : real on C;
stencil f : a on F = a[0];
stencil g : c on C = a[-4] + a[5];
stencil h : b on near = b[0] + 1;
stencil i : a on F = a[0] + b[0];
step { f; g; h; i; }
)",
                                    {2});
  EXPECT_EQ(made.halos(1), (FieldHalos{{"a", {{4, 4}}}}));
  EXPECT_EQ(made.cut.needs.depth[0], (Margin{{4, 4}}));
  EXPECT_EQ(made.cut.needs.depth[1], (Margin{{0, 0}}));
  const CutProgram reflected = cut_grids(R"(
grid F = [0..31] steps 1;
grid C of F by 2 cells;
field a : real on F boundary mirror;
field c : real on C;
stencil f : a on F = a[0];
stencil g : c[15..15] = a[20];
step { f; g; }
)",
                                         {2});
  EXPECT_EQ(reflected.halos(1), (FieldHalos{{"a", {{4, 0}}}}));  // 2 * 15 + 20 becomes 12
}

// The image of coarse point 6 at -1 reads the image of fine point 17 at -4. Coarse point 3, which
// the second subdomain computes, too, reads fine point 8. That subdomain begins at fine point 10.
TEST(SeveralGrids, ImagesReadAcrossGridsToo) {
  const CutProgram made = cut_grids(R"(
grid F = [0..20] steps 1;
grid C of F by 3;
field a : real on F boundary periodic;
field b, c : real on C boundary periodic;
stencil f : b on C = a[-1];
stencil g : c on C = b[-1];
stencil h : a on F = a[0];
step { f; g; h; }
)",
                                    {2});
  ASSERT_EQ(made.cut.bounds[0][0], (std::vector<int64_t>{0, 10, 21}));
  EXPECT_EQ(made.halos(0), (FieldHalos{{"a", {{4, 0}}}}));
}

TEST(SeveralGrids, ReductionsReadAcrossGridsAroundTheirTiles) {
  const CutProgram made = cut_grids(R"(
grid F = [0..4095] steps 1;
grid C of F by 2 cells;
subgrid some of C = [100..1900];
field a : real on F boundary clamp;
field c : real on C;
stencil f : a on F = a[0];
stencil g : c on C = c[0];
reduce s = sum(a[1] + c[0]) on some;
step { f; g; }
)",
                                    {2});
  // The tile that begins at 100 ends at 1123. The second subdomain begins at 1024.
  ASSERT_EQ(made.cut.bounds[1][0][1], 1024);
  EXPECT_EQ(made.named(made.cut.needs.by_occasion.back()),
            (FieldHalos{{"a", {{0, 200}}}, {"c", {{0, 100}}}}));
}

// Exchanges with the same needs share their kernels.
TEST(SeveralGrids, PhasesWithTheSameNeedsShareAnExchange) {
  const CutProgram made = cut_grids(R"(
grid G = [0..127] levels 2 by 2 steps 1;
field u : real on G boundary clamp;
stencil f : u on G = u[-1];
stencil g : u on G = u[1];
step { f; coarser { f; } f; coarser { g; } }
)",
                                    {2});
  for (const int subdomain : {0, 1}) {
    const auto halos = halos_of(made.program, made.cut, subdomain);
    ASSERT_EQ(halos.size(), 9u);  // two per phase, and one for reductions at the end
    EXPECT_EQ(halos[1].same_as, 1u);
    EXPECT_EQ(halos[3].same_as, 3u);
    EXPECT_EQ(halos[5].same_as, 1u);
    EXPECT_EQ(halos[7].same_as, 7u);
  }
}

TEST(SeveralGrids, StartHasHalosOfItsOwn) {
  const CutProgram made = cut_grids(R"(
grid F = [0..127] steps 1;
grid C of F by 2 cells;
field a, k : real on F boundary clamp;
field b : real on C boundary clamp;
stencil first_guess : k on F = k[-2];
stencil average : b on C = k[-1] + k[2];
stencil f : a on F = a[1] + b[0];
start { repeat 9 { first_guess; } average; }
step { f; }
)",
                                    {2}, 4);
  ASSERT_EQ(made.cut.needs.in_start.size(), 2u);
  EXPECT_EQ(made.cut.needs.start_lasts, (std::vector<int64_t>{4, 1}));
  EXPECT_EQ(made.halos_in_start(0), (FieldHalos{{"k", {{8, 0}}}}));
  EXPECT_EQ(made.halos_in_start(1), (FieldHalos{{"k", {{1, 1}}}}));
}

TEST(SeveralGrids, SmallLevelsAreRefusedByName) {
  const auto levels = [](int count) {
    return fmt::format(R"(
grid G = [0..64, 0..64] levels {} by 2 steps 1;
field u : real on G boundary clamp;
stencil smooth : u on G = u[-1,0] + u[3,0];
cycle v {{ smooth; if level < {} {{ coarser {{ v; }} }} }}
step {{ v; }}
)",
                       count, count - 1);
  };
  cut_grids(levels(3), {4, 1});
  EXPECT_EQ(refusal_of_cut(levels(4), {4, 1}),
            "L031 level 3 of 'G' has 9 points along y: 4 subdomains need at least 3 each");
  cut_grids(levels(4), {2, 1});
  cut_grids(levels(4), {1, 1});
  EXPECT_EQ(refusal_of_cut(R"(
grid F = [0..15] steps 1;
grid C of F by 8 cells;
field a : real on F;
stencil f : a on F = 1;
)",
                           {3}),
            "L031 grid 'C' has 2 points along x: 3 subdomains need at least 1 each");
}

TEST(SeveralGrids, PeriodicGridsMustCoverEachOther) {
  const auto text = [](int points) {
    return fmt::format(R"(
grid F = [0..{}, 0..9] steps 1;
grid C of F by [2, 1];
field a : real on F boundary periodic;
field b : real on C boundary periodic;
stencil f : a on F = a[1,0] + b[0,0];
stencil g : b on C = b[1,0] + a[-1,0];
)",
                       points - 1);
  };
  const CutProgram made = cut_grids(text(64), {2, 1});
  EXPECT_TRUE(made.cut.wraps[0]);
  EXPECT_EQ(refusal_of_cut(text(65), {2, 1}),
            "L030 the grid cannot be cut: the grid 'C' does not cover 'F' in y, where fields are "
            "periodic");
}

}  // namespace
}  // namespace stencil::decompose
