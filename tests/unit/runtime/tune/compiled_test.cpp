#include "runtime/tune/compiled.h"

#include <gtest/gtest.h>

#include "runtime/devices/nvrtc.h"
#include "tests/unit/runtime/programs.h"

namespace stencil::tune {
namespace {

constexpr const char* kJacobi = R"(
param N : integer = 1024;
param M : integer = 1024;
require N >= 3 and M >= 3;
grid G = [0..N-1, 0..M-1] steps 100;
field A : real on G;
stencil jacobi : A[1..N-2, 1..M-2] = 0.2 * (A[0,0] + A[-1,0] + A[1,0] + A[0,-1] + A[0,1]);
)";

std::vector<schedule::Schedule> schedules_of(const ir::Program& program,
                                             const std::vector<std::string>& lines) {
  std::vector<schedule::Schedule> out;
  for (const std::string& line : lines) {
    Diagnostics diagnostics;
    const auto schedule = schedule::parse(line, program, diagnostics);
    EXPECT_TRUE(schedule) << line;
    if (schedule) out.push_back(*schedule);
  }
  return out;
}

class CompiledTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto nvrtc = runtime::find_nvrtc(0);
    if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.failure().message;
  }
  std::vector<Compiled> compiled(const std::vector<std::string>& lines, int threads = 2) const {
    auto out =
        compile_candidates(program_, schedules_of(program_, lines), schedule::gpu(), threads);
    EXPECT_TRUE(out.ok()) << out.failure().message;
    return out.ok() ? std::move(out).value() : std::vector<Compiled>(lines.size());
  }
  const ir::Program program_ = runtime::program_of(kJacobi);
};

// A thread computes two points of a row in each of 4 steps, each with a product and four sums, and
// gets one neighbour value per point by shuffle. One trip of the
// machine-code loop covers several planes.
TEST_F(CompiledTest, CountsTheArithmeticOfAStencil) {
  constexpr int64_t kOfPlane = 4 * 2 * 5;
  const Compiled one = compiled({"streaming T=4 block=32x1 elements=2"})[0];
  EXPECT_EQ(one.refused + one.error, "");
  EXPECT_GT(one.registers, 16);
  EXPECT_LE(one.registers, 255);
  EXPECT_EQ(one.local_bytes, 0);
  EXPECT_GT(one.code_bytes, 1024);
  EXPECT_GT(one.seconds, 0);
  ASSERT_TRUE(one.loop);
  EXPECT_GT(one.loop->singles, 0);
  EXPECT_EQ(one.loop->singles % kOfPlane, 0) << one.loop->singles;
  EXPECT_EQ(one.loop->shuffles, one.loop->singles / 5);
  EXPECT_EQ(one.loop->doubles, 0);
  EXPECT_EQ(one.loop->local, 0);
  EXPECT_EQ(one.loop->global, 2 * one.loop->singles / kOfPlane) << "one plane read, one written";
  EXPECT_LT(one.loop->all, 3 * one.loop->singles) << "the interior, not the edges";
}

TEST_F(CompiledTest, ReportsSpillsAndSharedMemory) {
  const auto of = compiled({"streaming T=8 block=32x1 elements=16", "overlapped T=4 block=32x8",
                            "overlapped T=2 block=32x8 elements=8x8"});
  EXPECT_GT(of[0].local_bytes, 0);
  EXPECT_GT(of[0].registers, 200);
  EXPECT_EQ(of[1].local_bytes, 0);
  EXPECT_GT(of[1].shared_bytes, 1024);
  EXPECT_GT(of[2].shared_bytes, 48 << 10) << "requested at launch";
}

TEST_F(CompiledTest, RefusesSchedulesSeparately) {
  const auto of = compiled({"overlapped T=4 block=32x8", "overlapped T=64 block=8x8", "direct"}, 1);
  EXPECT_GT(of[0].registers, 0);
  EXPECT_EQ(of[1].refused.substr(0, 2), "L0") << of[1].refused;
  EXPECT_EQ(of[1].registers, 0);
  EXPECT_FALSE(of[1].loop);
  EXPECT_GT(of[2].registers, 0);
  EXPECT_EQ(of[2].error, "");
  EXPECT_FALSE(of[2].loop) << "a thread has a few points, and no loop";
  ASSERT_TRUE(of[2].kernel);
  EXPECT_GT(of[2].kernel->singles, 0);
  EXPECT_EQ(of[2].kernel->singles * 6, of[2].kernel->global * 5) << "5 reads, 1 write";
}

// An iteration is one plane, however many planes a trip of the machine-code loop covers.
TEST_F(CompiledTest, FindsIterationsOfTheMainLoop) {
  const std::vector<std::string> lines = {
      "streaming T=4 block=32x1 elements=2 interior=tested",
      "streaming T=4 block=32x1 elements=2 interior=tested unroll=1",
      "streaming T=4 block=32x1 elements=2 interior=tested unroll=6",
      "streaming T=4 block=32x4 elements=2 interior=tested loads=bulk",
      "streaming T=4 block=32x1 elements=2 interior=tested loads=registers prefetch=1",
      "streaming T=4 block=32x1 elements=2 interior=split",
      "streaming T=4 block=32x1 elements=2 interior=split unroll=3"};
  const auto of = compiled(lines);
  for (size_t i = 0; i < lines.size(); ++i) {
    SCOPED_TRACE(lines[i]);
    ASSERT_EQ(of[i].kernels.size(), 1u);
    const CompiledKernel& kernel = of[i].kernels[0];
    EXPECT_EQ(kernel.name, "program_stream");
    EXPECT_EQ(kernel.registers, of[i].registers);
    const MainLoop& loop = kernel.main_loop;
    ASSERT_EQ(loop.unmatched, "");
    EXPECT_DOUBLE_EQ(loop.inside.singles, 4 * 2 * 5);
    EXPECT_DOUBLE_EQ(loop.inside.shuffles, 4 * 2);
    EXPECT_GT(loop.inside.all, 50);
    EXPECT_LT(loop.inside.all, 250);
    const bool split = schedules_of(program_, {lines[i]})[0].interior == schedule::Interior::Split;
    EXPECT_EQ(loop.at_edge.all > 1.1 * loop.inside.all, split) << loop.at_edge.all;
    const auto model = for_model(of[i]);
    ASSERT_EQ(model.size(), 1u);
    EXPECT_EQ(model[0].registers, kernel.registers);
    EXPECT_EQ(model[0].shared_bytes, of[i].shared_bytes);
    ASSERT_TRUE(model[0].issued && model[0].edge_issued);
    EXPECT_EQ(model[0].issued->all, loop.inside.all);
    EXPECT_EQ(model[0].edge_issued->all, loop.at_edge.all);
  }
  EXPECT_EQ(of[1].kernels[0].main_loop.iterations, 1);
  EXPECT_EQ(of[2].kernels[0].main_loop.iterations, 6);
  EXPECT_EQ(of[6].kernels[0].main_loop.iterations, 3);
}

TEST_F(CompiledTest, AnalysesKernelsOfOtherFamilies) {
  const auto of = compiled({"direct block=64x4 elements=1x4", "overlapped T=4 block=32x8"});
  ASSERT_EQ(of[0].kernels.size(), 1u);
  EXPECT_EQ(of[0].kernels[0].main_loop.unmatched, "");
  EXPECT_DOUBLE_EQ(of[0].kernels[0].main_loop.inside.singles, 4 * 5) << "the whole";
  ASSERT_EQ(of[1].kernels.size(), 1u);
  EXPECT_EQ(of[1].kernels[0].main_loop.unmatched, "no loop of the kernel stores results");
  const auto model = for_model(of[1]);
  ASSERT_EQ(model.size(), 1u);
  EXPECT_GT(model[0].registers, 0);
  EXPECT_FALSE(model[0].issued);
  EXPECT_TRUE(for_model({}).empty());
}

// Kernels of whole tiles, in the order in which a step launches them.
TEST_F(CompiledTest, DistinguishesKernels) {
  const ir::Program program = runtime::program_of(R"(
grid G = [0..511, 0..511, 0..511] steps 9;
field A : real on G history 2;
field B : real on G;
stencil b : A[1..510, 1..510, 1..510] = B[-1,0,0] + B[1,0,0] + B[0,1,0] + B[0,0,1];
stencil a : B on G = A[0,0,0] * 0.5;
)");
  const auto out = compile_candidates(
      program, schedules_of(program, {"direct", "streaming T=3 block=32x8x1 elements=1x2x1"}),
      schedule::gpu(), 2);
  ASSERT_TRUE(out.ok()) << out.failure().message;
  const auto& direct = out.value()[0].kernels;
  ASSERT_EQ(direct.size(), 2u);
  EXPECT_EQ(direct[0].name, "program_b");
  EXPECT_EQ(direct[1].name, "program_a");
  EXPECT_GT(direct[0].main_loop.inside.singles, direct[1].main_loop.inside.singles);
  Diagnostics none;
  const auto module = runtime::lower(
      program, schedules_of(program, {"streaming T=3 block=32x8x1 elements=1x2x1"})[0],
      schedule::gpu(), none, schedule::Advice::None);
  ASSERT_GT(module->kernels.size(), 1u);
  const auto& streaming = out.value()[1].kernels;
  ASSERT_EQ(streaming.size(), 1u) << "no kernels for the remaining steps";
  EXPECT_EQ(streaming[0].name, "program_stream");
  EXPECT_EQ(streaming[0].main_loop.unmatched, "");
  EXPECT_GE(streaming[0].main_loop.inside.singles, 3 * 2 * 4);
}

TEST_F(CompiledTest, EndsIfTheCallbackReturnsFalse) {
  const auto schedules = schedules_of(program_, std::vector<std::string>(500, "direct"));
  size_t calls = 0, done = 0;
  const auto out =
      compile_candidates(program_, schedules, schedule::gpu(), 1, [&](const CompiledProgress& now) {
        EXPECT_EQ(now.of, 500u);
        done = now.compiled;
        return ++calls < 2;
      });
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(calls, 2u);
  EXPECT_EQ(out.value().size(), 500u);
  EXPECT_LT(done, 500u);
  EXPECT_EQ(out.value()[499].registers, 0) << "not reached";
}

// Needs no compiler on this machine.
TEST(CompiledMachines, AreThoseThatNvrtcSupports) {
  const ir::Program program = runtime::program_of(kJacobi);
  const auto why = [&](const char* name) {
    schedule::Machine machine = schedule::gpu();
    machine.name = name;
    const auto out = compile_candidates(program, {}, machine, 1);
    return out.ok() ? "" : out.failure().code + " " + out.failure().message;
  };
  EXPECT_EQ(why("cpu"), "R041 cpu is not an NVIDIA GPU, so NVRTC cannot compile for it");
  EXPECT_EQ(why("gfx90a").substr(0, 11), "R041 gfx90a");
  EXPECT_EQ(why("sm_").substr(0, 8), "R041 sm_");
  EXPECT_EQ(why("sm_999").substr(0, 10), "R041 NVRTC");
}

}  // namespace
}  // namespace stencil::tune
