// The choice of `auto` if NVRTC is available, with or without a GPU.
#include "runtime/tune/compiled_choice.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "compiler/schedule/explore.h"
#include "runtime/devices/kernel_cache.h"
#include "runtime/devices/nvrtc.h"
#include "runtime/tune/compiled.h"
#include "tests/unit/runtime/programs.h"

namespace stencil::tune {
namespace {

constexpr const char* kConverge = R"(
param N : integer = 2048;
require N >= 3;
grid G = [0..N-1, 0..N-1] steps 100;
field A : real on G boundary clamp;
stencil s : A {
  let c = A[0,0];
  G = c + 0.1 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1] - 4 * c) / (1 + c * c);
}
)";

class CompiledChoiceTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto nvrtc = runtime::find_nvrtc(0);
    if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.failure().message;
    directory_ = std::filesystem::path(testing::TempDir()) / "compiled_choice";
    std::filesystem::remove_all(directory_);
    setenv("STENCIL_CACHE", directory_.c_str(), 1);
  }
  void TearDown() override {
    setenv("STENCIL_CACHE", "off", 1);
    if (!directory_.empty()) std::filesystem::remove_all(directory_);
  }
  int64_t entries() const {
    int64_t out = 0;
    for (const auto& [device, has] : runtime::KernelCache(runtime::cache_settings()).contents()) {
      out += has.entries;
    }
    return out;
  }
  std::filesystem::path directory_;
  const ir::Program program_ = runtime::program_of(kConverge);
};

TEST_F(CompiledChoiceTest, IsTheBestCompiledTile) {
  const auto choice = compiled_choice(program_, schedule::gpu());
  ASSERT_TRUE(choice.ok()) << choice.failure().message;
  const runtime::KnownLine* found = &choice.value();
  EXPECT_EQ(found->origin, "the fastest predicted of 5 compiled");
  schedule::Scheduler scheduler(program_, schedule::gpu());
  const auto tiles =
      schedule::best_of_tiles(schedule::explore(scheduler, schedule::Effort::Quick), 5);
  const auto compiled = compile_candidates(program_, tiles, schedule::gpu(), 2);
  ASSERT_TRUE(compiled.ok());
  std::optional<schedule::Candidate> chosen, best;
  for (size_t t = 0; t < tiles.size(); ++t) {
    const auto one = schedule::predict(scheduler, tiles[t], for_model(compiled.value()[t]));
    ASSERT_TRUE(one);
    if (!best || schedule::is_faster(*one, *best)) best = one;
    if (schedule::print(tiles[t], 2) == found->line) chosen = one;
  }
  ASSERT_TRUE(chosen) << found->line;
  EXPECT_FALSE(schedule::is_faster(*best, *chosen));
}

TEST_F(CompiledChoiceTest, IsCached) {
  const auto first = kept_choice(program_, schedule::gpu());
  const int64_t kept = entries();
  EXPECT_GE(kept, 6);  // five kernels and the choice
  const auto second = kept_choice(program_, schedule::gpu());
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->line, second->line);
  EXPECT_EQ(entries(), kept);
}

TEST_F(CompiledChoiceTest, IsNoneWithoutACache) {
  setenv("STENCIL_CACHE", "off", 1);
  EXPECT_FALSE(kept_choice(program_, schedule::gpu()));
  EXPECT_TRUE(compiled_choice(program_, schedule::gpu()).ok());
}

TEST_F(CompiledChoiceTest, IsNoneForOtherMachines) {
  EXPECT_FALSE(kept_choice(program_, schedule::cpu()));
  EXPECT_EQ(entries(), 0);
  EXPECT_EQ(compiled_choice(program_, schedule::cpu()).failure().code, "R041");
}

}  // namespace
}  // namespace stencil::tune
