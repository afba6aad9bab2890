// memory=haloed: extents of the copies, kernels without tests of bounds, and refusals.
#include "compiler/schedule/sweeps/haloed.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/kernel/passes.h"
#include "compiler/schedule/scheduler.h"
#include "compiler/schedule/sweeps/tile.h"
#include "tests/unit/load.h"
#include "tests/unit/schedule/index_walk.h"

namespace stencil::schedule {
namespace {

using Bounds = std::vector<int64_t>;

std::string plane_of(const std::string& rules) {
  return "grid G = [0..99, 0..99] steps 4; field A, B : real on G " + rules +
         "; stencil s : A on G = A[-1,0] + A[1,0] + A[0,-2] + A[0,1] + B[0,0];";
}

class Haloed {
 public:
  explicit Haloed(const std::string& text, const std::string& line = "sweeps memory=haloed")
      : program_(test::load(text)), sweeps_(plan_sweeps(program_)) {
    Diagnostics diagnostics;
    const auto schedule = parse(line, program_, diagnostics);
    EXPECT_TRUE(schedule) << line;
    tiles_ = plan_tiles(program_, sweeps_, *schedule);
    module_ = lower(program_, *schedule, diagnostics);
    EXPECT_TRUE(module_);
  }
  const std::vector<SweepTile>& tiles() const { return tiles_; }
  const kernel::Module& module() const { return *module_; }
  const kernel::Kernel& last_kernel() const { return module_->kernels.back(); }

 private:
  ir::Program program_;
  std::vector<Sweep> sweeps_;
  std::vector<SweepTile> tiles_;
  std::optional<kernel::Module> module_;
};

// Selects and conditions in a kernel.
int tests_in(const kernel::Kernel& kernel) {
  const std::string text = kernel::print(kernel);
  int out = 0;
  for (const char* word : {"select", "if "}) {
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++out;
  }
  return out;
}

TEST(HaloedCopies, ExtendAsFarAsTheThreadsOfTheSweepLoad) {
  const Haloed plain(plane_of("boundary clamp"), "sweeps block=32x4 elements=1 memory=haloed");
  ASSERT_EQ(plain.tiles()[0].copies.size(), 1u);  // B is read only at the point itself
  const HaloedCopy& copy = plain.tiles()[0].copies[0];
  EXPECT_EQ(copy.low, (Bounds{-1, -8}));     // a row begins at a sector
  EXPECT_EQ(copy.high, (Bounds{100, 135}));  // 128 threads and 1, to the end of a sector
  EXPECT_EQ(plain.module().plan.scratch.size(), 1u);

  const Haloed swept(
      plane_of("boundary clamp"),
      "sweeps block=32 elements=1 chunk=all column=registers prefetch=1 memory=haloed");
  EXPECT_EQ(swept.tiles()[0].copies[0].low, (Bounds{-3, -8}));     // two planes ahead of the first
  EXPECT_EQ(swept.tiles()[0].copies[0].high, (Bounds{101, 135}));  // one prefetched plane
}

TEST(HaloedCopies, LetSweepsLoadWithoutTests) {
  const std::string cube =
      "grid G = [0..63, 0..63, 0..63] steps 4; field A : real on G boundary periodic;"
      "stencil s : A on G = A[-1,0,0] + A[0,-1,0] + A[0,0,0] + A[0,0,1] + A[1,0,0];";
  for (const std::string line :
       {"sweeps block=32x4 elements=1", "sweeps block=32x6 elements=1 chunk=all column=partial",
        "@krotkiewski", "sweeps block=8x8x8 elements=1 operands=shared halo=cover",
        "sweeps block=32x4 elements=1 operands=shared halo=border"}) {
    const Haloed plain(cube, line), haloed(cube, line + " memory=haloed");
    EXPECT_EQ(haloed.module().kernels.size(), plain.module().kernels.size() + 1) << line;
    EXPECT_LT(tests_in(haloed.last_kernel()), tests_in(plain.last_kernel())) << line;
  }
  // A thread per point tests only whether its point exists.
  EXPECT_EQ(tests_in(Haloed(cube, "sweeps block=32x4 elements=1 memory=haloed").last_kernel()), 1);
}

TEST(HaloedCopies, AreIndexedInside) {
  for (const char* rules : {"clamp", "periodic", "mirror", "constant 2"}) {
    for (const int last : {4, 32, 66}) {
      const std::string text = fmt::format(
          "grid G = [0..{0}, 0..{0}, 0..{0}] steps 4; field A : real on G boundary {1};"
          "stencil s : A on G = A[-1,0,0] + A[0,-1,0] + A[0,0,0] + A[0,2,0] + A[0,0,1] + "
          "A[-2,0,0];",
          last, rules);
      for (const char* line :
           {"sweeps", "@krotkiewski", "sweeps block=8x8x8 elements=1 operands=shared halo=cover",
            "sweeps block=8x8 elements=1x2 chunk=3 column=registers operands=rows"}) {
        const Haloed haloed(text, std::string(line) + " memory=haloed");
        IndexWalk walk(haloed.module(), {{"first_step", 0}, {"steps", 1}});
        for (const kernel::Kernel& kernel : haloed.module().kernels) walk.walk(kernel, 0, true);
        EXPECT_TRUE(walk.faults().empty()) << text << line << walk.faults().begin()->first;
        EXPECT_GT(walk.checked(), 0);
      }
    }
  }
}

TEST(HaloedCopies, AreFilledAgainOnlyAfterAChange) {
  const std::string twice =
      "grid G = [0..31, 0..31] steps 4; field A, B, C : real on G boundary clamp;"
      "stencil b : B on G = A[0,1] + A[0,-1]; stencil c : C on G = A[1,0] + B[0,1];"
      "stencil a : A on G = A[1,1] + C[0,0];";
  // Copies of A for b, of B for c. A has not changed when c and a read it.
  EXPECT_EQ(Haloed(twice).module().kernels.size(), 3u + 2u);
  EXPECT_EQ(Haloed(twice).module().plan.scratch.size(), 2u);
  const std::string between =
      "grid G = [0..31, 0..31] steps 4; field A, B : real on G boundary clamp;"
      "stencil a : A on G = A[1,1] + 1; stencil b : B on G = A[0,1] + A[0,-1];";
  EXPECT_EQ(Haloed(between).module().kernels.size(), 2u + 2u);
  EXPECT_EQ(Haloed(between).module().plan.scratch.size(), 1u);
}

TEST(HaloedCopies, HaveTheTypeOfComputations) {
  const std::string half =
      "grid G = [0..31, 0..31] steps 4; field A : half on G boundary constant 0.1;"
      "stencil a : A on G = A[1,0] + A[0,-1];";
  EXPECT_EQ(Haloed(half).module().plan.scratch[0].type, Scalar::F32);
}

TEST(HaloedCopies, CountInTheFootprint) {
  const ir::Program program = test::load(plane_of("boundary clamp"));
  Diagnostics diagnostics;
  const auto bytes = [&](const std::string& line) {
    const auto cost = measure(program, *parse(line, program, diagnostics));
    return std::pair(cost->bytes_read, cost->bytes_written);
  };
  const auto [read, written] = bytes("sweeps");
  EXPECT_EQ(bytes("sweeps memory=haloed"), std::pair(read + 4, written + 4));
}

TEST(HaloedCopies, RefuseWhatTheyDoNotSupport) {
  const auto refused = [](const std::string& text,
                          const std::string& line = "sweeps memory=haloed") {
    const ir::Program program = test::load(text);
    Diagnostics diagnostics;
    const auto schedule = parse(line, program, diagnostics);
    if (schedule) lower(program, *schedule, diagnostics, gpu(), Advice::None);
    return diagnostics.items().empty()
               ? std::string()
               : diagnostics.items().front().code + " " + diagnostics.items().front().message;
  };
  EXPECT_EQ(refused(plane_of("boundary clamp")), "");
  EXPECT_EQ(
      refused("param N : integer; require N >= 3; grid G = [0..N-1, 0..9] steps 4;"
              "field A : real on G boundary clamp; stencil s : A on G = A[0,1];"),
      "L029 sweeps refused: memory=haloed does not support open sizes, because the extents of "
      "halos must be known");
  EXPECT_EQ(refused("grid G = [0..8, 0..8] levels 2 by 2 steps 4; field A : real on G boundary "
                    "constant 0; stencil s : A on G = A[0,1]; cycle v { s; } step { v; }"),
            "L029 sweeps refused: memory=haloed does not support programs with several grids");
  EXPECT_EQ(refused(plane_of("boundary clamp"),
                    "sweeps block=3x8 operands=shared halo=cover memory=haloed")
                .substr(0, 4),
            "L014");
  EXPECT_EQ(refused("grid G = [0..1023, 0..1023, 0..2047] steps 4; field A : ubyte on G boundary "
                    "clamp; stencil s : A on G = A[0,0,1];")
                .substr(0, 4),
            "L029");
}

}  // namespace
}  // namespace stencil::schedule
