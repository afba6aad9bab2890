// Unrolled time tiles: which stage writes and reads each version, and the
// margin that each version needs.
#include "compiler/analysis/time_tile.h"

#include "tests/unit/load.h"

namespace stencil::analysis {
namespace {

using test::load;

// The version that a stage reads as history level `level` of a field.
const Version& source(const TimeTile& tile, size_t stage, ir::FieldId field, int level = 0) {
  const int id = tile.stages[stage].source.at({field, level});
  return tile.versions[id];
}

const Margin& computed(const TimeTile& tile, size_t stage) {
  return tile.stages[stage].computed;
}

const char* const kPaperExample = R"(
param N : integer = 100;
grid G = [0..N-1] steps 3;
field A, B : real on G;
stencil fA : A[1..N-2] = B[-1] + B[0];
stencil fB : B[1..N-2] = A[0] + A[1];
)";

// Holewinski et al. (ICS'12), section 4.2: for T = 3 and an output box (x0, l0), A is computed on
// (x0 - 2, l0 + 5) and B on (x0 - 2, l0 + 4).
TEST(TimeTile, PaperExample) {
  const TimeTile tile = unroll(load(kPaperExample), 3);
  ASSERT_EQ(tile.stages.size(), 6u);
  ASSERT_EQ(tile.versions.size(), 8u);
  EXPECT_EQ(computed(tile, 0), (Margin{{2, 3}}));
  EXPECT_EQ(computed(tile, 1), (Margin{{2, 2}}));
  EXPECT_EQ(tile.hull, (Margin{{2, 3}}));
  EXPECT_TRUE(source(tile, 0, 1).in_memory());
  EXPECT_EQ(source(tile, 1, 0).stage, 0);  // fB reads what fA computed in the same step
  EXPECT_EQ(source(tile, 2, 1).stage, 1);
  EXPECT_EQ(tile.versions[tile.stages[4].results[0].made].output, 0);
  EXPECT_EQ(tile.versions[tile.stages[2].results[0].made].output, -1);
}

// Only C is read to the right. D is computed there as well, because one stage computes both.
TEST(TimeTile, ResultsOfAFunctionAreComputedTogether) {
  const TimeTile tile = unroll(load(R"(
grid G = [0..99] steps 3;
field C, D : real on G;
stencil f : C, D on [1..97] = { C = C[2] + D[0], D = D[0] };
)"),
                               2);
  ASSERT_EQ(tile.stages.size(), 2u);
  ASSERT_EQ(tile.stages[0].results.size(), 2u);
  EXPECT_EQ(computed(tile, 0), (Margin{{0, 2}}));
  for (size_t target = 0; target < 2; ++target) {
    const StageResult& result = tile.stages[0].results[target];
    const Version& made = tile.versions[result.made];
    EXPECT_EQ(made.field, static_cast<ir::FieldId>(target));
    EXPECT_EQ(made.target, target);
    EXPECT_EQ(made.needed, (Margin{{0, 2}}));
    EXPECT_TRUE(result.advances);
    EXPECT_EQ(tile.versions[result.old].needed, (Margin{{0, target == 0 ? 4 : 2}}));
  }
}

TEST(TimeTile, PaperExampleStepByStep) {
  const TimeTile tile = unroll(load(kPaperExample), 3);
  EXPECT_EQ(computed(tile, 5), (Margin{{0, 0}}));
  EXPECT_EQ(computed(tile, 4), (Margin{{0, 1}}));
  EXPECT_EQ(computed(tile, 3), (Margin{{1, 1}}));
  EXPECT_EQ(computed(tile, 2), (Margin{{1, 2}}));
  EXPECT_EQ(*tile.versions[1].needed, (Margin{{3, 3}}));  // B, loaded
  EXPECT_EQ(*tile.versions[0].needed, (Margin{{2, 3}}));  // A, loaded: its fixed points are kept
}

TEST(TimeTile, AsymmetricOffsetsInTwoDimensions) {
  const TimeTile tile = unroll(load(R"(
param N : integer = 64;
grid G = [0..N-1, 0..N-1] steps 1;
field A : real on G;
stencil f : A[2..N-1, 0..N-4] = A[-2,0] + A[0,3];
)"),
                               2);
  EXPECT_EQ(computed(tile, 1), (Margin{{0, 0}, {0, 0}}));
  EXPECT_EQ(computed(tile, 0), (Margin{{2, 0}, {0, 3}}));
  EXPECT_EQ(*tile.versions[0].needed, (Margin{{4, 0}, {0, 6}}));
}

// Fields that no stage writes have no output. Their margin is that of the first step, which needs
// the widest one.
TEST(TimeTile, CoefficientFieldsHaveNoOutput) {
  const auto program = load(R"(
param N : integer = 64;
grid G = [0..N-1] steps 1;
field A : real on G;
field K : real on G constant;
stencil f : A[1..N-2] = K[1] * A[-1] + A[0];
)");
  const TimeTile one = unroll(program, 1), two = unroll(program, 2);
  EXPECT_EQ(one.versions[1].output, -1);
  EXPECT_EQ(*one.versions[1].needed, (Margin{{-1, 1}}));
  EXPECT_EQ(*two.versions[1].needed, (Margin{{0, 1}}));
}

TEST(TimeTile, CountsLoadedAndKeptHistoryLevels) {
  const auto program = load(R"(
param N : integer = 64;
grid G = [0..N-1] steps 1;
field U : real on G history 4;
field V : real on G history 3;
stencil u : U[1..N-2] = U@-2[0] + V[1];
stencil v : V[1..N-2] = U@-1[0];
)");
  const TimeTile one = unroll(program, 1), three = unroll(program, 3);
  EXPECT_EQ(levels_loaded(one, 0), 3);  // u reads U@-2; v's U@-1 is loaded as U
  EXPECT_EQ(levels_loaded(one, 1), 1);
  EXPECT_EQ(levels_loaded(three, 0), 3);
  EXPECT_EQ(levels_kept(program, one, 0), 3);
  EXPECT_EQ(levels_kept(program, three, 1), 3);  // stay in memory, although no stage reads them
  EXPECT_EQ(levels_made(program.fields[0], 9), 4);
}

TEST(TimeTile, RedundancyCountsComputedBoxes) {
  const TimeTile tile = unroll(load(R"(
param N : integer = 64;
grid G = [0..N-1] steps 1;
field A : real on G;
stencil f : A[1..N-2] = A[-1] + A[1];
)"),
                               2);
  EXPECT_DOUBLE_EQ(redundancy(tile, {10}, false), (12.0 + 10.0) / 20.0);
  EXPECT_DOUBLE_EQ(redundancy(tile, {10}, true), 24.0 / 20.0);
}

// A stage that writes the whole field needs no old values of it. Points that the next writer
// overwrites before any stage reads them are not computed.
TEST(TimeTile, WholeFieldWritersNeedNoOldValues) {
  const TimeTile tile = unroll(load(R"(
param N : integer = 100;
grid G = [0..N-1] steps 3;
field A, B : real on G boundary clamp;
stencil draft : A on G = 0.5 * B[0];
stencil fA : A on G = B[-1] + B[1];
stencil fB : B[1..N-2] = A[0];
)"),
                               1);
  EXPECT_FALSE(tile.stages[0].carries);
  EXPECT_TRUE(tile.stages[2].carries);
  EXPECT_FALSE(tile.versions[0].needed.has_value());  // A in memory
  EXPECT_TRUE(tile.stages[0].computed.empty());       // draft's results are overwritten unread
  EXPECT_EQ(tile.stages[1].computed, (Margin{{0, 0}}));
  EXPECT_EQ(*tile.versions[1].needed, (Margin{{1, 1}}));
}

// Two time levels: the level that step 1 reads as U is U@-1 in step 2. Both levels stay in memory.
TEST(TimeTile, HistoryLevelsShiftWithEachStep) {
  const TimeTile tile = unroll(load(R"(
param N : integer = 64;
grid G = [0..N-1] steps 1;
field U : real on G history 2;
stencil wave : U[1..N-2] = 2*U[0] - U@-1[0] + U[-1] + U[1];
)"),
                               3);
  EXPECT_EQ(&source(tile, 1, 0, 1), &source(tile, 0, 0, 0));
  EXPECT_EQ(source(tile, 2, 0, 1).stage, 0);
  EXPECT_EQ(*tile.versions[0].needed, (Margin{{3, 3}}));
  EXPECT_EQ(*tile.versions[1].needed, (Margin{{2, 2}}));
  EXPECT_EQ(tile.versions[tile.stages[1].results[0].made].output, 1);
  EXPECT_EQ(tile.versions[tile.stages[2].results[0].made].output, 0);
}

}  // namespace
}  // namespace stencil::analysis
