// Reads of stencil functions: the offsets that they reach once boundary rules are applied.
#include "compiler/analysis/reads.h"

#include "tests/unit/load.h"

namespace stencil::analysis {
namespace {

using test::load;

TEST(Reads, MergeTheOffsetsOfAllPieces) {
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

// The points that a tile must hold for an access that may leave the field, for each boundary rule.
TEST(Reads, BeyondTheEdgeAreBoundedByTheBoundaryRule) {
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

// The offset -3 at point 0 reads point -3, which lies 5 points below the subgrid.
TEST(Reads, NearASubgridAreBoundedByTheBoundaryRule) {
  const auto reach = [](const std::string& boundary, int offset) {
    const ir::Program program = reading_subgrid("2..61", boundary, offset);
    EXPECT_FALSE(resolves_outside_halo(program, only_access(program))) << boundary;
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

TEST(Reads, AtOffsetZeroAreMarkedIfClampingMayMoveThem) {
  const auto at_offset = [](const std::string& box) {
    const ir::Program program = reading_subgrid(box, "clamp", 0);
    return reads_of(program, program.functions[0])[0].at_offset;
  };
  EXPECT_TRUE(at_offset("1..63"));
  EXPECT_FALSE(at_offset("0..63"));
}

// The compiler does not know whether the region lies within the grid. It must assume that the
// boundary rule redirects the read.
TEST(Reads, AreMarkedIfTheRegionIsCheckedOnlyAtRunTime) {
  for (const std::string rule : {"clamp", "mirror", "periodic", "constant 1"}) {
    const ir::Program program =
        test::load("param N : integer;\ngrid G = [0..N-1];\nfield A : real on G boundary " + rule +
                   ";\nfield B : real on G;\nstencil s : B[10..12] = A[0];\n");
    EXPECT_EQ(reads_of(program, program.functions[0])[0].at_offset, rule != "constant 1") << rule;
  }
}

TEST(Reads, AreOutsideTheHaloIfTheirTargetIsUnbounded) {
  const auto outside_halo = [](const std::string& box, const std::string& boundary,
                               const std::string& grid = "grid G = [0..63] steps 1;") {
    const ir::Program program = reading_subgrid(box, boundary, -1, grid);
    const Reads reads = reads_of(program, program.functions[0])[0];
    EXPECT_EQ(reads.outside_halo, resolves_outside_halo(program, only_access(program)));
    return reads.outside_halo;
  };
  EXPECT_FALSE(outside_halo("4..59", "clamp"));
  EXPECT_TRUE(outside_halo("5..59", "clamp"));
  EXPECT_TRUE(outside_halo("4..58", "mirror"));
  EXPECT_FALSE(outside_halo("20..30", "constant 0"));
  EXPECT_TRUE(outside_halo("1..63", "periodic"));
  EXPECT_FALSE(outside_halo("0..63", "periodic")) << "spans the grid";
  const std::string open = "param N : integer; param M : integer; grid G = [0..N-1] steps 1;";
  EXPECT_FALSE(outside_halo("1..N-5", "clamp", open + "require N >= 9; require M >= 0;"));
  EXPECT_TRUE(outside_halo("M..N-3", "clamp", open + "require M >= 1; require M + 5 <= N;"));
  EXPECT_FALSE(
      outside_halo("M..N-3", "clamp", open + "require M >= 1; require M <= 4; require N >= 9;"));
}

// A subgrid that is narrower only in another dimension does not affect the reads.
TEST(Reads, OfPeriodicFieldsAreOutsideTheHaloOnlyInDimensionsNotSpanned) {
  const auto outside_halo = [](const std::string& offsets) {
    const ir::Program program = load(
        "grid G = [0..63, 0..63] steps 1; subgrid S of G = [0..63, 2..61];"
        "field A : real on S boundary periodic;"
        "stencil s : A on S = A[" +
        offsets + "] / 2;");
    return resolves_outside_halo(program, only_access(program));
  };
  EXPECT_FALSE(outside_halo("-1,0"));
  EXPECT_TRUE(outside_halo("0,1"));
  EXPECT_TRUE(outside_halo("-1,1"));
}

}  // namespace
}  // namespace stencil::analysis
