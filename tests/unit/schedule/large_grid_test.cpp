// Grids of more than 2^31 points, without allocating them: the index arithmetic of every family in
// the first, last and other blocks, with known and open sizes.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "compiler/kernel/evaluate.h"
#include "compiler/schedule/schedule.h"
#include "tests/unit/load.h"
#include "tests/unit/schedule/index_walk.h"

namespace stencil::schedule {
namespace {

struct Grid {
  std::vector<int64_t> extents;
  int64_t low = 0;  // low bound of every dimension
  int64_t points() const {
    int64_t product = 1;
    for (int64_t extent : extents) product *= extent;
    return product;
  }
};

// A function that writes every point and reads two points away in every dimension.
std::string program_text(const Grid& grid, const std::string& boundary, bool open) {
  std::string params, box, sum;
  const size_t rank = grid.extents.size();
  for (size_t d = 0; d < rank; ++d) {
    params += open ? fmt::format("param N{} : integer;\n", d)
                   : fmt::format("param N{} : integer = {};\n", d, grid.extents[d]);
    box += fmt::format("{}{}..{} + N{} - 1", d ? ", " : "", grid.low, grid.low, d);
    for (const char* offset : {"-2", "2"}) {
      std::vector<std::string> offsets(rank, "0");
      offsets[d] = offset;
      sum += fmt::format(" + A[{}]", fmt::join(offsets, ","));
    }
  }
  const std::string centre = fmt::format("A[{}]", fmt::join(std::vector<int>(rank, 0), ","));
  return params + "grid G = [" + box + "] steps 10;\nfield A : real on G boundary " + boundary +
         ";\nstencil s : A on G = 0.1 * (" + centre + sum + ");\n" + "reduce total = sum(" +
         centre + ") on G every 5;\n";
}

std::vector<int64_t> blocks_to_walk(int64_t blocks) {
  std::vector<int64_t> out = {0, 1, blocks / 2, blocks - 2, blocks - 1};
  for (int64_t n = 1; n <= 2; ++n) out.push_back(blocks / 3 * n + n);
  std::erase_if(out, [&](int64_t block) { return block < 0 || block >= blocks; });
  return out;
}

void walk_all(const Grid& grid, const std::string& boundary, bool open, const std::string& line,
              bool all_threads = false) {
  SCOPED_TRACE(fmt::format("[{}] from {}, {}, {}, {}", fmt::join(grid.extents, ", "), grid.low,
                           boundary, open ? "open" : "known", line));
  const ir::Program program = test::load(program_text(grid, boundary, open));
  Diagnostics diagnostics;
  const auto schedule = parse(line, program, diagnostics);
  ASSERT_TRUE(schedule) << render(Source("", ""), diagnostics);
  const auto module = lower(program, *schedule, diagnostics);
  ASSERT_TRUE(module) << render(Source("", ""), diagnostics);

  std::map<std::string, int64_t> variables = {{"first_step", 7}, {"steps", schedule->time_tile}};
  for (size_t d = 0; d < grid.extents.size(); ++d) {
    variables[fmt::format("N{}", d)] = grid.extents[d];
  }
  const auto value_of = [&](const std::string& name) -> std::optional<int64_t> {
    for (const kernel::NamedConstant& constant : module->constants) {
      if (constant.name == name) return constant.value;
    }
    const auto place = variables.find(name);
    return place == variables.end() ? std::nullopt : std::optional(place->second);
  };
  EXPECT_EQ(kernel::evaluate(module->plan.points, value_of), grid.points());
  IndexWalk sweep(*module, variables), reduction(*module, variables);
  const auto walk = [&](const kernel::Launch& launch, IndexWalk& with) {
    const auto blocks = kernel::evaluate(launch.blocks, value_of);
    ASSERT_TRUE(blocks);
    ASSERT_LE(*blocks, INT32_MAX);
    for (int64_t block : blocks_to_walk(*blocks)) {
      const bool outer = block == 0 || block == *blocks - 1;
      with.walk(module->kernels[launch.kernel], block, all_threads && outer);
    }
  };
  for (const kernel::Action& action : module->plan.actions) {
    if (const auto* launch = std::get_if<kernel::Launch>(&action)) walk(*launch, sweep);
  }
  for (const kernel::Launch& launch : module->plan.reductions[0].launches) walk(launch, reduction);

  for (const auto* each : {&sweep, &reduction}) {
    for (const auto& [text, count] : each->faults()) ADD_FAILURE() << text << " (" << count << ")";
    EXPECT_GT(each->checked(), 0);
  }
  if (!all_threads) return;
  EXPECT_EQ(sweep.first_stored(), 0);
  EXPECT_EQ(sweep.last_stored(), grid.points() - 1);
}

const std::vector<Grid> kGrids = {
    {{50000, 50000}},               // 2.5e9 points
    {{46340, 46340}},               // largest square whose offsets fit 32 bits
    {{46341, 46341}},               // does not fit
    {{4, int64_t{1} << 30}},        // the longest row
    {{int64_t{1} << 30, 48}},       // the longest column
    {{300, 300}, (1 << 30) - 299},  // far from the origin
    {{2000, 2000, 2000}},           // 8e9 points
    {{1291, 1290, 1291}},           // 2.15e9
    {{8, 3, int64_t{1} << 30}},
};

std::vector<std::string> schedules(size_t rank) {
  if (rank == 1) return {"direct block=256 elements=8", "overlapped T=4 block=256 elements=4"};
  if (rank == 2) {
    return {"direct block=64x4 elements=1x4",
            "overlapped T=3 block=32x8 elements=2x4",
            "streaming T=3 block=32x1 elements=4x1",
            "streaming T=2 block=16x4 elements=2x1 loads=registers chunk=100000 interior=tested",
            "planes T=3 block=64 interior=split",
            "planes T=2 block=512 chunk=100000 interior=tested"};
  }
  return {"direct block=32x4x2 elements=1x2x2",
          "overlapped T=2 block=16x4x4 elements=2x4x4",
          "streaming T=2 block=32x4 elements=2x4",
          "streaming T=2 block=32x4 elements=2x4 interior=split chunk=64",
          "planes T=2 block=32x8 interior=split",
          "planes T=2 block=64x16 chunk=64 interior=tested"};
}

TEST(LargeGrids, EveryIndexFitsItsType) {
  for (const Grid& grid : kGrids) {
    for (const std::string& line : schedules(grid.extents.size())) {
      for (const bool open : {false, true}) walk_all(grid, "clamp", open, line);
    }
  }
}

// Streamed planes are excluded, because the walk skips iterations of their loops.
TEST(LargeGrids, TheFirstAndTheLastPointAreWritten) {
  for (const Grid& grid : {Grid{{50000, 50000}}, Grid{{2000, 2000, 2000}}}) {
    for (const std::string& line : schedules(grid.extents.size())) {
      if (line.starts_with("streaming") || line.starts_with("planes")) continue;
      for (const bool open : {false, true}) walk_all(grid, "clamp", open, line, true);
    }
  }
}

TEST(LargeGrids, BoundaryRulesDoNotOverflow) {
  for (const char* boundary : {"mirror", "periodic", "constant 1"}) {
    for (const Grid& grid : {Grid{{50000, 50000}}, Grid{{300, 300}, (1 << 30) - 299},
                             Grid{{4, 1 << 30}}, Grid{{4, 1 << 30}, -(1 << 30)}}) {
      for (const std::string& line : schedules(2)) {
        for (const bool open : {false, true}) walk_all(grid, boundary, open, line);
      }
    }
  }
}

TEST(LargeGrids, OneDimension) {
  for (const char* boundary : {"clamp", "mirror", "periodic"}) {
    for (const std::string& line : schedules(1)) walk_all({{1 << 30}}, boundary, true, line);
  }
}

// Tests the walk itself: without Buffer::wide it must report a fault.
TEST(LargeGrids, TheWalkFindsNarrowOffsets) {
  const ir::Program program = test::load(program_text({{46341, 46341}}, "clamp", false));
  Diagnostics diagnostics;
  auto module = lower(program, *parse("direct", program, diagnostics), diagnostics);
  kernel::Kernel& kernel = module->kernels[0];
  const kernel::Launch& launch = std::get<kernel::Launch>(module->plan.actions[0]);
  const auto last =
      kernel::evaluate(launch.blocks, [](const std::string&) { return std::optional<int64_t>(); })
          .value() -
      1;
  for (const bool wide : {true, false}) {
    for (kernel::Buffer& buffer : kernel.buffers) buffer.wide = wide;
    IndexWalk walk(*module, {{"first_step", 0}, {"steps", 1}});
    walk.walk(kernel, last);
    EXPECT_EQ(walk.faults().empty(), wide);
  }
}

}  // namespace
}  // namespace stencil::schedule
