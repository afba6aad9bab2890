// Operation and memory counts of whole schedules, compared with counts derived by hand.
#include "compiler/driver/compile.h"
#include "compiler/kernel/trace.h"
#include "compiler/schedule/settings.h"
#include "tests/unit/load.h"

namespace stencil {
namespace {

using kernel::Counters;

// A 7-point stencil: an fma, a product and five sums per point, and a
// difference and a quotient per thread.
std::string seven_points(int size) {
  return "param N : integer = " + std::to_string(size) +
         ";\n"
         "param alpha : real = 0.25;\n"
         "grid G = [0..N-1, 0..N-1, 0..N-1] steps 8;\n"
         "field A : real on G;\n"
         "stencil s : A[1..N-2, 1..N-2, 1..N-2] = alpha * A[0,0,0] + (1 - alpha) / 6 *\n"
         "  (A[-1,0,0] + A[1,0,0] + A[0,-1,0] + A[0,1,0] + A[0,0,-1] + A[0,0,1]);\n";
}

ir::Program in_double(const std::string& text) {
  ProgramOptions options;
  options.real = Scalar::F64;
  return test::load(text, options);
}

kernel::Trace traced(const std::string& text, const std::string& schedule) {
  CompileRequest request;
  request.schedule = schedule;
  Diagnostics diagnostics;
  const Source source("test.stn", text);
  const auto compiled = compile(in_double(text), source, request, diagnostics);
  EXPECT_TRUE(compiled) << render(source, diagnostics);
  std::string problem;
  auto trace = compiled ? kernel::trace(compiled->legal, {}, problem) : std::nullopt;
  EXPECT_TRUE(trace) << problem;
  return trace.value_or(kernel::Trace{});
}

TEST(CountsOfSchedules, DirectLoadsEachOperandOnce) {
  const kernel::Trace trace = traced(seven_points(128), "direct elements=1");
  const Counters c = trace.total().counts;
  EXPECT_EQ(trace.points, 128 * 128 * 128);
  EXPECT_EQ(trace.steps, 1);
  EXPECT_EQ(c.loads64, 7 * 126 * 126 * 126);
  EXPECT_EQ(c.global_loads, c.loads64);
  EXPECT_EQ(c.stores64, 126 * 126 * 126);
  EXPECT_EQ(c.loads32 + c.stores32 + c.shared_loads + c.barriers, 0);
  EXPECT_FALSE(trace.total().data_dependent);
  EXPECT_FALSE(trace.total().sampled);
}

// 2 x 6 x 6 tiles of 6 x 2 x 2 points, two steps. A tile loads two more points on each side,
// clipped to the grid: 8 and 8 in x; 4, 6, 6, 6, 6 and 4 in y and z. The first step computes one
// more point on each side, clipped to the region [1..10]: 6 and 6 in x;
// 2, 4, 4, 4, 4 and 2 in y and z.
TEST(CountsOfSchedules, OverlappedLoadsHalosAndComputesThem) {
  const kernel::Trace trace =
      traced(seven_points(12), "overlapped T=2 block=8x4x1 elements=1x1x4 regions=hull");
  const Counters c = trace.total().counts;
  constexpr int64_t kLoaded = 16 * 32 * 32, kComputed = 2 * 12 * 20 * 20, kBlocks = 72;
  EXPECT_EQ(trace.steps, 2);
  EXPECT_EQ(trace.total().blocks, kBlocks);
  EXPECT_EQ(trace.total().shared_bytes, 10 * 6 * 6 * 8);
  EXPECT_EQ(c.loads64, kLoaded);
  EXPECT_EQ(c.stores64, 12 * 12 * 12);
  EXPECT_EQ(c.shared_stores, kLoaded + kComputed);
  EXPECT_EQ(c.shared_loads, 7 * kComputed + 12 * 12 * 12);
  EXPECT_EQ(c.flops, 8 * kComputed + 2 * kBlocks * 32);
  EXPECT_EQ(c.barriers, kBlocks * 5);
  EXPECT_EQ(c.shuffles, 0);
}

// 2 x 2 tiles of 8 x 8 threads in 3 chunks of 4 planes. The first chunk takes 8 iterations; the
// others start two planes earlier and take 10. In each iteration a thread loads one point. For each
// of the two steps it writes one point to its shared row and reads two of other threads; shuffles
// provide two more from its neighbours in x.
TEST(CountsOfSchedules, StreamingLoadsAPlanePerIteration) {
  const kernel::Trace trace =
      traced(seven_points(12),
             "streaming T=2 block=8x8x1 elements=1x1x1 chunk=4 loads=registers rows=dense");
  const Counters c = trace.total().counts;
  constexpr int64_t kIterations = 2 * 2 * (8 + 10 + 10), kThreads = 64, kWarps = 2;
  EXPECT_EQ(trace.total().blocks, 12);
  EXPECT_EQ(c.loads64, kIterations * kThreads);
  EXPECT_EQ(c.load_requests, kIterations * kWarps);
  // Four rows of eight points; each row lies in two sectors.
  EXPECT_EQ(c.load_sectors, kIterations * kWarps * 4 * 2);
  EXPECT_EQ(c.stores64, 12 * 12 * 12);
  EXPECT_EQ(c.shared_stores, kIterations * kThreads * 2);
  EXPECT_EQ(c.shared_loads, kIterations * kThreads * 4);
  EXPECT_EQ(c.shuffles, kIterations * kWarps * 2 * 2 * 2);
  EXPECT_EQ(c.barriers, kIterations);
  EXPECT_EQ(c.flops, kIterations * kThreads * 2 * 8 + 12 * kThreads * 2);
}

// Async and bulk copies load the same points into shared memory.
TEST(CountsOfSchedules, CopiesInTheBackgroundAreLoads) {
  const auto loads = [&](const char* how) {
    const std::string line = "streaming T=2 block=16x8x1 elements=2x2x1 chunk=8 loads=";
    return traced(seven_points(64), line + how).total().counts;
  };
  const Counters async = loads("async"), bulk = loads("bulk");
  EXPECT_GT(async.loads64, 64 * 64 * 64);
  EXPECT_EQ(async.stores64, 64 * 64 * 64);
  EXPECT_EQ(bulk.stores64, 64 * 64 * 64);
  EXPECT_LE(bulk.loads64, async.loads64);
  EXPECT_GT(bulk.loads64, 64 * 64 * 64);
  EXPECT_LT(bulk.load_requests, async.load_requests / 8);
}

TEST(CountsOfSchedules, ReductionsAreCountedSeparately) {
  const std::string text = seven_points(16) + "reduce total = sum(A[0,0,0]) on G every 4;\n";
  const kernel::Trace trace = traced(text, "direct elements=1");
  ASSERT_EQ(trace.kernels.size(), 1u);
  EXPECT_FALSE(trace.reductions.empty());
  EXPECT_EQ(trace.total().counts.loads64, 7 * 14 * 14 * 14);
  int64_t loads = 0;
  for (const auto& kernel : trace.reductions) loads += kernel.counts.loads64;
  EXPECT_GE(loads, 16 * 16 * 16);
}

TEST(ExplainCounts, PrintsATableOrAReason) {
  const auto counts = [](const char* schedule, emit::Target target, Diagnostics& diagnostics) {
    return explain_counts(in_double(seven_points(12)), schedule, diagnostics, machine_of(target),
                          target);
  };
  Diagnostics diagnostics;
  const std::string text = counts("direct elements=1", emit::Target::Cuda, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_NE(text.find("7,000"), std::string::npos) << text;
  EXPECT_NE(text.find("1,728 points"), std::string::npos) << text;
  EXPECT_EQ(counts("direct", emit::Target::Cpp, diagnostics), "");
  ASSERT_TRUE(diagnostics.has_errors());
  EXPECT_EQ(diagnostics.items()[0].code, "U041");
}

}  // namespace
}  // namespace stencil
