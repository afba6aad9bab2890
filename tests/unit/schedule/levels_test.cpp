// The history levels that a tile reads, and where the levels are stored after it.
#include "compiler/schedule/common/levels.h"

#include <algorithm>

#include "compiler/analysis/time_tile.h"
#include "compiler/kernel/passes.h"
#include "compiler/schedule/overlapped/plan.h"
#include "tests/unit/load.h"

namespace stencil::schedule {
namespace {

using test::load;

ir::Program on_line(const std::string& functions, int history) {
  return load("grid G = [0..99] steps 9; field A, c : real on G; field U : real on G history " +
              std::to_string(history) + ";" + functions);
}
constexpr ir::FieldId kU = 2;

TEST(Levels, CountsLevelsReadFromMemory) {
  const auto read = [](const std::string& functions) {
    return analysis::levels_loaded(analysis::unroll(on_line(functions, 4), 1), kU);
  };
  EXPECT_EQ(read("stencil f : A on G = c[0];"), 0);
  EXPECT_EQ(read("stencil f : A on G = U@-2[0];"), 3) << "no function writes it";
  EXPECT_EQ(read("stencil f : U on G = c[0];"), 1) << "for unwritten points";
  EXPECT_EQ(read("stencil f : U on G = U@-3[0];"), 4);
  EXPECT_EQ(read("stencil f : U on G = c[0]; stencil g : A on G = U@-2[0];"), 2)
      << "level @-2 was @-1 before the first function";
}

TEST(Levels, CountsLevelsKeptInATile) {
  const auto kept = [](const std::string& functions, int steps) {
    const ir::Program program = on_line(functions, 4);
    return analysis::levels_kept(program, analysis::unroll(program, steps), kU);
  };
  EXPECT_EQ(kept("stencil f : U on G = U[0];", 1), 1);
  EXPECT_EQ(kept("stencil f : U on G = U[0];", 3), 3) << "three levels are stored";
  EXPECT_EQ(kept("stencil f : U on G = U[0];", 9), 4);
  EXPECT_EQ(kept("stencil f : U on G = U@-2[0];", 1), 3);
}

TEST(Levels, TheFirstWriterOfAStepShiftsLevels) {
  const ir::Program program = on_line(
      "stencil f : U on G = c[0]; stencil g : A on G = U[0]; stencil h : U on G = A[0];", 2);
  std::vector<bool> advances;
  for (const analysis::Stage& stage : analysis::unroll(program, 2).stages) {
    advances.push_back(stage.results[0].advances);
  }
  EXPECT_EQ(advances, (std::vector<bool>{true, true, false, true, true, false}));
}

// Follows the buffers of U through tiles of random lengths, as a device does. Every level must be
// in the buffer that the plan states, and no tile may overwrite a level that it reads.
TEST(Levels, AreInTheirBuffersAfterAnyTiles) {
  for (int history = 1; history <= 5; ++history) {
    for (int time_tile = 1; time_tile <= 6; ++time_tile) {
      const ir::Program program = on_line("stencil f : U on G = c[0];", history);
      const ir::Field& field = program.fields[kU];
      kernel::Plan plan;
      plan.time_tile = time_tile;
      plan.arrays.resize(1);
      plan.arrays[0].levels = history;
      plan.arrays[0].written = true;
      plan.arrays[0].field = kU;
      rotate_levels(program, plan);
      ASSERT_EQ(plan.arrays[0].copies, history + std::min(history, time_tile));
      std::vector<int> slots(static_cast<size_t>(plan.arrays[0].copies), -99);  // step held
      for (int level = 0; level < history; ++level) slots[level] = -level;
      int step = 0;
      for (int tile = 0; tile < 40; ++tile) {
        const int count = 1 + tile * 7 % 5 % time_tile;
        step += count;
        for (int level = 0; level < analysis::levels_made(field, count); ++level) {
          const int slot = result_slot(field, time_tile, count, level);
          ASSERT_GE(slot, history);
          slots.at(slot) = step - level;
        }
        for (const kernel::Action& action : plan.actions) {
          if (count < std::get<kernel::Rotate>(action).steps) continue;
          std::rotate(slots.begin(), slots.end() - 1, slots.end());
        }
        for (int level = 0; level < history; ++level) {
          ASSERT_EQ(slots[level], step - level)
              << "history " << history << " T " << time_tile << " tile " << tile;
        }
      }
    }
  }
}

TEST(Levels, CountsLevelsInSharedMemory) {
  const ir::Program program = on_line("stencil f : U[3..96] = U[-1] + U@-1[2];", 3);
  Diagnostics diagnostics;
  const auto schedule = parse("overlapped T=2 block=32 elements=1", program, diagnostics);
  const OverlappedTile tile(std::make_shared<OverlappedStep>(program), *schedule);
  EXPECT_EQ(tile.levels, (std::map<ir::FieldId, int>{{kU, 2}}));
  const analysis::Margin margin = tile.held.at(kU);
  EXPECT_EQ(margin, (analysis::Margin{{2, 2}})) << "the hull of both levels";
  EXPECT_EQ(shared_bytes(tile), 2 * 4 * (tile.sides[0].core() + 2 + 2));
}

TEST(Levels, EveryModuleVerifies) {
  const std::string functions =
      "stencil f : U[3..96, 2..97] = U[-1,0] + U@-2[2,0] - A@-1[0,1];"
      "stencil g : U[1..98, 1..98] = U[0,1] + U@-1[0,0]; stencil h : A on G = A@-1[0,0] + U[0,0];";
  for (const char* history : {"3", "4"}) {
    const ir::Program program = load(
        "grid G = [0..99, 0..99] steps 9; field A : real on G history 2;"
        "field U : real on G history " +
        std::string(history) + ";" + functions);
    for (const char* line :
         {"overlapped T=1", "overlapped T=5 block=32x16 elements=1x2 regions=shrink",
          "overlapped T=4 block=32x16 elements=1x2", "streaming T=1", "streaming T=2 block=32x2",
          "streaming T=5 block=32 elements=8 loads=registers", "planes T=1",
          "planes T=5 block=64 interior=split"}) {
      Diagnostics diagnostics;
      const auto schedule = parse(line, program, diagnostics);
      ASSERT_TRUE(schedule.has_value());
      const auto module = lower(program, *schedule, diagnostics);
      ASSERT_TRUE(module.has_value()) << line << "\n" << render(Source("", ""), diagnostics);
      EXPECT_EQ(kernel::verify(*module), std::vector<std::string>{}) << line;
    }
  }
}

}  // namespace
}  // namespace stencil::schedule
