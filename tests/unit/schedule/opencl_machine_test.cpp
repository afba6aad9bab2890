// Schedules for OpenCL devices other than an H100: machines made from device properties, defaults
// of all families that fit them, and refusals that state the device's limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/emit/legalise.h"
#include "compiler/schedule/family.h"
#include "compiler/schedule/streaming/chunks.h"
#include "compiler/schedule/streaming/kernel.h"
#include "tests/unit/load.h"

namespace stencil::schedule {
namespace {

constexpr OpenClLimits kLaptop = {256, {256, 256, 64}, 32 << 10, 8};
constexpr OpenClLimits kSmall = {64, {64, 16, 4}, 16 << 10, 2};
constexpr OpenClLimits kLarge = {1024, {1024, 1024, 64}, 48 << 10, 132};
constexpr OpenClLimits kProcessor = {4096, {4096, 4096, 4096}, 256 << 10, 16};

const char* const kFlat =
    "grid G = [0..999, 0..999] steps 9; field A : float on G;"
    "stencil f : A[1..998, 1..998] = A[-1,0] + A[1,0] + A[0,-1] + A[0,1];";

std::vector<std::pair<std::string, ir::Program>> examples() {
  std::vector<std::pair<std::string, ir::Program>> out;
  const std::string directory = std::string(STENCIL_SOURCE_DIR) + "/dsl-examples";
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".stn") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    out.emplace_back(entry.path().stem().string(), test::load(text.str()));
  }
  out.emplace_back("rank 4",
                   test::load("grid G = [0..49, 0..49, 0..49, 0..49] steps 3;"
                              "field A : float on G; stencil f :"
                              "A[1..48, 1..48, 1..48, 1..48] = A[-1,0,0,1] + A[0,1,-1,0];"));
  return out;
}

// Checks the kernels after legalization for OpenCL C, where shuffles and
// bulk copies use shared memory.
void expect_kernels_fit(const kernel::Module& module, const Machine& machine,
                        const std::string& what) {
  for (const kernel::Kernel& kernel : emit::legalise(module, emit::opencl_dialect()).kernels) {
    // Reduction kernels always have 256 lanes, because the language fixes the order of summation.
    if (kernel.name.find("_reduce_") != std::string::npos) continue;
    EXPECT_TRUE(takes_block(machine, kernel.threads)) << what << ", " << kernel.name;
    EXPECT_LE(kernel::shared_bytes(kernel, module.constants), machine.shared_bytes)
        << what << ", " << kernel.name;
  }
}

std::string refusal(const std::string& line, const Machine& machine) {
  const ir::Program program = test::load(kFlat);
  Diagnostics diagnostics;
  const auto schedule = parse(line, program, diagnostics, machine);
  if (schedule) lower(program, *schedule, diagnostics, machine, Advice::None);
  return render(Source("", ""), diagnostics);
}

TEST(OpenClMachine, HasTheLimitsOfAGpu) {
  const Machine machine = opencl_gpu({512, {256, 128, 32}, 65536, 24});
  EXPECT_EQ(machine.threads, 512);
  EXPECT_EQ(machine.threads_in_x, 256);
  EXPECT_EQ(machine.threads_in_y, 128);
  EXPECT_EQ(machine.threads_from_z, 32);
  EXPECT_EQ(machine.shared_bytes, 65536);
  EXPECT_EQ(machine.multiprocessors, 24);
  EXPECT_FALSE(machine.shuffles);
  EXPECT_FALSE(machine.threads_are_loops);
  EXPECT_FALSE(machine.in_place);
  EXPECT_TRUE(takes_block(machine, {256, 2}));
  EXPECT_FALSE(takes_block(machine, {257})) << "x";
  EXPECT_FALSE(takes_block(machine, {1, 129})) << "y";
  EXPECT_FALSE(takes_block(machine, {1, 1, 8, 8})) << "z and beyond";
  EXPECT_FALSE(takes_block(machine, {256, 4})) << "all together";
}

TEST(OpenClMachine, OfACpuUsesThreadLoops) {
  const Machine machine = opencl_cpu(kProcessor);
  EXPECT_TRUE(machine.threads_are_loops);
  EXPECT_FALSE(machine.in_place);
  EXPECT_EQ(machine.shared_bytes, 256 << 10);
  EXPECT_EQ(machine.multiprocessors, 16);
  EXPECT_GT(machine.threads, kProcessor.work_group) << "thread loops are no work-items";
  EXPECT_EQ(opencl_cpu({1, {1, 1, 1}, 64 << 20, 4}).shared_bytes, cpu().shared_bytes)
      << "a block must fit the cache";
}

TEST(OpenClMachine, DefaultsFit) {
  const auto programs = examples();
  for (const OpenClLimits& limits : {kLaptop, kSmall, kLarge}) {
    const Machine machine = opencl_gpu(limits);
    for (const auto& [name, program] : programs) {
      for (const std::string line : {"auto", "direct", "overlapped", "planes", "streaming"}) {
        const std::string what = name + ", " + line + ", " + std::to_string(limits.local_bytes);
        Diagnostics diagnostics;
        const auto schedule = parse(line, program, diagnostics, machine);
        ASSERT_TRUE(schedule) << what;
        const auto module = lower(program, *schedule, diagnostics, machine, Advice::None);
        const bool must = line == "auto" || line == "direct";
        EXPECT_TRUE(module || !must) << what << render(Source("", ""), diagnostics);
        if (module) expect_kernels_fit(*module, machine, what);
      }
    }
  }
}

// Defaults are reduced to the device's limits instead of being refused.
TEST(OpenClMachine, EveryFamilyServesSimplePrograms) {
  const ir::Program flat = test::load(kFlat);
  const ir::Program deep = test::load(
      "grid G = [0..99, 0..99, 0..99] steps 9; field A, B : double on G;"
      "stencil f : A[1..98, 1..98, 1..98] = A[-1,0,0] + A[1,0,0] + B[0,-1,0] + A[0,0,1];"
      "stencil g : B[1..98, 1..98, 1..98] = B[-1,0,0] + A[0,1,0] + B[0,-1,0] + A[0,0,1];");
  for (const OpenClLimits& limits : {kLaptop, kSmall, kLarge}) {
    for (const ir::Program* program : {&flat, &deep}) {
      for (const std::string line : {"auto", "direct", "overlapped", "planes", "streaming"}) {
        Diagnostics diagnostics;
        const auto schedule = parse(line, *program, diagnostics, opencl_gpu(limits));
        ASSERT_TRUE(schedule);
        EXPECT_TRUE(lower(*program, *schedule, diagnostics, opencl_gpu(limits), Advice::None))
            << line << ", " << limits.local_bytes << "\n"
            << render(Source("", ""), diagnostics);
      }
    }
  }
}

TEST(OpenClMachine, DefaultsOfACpuFit) {
  const Machine machine = opencl_cpu(kProcessor);
  for (const auto& [name, program] : examples()) {
    Diagnostics diagnostics;
    const auto module = lower(program, choose(program, nullptr, machine), diagnostics, machine);
    ASSERT_TRUE(module) << name;
    for (const kernel::Kernel& kernel : module->kernels) {
      EXPECT_LE(kernel::shared_bytes(kernel, module->constants), machine.shared_bytes) << name;
    }
  }
}

TEST(OpenClMachine, FewerThreadsKeepTheTileSize) {
  Schedule schedule;
  schedule.block = {32, 16};
  schedule.elements = {4, 4};
  const Schedule fewer = with_fewer_threads(schedule, opencl_gpu(kLaptop));
  EXPECT_EQ(fewer.block, (Shape{32, 8}));
  EXPECT_EQ(fewer.elements, (Shape{4, 8}));
  EXPECT_EQ(with_fewer_threads(schedule, gpu()), schedule);
  EXPECT_EQ(with_fewer_threads(schedule, opencl_gpu({1024, {16, 4, 1}, 1, 1})).block,
            (Shape{16, 4}));
}

TEST(OpenClMachine, RefusalsStateTheDeviceLimits) {
  const Machine laptop = opencl_gpu(kLaptop), small = opencl_gpu(kSmall);
  EXPECT_EQ(refusal("direct block=32x16", laptop),
            "error L002: bad value of schedule setting 'block'\n"
            "      = expected: at most 256 threads per block (64 of them in z and beyond)\n"
            "      = found: 32x16\n");
  EXPECT_EQ(refusal("direct block=2x32", small),
            "error L002: bad value of schedule setting 'block'\n"
            "      = expected: at most 64 threads per block (16 in y, 4 in z and beyond)\n"
            "      = found: 2x32\n");
  EXPECT_EQ(refusal("overlapped T=2 block=32x8 elements=4x16", laptop),
            "error L015: overlapped refused: the tiles exceed shared memory\n"
            "      = expected: at most 32768 bytes per block\n"
            "      = found: 67600 bytes\n"
            "      = hint: fewer steps per tile, fewer elements per thread or a smaller block\n");
  EXPECT_EQ(refusal("planes T=8 block=256", opencl_gpu({256, {256, 256, 64}, 8192, 8})),
            "error L015: planes refused: the rings exceed shared memory\n"
            "      = expected: at most 8192 bytes per block\n"
            "      = found: 21504 bytes\n"
            "      = hint: fewer steps per tile or a smaller block\n");
  EXPECT_EQ(refusal("streaming T=2 block=32x8 elements=8 prefetch=4", laptop),
            "error L015: streaming refused: exchanged rows and copied planes exceed shared memory\n"
            "      = expected: at most 32768 bytes per block\n"
            "      = found: 43008 bytes\n"
            "      = hint: fewer steps per tile, fewer elements per thread or a smaller block\n");
  EXPECT_EQ(refusal("streaming T=2 block=32x8 elements=8 prefetch=4", gpu()), "");
  // A schedule that was not parsed from a line.
  Schedule schedule;
  schedule.block = {512};
  Diagnostics diagnostics;
  EXPECT_FALSE(lower(test::load(kFlat), schedule, diagnostics, laptop));
  EXPECT_EQ(diagnostics.items().front().code, "L002");
}

TEST(OpenClMachine, FewMultiprocessorsGetLongChunks) {
  const ir::Program program = test::load(kFlat);
  Diagnostics diagnostics;
  const auto schedule = parse("streaming T=2 block=32 elements=4", program, diagnostics);
  ASSERT_TRUE(schedule);
  const auto length = [&](const Machine& machine) {
    return cut_chunks(program, *schedule,
                      plan_stream(analysis::TimeTiles(program), *schedule, 2, machine))
        .length;
  };
  EXPECT_GT(length(opencl_gpu(kSmall)), length(gpu()));
}

}  // namespace
}  // namespace stencil::schedule
