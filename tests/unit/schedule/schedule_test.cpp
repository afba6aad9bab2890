// Schedules as text, the automatic choice, and refusals.
#include "compiler/schedule/schedule.h"

#include <fmt/format.h>

#include "compiler/kernel/passes.h"
#include "tests/unit/load.h"

namespace stencil::schedule {
namespace {

using test::load;

const char* const kHeat = R"(
param N : integer = 64;
grid G = [0..N-1, 0..N-1] steps 10;
field A : real on G;
stencil heat : A[1..N-2, 1..N-2] = 0.25 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1]);
)";

Schedule parsed(const std::string& line, const ir::Program& program) {
  Diagnostics diagnostics;
  const auto schedule = parse(line, program, diagnostics);
  EXPECT_TRUE(schedule.has_value()) << render(Source("", ""), diagnostics);
  return schedule.value_or(Schedule{});
}

std::string error_of(const std::string& line, const ir::Program& program) {
  Diagnostics diagnostics;
  const auto schedule = parse(line, program, diagnostics);
  if (schedule) lower(program, *schedule, diagnostics);
  return render(Source("", ""), diagnostics);
}

TEST(ScheduleText, RoundTrip) {
  const auto program = load(kHeat);
  for (const char* line :
       {"overlapped T=3 block=16x4 elements=2x5 regions=hull",
        "overlapped T=1 block=32x8 elements=1x1 regions=shrink", "direct block=64x2 elements=1x4",
        "direct block=64x2 elements=1x4 rows=dense",
        "overlapped T=1 block=32x8 elements=1x1 regions=shrink rows=padded"}) {
    EXPECT_EQ(print(parsed(line, program), 2), line);
  }
}

// A program of any rank that reads all neighbours along the axes.
ir::Program star(int rank) {
  std::string box, sum;
  for (int d = 0; d < rank; ++d) {
    box += d == 0 ? "0..8" : ", 0..8";
    for (const char* offset : {"-1", "1"}) {
      std::string at;
      for (int e = 0; e < rank; ++e) at += std::string(e ? "," : "") + (e == d ? offset : "0");
      sum += (sum.empty() ? "A[" : " + A[") + at + "]";
    }
  }
  return load("grid G = [" + box + "] steps 4; field A : real on G boundary clamp;" +
              "stencil f : A on G = 0.1 * (" + sum + ");");
}

TEST(ScheduleText, ShapesHaveUpToRankLengths) {
  for (const char* line : {"overlapped T=1 block=4x4x2x2 elements=1x2x3x4 regions=hull",
                           "direct block=64x2x2x4 elements=1x1x1x1"}) {
    EXPECT_EQ(print(parsed(line, star(4)), 4), line);
  }
  EXPECT_EQ(parsed("direct block=8x1x2 elements=3", star(8)).block, (Shape{8, 1, 2}));
  EXPECT_EQ(
      error_of("direct block=2x2x2x2x2", star(4)),
      "error L002: bad value of schedule setting 'block'\n"
      "      = expected: up to 4 positive numbers separated by 'x', like 32x8 (dimension x first)\n"
      "      = found: 2x2x2x2x2\n");
  EXPECT_EQ(error_of("direct block=1x1x16x8", star(4)),
            "error L002: bad value of schedule setting 'block'\n"
            "      = expected: at most 1024 threads per block (64 of them in z and beyond)\n"
            "      = found: 1x1x16x8\n");
}

// Double values, with a boundary halo on every side.
TEST(Defaults, SupportEveryRank) {
  for (int rank = 1; rank <= kMaxRank; ++rank) {
    const ir::Program program = star(rank);
    for (const char* line : {"direct", "overlapped"}) {
      Diagnostics diagnostics;
      const auto module = lower(program, parsed(line, program), diagnostics);
      ASSERT_TRUE(module) << rank << " " << render(Source("", ""), diagnostics);
      EXPECT_EQ(kernel::verify(*module), std::vector<std::string>{}) << rank << " " << line;
    }
  }
}

TEST(Defaults, TilesOfFourDimensionsAreNearlyCubes) {
  EXPECT_EQ(print(parsed("overlapped", star(4)), 4),
            "overlapped T=1 block=16x8x2x1 elements=1x1x4x8 regions=hull");
  EXPECT_EQ(print(parsed("direct", star(4)), 4), "direct block=32x4x2x1 elements=1x1x2x2");
}

TEST(ScheduleText, MissingSettingsTakeDefaults) {
  const auto program = load(kHeat);
  const Schedule schedule = parsed("overlapped T=2", program);
  EXPECT_EQ(schedule.time_tile, 2);
  EXPECT_EQ(schedule.block, parsed("overlapped", program).block);
  EXPECT_EQ(print(parsed("direct block=8 elements=1 rows=auto", program), 2),
            "direct block=8x1 elements=1x1")
      << "the default rows=auto is not printed";
}

// 729 coefficients in double precision: unrolling over four points spills the constants.
TEST(ScheduleText, LongSumsInDoubleAreNotUnrolledOverPoints) {
  constexpr const char* kSum = R"(
grid G = [0..31, 0..31, 0..31] steps 2;
field A : {} on G;
stencil sum : A[4..27, 4..27, 4..27] =
  sum(a in -4..4, b in -4..4, c in -4..{} : (1.0 + a + 9 * b + 81 * c) * A[a,b,c]);
)";
  const auto points = [&](const char* type, int last) {
    const auto program = load(fmt::format(kSum, type, last));
    return parsed("direct", program).elements[2];
  };
  EXPECT_EQ(points("double", 4), 1);
  EXPECT_EQ(points("float", 4), 4);
  EXPECT_EQ(points("double", -1), 4);
}

TEST(ScheduleText, Errors) {
  const auto program = load(kHeat);
  EXPECT_EQ(error_of("overlaped T=2", program),
            "error L001: unknown schedule family 'overlaped'\n"
            "      = expected: auto, streaming, planes, overlapped, sweeps, direct\n"
            "      = hint: did you mean 'overlapped'?\n");
  EXPECT_EQ(error_of("direct blok=8", program),
            "error L001: unknown setting 'blok=8' of schedule family 'direct'\n"
            "      = expected: block=... elements=... rows=...\n"
            "      = hint: did you mean 'block='?\n");
  EXPECT_EQ(error_of("overlapped T=0", program),
            "error L002: bad value of schedule setting 'T'\n"
            "      = expected: a number of steps from 1 to 64\n"
            "      = found: 0\n");
  EXPECT_EQ(error_of("direct block=64x32", program),
            "error L002: bad value of schedule setting 'block'\n"
            "      = expected: at most 1024 threads per block (64 of them in z and beyond)\n"
            "      = found: 64x32\n");
  EXPECT_EQ(error_of("overlapped T=3 block=8 T=4", program),
            "error L002: schedule setting 'T' given twice\n"
            "      = found: T=4\n");
  EXPECT_EQ(error_of("auto T=3", program),
            "error L001: schedule 'auto' takes no settings, found 'T=3'\n"
            "      = hint: name a family, such as 'overlapped T=4'\n");
  EXPECT_EQ(parsed(" auto ", program), choose(program));
}

// Offsets too large for any tile. The alternative named in the hint must work.
TEST(Refusals, OfDistantReadsNameAnAlternative) {
  const char* along =
      "grid G = [0..2999, 0..2999] steps 3; field A : real on G boundary clamp;"
      "stencil f : A on G = A[-1000000,0] + A[0,1];";
  const char* across =
      "grid G = [0..2999, 0..2999] steps 3; field A : real on G boundary clamp;"
      "stencil f : A on G = A[0,1000000] + A[1,0];";
  const char* line =
      "grid G = [0..3999999] steps 3; field A : real on G boundary clamp;"
      "stencil f : A on G = A[-1000000] + A[1000000];";
  const auto expect = [](const char* program, const std::string& asked, const std::string& advice) {
    const std::string text = error_of(asked, load(program));
    EXPECT_NE(text.find(advice + " would work\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("larger block"), std::string::npos) << text;
  };
  const std::string far = "= hint: the program reads at large offsets; --schedule ";
  expect(along, "overlapped T=2", far + "planes");
  expect(along, "overlapped T=1", far + "planes");
  expect(along, "streaming T=2", far + "planes");
  expect(along, "planes T=2", "= hint: fewer steps per tile; T=1");
  expect(across, "streaming T=1", far + "planes");
  expect(line, "overlapped T=2", far + "direct");
  expect(line, "planes", far + "direct");
  EXPECT_EQ(error_of("planes T=1", load(along)), "");
  EXPECT_EQ(error_of("planes", load(along)), "");
  EXPECT_EQ(error_of("planes", load(across)), "");
  EXPECT_EQ(error_of("direct", load(line)), "");
}

TEST(Refusals, TileSmallerThanItsHalo) {
  EXPECT_EQ(error_of("overlapped T=5 block=8x8 elements=1x1", load(kHeat)),
            "error L014: overlapped refused: the tile is smaller than its halo in y\n"
            "      = expected: block x elements of at least 9 for T=5\n"
            "      = found: 8\n"
            "      = hint: fewer steps per tile, a larger block or more elements per thread; "
            "block=16x16 would work\n");
  EXPECT_EQ(error_of("overlapped T=5 block=16x16 elements=1x1", load(kHeat)), "");
  const auto advised = [](const std::string& line, const std::string& shape) {
    return error_of(line, load(kHeat)).find("; " + shape + " would work\n") != std::string::npos;
  };
  EXPECT_TRUE(advised("overlapped T=20 block=32x32 elements=1x1", "elements=2x2"));
  EXPECT_EQ(error_of("overlapped T=20 block=32x32 elements=2x2", load(kHeat)), "");
}

TEST(Refusals, SharedMemory) {
  EXPECT_NE(error_of("overlapped T=1 block=32x32 elements=16x16", load(kHeat)).find("error L015"),
            std::string::npos);
}

TEST(Refusals, FeaturesAreNamedWithTheirPlace) {
  const auto refusal = [](const std::string& text, const std::string& line) {
    const Source source("test.stn", text);
    Diagnostics diagnostics;
    const auto program = load_program(source, {}, diagnostics);
    const auto schedule = parse(line, *program, diagnostics);
    EXPECT_FALSE(lower(*program, *schedule, diagnostics).has_value());
    return render(source, diagnostics);
  };
  EXPECT_EQ(refusal("grid G = [0..9] steps 1;\n"
                    "subgrid S of G = [2..7];\n"
                    "field A : real on S boundary periodic;\n"
                    "stencil f : A on S = A[-1] / 2;\n",
                    "overlapped T=2 block=32"),
            "test.stn:4:22: error L016: overlapped refused: the boundary of 'A' may read "
            "outside the halo\n"
            "    4 | stencil f : A on S = A[-1] / 2;\n"
            "      |                      ^~~~~\n"
            "      = expected: T=1, which reads it from memory\n"
            "      = found: T=2\n"
            "      = hint: declare the field on the whole grid, or use T=1\n");
  EXPECT_EQ(refusal("grid G = [0..9, 0..9, 0..9, 0..9] steps 1;\n"
                    "field A : real on G;\n"
                    "stencil f : A on G = A[0,0,0,0] / 2;\n",
                    "streaming"),
            "test.stn:1:6: error L010: streaming refused: the grid has 4 dimensions\n"
            "    1 | grid G = [0..9, 0..9, 0..9, 0..9] steps 1;\n"
            "      |      ^\n"
            "      = expected: 2 or 3\n"
            "      = hint: use --schedule overlapped\n");
}

// Reads outside the halo load from memory: in the tile before the field is written, afterwards in
// separate sweeps.
TEST(ReadsOutsideTheHalo, NeedOneStepPerLaunch) {
  const auto outside_halo = [](const std::string& functions) {
    return load(
        "grid G = [0..9] steps 4; subgrid S of G = [2..7];"
        "field A : real on S boundary periodic; field B, C : real on G boundary clamp;" +
        functions);
  };
  const auto kernels = [](const ir::Program& program) {
    Diagnostics diagnostics;
    const auto module = lower(program, parsed("overlapped", program), diagnostics);
    std::vector<std::string> names;
    if (!module) return names;
    EXPECT_EQ(kernel::verify(*module), std::vector<std::string>{});
    EXPECT_EQ(module->plan.time_tile, 1);
    for (const kernel::Kernel& kernel : module->kernels) names.push_back(kernel.name);
    return names;
  };
  using Names = std::vector<std::string>;
  const std::string g = "stencil g : B on G = A[0] + B[1];", f = "stencil f : A on S = A[-3] / 2;";
  EXPECT_EQ(kernels(outside_halo(g + f)), Names{"program_tile"})
      << "A is read before it is written";
  EXPECT_EQ(
      kernels(outside_halo(
          "stencil g : A on S = C[0]; stencil f : B on G = A[9]; stencil h : C on G = B[0];")),
      (Names{"program_tile", "program_f", "program_h"}));
  EXPECT_NE(error_of("overlapped T=2 block=32", outside_halo(g + f)).find("error L016"),
            std::string::npos);
  EXPECT_EQ(error_of("overlapped T=2 block=32",
                     load("grid G = [0..9] steps 4; subgrid S of G = [2..7];"
                          "field K : real on S constant boundary periodic; field B : real on G;"
                          "stencil g : B on G = B[0] + K[1];")),
            "")
      << "no function writes it";
}

// The chosen family and the codes of the others' refusals: "family CODE ...".
std::string choice(const std::string& text, const Machine& machine = gpu()) {
  Diagnostics why;
  std::string out = choose(load(text), &why, machine).family;
  for (const Diagnostic& refusal : why.items()) {
    if (!refusal.code.empty()) out += " " + refusal.code;
  }
  return out;
}

TEST(Choice, TakesTheFastestFamilyThatAccepts) {
  const std::string cube = "grid G = [0..511, 0..511, 0..511] steps 9; field A : real on G;";
  EXPECT_EQ(choice(cube + "stencil f : A[1..510, 0..511, 0..511] = A[-1,0,0] + A[1,0,0];"),
            "streaming");
  EXPECT_EQ(choice("grid G = [0..999999] steps 9; field A : real on G;"
                   "stencil f : A[1..999998] = A[-1] + A[1];"),
            "overlapped L018 L018");
  EXPECT_EQ(choice("grid G = [0..99, 0..99, 0..99, 0..99] steps 1; field A : real on G;"
                   "stencil f : A[0..99, 0..99, 0..99, 0..99] = A[0,0,0,0] / 2;"),
            "direct L010");
}

TEST(Choice, OnACpuTakesTheFirstFamilyThatPays) {
  EXPECT_EQ(choice("grid G = [0..511, 0..511] steps 9; field A : real on G;"
                   "stencil f : A[1..510, 0..511] = A[-1,0] + A[1,0];",
                   cpu()),
            "planes");
  EXPECT_EQ(choice("grid G = [0..999999] steps 9; field A : real on G;"
                   "stencil f : A[1..999998] = A[-1] + A[1];",
                   cpu()),
            "overlapped L018 L018");
}

TEST(Lowering, EveryModuleVerifies) {
  const auto program = load(kHeat);
  for (const char* line : {"direct", "overlapped T=1", "overlapped T=4 regions=hull",
                           "overlapped T=3 block=16x8 elements=1x4", "planes T=3",
                           "planes T=2 block=9 chunk=5 interior=split"}) {
    Diagnostics diagnostics;
    const auto module = lower(program, parsed(line, program), diagnostics);
    ASSERT_TRUE(module.has_value()) << line;
    EXPECT_EQ(kernel::verify(*module), std::vector<std::string>{}) << line;
  }
}

// Includes names that kernels use, and names that look like another field's spare copy.
TEST(Lowering, ProgramsMayUseAnyName) {
  const auto program = load(R"(
param thread_x : real = 2;
param block : integer;
param first_step : real = 0.5;
grid G = [0..40, 0..block] steps 5;
require block >= 4;
field A_next, A, size_x, tile_y, core_x : real on G;
stencil x : A[1..39, 1..block-1] = A[0,1] * thread_x + A_next[-1,0] * first_step + size_x[0,0];
stencil y : size_x[1..39, 1..block-1] = A[1,0] + tile_y[0,0] + core_x[0,-1];
)");
  for (const char* line : {"direct", "overlapped T=2", "overlapped T=2 regions=hull"}) {
    Diagnostics diagnostics;
    const auto module = lower(program, parsed(line, program), diagnostics);
    ASSERT_TRUE(module.has_value()) << line;
    EXPECT_EQ(kernel::verify(*module), std::vector<std::string>{}) << line;
  }
}

// Chained lets: all passes after the front end must be linear in their number.
TEST(Lowering, LongChainsOfLetsTakeLinearTime) {
  std::string text =
      "grid G = [0..31] steps 1; field A : real on G; stencil s : A { let x0 = A[0];";
  for (int i = 1; i < 300; ++i) text += fmt::format("let x{} = x{} * x{} + 1;", i, i - 1, i - 1);
  const auto program = load(text + "[0..31] = x299; }");
  for (const char* line : {"direct", "overlapped T=2"}) {
    Diagnostics diagnostics;
    const auto module = lower(program, parsed(line, program), diagnostics);
    ASSERT_TRUE(module.has_value()) << line;
    EXPECT_EQ(kernel::verify(*module), std::vector<std::string>{}) << line;
  }
}

TEST(Footprint, CountsBytesAndWork) {
  const auto program = load(kHeat);
  const Footprint direct = measure(program, parsed("direct", program)).value();
  EXPECT_DOUBLE_EQ(direct.bytes_read, 4);
  EXPECT_DOUBLE_EQ(direct.bytes_written, 4);
  const Footprint tiled =
      measure(program, parsed("overlapped T=2 block=16x16 elements=1x1 regions=hull", program))
          .value();
  EXPECT_EQ(tiled.output, (std::vector<int64_t>{14, 14}));
  EXPECT_EQ(tiled.shared_bytes, 18 * 18 * 4);
  EXPECT_DOUBLE_EQ(tiled.redundancy, 256.0 / 196.0);
  EXPECT_DOUBLE_EQ(tiled.bytes_written, 2);
}

}  // namespace
}  // namespace stencil::schedule
