// The work that families count for their kernels, compared with counts
// derived from the kernels by hand.
#include "compiler/schedule/model/work.h"

#include <fmt/format.h>

#include "compiler/schedule/common/operations.h"
#include "compiler/schedule/scheduler.h"
#include "tests/unit/load.h"

namespace stencil::schedule {
namespace {

using test::load;

TileWork work_of(const ir::Program& program, const std::string& line,
                 const Machine& machine = gpu()) {
  Scheduler scheduler(program, machine);
  Diagnostics diagnostics;
  const auto schedule = scheduler.parse(line, diagnostics);
  const PlanPtr plan = schedule ? scheduler.plan_once(*schedule, diagnostics) : nullptr;
  EXPECT_TRUE(plan) << render(Source("", ""), diagnostics);
  const auto work = plan ? plan->work() : std::nullopt;
  EXPECT_TRUE(work);
  return work.value_or(TileWork{1, 1, {Work{}}});
}

const char* const kJacobiFlat = R"(
grid G = [0..1023, 0..2047] steps 8;
field A : real on G;
stencil s : A[1..1022, 1..2046] = 0.2 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1] + A[0,0]);
)";
const char* const kJacobiDeep = R"(
grid G = [0..255, 0..255, 0..511] steps 8;
field A : real on G;
stencil s : A[1..254, 1..254, 1..510] = 0.1 * (A[-1,0,0] + A[1,0,0] + A[0,-1,0] + A[0,1,0]
                                             + A[0,0,-1] + A[0,0,1] + A[0,0,0]);
)";

TEST(Work, Direct) {
  const ir::Program program = load(kJacobiFlat);
  const TileWork tile = work_of(program, "direct block=64x4 elements=1x2");
  EXPECT_EQ(tile.steps, 1);
  EXPECT_EQ(tile.points, 1024 * 2048);
  ASSERT_EQ(tile.kernels.size(), 1u);
  const Work& work = tile.kernels[0];
  EXPECT_EQ(work.launches, 1);
  EXPECT_EQ(work.blocks, 32 * 128);  // blocks of 64 x 8 points
  EXPECT_EQ(work.threads, 256);
  EXPECT_EQ(work.row, 64);
  EXPECT_EQ(work.iterations, 1);
  EXPECT_EQ(work.shared_bytes, 0);
  EXPECT_EQ(work.barriers, 0);
  EXPECT_EQ(work.iteration.single, 2 * 5);
  EXPECT_EQ(work.iteration.arithmetic(), 2 * 5);
  EXPECT_EQ(work.iteration.loads, 2 * 5);
  EXPECT_EQ(work.iteration.stores, 2);
  EXPECT_EQ(work.iteration.accesses, 12);
  EXPECT_EQ(work.iteration.shuffles, 0);
  EXPECT_EQ(work.iteration.selects, 0);
  // Ten rows of 66 words, not aligned to sectors, are read; eight rows of 64 words are written.
  EXPECT_DOUBLE_EQ(work.bytes, 10 * (66 * 4 + 28) + 8 * (64 * 4 + 28));
  EXPECT_DOUBLE_EQ(work.compulsory, 2 * 64 * 8 * 4 / work.bytes);
  EXPECT_EQ(work.footprint, 2.0 * 4 * 1024 * 2048);

  // Elements adjacent in y read each other's points; a thread loads these points once.
  const TileWork line = work_of(program, "direct block=256x1 elements=1x2");
  EXPECT_EQ(line.kernels[0].iteration.loads, 8);
  EXPECT_EQ(line.kernels[0].iteration.accesses, 10);
  EXPECT_EQ(line.kernels[0].blocks, 8 * 512);
}

// A quotient that reads no field is shared by all steps and by points with equal coordinates.
TEST(Work, CallsThatReadNoFieldAreShared) {
  const auto calls = [](const std::string& divided, const std::string& line) {
    return work_of(load("grid G = [0..1023, 0..2047] steps 8; field A : real on G;"
                        "stencil s : A[j in 1..1022, 1..2046] = A[-1,0] + A[1,0] + " +
                        divided + ";"),
                   line)
        .kernels[0]
        .iteration.calls;
  };
  const std::string places = "1 / (1.0 + j)", values = "A[0,0] / (1.0 + j)";
  EXPECT_EQ(calls(values, "streaming T=2 block=32x1 elements=4"), 2 * 4);
  EXPECT_EQ(calls(places, "streaming T=2 block=32x1 elements=4"), 0);
  EXPECT_EQ(calls(values, "direct elements=1x1"), 1);
  EXPECT_EQ(calls(places, "direct elements=1x1"), 1);
}

TEST(Work, DirectLaunchesEveryFunction) {
  const ir::Program program = load(
      "grid G = [0..511, 0..511] steps 4; field A, B : real on G;"
      "stencil f : A[1..510, 1..510] = B[-1,0] + B[1,0];"
      "stencil g : B[1..510, 1..510] = A[0,-1] - sqrt(A[0,1]) + A[0,0] / 3;");
  const TileWork tile = work_of(program, "direct block=32x8 elements=1x1");
  ASSERT_EQ(tile.kernels.size(), 2u);
  EXPECT_EQ(tile.kernels[0].iteration.loads, 2);
  EXPECT_EQ(tile.kernels[0].iteration.single, 1);
  EXPECT_EQ(tile.kernels[0].iteration.calls, 0);
  EXPECT_EQ(tile.kernels[1].iteration.loads, 3);
  EXPECT_EQ(tile.kernels[1].iteration.calls, 1);       // the root
  EXPECT_EQ(tile.kernels[1].iteration.multiplied, 1);  // the division by 3
}

TEST(Work, DoublesTakeTwoWords) {
  ProgramOptions options;
  options.real = Scalar::F64;
  const ir::Program program = load(kJacobiFlat, options);
  const Work work = work_of(program, "direct block=64x4 elements=1x1").kernels[0];
  EXPECT_EQ(work.iteration.single, 0);
  EXPECT_EQ(work.iteration.real, 5);
  EXPECT_EQ(work.iteration.loads, 10);
  EXPECT_EQ(work.iteration.stores, 2);
  EXPECT_EQ(work.iteration.accesses, 6);
  EXPECT_DOUBLE_EQ(work.bytes, 6 * (66 * 8 + 28) + 4 * (64 * 8 + 28));
  EXPECT_EQ(work.footprint, 2.0 * 8 * 1024 * 2048);
  const Work streamed =
      work_of(program, "streaming T=1 block=32x4 elements=1x1 loads=registers").kernels[0];
  EXPECT_EQ(streamed.iteration.real, 5);
  EXPECT_EQ(streamed.iteration.shuffles, 2 * 2);
  EXPECT_EQ(streamed.bytes, 128 * (8 + 8));
}

// Two steps. The first computes 32 x 16 points, the second the 30 x 14 that are written. A block
// loads 34 x 18 points.
TEST(Work, Overlapped) {
  const ir::Program program = load(kJacobiFlat);
  const std::string line = "overlapped T=2 block=32x8 elements=1x2 regions=";
  for (const bool hull : {false, true}) {
    const TileWork tile = work_of(program, line + (hull ? "hull" : "shrink"));
    EXPECT_EQ(tile.steps, 2);
    ASSERT_EQ(tile.kernels.size(), 1u);
    const Work& work = tile.kernels[0];
    EXPECT_EQ(work.blocks, 69 * 74);
    EXPECT_EQ(work.threads, 256);
    EXPECT_EQ(work.iterations, 1);
    EXPECT_EQ(work.stages, 2);
    EXPECT_EQ(work.barriers, 4);
    EXPECT_EQ(work.shared_bytes, 34 * 18 * 4);
    // Per thread. Rows of the second step also take 32 lanes, because warps are whole.
    const double points = hull ? 2 + 2 : 2 + 14.0 * 32 / 256;
    const double loaded = 34 * 18 / 256.0, written = 30 * 14 / 256.0;
    EXPECT_DOUBLE_EQ(work.iteration.single, 5 * points);
    EXPECT_DOUBLE_EQ(work.iteration.loads, loaded);
    EXPECT_DOUBLE_EQ(work.iteration.stores, written);
    EXPECT_DOUBLE_EQ(work.iteration.shared, (5 + 1) * points + loaded + written);
    EXPECT_DOUBLE_EQ(work.iteration.accesses, 6 * points + 2 * loaded + 2 * written);
    EXPECT_DOUBLE_EQ(work.iteration.points, 4 * points + 0.5 * 4 * (4 - points));
    EXPECT_EQ(work.iteration.shuffles, 0);
    EXPECT_DOUBLE_EQ(work.bytes, 18 * (34 * 4 + 28) + 30 * 14 * 4);
    EXPECT_DOUBLE_EQ(work.compulsory, 2 * 30 * 14 * 4 / work.bytes);
  }
}

// Warps cover 64 points in x. They also load two on each side, because pairs stay together.
TEST(Work, StreamingInTwoDimensions) {
  const ir::Program program = load(kJacobiFlat);
  const auto streamed = [&](int steps, const std::string& loads) {
    return work_of(
        program, "streaming T=" + std::to_string(steps) +
                     " block=32x4 elements=2x1 chunk=32 prefetch=1 interior=tested loads=" + loads);
  };
  for (const int steps : {1, 2}) {
    const TileWork tile = streamed(steps, "registers");
    EXPECT_EQ(tile.steps, steps);
    ASSERT_EQ(tile.kernels.size(), 1u);
    const Work& work = tile.kernels[0];
    EXPECT_EQ(work.threads, 128);
    EXPECT_EQ(work.blocks, 9 * 32);  // four of the 35 tiles in x each
    EXPECT_EQ(work.iterations, 32 + 2 * steps + 1);
    EXPECT_EQ(work.stages, steps);
    EXPECT_EQ(work.barriers, 0);
    EXPECT_EQ(work.ahead, 1);
    EXPECT_EQ(work.iteration.single, 2 * 5 * steps);
    EXPECT_EQ(work.iteration.shuffles, 2 * steps);
    EXPECT_EQ(work.iteration.selects, 2 * steps);
    EXPECT_EQ(work.iteration.loads, 2);
    EXPECT_EQ(work.iteration.stores, 2);
    EXPECT_EQ(work.iteration.accesses, 2);  // both are vectors
    EXPECT_EQ(work.iteration.shared, 0);
    EXPECT_EQ(work.bytes, 2 * 4 * 2 * 128);
    EXPECT_DOUBLE_EQ(work.compulsory, 60.0 / 64 * 32 / work.iterations);
    EXPECT_EQ(work.edge, 0);
  }
  const Operations async = streamed(2, "async").kernels[0].iteration;
  EXPECT_EQ(async.loads, 0);
  EXPECT_EQ(async.copies, 2);
  EXPECT_EQ(async.shared, 2);
  EXPECT_EQ(async.accesses, 4 - 1);  // copied, read, stored
  const TileWork bulk = streamed(2, "bulk");
  EXPECT_EQ(bulk.kernels[0].iteration.loads, 0);
  EXPECT_EQ(bulk.kernels[0].iteration.copies, 0);
  EXPECT_EQ(bulk.kernels[0].iteration.bulk, 1);
  EXPECT_EQ(bulk.kernels[0].iteration.shared, 2);
  EXPECT_EQ(bulk.kernels[0].barriers, 1);

  // With an interior version, only edge tiles (two of 35) test coordinates.
  const TileWork split = work_of(program,
                                 "streaming T=1 block=32x4 elements=2x1 chunk=32 prefetch=1 "
                                 "interior=split loads=registers");
  EXPECT_EQ(split.kernels[0].iteration.selects, 0);
  EXPECT_EQ(split.kernels[0].edge_selects, 2);
  EXPECT_NEAR(split.kernels[0].edge, 2.0 / 35, 1e-12);
}

TEST(Work, StreamingInThreeDimensions) {
  const ir::Program program = load(kJacobiDeep);
  for (const int steps : {1, 2}) {
    const TileWork tile =
        work_of(program, "streaming T=" + std::to_string(steps) +
                             " block=32x8 elements=1x1 chunk=32 prefetch=1 interior=tested "
                             "loads=registers");
    ASSERT_EQ(tile.kernels.size(), 1u);
    const Work& work = tile.kernels[0];
    // Tiles at the ends of the grid have no halo there and write more points.
    EXPECT_EQ(work.blocks, steps == 1 ? 17 * 43 * 8 : 19 * 63 * 8);
    EXPECT_EQ(work.threads, 256);
    EXPECT_EQ(work.iterations, 32 + 2 * steps + 1);
    EXPECT_EQ(work.barriers, 1);
    EXPECT_EQ(work.iteration.single, 7 * steps);
    EXPECT_EQ(work.iteration.shuffles, 2 * steps);
    EXPECT_EQ(work.iteration.shared, 3 * steps);  // one written, those above and below read
    EXPECT_EQ(work.iteration.loads, 1);
    EXPECT_EQ(work.iteration.stores, 1);
    EXPECT_EQ(work.iteration.accesses, 2 + 3 * steps);
    EXPECT_EQ(work.iteration.selects, 2 * steps);
    EXPECT_EQ(work.bytes, 256 * 8);
    const double inner = (32.0 - 2 * steps) * (8 - 2 * steps) / 256;
    EXPECT_DOUBLE_EQ(work.compulsory, inner * 32 / work.iterations);
    EXPECT_EQ(work.footprint, 2.0 * 4 * 256 * 256 * 512);
  }
  // A patch of two points in y: the row between them stays in registers.
  const TileWork patch =
      work_of(program,
              "streaming T=2 block=32x8 elements=1x2 chunk=32 prefetch=1 interior=tested "
              "loads=registers");
  EXPECT_EQ(patch.kernels[0].iteration.single, 2 * 2 * 7);
  EXPECT_EQ(patch.kernels[0].iteration.shared, 2 * 4);
  EXPECT_EQ(patch.kernels[0].iteration.shuffles, 2 * 2 * 2);
}

// Vectors have at most 16 bytes, so threads with eight floats per row skip every other vector.
// Points of the other colour cost nothing, and their columns are not fetched.
TEST(Work, ColoursInStreaming) {
  const auto text = [](const char* red, const char* black) {
    return fmt::format(R"(
grid G = [0..1023, 0..2047] steps 8;
field A : real on G;
stencil red   : A[i in 1..1022, j in 1..2046] {} = 0.2 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1]);
stencil black : A[i in 1..1022, j in 1..2046] {} = 0.2 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1]);
)",
                       red, black);
  };
  const ir::Program all = load(text("", ""));
  const ir::Program half = load(text("where (i + j) % 2 == 0", "where (i + j) % 2 == 1"));
  const auto single = [](const ir::Program& program, const std::string& settings) {
    return work_of(program, "streaming T=2 block=32x1 " + settings).kernels[0].iteration;
  };
  EXPECT_EQ(2 * single(half, "elements=4x1").single, single(all, "elements=4x1").single);
  EXPECT_EQ(2 * single(half, "elements=4x1").shuffles, single(all, "elements=4x1").shuffles);
  // If the column is unknown, the conditions are evaluated.
  EXPECT_GT(single(half, "elements=1x1").single, single(all, "elements=1x1").single);
  EXPECT_EQ(single(half, "elements=1x1").shuffles, single(all, "elements=1x1").shuffles);
}

TEST(Work, ConflictsInSharedMemory) {
  const ir::Program program = load(kJacobiDeep);
  const auto conflicts = [&](const std::string& elements) {
    const Work work =
        work_of(program, "streaming T=2 block=16x16 prefetch=1 elements=" + elements).kernels[0];
    return work.iteration.conflicts / work.iteration.shared;
  };
  for (const char* free : {"1x1", "2x1", "3x1", "4x1", "4x2", "6x1"}) {
    EXPECT_EQ(conflicts(free), 0) << free;
  }
  EXPECT_EQ(conflicts("8x1"), 1);
  EXPECT_EQ(conflicts("16x1"), 3);
}

TEST(Work, ShiftingQueuesWaitForTheirLoads) {
  const ir::Program program = load(kJacobiDeep);
  const auto awaited = [&](const std::string& settings) {
    return work_of(program, "streaming T=2 block=32x8 " + settings).kernels[0].awaited;
  };
  // Three planes are read. With two more in flight, a plane reuses its registers after four.
  EXPECT_EQ(awaited("prefetch=2 loads=registers unroll=1"), 1);
  EXPECT_EQ(awaited("prefetch=2 loads=registers unroll=2"), 0.5);
  EXPECT_EQ(awaited("prefetch=2 loads=registers unroll=4"), 0);
  EXPECT_EQ(awaited("prefetch=1 loads=registers unroll=3"), 0);
  EXPECT_EQ(awaited("prefetch=0 loads=registers unroll=1"), 0) << "waits anyway";
  EXPECT_EQ(awaited("prefetch=2 loads=async unroll=1"), 0);
  // A field that is written but never read keeps no plane in registers.
  for (const char* text :
       {"field A, B : real on G boundary clamp; stencil s : B[1..62, 1..62] = A[0,0];",
        "field V : vector 2 of real on G; field A : real on G; stencil s : A on G = V[0,0][0];",
        "field A : real on G history 2; stencil s : A[1..62, 1..62] = 2 * A@-1[0,0];",
        "field A, B : real on G; stencil s : A[3..9, 3..9] = 1; stencil t : B on G = A[0,0];"}) {
    const ir::Program kept = load(std::string("grid G = [0..63, 0..63] steps 4;") + text);
    for (const char* line : {"streaming T=1 block=32x1 prefetch=1 loads=registers unroll=1",
                             "streaming T=2 block=32x1 prefetch=2 loads=registers unroll=1"}) {
      EXPECT_LE(work_of(kept, line).kernels[0].awaited, 1) << text << line;
    }
  }
}

TEST(Work, PlanesOnACpu) {
  const ir::Program flat = load(kJacobiFlat), deep = load(kJacobiDeep);
  {
    const TileWork tile = work_of(flat, "planes T=2 block=256 chunk=64", cpu());
    EXPECT_EQ(tile.steps, 2);
    ASSERT_EQ(tile.kernels.size(), 1u);
    const Work& work = tile.kernels[0];
    EXPECT_EQ(work.blocks, 16 * 9);  // blocks of 64 x 254 points
    EXPECT_EQ(work.threads, 256);
    EXPECT_EQ(work.row, 256);
    EXPECT_EQ(work.iterations, 66);
    EXPECT_EQ(work.stages, 2);
    EXPECT_EQ(work.shared_bytes, 3 * 256 * 4);
    const double x = 2046.0 / 9;  // mean points of a tile, including the shorter last one
    const double points = (66 * (x + 2) + 64 * x) / (66 * 256);
    EXPECT_DOUBLE_EQ(work.iteration.single, 5 * points);
    EXPECT_DOUBLE_EQ(work.iteration.shared, 6 * points);
    EXPECT_DOUBLE_EQ(work.bytes, 4.0 * (68 * (x + 4) + 64 * x) / 66);
    EXPECT_DOUBLE_EQ(work.compulsory, 2.0 * 64 * x / (68 * (x + 4) + 64 * x));
    // Three planes of the ring and three of A in memory. Each point reads three planes.
    EXPECT_EQ(work.held_bytes, 3 * 256 * 4 + 3 * 256 * 4);
    EXPECT_DOUBLE_EQ(work.planes_read, 3 * 4 * points);
    EXPECT_EQ(work.inside, 1);
  }
  const Work work = work_of(deep, "planes T=2 block=256x16 chunk=32", cpu()).kernels[0];
  EXPECT_EQ(work.blocks, 8 * 19 * 3);
  EXPECT_EQ(work.threads, 256 * 16);
  EXPECT_EQ(work.iterations, 34);
  EXPECT_EQ(work.shared_bytes, 3 * 256 * 16 * 4);
  const double x = 510.0 / 3, y = 254.0 / 19;
  EXPECT_NEAR(work.iteration.single, 7 * (34 * (y + 2) * (x + 2) + 32 * y * x) / (34 * 16 * 256),
              1e-9);
  EXPECT_NEAR(work.bytes, 4.0 * (36 * (y + 4) * (x + 4) + 32 * y * x) / 34, 1e-6);
  {
    // A tile is clipped to the grid.
    const Work whole = work_of(flat, "planes T=2 block=4096 chunk=4096", cpu()).kernels[0];
    EXPECT_EQ(whole.blocks, 1);
    EXPECT_EQ(whole.threads, 2048);
    EXPECT_EQ(whole.row, 2048);
    EXPECT_EQ(whole.iterations, 1024 + 2);
    EXPECT_NEAR(whole.iteration.single, 5 * 1024 * (2048 + 2046) / (1026 * 2048.0), 1e-9);
    const Work direct = work_of(flat, "direct block=4096x16", cpu()).kernels[0];
    EXPECT_EQ(direct.inside, 0.5);
    EXPECT_EQ(direct.row, 2048);
    EXPECT_EQ(direct.held_bytes, 3.0 * 2048 * 4);
    const Work tiled = work_of(flat, "overlapped T=2 block=4096x16", cpu()).kernels[0];
    EXPECT_NEAR(tiled.inside, 0.5, 0.01);
  }
  // The family counts no work for GPUs.
  Scheduler scheduler(flat);
  Diagnostics none;
  const PlanPtr plan = scheduler.plan_once(*scheduler.parse("planes T=2", none), none);
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->work());
}

TEST(Work, TypicalExtentsOfOpenGrids) {
  const ir::Program open = load(
      "param N : integer; grid G = [0..N-1, 0..N-1, 0..127] steps 4; field A : real on G;"
      "stencil f : A[1..N-2, 1..N-2, 0..127] = A[-1,0,0] + A[1,0,0];");
  EXPECT_EQ(usual_extent(open, 0), 512);
  EXPECT_EQ(usual_extent(open, 1), 512);
  EXPECT_EQ(usual_extent(open, 2), 128);
  EXPECT_EQ(usual_points(open), 512.0 * 512 * 128);
  EXPECT_EQ(footprint(open), 2 * 4 * usual_points(open));
  const ir::Program levels = load(
      "grid G = [0..15] steps 4; field U : real on G history 2; field c : real on G constant;"
      "stencil f : U[1..14] = U[1] - U@-1[0] + c[0];");
  EXPECT_EQ(footprint(levels), 16 * 4 * (3 + 1));
  EXPECT_EQ(words(Scalar::F64), 2);
  EXPECT_EQ(words(Scalar::F32), 1);
  EXPECT_EQ(words(Scalar::F16), 1);
}

TEST(Work, OperationsAddUp) {
  Operations sum;
  const Operations one = {.single = 1,
                          .real = 2,
                          .integer = 3,
                          .calls = 4,
                          .real_calls = 5,
                          .multiplied = 6,
                          .real_multiplied = 7,
                          .selects = 8,
                          .loads = 9,
                          .stores = 10,
                          .copies = 11,
                          .bulk = 12,
                          .shared = 13,
                          .shuffles = 14,
                          .accesses = 15,
                          .points = 16};
  sum.add(one).add(one, 0.5);
  EXPECT_EQ(sum.arithmetic(), 1.5 * 28);
  const double rest[] = {sum.selects, sum.loads,    sum.stores,   sum.copies, sum.bulk,
                         sum.shared,  sum.shuffles, sum.accesses, sum.points};
  for (size_t i = 0; i < std::size(rest); ++i) EXPECT_EQ(rest[i], 1.5 * (8 + i));
}

// Values that do not depend on the point are computed once, before all points.
TEST(Work, CountsArithmeticOfGraphs) {
  const auto of = [](const std::string& expression, FpMode fp = FpMode::Contract) {
    ProgramOptions options;
    options.fp = fp;
    const ir::Program program = load(
        "param a : real = 0.5; param b : real = 2; grid G = [0..63, 0..63] steps 4;"
        "field A : real on G; field K : integer on G constant;"
        "stencil f : A[1..62, 1..62] = " +
            expression + ";",
        options);
    const ir::Piece& piece = program.functions[0].pieces[0];
    return arithmetic(piece.graph, piece.results, program.fp, Sharing::None);
  };
  EXPECT_EQ(of("A[0,1] + A[1,0]").single, 1);
  EXPECT_EQ(of("a * A[0,1] + A[1,0]").single, 1) << "a fused product is free";
  EXPECT_EQ(of("a * A[0,1] + A[1,0]", FpMode::Fast).single, 1);
  EXPECT_EQ(of("a * A[0,1] * A[1,0]").single, 2);
  EXPECT_EQ(of("(a * b) * A[0,1]").single, 1);
  EXPECT_EQ(of("A[0,1] / A[1,0]").calls, 1);
  EXPECT_EQ(of("exp(A[0,1])").calls, 1);
}

// A profile is loaded once along the dimensions that it lacks, a series once per
// step. Neither is counted here.
TEST(Work, ProfilesAndSeries) {
  const std::string text = R"(
grid G = [0..1023, 0..2047] steps 8;
field A : real on G;
field x : real on G along 1 constant; field y : real on G along 0 constant;
series w : real [0..7];
stencil s : A[1..1022, 1..2046] = 0.2 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1] + A[0,0]))";
  const ir::Program plain = load(text + ";"), with = load(text + " * x[0] + y[0] + w[time];");
  const std::string line = "streaming T=2 block=32x1 elements=4x1";
  const Work before = work_of(plain, line).kernels[0], after = work_of(with, line).kernels[0];
  EXPECT_EQ(after.iteration.loads - before.iteration.loads, 2 * (4 + 1));
  EXPECT_EQ(after.iteration.accesses - before.iteration.accesses, 2 * (4 + 1));
  EXPECT_EQ(after.bytes, before.bytes);
  EXPECT_EQ(after.footprint, before.footprint);
  const Work direct = work_of(with, "direct block=64x4 elements=1x2").kernels[0];
  EXPECT_EQ(direct.iteration.loads, 2 * 5 + 2 + 1);
}

}  // namespace
}  // namespace stencil::schedule
