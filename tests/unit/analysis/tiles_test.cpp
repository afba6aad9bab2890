// Backward tile analysis against boxes worked out by hand, the paper's example first.
#include "compiler/analysis/tiles.h"

#include "tests/unit/load.h"

namespace stencil::analysis {
namespace {

using test::load;

const char* const kPaperExample = R"(
param N : integer = 100;
grid G = [0..N-1] steps 3;
field A, B : real on G;
stencil fA : A[1..N-2] = B[-1] + B[0];
stencil fB : B[1..N-2] = A[0] + A[1];
)";

// Section 4.2: for T = 3 and an output box (x0, l0), A is computed on (x0 - 2, l0 + 5) and B on
// (x0 - 2, l0 + 4).
TEST(Tiles, PaperExample) {
  const TileAnalysis tile = analyze_tile(load(kPaperExample), 3);
  EXPECT_EQ(tile.computed[0][0], (Margin{{2, 3}}));
  EXPECT_EQ(tile.computed[0][1], (Margin{{2, 2}}));
  EXPECT_EQ(tile.computed_hull, (Margin{{2, 3}}));
}

TEST(Tiles, PaperExampleStepByStep) {
  const TileAnalysis tile = analyze_tile(load(kPaperExample), 3);
  EXPECT_EQ(tile.computed[2][1], (Margin{{0, 0}}));
  EXPECT_EQ(tile.computed[2][0], (Margin{{0, 1}}));
  EXPECT_EQ(tile.computed[1][1], (Margin{{1, 1}}));
  EXPECT_EQ(tile.computed[1][0], (Margin{{1, 2}}));
  EXPECT_EQ(*tile.held[0][1][0], (Margin{{3, 3}}));  // B, loaded
  EXPECT_EQ(*tile.held[0][0][0], (Margin{{2, 3}}));  // A, loaded: its fixed points are kept
  EXPECT_EQ(*tile.held[3][0][0], (Margin{{0, 0}}));  // the output
}

TEST(Tiles, AsymmetricOffsetsInTwoDimensions) {
  const auto program = load(R"(
param N : integer = 64;
grid G = [0..N-1, 0..N-1] steps 1;
field A : real on G;
stencil f : A[2..N-1, 0..N-4] = A[-2,0] + A[0,3];
)");
  const TileAnalysis tile = analyze_tile(program, 2);
  EXPECT_EQ(tile.computed[1][0], (Margin{{0, 0}, {0, 0}}));
  EXPECT_EQ(tile.computed[0][0], (Margin{{2, 0}, {0, 3}}));
  EXPECT_EQ(*tile.held[0][0][0], (Margin{{4, 0}, {0, 6}}));
}

TEST(Tiles, CoefficientFieldsHaveNoOutput) {
  const auto program = load(R"(
param N : integer = 64;
grid G = [0..N-1] steps 1;
field A : real on G;
field K : real on G constant;
stencil f : A[1..N-2] = K[1] * A[-1] + A[0];
)");
  const TileAnalysis tile = analyze_tile(program, 2);
  EXPECT_FALSE(tile.held[2][1][0].has_value());
  EXPECT_EQ(*tile.held[1][1][0], (Margin{{-1, 1}}));
  EXPECT_EQ(*tile.held[0][1][0], (Margin{{0, 1}}));
}

// Two time levels: what step 2 reads as U@-1 is what step 1 read as U.
TEST(Tiles, HistoryLevelsMoveBack) {
  const auto program = load(R"(
param N : integer = 64;
grid G = [0..N-1] steps 1;
field U : real on G history 2;
stencil wave : U[1..N-2] = 2*U[0] - U@-1[0] + U[-1] + U[1];
)");
  const TileAnalysis one = analyze_tile(program, 1);
  EXPECT_EQ(*one.held[0][0][0], (Margin{{1, 1}}));
  EXPECT_EQ(*one.held[0][0][1], (Margin{{0, 0}}));
  const TileAnalysis two = analyze_tile(program, 2);
  EXPECT_EQ(*two.held[0][0][0], (Margin{{2, 2}}));
  EXPECT_EQ(*two.held[0][0][1], (Margin{{1, 1}}));
}

TEST(Tiles, RedundancyCountsComputedBoxes) {
  const auto program = load(R"(
param N : integer = 64;
grid G = [0..N-1] steps 1;
field A : real on G;
stencil f : A[1..N-2] = A[-1] + A[1];
)");
  const TileAnalysis tile = analyze_tile(program, 2);
  EXPECT_DOUBLE_EQ(redundancy(tile, {10}, false), (12.0 + 10.0) / 20.0);
  EXPECT_DOUBLE_EQ(redundancy(tile, {10}, true), 24.0 / 20.0);
}

TEST(Tiles, ReadsMergeAllPieces) {
  const auto program = load(R"(
param N : integer = 64;
grid G = [0..N-1] steps 1;
field A : real on G;
stencil f : A { [0] = A[2]; [1..N-2] = A[-1] + A[0]; }
)");
  const auto reads = reads_of(program, program.functions[0]);
  ASSERT_EQ(reads.size(), 1u);
  EXPECT_EQ(reads[0].offsets[0], (Reach{1, 2}));
  EXPECT_TRUE(reads[0].at_offset);
}

// What a tile must hold for an access that may leave the field, by the field's rule.
TEST(Tiles, ReadsBeyondTheEdgeLandWithinReach) {
  const auto reach = [](const std::string& boundary, const std::string& region) {
    const auto program = load("grid G = [0..63] steps 1; field A : real on G boundary " + boundary +
                              "; stencil f : A[" + region + "] = A[-3];");
    return reads_of(program, program.functions[0])[0].offsets[0];
  };
  EXPECT_EQ(reach("clamp", "0..63"), (Reach{3, 0}));
  EXPECT_EQ(reach("mirror", "0..63"), (Reach{3, 3}));
  EXPECT_EQ(reach("periodic", "0..63"), (Reach{3, -3}));
  EXPECT_EQ(reach("constant 1", "0..63"), (Reach{3, -3}));
  EXPECT_EQ(reach("mirror", "3..63"), (Reach{3, -3})) << "it stays inside";
  EXPECT_EQ(reach("[clamp .. mirror]", "0..63"), (Reach{3, 0})) << "it leaves on the low side only";
  EXPECT_EQ(reach("[mirror .. clamp]", "0..63"), (Reach{3, 3}));
  EXPECT_EQ(reach("[constant 1 .. mirror]", "0..63"), (Reach{3, -3}));
}

ir::Program reading_subgrid(const std::string& box, const std::string& boundary, int offset,
                            const std::string& grid = "grid G = [0..63] steps 1;") {
  return load(grid + " subgrid S of G = [" + box + "]; field A : real on S boundary " + boundary +
              "; field B : real on G; stencil s : B on G = A[" + std::to_string(offset) + "];");
}

const ir::Access& only_access(const ir::Program& program) {
  return std::get<ir::Access>(program.functions[0].pieces[0].graph[0].kind);
}

// From the point 0 the offset -3 leads to -3, 5 points below the sub-grid.
TEST(Tiles, ReadsNearASubgridLandWithinReach) {
  const auto reach = [](const std::string& boundary, int offset) {
    const ir::Program program = reading_subgrid("2..61", boundary, offset);
    EXPECT_FALSE(lands_far(program, only_access(program))) << boundary;
    return reads_of(program, program.functions[0])[0].offsets[0];
  };
  EXPECT_EQ(reach("clamp", -3), (Reach{3, 2}));
  EXPECT_EQ(reach("mirror", -3), (Reach{3, 7}));
  EXPECT_EQ(reach("mirror", 3), (Reach{7, 3}));
  EXPECT_EQ(reach("clamp", 0), (Reach{2, 2}));
  EXPECT_EQ(reach("mirror", 0), (Reach{4, 4}));
  EXPECT_EQ(reach("clamp", 1), (Reach{2, 2})) << "0 reads 2, 63 reads 61";
  EXPECT_EQ(reach("constant 1", -3), (Reach{3, -3}));
}

TEST(Tiles, AClampedReadAtThePointItselfMayReadAnother) {
  const auto at_offset = [](const std::string& box) {
    const ir::Program program = reading_subgrid(box, "clamp", 0);
    return reads_of(program, program.functions[0])[0].at_offset;
  };
  EXPECT_TRUE(at_offset("1..63"));
  EXPECT_FALSE(at_offset("0..63"));
}

TEST(Tiles, FarReadsAreThoseWhoseLandingIsNotBounded) {
  const auto far = [](const std::string& box, const std::string& boundary,
                      const std::string& grid = "grid G = [0..63] steps 1;") {
    const ir::Program program = reading_subgrid(box, boundary, -1, grid);
    const Reads reads = reads_of(program, program.functions[0])[0];
    EXPECT_EQ(reads.far, lands_far(program, only_access(program)));
    return reads.far;
  };
  EXPECT_FALSE(far("4..59", "clamp"));
  EXPECT_TRUE(far("5..59", "clamp"));
  EXPECT_TRUE(far("4..58", "mirror"));
  EXPECT_FALSE(far("20..30", "constant 0"));
  EXPECT_TRUE(far("1..63", "periodic"));
  EXPECT_FALSE(far("0..63", "periodic")) << "spans the grid";
  const std::string open = "param N : integer; param M : integer; grid G = [0..N-1] steps 1;";
  EXPECT_FALSE(far("1..N-5", "clamp", open + "require N >= 9; require M >= 0;"));
  EXPECT_TRUE(far("M..N-3", "clamp", open + "require M >= 1; require M + 5 <= N;"));
  EXPECT_FALSE(far("M..N-3", "clamp", open + "require M >= 1; require M <= 4; require N >= 9;"));
}

// Across another dimension than the one it reads in, a sub-grid changes nothing.
TEST(Tiles, PeriodicFieldsAreFarOnlyInDimensionsThatTheyDoNotSpan) {
  const auto far = [](const std::string& offsets) {
    const ir::Program program = load(
        "grid G = [0..63, 0..63] steps 1; subgrid S of G = [0..63, 2..61];"
        "field A : real on S boundary periodic;"
        "stencil s : A on S = A[" +
        offsets + "] / 2;");
    return lands_far(program, only_access(program));
  };
  EXPECT_FALSE(far("-1,0"));
  EXPECT_TRUE(far("0,1"));
  EXPECT_TRUE(far("-1,1"));
}

}  // namespace
}  // namespace stencil::analysis
