// Plans of streamed tiles, compared with values derived by hand from the rules of plan.h: a stage
// lags one plane per plane that it reads ahead, and one more if it reads rows of other threads.
#include "compiler/schedule/streaming/plan.h"

#include "compiler/schedule/common/slow_operations.h"
#include "compiler/schedule/streaming/resolved_offsets.h"
#include "compiler/schedule/streaming/resources.h"

#include "tests/unit/load.h"

namespace stencil::schedule {
namespace {

using analysis::Reach;
using test::load;

// One stencil on a field A of a 2-D or 3-D grid of 100 points per dimension.
ir::Program on_a(int rank, const std::string& value, ProgramOptions options = {}) {
  const std::string grid = rank == 2 ? "[0..99, 0..99]" : "[0..99, 0..99, 0..99]";
  const std::string inner = rank == 2 ? "[3..96, 3..96]" : "[3..96, 3..96, 3..96]";
  return load("grid G = " + grid + " steps 9; field A : real on G; stencil s : A" + inner + " = " +
                  value + ";",
              options);
}
ir::Program star(int rank) {
  return on_a(rank, rank == 2 ? "0.2 * (A[0,0] + A[-1,0] + A[1,0] + A[0,-1] + A[0,1])"
                              : "0.1 * (A[0,0,0] + A[-1,0,0] + A[1,0,0] + A[0,-1,0] + A[0,1,0] + "
                                "A[0,0,-1] + A[0,0,1])");
}
ir::Program far_star(int rank) {  // radius 2
  return on_a(rank, rank == 2 ? "0.2 * (A[-2,0] + A[2,0] + A[0,-2] + A[0,2])"
                              : "0.1 * (A[-2,0,0] + A[2,0,0] + A[0,-2,0] + A[0,2,0] + A[0,0,-2] + "
                                "A[0,0,2])");
}
ir::Program box(int rank) {
  return on_a(rank, rank == 2 ? "0.1 * sum(a in -1..1, b in -1..1 : A[a,b])"
                              : "0.1 * sum(a in -1..1, b in -1..1, c in -1..1 : A[a,b,c])");
}

StreamPlan plan(const ir::Program& program, const std::string& settings, int steps) {
  Diagnostics diagnostics;
  const auto schedule = parse("streaming " + settings, program, diagnostics);
  EXPECT_TRUE(schedule.has_value()) << render(Source("", ""), diagnostics);
  return plan_stream(analysis::TimeTiles(program), *schedule, steps);
}
// No loads ahead of their use, so that the fewest planes are kept.
StreamPlan flat_plan(const ir::Program& program, int steps) {
  return plan(program, "block=32 elements=4 prefetch=0 loads=registers", steps);
}
StreamPlan deep_plan(const ir::Program& program, int steps) {
  return plan(program, "block=16x16 elements=4x2 prefetch=0 loads=registers", steps);
}

template <class Get>
std::vector<int> of_all(const StreamPlan& plan, const Get& get) {
  std::vector<int> out;
  for (const Quantity& quantity : plan.quantities) out.push_back(get(quantity));
  return out;
}
std::vector<int> lags(const StreamPlan& plan) {
  std::vector<int> out;
  for (const StreamStage& stage : plan.stages) out.push_back(stage.lag);
  return out;
}
// Ages by version 0, 1, ... of the only field.
std::vector<int> ages(const StreamPlan& plan) {
  return of_all(plan, [](const Quantity& q) { return q.ages; });
}
std::vector<int> published_planes(const StreamPlan& plan) {
  return of_all(plan, [](const Quantity& q) { return q.published_planes; });
}
using Numbers = std::vector<int>;

TEST(StreamPlan, StarsLagByTheirRadiusPerStep) {
  EXPECT_EQ(lags(flat_plan(star(2), 3)), (Numbers{1, 2, 3}));
  EXPECT_EQ(lags(flat_plan(far_star(2), 3)), (Numbers{2, 4, 6}));
  // Rows of a plane are published when the next plane arrives, which is early enough.
  EXPECT_EQ(lags(deep_plan(star(3), 3)), (Numbers{1, 2, 3}));
  EXPECT_EQ(lags(deep_plan(far_star(3), 3)), (Numbers{2, 4, 6}));
}

TEST(StreamPlan, BoxesWaitForRowsOfTheFarthestPlane) {
  EXPECT_EQ(lags(flat_plan(box(2), 3)), (Numbers{1, 2, 3}))
      << "2-D tiles have no neighbouring rows";
  EXPECT_EQ(lags(deep_plan(box(3), 3)), (Numbers{2, 4, 6}));
}

TEST(StreamPlan, ReadingRowsOfTheNewestPlaneAddsALag) {
  EXPECT_EQ(lags(deep_plan(on_a(3, "A[0,1,0] + A[-1,0,0]"), 2)), (Numbers{1, 2}));
  EXPECT_EQ(lags(deep_plan(on_a(3, "A[0,0,1] + A[-1,0,0]"), 2)), (Numbers{0, 0}));
  EXPECT_EQ(lags(deep_plan(on_a(3, "A[-1,1,0]"), 2)), (Numbers{0, 0})) << "published before";
}

TEST(StreamPlan, PlanesAreKeptFromTheirArrivalToTheirLastUse) {
  EXPECT_EQ(ages(flat_plan(star(2), 2)), (Numbers{3, 3, 1}));
  EXPECT_EQ(ages(flat_plan(far_star(2), 2)), (Numbers{5, 5, 1}));
  EXPECT_EQ(ages(deep_plan(box(3), 2)), (Numbers{4, 4, 1})) << "one more to wait for rows";
  EXPECT_EQ(ages(flat_plan(on_a(2, "A[1,0] + A[2,0]"), 2)), (Numbers{3, 3, 1}))
      << "the old value is kept for points outside the region";
}

TEST(StreamPlan, PrefetchedRegistersAddToTheLag) {
  const StreamPlan ahead = plan(star(2), "block=32 elements=4 prefetch=2 loads=registers", 2);
  EXPECT_EQ(ahead.quantities[0].ready, 2);
  EXPECT_EQ(ahead.quantities[1].ready, 0) << "computed, not loaded";
  EXPECT_EQ(lags(ahead), (Numbers{3, 4}));
  EXPECT_EQ(ages(ahead), (Numbers{5, 3, 1}));
  EXPECT_EQ(ahead.quantities[0].ring, 0);
}

TEST(StreamPlan, AsyncCopiesWaitInSharedMemory) {
  const StreamPlan async = plan(star(2), "block=32 elements=4 prefetch=2 loads=async", 2);
  EXPECT_EQ(async.quantities[0].ready, 0);
  EXPECT_EQ(async.quantities[0].ring, 3);
  EXPECT_EQ(async.quantities[1].ring, 0);
  EXPECT_EQ(lags(async), (Numbers{1, 2}));
  const StreamPlan none = plan(star(2), "block=32 elements=4 prefetch=0 loads=async", 2);
  EXPECT_EQ(none.quantities[0].ring, 0) << "nothing to prefetch";
}

TEST(StreamPlan, BulkCopiesStageEveryType) {
  const ir::Program program = load(
      "grid G = [0..99, 0..99] steps 9; field A : real on G; field h : half on G;"
      "stencil s : A[1..98, 1..98] = A[0,0] * h[0,0] + A[1,0];");
  const StreamPlan mixed = plan(program, "prefetch=2 loads=bulk", 1);
  ASSERT_EQ(mixed.quantities[1].type, Scalar::F16);
  EXPECT_TRUE(mixed.bulk);
  EXPECT_EQ(mixed.quantities[0].ring, 3);
  EXPECT_EQ(mixed.quantities[1].ring, 3);
  EXPECT_EQ(mixed.quantities[1].ready, 0);
  const StreamPlan none = plan(program, "prefetch=0 loads=bulk", 1);
  EXPECT_FALSE(none.bulk);
  EXPECT_EQ(none.quantities[0].ring, 0) << "nothing to prefetch";
}

TEST(StreamPlan, TypesBelowFourBytesAreNotCopiedAsynchronously) {
  const ir::Program program = load(
      "grid G = [0..99, 0..99] steps 9; field A : real on G; field h : half on G;"
      "stencil s : A[1..98, 1..98] = A[0,0] * h[0,0] + A[1,0];");
  const StreamPlan mixed = plan(program, "prefetch=2 loads=async", 1);
  ASSERT_EQ(mixed.quantities[1].type, Scalar::F16);
  EXPECT_EQ(mixed.quantities[0].ring, 3);
  EXPECT_EQ(mixed.quantities[1].ring, 0);
  EXPECT_EQ(mixed.quantities[1].ready, 2);
}

TEST(StreamPlan, RowsStayPublishedUntilTheirLastReader) {
  EXPECT_EQ(published_planes(flat_plan(box(2), 2)), (Numbers{0, 0, 0}));
  EXPECT_EQ(published_planes(deep_plan(star(3), 2)), (Numbers{2, 2, 0})) << "read at age 1";
  EXPECT_EQ(published_planes(deep_plan(far_star(3), 2)), (Numbers{4, 4, 0}))
      << "read at age 2; 4 planes per iteration";
  EXPECT_EQ(published_planes(deep_plan(box(3), 2)), (Numbers{4, 4, 0})) << "read at ages 1 to 3";
  const StreamPlan ahead = plan(star(3), "block=16x16 elements=4x2 prefetch=2 loads=registers", 2);
  EXPECT_EQ(published_planes(ahead), (Numbers{2, 2, 0}))
      << "they are published once they may be read";
}

TEST(StreamPlan, PublishesOnlyRowsThatOthersRead) {
  Quantity quantity;
  quantity.rows_below = 1;
  EXPECT_EQ(published_rows(quantity, 4), (Numbers{3}));
  quantity.rows_above = 2;
  EXPECT_EQ(published_rows(quantity, 4), (Numbers{0, 1, 3}));
  EXPECT_EQ(published_rows(quantity, 2), (Numbers{0, 1}));
  const StreamPlan one_sided = deep_plan(on_a(3, "A[0,-1,0] + A[1,0,0]"), 1);
  EXPECT_EQ(one_sided.quantities[0].rows_below, 1);
  EXPECT_EQ(one_sided.quantities[0].rows_above, 0);
}

TEST(StreamPlan, CountsCellsBesideThePatch) {
  // A star's patch of 2 rows needs a row above and below, and one column left
  // and right of each of its rows.
  const StreamPlan deep = deep_plan(star(3), 1);
  EXPECT_EQ(deep.quantities[0].halo, (Cells{{-1, {0, 0}}, {0, {1, 1}}, {1, {1, 1}}, {2, {0, 0}}}));
  EXPECT_EQ(deep.quantities[0].fetched[0], Cells{});
  EXPECT_EQ(deep.quantities[0].fetched[1], deep.quantities[0].halo);
  EXPECT_EQ(deep.quantities[0].fetched[2], Cells{});
  // A box also reads the corners.
  EXPECT_EQ(deep_plan(box(3), 1).quantities[0].halo,
            (Cells{{-1, {1, 1}}, {0, {1, 1}}, {1, {1, 1}}, {2, {1, 1}}}));
}

TEST(StreamPlan, ColumnsOfARowAreFetchedOnceAndKept) {
  const StreamPlan flat = flat_plan(box(2), 1);
  const Cells sides = {{0, {1, 1}}};
  EXPECT_EQ(flat.quantities[0].fetched, (std::vector<Cells>{sides, {}, {}}));
  EXPECT_EQ(flat.quantities[0].kept, (std::vector<Cells>{sides, sides, {}}));
  // The first fetch includes wider columns that only a later plane needs. They
  // are dropped after their last use.
  const StreamPlan later = flat_plan(on_a(2, "A[1,-1] + A[0,2] + A[-1,1]"), 1);
  EXPECT_EQ(later.quantities[0].fetched, (std::vector<Cells>{{{0, {1, 2}}}, {}, {}}));
  EXPECT_EQ(later.quantities[0].kept, (std::vector<Cells>{{{0, {0, 2}}}, {{0, {0, 1}}}, {}}));
  // In 3-D they are fetched again.
  const StreamPlan deep = deep_plan(box(3), 1);
  for (const Cells& kept : deep.quantities[0].kept) EXPECT_EQ(kept, Cells{});
}

TEST(StreamPlan, MarginsInXAreMultiplesOfThePatch) {
  for (const auto& [steps, margin] : {std::pair{1, 4}, {4, 4}, {5, 8}, {8, 8}, {10, 12}}) {
    const StreamPlan flat = flat_plan(star(2), steps);
    EXPECT_EQ(flat.margin[0], (Reach{margin, margin})) << steps;
    EXPECT_EQ(flat.cover[0], 128);
    EXPECT_EQ(flat.core(0), 128 - 2 * margin);
  }
  const StreamPlan deep = deep_plan(star(3), 3);
  EXPECT_EQ(deep.margin[0], (Reach{4, 4}));
  EXPECT_EQ(deep.margin[1], (Reach{3, 3})) << "margins in y are not rounded";
  EXPECT_EQ(deep.cover, (std::array<int64_t, 2>{64, 32}));
  EXPECT_EQ(deep.core(1), 26);
}

TEST(StreamPlan, OneSidedStencilsHaveOneSidedMargins) {
  const StreamPlan flat = flat_plan(on_a(2, "A[-2,0] + A[0,1]"), 3);
  EXPECT_EQ(flat.margin[0], (Reach{0, 4}));
  EXPECT_EQ(flat.fill, 6);
  EXPECT_EQ(flat.drain, 0);
  EXPECT_EQ(lags(flat), (Numbers{0, 0, 0}));
  const StreamPlan up = flat_plan(on_a(2, "A[2,0] + A[0,-1]"), 3);
  EXPECT_EQ(up.margin[0], (Reach{4, 0}));
  EXPECT_EQ(up.fill, 0);
  EXPECT_EQ(up.drain, 6);
}

TEST(StreamPlan, CountsPlanesOfPrologueAndEpilogue) {
  const StreamPlan deep = deep_plan(box(3), 3);
  EXPECT_EQ(deep.fill, 3) << "a plane per step";
  EXPECT_EQ(deep.drain, 6) << "the lag of the last stage";
}

TEST(StreamPlan, StagesFollowTheOrderOfFunctions) {
  const ir::Program program = load(
      "grid G = [0..99, 0..99] steps 9; field A, B, c : real on G;"
      "stencil a : A[1..98, 1..98] = B[-1,0] + c[0,0]; stencil b : B[1..98, 1..98] = A[1,0];");
  const StreamPlan two = flat_plan(program, 2);
  ASSERT_EQ(two.stages.size(), 4u);
  EXPECT_EQ(lags(two), (Numbers{0, 1, 0, 1})) << "one reads above, the other below";
  // A, B and c as loaded; then A and B of the first and the second step.
  EXPECT_EQ(of_all(two, [](const Quantity& q) { return q.version; }),
            (Numbers{0, 0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(of_all(two, [](const Quantity& q) { return q.output; }),
            (Numbers{-1, -1, -1, -1, -1, 0, 0}));
  EXPECT_EQ(two.stages[2].name, "a");
  EXPECT_EQ(two.stages[2].step, 1);
  EXPECT_EQ(two.stages[2].results, Numbers{5});
  EXPECT_EQ(two.stages[2].old, Numbers{3});
  EXPECT_EQ((two.stages[2].source.at({1, 0, 0})), 4);
  EXPECT_EQ((two.stages[2].source.at({2, 0, 0})), 2) << "coefficients have one version";
}

ir::Program wave(int history) {
  return load("grid G = [0..99, 0..99] steps 9; field U : real on G history " +
              std::to_string(history) +
              "; field c : real on G; stencil w : U[1..98, 1..98] = U[0,0] - U@-1[0,0] + c[0,0] * "
              "(U[-1,0] + U[1,0]);");
}

TEST(StreamPlan, OlderLevelsAreLoadedOrFromEarlierSteps) {
  const StreamPlan three = flat_plan(wave(2), 3);
  // U, U@-1 and c as loaded; then U of every step.
  EXPECT_EQ(of_all(three, [](const Quantity& q) { return q.version; }),
            (Numbers{0, -1, 0, 1, 2, 3}));
  const auto older = [&](size_t stage) { return three.stages[stage].source.at({0, 1, 0}); };
  EXPECT_EQ((Numbers{older(0), older(1), older(2)}), (Numbers{1, 0, 3}));
  EXPECT_EQ(three.stages[2].source.at({0, 0, 0}), 4);
  EXPECT_EQ(three.stages[2].old, Numbers{4}) << "the newest level shifts";
}

TEST(StreamPlan, WritesTheLastLevels) {
  const auto outputs = [](int history, int steps) {
    return of_all(flat_plan(wave(history), steps), [](const Quantity& q) { return q.output; });
  };
  EXPECT_EQ(outputs(2, 1), (Numbers{-1, -1, -1, 0})) << "the old newest level is in memory";
  EXPECT_EQ(outputs(2, 3), (Numbers{-1, -1, -1, -1, 1, 0}));
  EXPECT_EQ(outputs(4, 3), (Numbers{-1, -1, -1, 2, 1, 0}));
  EXPECT_EQ(flat_plan(wave(4), 3).drain, 3) << "the lag of the last";
}

// A level that is read only at the point itself arrives with the plane being computed.
TEST(StreamPlan, LoadsWaitForTheirFirstReader) {
  const StreamPlan two = flat_plan(wave(2), 2);
  EXPECT_EQ(lags(two), (Numbers{1, 2}));
  EXPECT_EQ(of_all(two, [](const Quantity& q) { return q.lag; }), (Numbers{0, 1, 1, 1, 2}));
  EXPECT_EQ(of_all(two, [](const Quantity& q) { return q.ages; }), (Numbers{3, 1, 2, 3, 1}));
}

TEST(StreamPlan, UnrollsByTheLengthOfMostQueues) {
  EXPECT_EQ(flat_plan(star(2), 4).unroll, 2);
  EXPECT_EQ(flat_plan(far_star(2), 4).unroll, 4);
  EXPECT_EQ(deep_plan(box(3), 4).unroll, 3);
  EXPECT_EQ(plan(star(2), "prefetch=1 loads=registers", 2).unroll, 2) << "3 and 2: the shorter";
  EXPECT_EQ(plan(star(2), "unroll=5", 4).unroll, 5);
  EXPECT_EQ(flat_plan(on_a(2, "A[0,0] / 2"), 4).unroll, 1) << "no plane is kept";
}

TEST(StreamPlan, DivisionsByConstantsCallNoSubroutine) {
  const auto slow = [](const std::string& value, FpMode mode = FpMode::Contract) {
    ProgramOptions options;
    options.fp = mode;
    const ir::Program program = on_a(2, value, options);
    const ir::Piece& piece = program.functions[0].pieces[0];
    const SlowOperations found = slow_operations(piece.graph, piece.results, mode);
    return std::pair(found.calls, found.multiplied);
  };
  EXPECT_EQ(slow("A[0,0] / 118 + A[0,1] / -3"), std::pair(0, 2));
  EXPECT_EQ(slow("A[0,0] / 4 + A[0,1] / 0.3"), std::pair(1, 0)) << "exact, and not proved";
  EXPECT_EQ(slow("A[0,0] / A[0,1] + sqrt(A[0,1])"), std::pair(2, 0));
  EXPECT_EQ(slow("A[0,0] / A[0,1] + A[0,0] / 118", FpMode::Fast), std::pair(0, 0));
  EXPECT_GT(plan(on_a(2, "A[0,0] / 0.3"), "block=32 elements=4", 1).call_words, 0);
  EXPECT_EQ(plan(on_a(2, "A[0,0] / 118"), "block=32 elements=4", 1).call_words, 0);
}

TEST(StreamPlan, CountsSharedBytes) {
  // Staged: 3 planes of 32 rows, plus one plane whose rows other threads read. Published by the
  // first step: 2 planes x 16 rows of threads x both rows of a patch.
  const StreamPlan async = plan(star(3), "block=16x16 elements=4x2 prefetch=2 loads=async", 2);
  EXPECT_EQ(shared_bytes(async, 1), (3 + 1) * 32 * 64 * 4 + 64 * 64 * 4);
  // In 2-D every row of threads stages its own rows.
  const StreamPlan flat = plan(star(2), "block=32x4 elements=4 prefetch=1 loads=async", 2);
  EXPECT_EQ(shared_bytes(flat, 4), 2 * 4 * 128 * 4);
  EXPECT_EQ(shared_bytes(flat_plan(box(2), 4), 1), 0);
  // Bulk copies: a row of 64 bytes takes 128, because copies arrive at multiples of 128 bytes. Each
  // of the 2 batches has an mbarrier word.
  const StreamPlan bulk = plan(star(2), "block=16x4 elements=1 prefetch=1 loads=bulk", 2);
  EXPECT_EQ(ring_rows(bulk, Scalar::F32), 2);
  EXPECT_EQ(shared_bytes(bulk, 4), 2 * 4 * 128 + 16);
  const StreamPlan deep = plan(star(3), "block=8x4 elements=3x3 prefetch=2 loads=bulk", 1);
  EXPECT_EQ(ring_rows(deep, Scalar::F32), 12) << "of 96 bytes";
  EXPECT_EQ(shared_bytes(deep, 1), 4 * 12 * 96 + 32) << "one more for the rows that others read";
}

TEST(StreamPlan, RegistersGrowWithTheKeptPlanes) {
  const auto more = [](const ir::Program& program) {  // for a third step
    return expected_registers(flat_plan(program, 3)) - expected_registers(flat_plan(program, 2));
  };
  const double floats = more(star(2));
  EXPECT_GT(floats, 2 * 4) << "one more step keeps two planes of 4 points";
  EXPECT_LT(floats, 2 * 2 * 4);
  ProgramOptions doubles;
  doubles.real = Scalar::F64;
  const ir::Program wide = on_a(2, "0.2 * (A[0,0] + A[-1,0] + A[1,0] + A[0,-1] + A[0,1])", doubles);
  EXPECT_GT(more(wide), 1.8 * floats) << "of two words each";
  const ir::Program divides = on_a(2, "A[0,0] / (A[-1,0] + A[1,0])");
  const ir::Program multiplies = on_a(2, "A[0,0] * (A[-1,0] + A[1,0])");
  EXPECT_GT(expected_registers(flat_plan(divides, 3)),
            expected_registers(flat_plan(multiplies, 3)) + 5)
      << "a correctly rounded division is a subroutine";
  EXPECT_GT(estimate_registers(flat_plan(divides, 3)), expected_registers(flat_plan(divides, 3)));
}

TEST(StreamPlan, ClampedReadsCanBeAnywhereBetween) {
  const ir::Program program = load(
      "grid G = [0..99, 0..99] steps 9; field A : real on G boundary clamp;"
      "stencil s : A on G = A[2,0] + A[0,-1];");
  const StreamPlan clamped = flat_plan(program, 1);
  EXPECT_EQ(clamped.quantities[0].ages, 3);
  EXPECT_EQ(clamped.stages[0].planes, (std::set<std::pair<int, int>>{{0, 0}, {0, 1}, {0, 2}}));
}

TEST(StreamPlan, MirroredReadsCanBeEquallyFarOnTheOtherSide) {
  const ir::Program program = load(
      "grid G = [0..99, 0..99] steps 9; field A : real on G boundary mirror;"
      "stencil s : A on G = A[3,0] + A[0,-2];");
  const ir::Piece& piece = program.functions[0].pieces[0];
  std::set<std::vector<int>> places;
  for (const ir::Node& node : piece.graph.nodes()) {
    const auto* access = std::get_if<ir::Access>(&node.kind);
    if (!access) continue;
    for (auto& at : resolved_offsets(program.fields[0], *access)) places.insert(at);
  }
  EXPECT_EQ(places, (std::set<std::vector<int>>{
                        {3, 0}, {1, 0}, {-1, 0}, {-3, 0}, {0, -2}, {0, 0}, {0, 2}}));
  const StreamPlan mirrored = flat_plan(program, 1);
  EXPECT_EQ(mirrored.quantities[0].ages, 7) << "from 3 planes ahead to 3 behind";
  EXPECT_EQ(mirrored.stages[0].lag, mirrored.quantities[0].ready + 3);
}

TEST(StreamPlan, MirroredReadsInAGridOfPossiblyOnePoint) {
  const auto offsets = [](const std::string& size) {
    const ir::Program program =
        load(size + "grid G = [0..N-1, 0..99] steps 9; field A : real on G boundary mirror;" +
             "stencil s : A on G = A[-1,0];");
    const ir::Piece& piece = program.functions[0].pieces[0];
    return resolved_offsets(program.fields[0], std::get<ir::Access>(piece.graph[0].kind), 0);
  };
  EXPECT_EQ(offsets("param N : integer = 9; "), (std::vector{-1, 1}));
  EXPECT_EQ(offsets("param N : integer = 1; "), (std::vector{-1, 1, 0}));
  EXPECT_EQ(offsets("param N : integer; require N >= 1; "), (std::vector{-1, 1, 0}));
}

// The region extends two points beyond the low end of the subgrid.
TEST(StreamPlan, ReadsNearASubgridCanBeOnBothSides) {
  const auto offsets = [](const std::string& boundary, int offset) {
    const ir::Program program = load(
        "grid G = [0..99, 0..99] steps 9; subgrid S of G = [2..99, 0..99];"
        "field A : real on S boundary " +
        boundary + "; field B : real on G;" + "stencil s : B on G = A[" + std::to_string(offset) +
        ",0];");
    const ir::Piece& piece = program.functions[0].pieces[0];
    return resolved_offsets(program.fields[0], std::get<ir::Access>(piece.graph[0].kind), 0);
  };
  EXPECT_EQ(offsets("clamp", -1), (std::vector{-1, 0, 1, 2}));
  EXPECT_EQ(offsets("clamp", 1), (std::vector{1, 2, 0}));
  EXPECT_EQ(offsets("mirror", -1), (std::vector{-1, 1, 3, 5}));
  EXPECT_EQ(offsets("constant 1", -1), (std::vector{-1}));
}

// A read reflected beyond the far edge is clamped there, so it can be anywhere up to that edge.
TEST(StreamPlan, MirroredReadsTowardsAClamp) {
  const auto offsets = [](const std::string& size, const std::string& boundary, int offset) {
    const ir::Program program =
        load(size + "grid G = [0..N-1, 0..99] steps 9; field A : real on G boundary [" + boundary +
             ", clamp]; stencil s : A on G = A[" + std::to_string(offset) + ",0] / 2;");
    const ir::Piece& piece = program.functions[0].pieces[0];
    return resolved_offsets(program.fields[0], std::get<ir::Access>(piece.graph[0].kind), 0);
  };
  const std::string four = "param N : integer = 4; ", three = "param N : integer = 3; ";
  const std::string two = "param N : integer = 2; ", open = "param N : integer; ";
  EXPECT_EQ(offsets(four, "mirror .. clamp", -3), (std::vector{-3, -1, 1, 3}));
  EXPECT_EQ(offsets(three, "mirror .. clamp", -3), (std::vector{-3, -1, 1, 3, 0, 2}));
  EXPECT_EQ(offsets(two, "mirror .. clamp", -3), (std::vector{-3, -1, 1, 3, 0}));
  EXPECT_EQ(offsets(open, "mirror .. clamp", -3), (std::vector{-3, -1, 1, 3, 0, 2}));
  EXPECT_EQ(offsets(open, "clamp .. mirror", 3), (std::vector{3, 1, -1, -3, 0, -2}));
  EXPECT_EQ(offsets(open, "clamp .. mirror", -3), (std::vector{-3, -2, -1, 0}));
  EXPECT_EQ(offsets(open, "mirror .. constant 1", -3), (std::vector{-3, -1, 1, 3}));
}

TEST(StreamPlan, ReadsThatStayInsideKeepTheirOffset) {
  const ir::Program program = load(
      "grid G = [0..99, 0..99] steps 9; field A : real on G boundary mirror;"
      "stencil s : A[0..96, 2..99] = A[3,0] + A[0,-2];");
  const StreamPlan inside = flat_plan(program, 1);
  EXPECT_EQ(inside.quantities[0].ages, 4);
}

}  // namespace
}  // namespace stencil::schedule
