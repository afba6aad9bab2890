// The interface of the streaming family: text form, refusals, tiles and costs.
#include "compiler/schedule/streaming/kernel.h"

#include "compiler/schedule/streaming/chunks.h"

#include "compiler/kernel/passes.h"
#include "compiler/schedule/common/tiling.h"
#include "tests/unit/load.h"

namespace stencil::schedule {
namespace {

using test::load;

const char* const kFlat = R"(
grid G = [0..255, 0..255] steps 12;
field A : real on G;
stencil s : A[1..254, 1..254] = 0.25 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1]);
)";
const char* const kDeep = R"(
grid G = [0..127, 0..127, 0..127] steps 12;
field A : real on G;
stencil s : A[1..126, 1..126, 1..126] = A[0,0,0] + A[-1,0,0] + A[1,0,0] + A[0,-1,0] + A[0,1,0]
                                      + A[0,0,-1] + A[0,0,1];
)";

Schedule parsed(const std::string& settings, const ir::Program& program) {
  Diagnostics diagnostics;
  const auto schedule = parse("streaming " + settings, program, diagnostics);
  EXPECT_TRUE(schedule.has_value()) << render(Source("", ""), diagnostics);
  return schedule.value_or(Schedule{});
}

// The messages of parse, or of lower if parsing succeeds.
Diagnostics said(const std::string& settings, const ir::Program& program) {
  Diagnostics diagnostics;
  const auto schedule = parse("streaming " + settings, program, diagnostics);
  if (schedule) lower(program, *schedule, diagnostics);
  return diagnostics;
}
std::string message(const std::string& settings, const ir::Program& program) {
  return render(Source("", ""), said(settings, program));
}
std::string codes(const std::string& settings, const ir::Program& program) {
  std::string out;
  const Diagnostics diagnostics = said(settings, program);
  for (const Diagnostic& error : diagnostics.items()) {
    out += (out.empty() ? "" : " ") + error.code;
  }
  return out;
}

TEST(StreamingText, RoundTrip) {
  const ir::Program program = load(kFlat);
  for (const char* line :
       {"streaming T=10 block=32x1 elements=4x1 chunk=auto prefetch=2 unroll=auto occupancy=auto "
        "loads=async form=gather interior=split",
        "streaming T=64 block=16x2 elements=2x1 chunk=all prefetch=0 unroll=16 occupancy=32 "
        "loads=registers form=scatter interior=tested",
        "streaming T=1 block=32x4 elements=1x1 chunk=1 prefetch=4 unroll=1 occupancy=1 "
        "loads=registers form=gather interior=tested",
        "streaming T=2 block=8x4 elements=2x1 chunk=auto prefetch=1 unroll=auto occupancy=auto "
        "loads=bulk form=gather interior=split"}) {
    Diagnostics diagnostics;
    const auto schedule = parse(line, program, diagnostics);
    ASSERT_TRUE(schedule.has_value()) << render(Source("", ""), diagnostics);
    EXPECT_EQ(print(*schedule, 2), line);
  }
}

TEST(StreamingText, EverySettingIsKept) {
  const ir::Program program = load(kDeep);
  const Schedule schedule = parsed(
      "T=3 block=8x4 elements=2x5 chunk=77 prefetch=3 unroll=6 occupancy=9 loads=registers "
      "form=scatter interior=tested",
      program);
  EXPECT_EQ(schedule.family, "streaming");
  EXPECT_EQ(schedule.time_tile, 3);
  EXPECT_EQ(schedule.block, (Shape{8, 4}));
  EXPECT_EQ(schedule.elements, (Shape{2, 5}));
  EXPECT_EQ(schedule.chunk, 77);
  EXPECT_EQ(schedule.prefetch, 3);
  EXPECT_EQ(schedule.of<StreamingSettings>().unroll, 6);
  EXPECT_EQ(schedule.of<StreamingSettings>().occupancy, 9);
  EXPECT_EQ(schedule.of<StreamingSettings>().loads, Loads::Registers);
  EXPECT_EQ(schedule.of<StreamingSettings>().form, Form::Scatter);
  EXPECT_EQ(schedule.interior, Interior::Tested);
  const Schedule automatic = parsed("chunk=auto unroll=auto occupancy=auto", program);
  EXPECT_EQ(automatic.chunk, 0);
  EXPECT_EQ(automatic.of<StreamingSettings>().unroll, 0);
  EXPECT_EQ(automatic.of<StreamingSettings>().occupancy, 0);
}

TEST(StreamingText, BadValues) {
  const ir::Program program = load(kFlat);
  const auto expect = [&](const std::string& name, const std::string& value,
                          const std::string& expected) {
    EXPECT_EQ(message(name + "=" + value, program),
              "error L002: bad value of schedule setting '" + name + "'\n      = expected: " +
                  expected + (value.empty() ? "\n" : "\n      = found: " + value + "\n"));
  };
  const std::string planes = "a number of planes from ";
  for (const char* value : {"0", "1048577", "-1", "9x9", "Auto", "many"}) {
    expect("chunk", value, "auto, or " + planes + "1 to 1048576, or all");
  }
  for (const char* value : {"5", "auto", "-1"}) expect("prefetch", value, planes + "0 to 4");
  for (const char* value : {"0", "17"}) expect("unroll", value, "auto, or " + planes + "1 to 16");
  for (const char* value : {"0", "33"}) {
    expect("occupancy", value, "auto, or blocks per multiprocessor from 1 to 32");
  }
  for (const char* value : {"0", "65", "auto"})
    expect("T", value, "a number of steps from 1 to 64");
  for (const char* value : {"1", "asynchronous", "Async"}) {
    expect("loads", value, "registers, async or bulk");
  }
  expect("form", "both", "gather or scatter");
  expect("interior", "none", "split or tested");
  EXPECT_EQ(message("regions=hull", program).substr(0, 76),
            "error L001: unknown setting 'regions=hull' of schedule family 'streaming'\n  ");
  EXPECT_EQ(message("chunk=4 chunk=5", program),
            "error L002: schedule setting 'chunk' given twice\n      = found: chunk=5\n");
}

TEST(StreamingText, OldNamesOfSettingsAreAccepted) {
  const ir::Program program = load(kFlat);
  const std::string old = "T=2 block=32 resident=3 loads=async edges=split";
  const std::string present = "T=2 block=32 occupancy=3 loads=async interior=split";
  EXPECT_EQ(parsed(old, program), parsed(present, program));
  EXPECT_EQ(print(parsed(old, program), 2), print(parsed(present, program), 2));
  EXPECT_EQ(with_present_names("streaming  " + old), "streaming " + present);
  EXPECT_EQ(with_present_names("streaming " + present), "streaming " + present);
  const std::string twice = "error L002: schedule setting 'interior' given twice\n      = found: ";
  EXPECT_EQ(message("interior=split interior=split", program), twice + "interior=split\n");
  EXPECT_EQ(message("interior=split edges=split", program), twice + "edges=split\n");
  EXPECT_EQ(message("edges=split interior=split", program), twice + "interior=split\n");
  EXPECT_EQ(message("edges=none", program),
            "error L002: bad value of schedule setting 'interior'\n"
            "      = expected: split or tested\n"
            "      = found: none\n");
}

TEST(StreamingText, NotesOnOldNamesAreSeparate) {
  const ir::Program program = load(kFlat);
  const std::string line = "streaming T=2 edges=split resident=2";
  Diagnostics diagnostics;
  ASSERT_TRUE(parse(line, program, diagnostics).has_value());
  EXPECT_TRUE(diagnostics.items().empty()) << "stored lines are parsed silently";
  EXPECT_EQ(render(Source("", ""), notes_on_old_names(line)),
            "note: schedule setting 'edges' is now called 'interior'\n"
            "note: schedule setting 'resident' is now called 'occupancy'\n");
  EXPECT_TRUE(notes_on_old_names("streaming T=2 interior=split").items().empty());
  EXPECT_TRUE(notes_on_old_names("auto").items().empty());
}

TEST(TileSizes, HalveDownToOne) {
  EXPECT_EQ(tile_sizes(10), (std::vector{10, 5, 2, 1}));
  EXPECT_EQ(tile_sizes(8), (std::vector{8, 4, 2, 1}));
  EXPECT_EQ(tile_sizes(7), (std::vector{7, 3, 1}));
  EXPECT_EQ(tile_sizes(1), std::vector{1});
}

// Lowers with T=10, expects this many kernels and these tile sizes; returns the steps per launch.
std::vector<int> launched(const ir::Program& program, size_t kernels, std::vector<int> sizes) {
  Diagnostics diagnostics;
  const auto module = lower(program, parsed("T=10", program), diagnostics);
  EXPECT_TRUE(module.has_value());
  if (!module) return {};
  EXPECT_EQ(module->plan.time_tile, 10);
  EXPECT_EQ(module->plan.tile_sizes, sizes);
  EXPECT_EQ(module->kernels.size(), kernels);
  std::vector<int> out;
  for (const kernel::Action& action : module->plan.actions) {
    const auto* launch = std::get_if<kernel::Launch>(&action);
    if (launch) out.push_back(launch->steps);
  }
  return out;
}

TEST(TileSizes, OneKernelServesAllSizes) {
  EXPECT_EQ(launched(load(kFlat), 1, {}), std::vector{0});
}

// A kernel per tile size is needed if a field has history levels, or if points are not tested.
TEST(TileSizes, SomeProgramsNeedAKernelPerSize) {
  const char* const kHistory =
      "grid G = [0..999, 0..999] steps 10; field A : real on G history 2;"
      "stencil f : A[1..998, 1..998] = A[1,0] + A[0,1] - A@-1[0,0];";
  const char* const kPeriodic =
      "grid G = [0..999, 0..999] steps 10; field A : real on G boundary periodic;"
      "stencil f : A on G = A[1,0] + A[0,1];";
  for (const char* text : {kHistory, kPeriodic}) {
    EXPECT_EQ(launched(load(text), 4, {10, 5, 2, 1}), (std::vector{10, 5, 2, 1})) << text;
  }
}

TEST(StreamingRefusals, Features) {
  EXPECT_EQ(codes("", load("grid G = [0..9] steps 1; field A : real on G;"
                           "stencil f : A[1..8] = A[1];")),
            "L018");
  EXPECT_EQ(codes("", load("grid G = [0..9, 0..9, 0..9, 0..9] steps 1; field A : real on G;"
                           "stencil f : A on G = A[0,0,0,0] / 2;")),
            "L010");
  const auto reads = [](const std::string& boundary) {
    return load(
        "grid G = [0..9, 0..9] steps 1; field A : real on G;"
        "subgrid S of G = [0..9, 2..7]; field c : real on S boundary " +
        boundary + "; stencil f : A[0..9, 2..7] = A[0,0] + c[0,1];");
  };
  EXPECT_EQ(codes("", reads("periodic")), "L016");
  EXPECT_EQ(codes("", reads("clamp")), "");
}

// A field on the whole grid may have any boundary.
TEST(StreamingRefusals, BoundariesOfWholeFieldsAreAccepted) {
  for (const char* boundary : {"clamp", "constant(1)", "mirror", "periodic",
                               "[periodic, clamp .. mirror]", "[none, mirror .. constant 1]"}) {
    const std::string field = std::string("field A : real on G boundary ") + boundary + ";";
    EXPECT_EQ(
        codes("", load("grid G = [0..9, 0..9] steps 1;" + field + "stencil f : A on G = A[0,1];")),
        "");
  }
}

TEST(StreamingRefusals, Shapes) {
  const ir::Program flat = load(kFlat), deep = load(kDeep);
  for (const char* block : {"24x4", "64", "16", "8x3", "1x33"}) {
    EXPECT_EQ(codes(std::string("T=1 block=") + block, flat), "L019") << block;
  }
  for (const char* block : {"32", "16x2", "8x4", "4x8", "32x3"}) {
    EXPECT_EQ(codes(std::string("T=1 elements=4 block=") + block, flat), "") << block;
  }
  EXPECT_EQ(codes("block=16x2x2", deep), "L019");
  EXPECT_EQ(codes("elements=4x2", flat), "L019");
  EXPECT_EQ(codes("elements=2x2x2", deep), "L019");
  EXPECT_EQ(message("T=1 block=24x4", flat),
            "error L019: streaming refused: rows of threads do not form whole warps\n"
            "      = expected: block=XxY with X a power of two up to 32 and X*Y a multiple of 32\n"
            "      = found: block=24x4x1\n"
            "      = hint: neighbours exchange values by warp shuffles along x\n");
  EXPECT_EQ(message("T=1 elements=4x2", flat),
            "error L019: streaming refused: elements must not extend along the streamed dimension\n"
            "      = expected: elements=X\n"
            "      = found: elements=4x2x1\n"
            "      = hint: the outermost dimension is processed plane by plane; see "
            "chunk=\n");
}

TEST(StreamingRefusals, TilesSmallerThanTheirHalo) {
  EXPECT_EQ(message("T=2 block=32 elements=4", load(kDeep)),
            "error L014: streaming refused: the tile is smaller than its halo in y\n"
            "      = expected: block x elements of at least 5 for T=2\n"
            "      = found: 1\n"
            "      = hint: fewer steps per tile, a larger block or more elements per thread; "
            "block=32x8x1 would work\n");
  EXPECT_EQ(codes("T=2 block=32x8x1 elements=4", load(kDeep)), "");
  EXPECT_EQ(codes("T=15 block=32 elements=1", load(kFlat)), "") << "core 2";
  EXPECT_EQ(codes("T=16 block=32 elements=1", load(kFlat)), "L014") << "core 0";
}

TEST(StreamingRefusals, RegistersAndSharedMemory) {
  const ir::Program deep = load(kDeep);
  EXPECT_EQ(codes("T=2 block=8x4 elements=16x16 prefetch=0 loads=registers", deep), "L020");
  EXPECT_EQ(message("T=2 block=32x32 elements=4x2 prefetch=4 loads=async", deep),
            "error L015: streaming refused: exchanged rows and copied planes exceed shared memory\n"
            "      = expected: at most 232448 bytes per block\n"
            "      = found: 262144 bytes\n"
            "      = hint: fewer steps per tile, fewer elements per thread or a smaller block\n");
  EXPECT_EQ(codes("T=1 block=32x32 elements=4x2 prefetch=4 loads=async", deep), "")
      << "229376 bytes";
}

TEST(StreamingRefusals, BulkCopiesNeedMultiplesOf16Bytes) {
  const std::string tile = "block=32 elements=4 prefetch=1 loads=bulk";
  const auto grid = [](const std::string& x, ProgramOptions options = {}) {
    return load("param N : integer = 64; grid G = [0..63, 0.." + x +
                    "] steps 1; field A : real on G; stencil f : A[1..62, 1..30] = A[0,1];",
                options);
  };
  EXPECT_EQ(codes(tile, grid("63")), "");
  EXPECT_EQ(codes(tile, grid("60")), "") << "padded";
  const std::string dense = message(tile + " rows=dense", grid("60"));
  EXPECT_NE(dense.find("error L025: streaming refused: loads=bulk cannot copy the rows of field "
                       "'A'\n"),
            std::string::npos)
      << dense;
  EXPECT_NE(dense.find("      = expected: rows that are known to be aligned to 16 bytes\n"
                       "      = found: 61 elements of 4 bytes\n"
                       "      = hint: use loads=async, or rows=padded\n"),
            std::string::npos)
      << dense;
  const std::string brief = message(
      tile, load("grid G = [0..63, 0..20] steps 1; field A : real on G; stencil f : A on G = 2;"));
  EXPECT_NE(brief.find("      = found: 21 elements of 4 bytes\n"
                       "      = hint: use loads=async, or a larger grid (rows this short are not "
                       "padded)\n"),
            std::string::npos)
      << brief;
  ProgramOptions doubles;
  doubles.real = Scalar::F64;
  EXPECT_EQ(codes(tile + " rows=dense", grid("61", doubles)), "") << "62 elements of 8 bytes";
  EXPECT_EQ(codes(tile + " rows=dense", grid("60", doubles)), "L025");
  ProgramOptions open;
  open.open = {"N"};
  EXPECT_EQ(codes(tile, grid("N+31", open)), "");
  EXPECT_NE(message(tile + " rows=dense", grid("N+31", open))
                .find("      = found: a length that is known only at run time\n"),
            std::string::npos);
  EXPECT_EQ(codes(tile + " rows=dense", grid("4*N-1", open)), "") << "a known multiple";
  EXPECT_EQ(codes("block=32 elements=4 prefetch=0 loads=bulk rows=dense", grid("60")), "")
      << "no prefetch";
}

TEST(StreamingRefusals, BulkCopiesStartAtMultiplesOf16Bytes) {
  const auto inside = [](const std::string& columns) {
    return load("grid G = [0..63, 0..63] steps 1; subgrid I of G = [0..63, " + columns +
                "]; field A : real on G; field c : real on I; stencil f : A on I = c[0,0] * "
                "A[0,0];");
  };
  const std::string dense = "block=32 elements=4 prefetch=1 loads=bulk rows=dense";
  EXPECT_EQ(codes(dense, inside("4..63")), "");
  EXPECT_EQ(codes(dense, inside("8..55")), "");
  EXPECT_EQ(codes(dense, inside("2..61")), "L025") << "60 elements, two from the grid's first";
  EXPECT_EQ(codes("block=32 elements=4 prefetch=1 loads=bulk", inside("2..61")), "") << "padded";
  const auto core = [](const std::string& settings, int steps) {
    const ir::Program program = load(kFlat);
    return plan_stream(analysis::TimeTiles(program), parsed(settings, program), steps).core(0);
  };
  EXPECT_EQ(core("block=32 elements=3 prefetch=1 loads=async", 1), 90);
  EXPECT_EQ(core("block=32 elements=3 prefetch=1 loads=bulk", 1), 88) << "96 - 4 - 4";
  EXPECT_EQ(core("block=32 elements=3 prefetch=1 loads=bulk", 2), 88) << "of every tile size";
}

TEST(StreamingRefusals, BulkCopiesDoNotWrapAround) {
  const ir::Program ring = load(
      "grid G = [0..63, 0..63] steps 1; field A : real on G boundary periodic; stencil f : A on G "
      "= A[0,1];");
  EXPECT_EQ(codes("block=32 elements=4 prefetch=1 loads=async", ring), "");
  const std::string refused = message("block=32 elements=4 prefetch=1 loads=bulk", ring);
  EXPECT_NE(refused.find("error L025: streaming refused: loads=bulk cannot copy field 'A' across a "
                         "periodic edge\n"),
            std::string::npos)
      << refused;
}

TEST(StreamingRefusals, BulkCopiesLimitTheBoxSize) {
  const ir::Program flat = load(kFlat);
  EXPECT_EQ(codes("T=1 block=32 elements=8 prefetch=1 loads=bulk", flat), "") << "256 points";
  EXPECT_EQ(message("T=1 block=32 elements=9 prefetch=1 loads=bulk", flat),
            "error L025: streaming refused: loads=bulk cannot copy planes of this tile\n"
            "      = expected: at most 256 x 256 points, and rows of a multiple of 16 bytes\n"
            "      = found: 288 x 1 points of 4 bytes\n"
            "      = hint: use loads=async, or another block or elements\n");
  EXPECT_EQ(codes("T=1 block=4x8 elements=5 prefetch=1 loads=bulk", flat), "") << "80 bytes";
  const ir::Program narrow = load(
      "grid G = [0..63, 0..63] steps 1; field h : half on G; stencil f : h[1..62, 1..62] = "
      "h[0,1];");
  EXPECT_EQ(codes("T=1 block=4x8 elements=5 prefetch=1 loads=bulk", narrow), "L025") << "40 bytes";
}

TEST(StreamingLowering, BulkCopiesLoadATilePerBatch) {
  const ir::Program flat = load(kFlat), deep = load(kDeep);
  const auto kernel = [](const ir::Program& program, const std::string& settings) {
    Diagnostics diagnostics;
    const auto module = lower(program, parsed(settings, program), diagnostics);
    EXPECT_TRUE(module.has_value()) << render(Source("", ""), diagnostics);
    const auto& launch = std::get<kernel::Launch>(module->plan.actions[0]);
    EXPECT_EQ(launch.bulk_sources.size(), module->kernels[0].bulk_sources.size());
    EXPECT_EQ(measure(program, parsed(settings, program)).value().shared_bytes,
              kernel::shared_bytes(module->kernels[0], module->constants));
    return module->kernels[0];
  };
  const kernel::Kernel rows = kernel(flat, "T=2 block=16x4 elements=2 prefetch=2 loads=bulk");
  EXPECT_EQ(rows.bulk_batches, 3);
  ASSERT_EQ(rows.bulk_sources.size(), 1u);
  EXPECT_EQ(rows.bulk_sources[0].box, (std::vector{1, 32}));
  const kernel::Kernel planes = kernel(deep, "T=1 block=16x16 elements=2x3 prefetch=1 loads=bulk");
  EXPECT_EQ(planes.bulk_batches, 3) << "one more for the rows that others read";
  EXPECT_EQ(planes.bulk_sources[0].box, (std::vector{1, 48, 32}));
}

TEST(StreamingRefusals, ScatterReordersSums) {
  EXPECT_EQ(codes("form=scatter", load(kFlat)), "L021") << "under --fp=contract";
  ProgramOptions fast;
  fast.fp = FpMode::Fast;
  EXPECT_EQ(codes("form=scatter", load(kFlat, fast)), "");
  EXPECT_EQ(codes("form=scatter", load("grid G = [0..9, 0..9] steps 1; field A : real on G;"
                                       "stencil f : A[1..8, 1..8] = A[0,1] * A[1,0];",
                                       fast)),
            "L021")
      << "no sum";
}

TEST(Chunks, AreAsRequestedOrTypicalForOpenSizes) {
  const ir::Program flat = load(kFlat);
  const auto length = [](const ir::Program& program, const std::string& settings) {
    const Schedule schedule = parsed(settings, program);
    return cut_chunks(program, schedule,
                      plan_stream(analysis::TimeTiles(program), schedule, schedule.time_tile))
        .length;
  };
  EXPECT_EQ(length(flat, "T=2 chunk=37"), 37);
  ProgramOptions open;
  open.open = {"N"};
  const ir::Program unknown = load(
      "param N : integer; grid G = [0..N-1, 0..N-1] steps 1; require N >= 9; field A : real on G;"
      "stencil f : A[1..N-2, 1..N-2] = A[0,1];",
      open);
  EXPECT_EQ(length(unknown, "T=2"), 256);
  EXPECT_EQ(length(unknown, "T=2 chunk=9"), 9);
  // Two tiles of 120 points on a device with room for more blocks. Short chunks win until their
  // prologue and epilogue outweigh them.
  const int64_t chosen = length(flat, "T=2 elements=4 block=32 interior=tested");
  EXPECT_GE(chosen, 1);
  EXPECT_LE(chosen, 32);
}

TEST(Chunks, OccupancyIsAsRequested) {
  const ir::Program flat = load(kFlat);
  const Schedule schedule = parsed("T=2 occupancy=7", flat);
  EXPECT_EQ(occupancy_of(schedule, plan_stream(analysis::TimeTiles(flat), schedule, 2)), 7);
  Diagnostics diagnostics;
  const auto module = lower(flat, schedule, diagnostics);
  ASSERT_TRUE(module.has_value());
  for (const kernel::Kernel& kernel : module->kernels) EXPECT_EQ(kernel.min_blocks, 7);
}

TEST(StreamingFootprint, ThreeDimensions) {
  const ir::Program deep = load(kDeep);
  const Footprint cost =
      measure(deep, parsed("T=2 block=16x16 elements=4x2 chunk=64 prefetch=2 loads=async", deep))
          .value();
  EXPECT_EQ(cost.output, (std::vector<int64_t>{64, 28, 56}));
  const double tile = (64 + 2 + 2) * 32 * 64, core = 64 * 28 * 56;  // 2 planes before and 2 after
  EXPECT_DOUBLE_EQ(cost.redundancy, tile / core);
  EXPECT_DOUBLE_EQ(cost.bytes_read, 4 * tile / core / 2);
  EXPECT_DOUBLE_EQ(cost.bytes_written, 2);
  EXPECT_EQ(cost.threads, 256);
  EXPECT_EQ(cost.shared_bytes, (4 * 32 + 2 * 16 * 2) * 64 * 4);
}

TEST(StreamingFootprint, CoefficientsAreReadAndNotWritten) {
  const ir::Program program = load(
      "grid G = [0..255, 0..255] steps 9; field A : real on G; field c : double on G;"
      "stencil s : A[1..254, 1..254] = A[-1,0] + A[1,0] + c[0,0];");
  const Footprint cost =
      measure(
          program,
          parsed("T=1 block=32x2 elements=2 chunk=30 prefetch=0 loads=registers interior=tested",
                 program))
          .value();
  EXPECT_EQ(cost.output, (std::vector<int64_t>{30, 64})) << "per row of threads";
  EXPECT_DOUBLE_EQ(cost.redundancy, 32.0 / 30);
  EXPECT_DOUBLE_EQ(cost.bytes_read, 12 * 32.0 / 30);
  EXPECT_DOUBLE_EQ(cost.bytes_written, 4);
  EXPECT_EQ(cost.shared_bytes, 0);
}

TEST(StreamingLowering, EveryModuleVerifies) {
  const ir::Program flat = load(kFlat), deep = load(kDeep);
  const auto expect_sound = [](const ir::Program& program, const std::string& settings) {
    Diagnostics diagnostics;
    const auto module = lower(program, parsed(settings, program), diagnostics);
    ASSERT_TRUE(module.has_value()) << settings << render(Source("", ""), diagnostics);
    EXPECT_EQ(kernel::verify(*module), std::vector<std::string>{}) << settings;
  };
  for (const char* loads : {"loads=registers", "loads=async", "loads=bulk"}) {
    for (const char* interior : {"interior=split", "interior=tested"}) {
      for (const char* prefetch : {"prefetch=0", "prefetch=1", "prefetch=3"}) {
        const std::string settings =
            std::string(loads) + " " + interior + " " + prefetch + " chunk=40 ";
        expect_sound(flat, settings + "T=4 block=32x2 elements=4");
        expect_sound(flat, settings + "T=3 block=8x4 elements=2 unroll=3");
        expect_sound(deep, settings + "T=2 block=16x16 elements=4x2");
        expect_sound(deep, settings + "T=1 block=16x4 elements=1x1 unroll=1");
      }
    }
  }
}

}  // namespace
}  // namespace stencil::schedule
