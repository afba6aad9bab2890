// Sweeps: the column kept per thread, the tile shared by a block, and refusals.
#include "compiler/schedule/sweeps/tile.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "compiler/ir/rewrite.h"
#include "compiler/kernel/passes.h"
#include "compiler/schedule/presets.h"
#include "compiler/schedule/scheduler.h"
#include "tests/unit/load.h"

namespace stencil::schedule {
namespace {

const char* const kSeven =
    "grid G = [0..127, 0..127, 0..127] steps 4; field A : double on G;"
    "stencil s : A[1..126, 1..126, 1..126] = A[0,0,0] + 0.1 * (A[0,0,1] + A[0,0,-1] + A[0,1,0]"
    " + A[0,-1,0] + A[1,0,0] + A[-1,0,0] - 6 * A[0,0,0]);";
// Can be computed plane by plane; the planes on both sides have equal weights.
const char* const kByPlanes =
    "grid G = [0..127, 0..127, 0..127] steps 4; field A : real on G;"
    "stencil s : A[1..126, 1..126, 1..126] ="
    " (A[-1,0,-1] + A[-1,0,1] + A[-1,-1,0] + A[-1,1,0])"
    " + 2 * (A[0,0,-1] + A[0,0,1] + A[0,-1,0] + A[0,1,0])"
    " + (A[1,0,-1] + A[1,0,1] + A[1,-1,0] + A[1,1,0]);";

class Tile {
 public:
  Tile(const std::string& text, const std::string& line)
      : program_(test::load(text)), sweeps_(plan_sweeps(program_)) {
    Diagnostics diagnostics;
    const auto schedule = parse(line, program_, diagnostics);
    EXPECT_TRUE(schedule) << line;
    tile_ = plan_tile(program_, sweeps_[0], *schedule);
  }
  const SweepTile* operator->() const { return &tile_; }
  const ir::Program& program() const { return program_; }
  int ages() const {
    int out = 0;
    for (const ColumnValue& value : tile_.column.values) out += value.ages;
    return out;
  }
  int operations() const {
    std::vector<ir::NodeId> needed;
    for (const ColumnValue& value : tile_.column.values) needed.push_back(value.node);
    int out = 0;
    const auto reached = ir::reachable(*tile_.column.front, needed);
    for (ir::NodeId id = 0; id < tile_.column.front->size(); ++id) {
      const auto& node = (*tile_.column.front)[id];
      out += reached[size_t(id)] && std::holds_alternative<ir::Operation>(node.kind) ? 1 : 0;
    }
    return out;
  }

 private:
  ir::Program program_;
  std::vector<Sweep> sweeps_;
  SweepTile tile_;
};

std::string refused(const std::string& text, const std::string& line) {
  const ir::Program program = test::load(text);
  Diagnostics diagnostics;
  const auto schedule = parse(line, program, diagnostics);
  if (schedule) lower(program, *schedule, diagnostics, gpu(), Advice::None);
  return diagnostics.items().empty() ? "" : diagnostics.items().front().code;
}

TEST(SweptColumn, KeepsOperandsOfTheColumnAndReloadsOthers) {
  const Tile tile(kSeven, "sweeps block=8x8 elements=1 chunk=all column=registers");
  EXPECT_EQ(tile.ages(), 2);  // the planes before and at the point
  EXPECT_EQ(tile->column.lookback(), 2);
  EXPECT_EQ(tile->reads.size(), 5u);  // one in the column, four in the plane
  EXPECT_EQ(tile->reads_at(tile.program(), 1).size(), 1u);
  for (const ir::Access& read : tile->reads) {
    const bool own = read.offset(1) == 0 && read.offset(2) == 0;
    EXPECT_EQ(read.offset(0), own ? 1 : 0);
  }
}

TEST(SweptColumn, ComputesCommonPlaneSumsOnce) {
  const Tile operands(kByPlanes, "sweeps block=32x6 elements=1 chunk=all column=registers");
  EXPECT_EQ(operands.ages(), 8);  // four operands, two planes each
  const Tile sums(kByPlanes, "sweeps block=32x6 elements=1 chunk=all column=partial");
  EXPECT_EQ(sums->reads.size(), 4u);
  EXPECT_LE(sums.ages(), 2);
  EXPECT_EQ(sums.operations(), 5);  // the sum of a plane (3), an fma, a sum
}

TEST(SweptColumn, KeepsNothingForASinglePlane) {
  const char* const flat =
      "grid G = [0..63, 0..63] steps 4; field A : real on G;"
      "stencil s : A[1..62, 1..62] = A[0,1] + A[0,-1];";
  for (const char* column : {"registers", "partial"}) {
    const Tile tile(flat, std::string("sweeps block=32 elements=1 chunk=8 column=") + column);
    EXPECT_EQ(tile.ages(), 0);
    EXPECT_EQ(tile->column.lookback(), 0);
  }
}

// The shared memory sizes of Table II in Vizitiu et al. 2014.
TEST(SweepTile, SharedBytesMatchThePaper) {
  const auto bytes = [](const std::string& preset) {
    const ir::Program program = test::load(kSeven);
    Diagnostics diagnostics;
    return measure(program, *parse("@vizitiu-" + preset, program, diagnostics))->shared_bytes;
  };
  EXPECT_EQ(bytes("3dbase"), 0);
  EXPECT_EQ(bytes("3dshmoverl"), 4096);
  EXPECT_EQ(bytes("3dshmnooverl"), 8000);
  EXPECT_EQ(bytes("2dreg"), 0);
  EXPECT_EQ(bytes("2dshm"), 800);
  EXPECT_EQ(bytes("2dshmreg"), 640);
}

TEST(SweepTile, RemapsThreadsOverWholeSectors) {
  const Tile tile(kByPlanes, "@krotkiewski");
  ASSERT_EQ(tile->windows.size(), 1u);
  EXPECT_EQ(tile->extent(tile->windows[0], 2), 48);
  EXPECT_EQ(tile->extent(tile->windows[0], 1), 8);
  EXPECT_EQ(tile->items(tile->windows[0]), 2);
  EXPECT_EQ(tile->tiled.ranges[2].low.constant, 0);  // tile rows begin at a sector
  EXPECT_EQ(tile->tiled.ranges[1].low.constant, 1);
}

TEST(SweepTile, LoadsOnlyThePartsOfTheHaloThatAreRead) {
  EXPECT_EQ(Tile(kSeven, "@vizitiu-3dshmnooverl")->windows[0].parts.size(), 6u);
  EXPECT_EQ(Tile(kSeven, "@vizitiu-2dshm")->windows[0].parts.size(), 4u);
  const Tile rows(kSeven, "@vizitiu-2dshmreg");
  EXPECT_EQ(rows->windows[0].parts.size(), 2u);
  EXPECT_TRUE(rows->windows[0].value);  // its own points are in registers
  EXPECT_TRUE(rows->all_keep());
}

TEST(SweepTile, SharesOnlyOperandsReadByOtherThreads) {
  const char* const diagonal =
      "grid G = [0..63, 0..63] steps 4; field A, B : real on G;"
      "stencil s : B[1..62, 1..62] = A[1,1] + A[-1,0];";
  EXPECT_TRUE(Tile(diagonal, "sweeps block=32 elements=1 operands=tile")->windows.empty());
  EXPECT_EQ(Tile(diagonal, "sweeps block=32x4 elements=1 operands=tile")->windows.size(), 1u);
}

TEST(SweepTile, ShufflesInRowsOfAtMost32Lanes) {
  const ir::Program program = test::load(kSeven);
  Machine wide = gpu();
  wide.warp = 64;
  for (const char* block : {"64x4", "32x8"}) {
    Diagnostics diagnostics;
    const auto schedule = parse(std::string("sweeps elements=1 operands=shuffles block=") + block,
                                program, diagnostics, wide);
    ASSERT_TRUE(schedule);
    EXPECT_EQ(lower(program, *schedule, diagnostics, wide).has_value(), block[0] == '3') << block;
  }
}

TEST(SweepTile, Refusals) {
  EXPECT_EQ(refused(kSeven, "sweeps block=8x8x8 elements=1 chunk=4"), "L019");
  EXPECT_EQ(refused(kSeven, "sweeps block=8x8 elements=1x1x2 chunk=4"), "L019");
  EXPECT_EQ(refused(kSeven, "sweeps block=8x8 elements=1 operands=shuffles block=8x8"), "L002");
  EXPECT_EQ(refused(kSeven, "sweeps block=24x8 elements=1 operands=shuffles"), "L019");
  EXPECT_EQ(refused(kSeven, "sweeps block=8x8 elements=1 column=registers"), "L028");
  EXPECT_EQ(refused(kSeven, "sweeps block=8x8 elements=1 prefetch=1"), "L028");
  EXPECT_EQ(refused(kSeven, "sweeps block=8x8 elements=1 chunk=4 prefetch=2"), "L028");
  EXPECT_EQ(refused(kSeven, "sweeps block=8x8 elements=1 halo=cover"), "L028");
  EXPECT_EQ(refused(kSeven, "sweeps block=8x8 elements=1 operands=tile halo=remap"), "L028");
  EXPECT_EQ(refused(kSeven, "sweeps block=2x2x2 elements=1 operands=shared halo=cover"), "L014");
  const char* const line =
      "grid G = [0..255] steps 4; field A : real on G; stencil s : A[1..254] = A[-1] + A[1];";
  EXPECT_EQ(refused(line, "sweeps block=64 elements=1 chunk=4"), "L018");
  EXPECT_EQ(refused(line, "@vizitiu-2dreg"), "L018");
  EXPECT_EQ(refused(line, "sweeps operands=rows"), "L028");
  EXPECT_EQ(refused(line, "@vizitiu-2dregg"), "L001");
  const char* const far =
      "grid G = [0..300, 0..300] steps 4; field A : real on G boundary clamp;"
      "stencil s : A on G = A[-200,0] + A[0,-150] + A[0,0];";
  EXPECT_EQ(refused(far, "sweeps block=32 elements=1 chunk=8 column=registers"), "L020");
  EXPECT_EQ(refused(far, "sweeps block=32x4 elements=1 operands=shared"), "L014");
  EXPECT_EQ(refused(far, "sweeps block=32x4 elements=1 operands=shared halo=remap"), "L020");
}

TEST(Presets, AreLoweredAsWritten) {
  const char* const programs[] = {
      "grid G = [0..255] steps 4; field A : real on G; stencil s : A[1..254] = A[-1] + A[1];",
      "grid G = [0..63, 0..63] steps 4; field A : real on G boundary mirror;"
      "stencil s : A on G = A[-1,0] + A[1,0] + A[0,1] + A[0,0];",
      kSeven};
  for (int rank = 1; rank <= 3; ++rank) {
    const ir::Program program = test::load(programs[rank - 1]);
    for (const Preset& preset : preset_table()) {
      SCOPED_TRACE(preset.name);
      const std::string& line = preset.lines[rank - 1];
      if (line.empty()) continue;
      Diagnostics diagnostics;
      const auto schedule = parse("@" + preset.name, program, diagnostics);
      ASSERT_TRUE(schedule);
      EXPECT_TRUE(lower(program, *schedule, diagnostics));
      EXPECT_EQ(parse(line, program, diagnostics), *schedule);
    }
  }
}

TEST(Presets, TakeFurtherSettings) {
  const ir::Program program = test::load(kSeven);
  Diagnostics diagnostics;
  const auto schedule = parse("@vizitiu-2dreg block=32x4 prefetch=1", program, diagnostics);
  ASSERT_TRUE(schedule);
  EXPECT_EQ(print(*schedule, 3),
            "sweeps block=32x4x1 elements=1x1x1 chunk=all prefetch=1 column=registers");
}

TEST(SweepTile, DefaultsDoNotExtendAlongTheSweep) {
  const ir::Program program = test::load(kSeven);
  Diagnostics diagnostics;
  EXPECT_EQ(print(*parse("sweeps chunk=8", program, diagnostics), 3),
            "sweeps block=64x4x1 elements=1x1x1 chunk=8");
  EXPECT_EQ(print(*parse("@vizitiu-3dbase chunk=all", program, diagnostics), 3),
            "sweeps block=8x8x1 elements=1x1x1 chunk=all");
  EXPECT_EQ(refused(kSeven, "sweeps chunk=8 elements=1x1x4"), "L019");
  const char* const flat =
      "grid G = [0..63, 0..63] steps 4; field A : real on G;"
      "stencil s : A[1..62, 1..62] = A[0,1] + A[1,0];";
  EXPECT_EQ(refused(flat, "sweeps chunk=8 column=registers"), "");
}

// Settings of `sweeps` belonged to `direct`. Stored lines contain the old family.
TEST(Sweeps, OldLinesOfDirectAreAccepted) {
  const ir::Program program = test::load(kSeven);
  Diagnostics diagnostics;
  for (const std::string settings :
       {"chunk=8", "chunk=auto", "block=8x8 chunk=all prefetch=1", "column=cache",
        "elements=1 operands=shared", "block=8x8x8 elements=1 operands=shared halo=cover"}) {
    const auto old = parse("direct " + settings, program, diagnostics);
    ASSERT_TRUE(old) << settings;
    EXPECT_EQ(old->family, "sweeps");
    EXPECT_EQ(*old, parse("sweeps " + settings, program, diagnostics));
    EXPECT_EQ(with_present_names("direct  " + settings), "sweeps " + settings);
    EXPECT_FALSE(notes_on_old_names("direct " + settings).items().empty());
    EXPECT_TRUE(notes_on_old_names("sweeps " + settings).items().empty());
  }
  EXPECT_EQ(parse("direct block=8x8 rows=dense", program, diagnostics)->family, "direct");
  EXPECT_EQ(with_present_names("direct block=8x8"), "direct block=8x8");
  EXPECT_EQ(with_present_names("streaming T=2 chunk=8"), "streaming T=2 chunk=8");
  EXPECT_EQ(render(Source("", ""), notes_on_old_names("direct elements=1 chunk=8 column=partial")),
            "note: schedule setting 'chunk' of 'direct' now belongs to the family 'sweeps'\n"
            "note: schedule setting 'column' of 'direct' now belongs to the family 'sweeps'\n");
  EXPECT_TRUE(diagnostics.items().empty());
  EXPECT_FALSE(parse("direct chunk=8 interior=split", program, diagnostics));
  EXPECT_EQ(diagnostics.items().front().message,
            "unknown setting 'interior=split' of schedule family 'sweeps'");
}

// A thread per point without kept or shared operands is a kernel of `direct`.
TEST(Sweeps, PlainLinesAreThoseOfDirect) {
  const ir::Program program = test::load(kSeven);
  const auto kernels = [&](const std::string& line) {
    Diagnostics diagnostics;
    auto module = lower(program, *parse(line, program, diagnostics), diagnostics);
    module->header.clear();
    return kernel::print(*module);
  };
  const std::string settings = " block=8x8x2 elements=1x1x2";
  EXPECT_EQ(kernels("sweeps" + settings), kernels("direct" + settings));
  EXPECT_NE(kernels("sweeps chunk=4" + std::string(" block=8x8 elements=1")),
            kernels("direct" + settings));
}

TEST(Presets, AreInTheManual) {
  std::ifstream file(std::string(STENCIL_SOURCE_DIR) + "/docs/reference/schedules.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const Preset& preset : preset_table()) {
    const std::string row = "| `@" + preset.name + "` | `" + preset.lines[2] + "` |";
    EXPECT_NE(text.str().find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace stencil::schedule
