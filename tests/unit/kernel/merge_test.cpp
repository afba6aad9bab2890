// Merged launches do the same in the same order, with a barrier wherever a launch ended.
#include "compiler/kernel/merge.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "compiler/kernel/evaluate.h"
#include "compiler/kernel/passes.h"

namespace stencil::kernel {
namespace {

constexpr int kArrays = 3, kKernels = 4;  // the last kernel is not merged

// Kernel k has k + 1 blocks, each of which stores k into an array where it loads from another one.
Module sample() {
  Module module;
  module.name = "sample";
  for (int a = 0; a < kArrays; ++a) {
    Array array{fmt::format("a{}", a), Scalar::F32, {integer(64)}};
    array.levels = 1 + a % 2;
    array.copies = 2 + a % 2;
    array.written = true;
    module.plan.arrays.push_back(array);
  }
  for (int k = 0; k < kKernels; ++k) {
    Kernel kernel;
    kernel.name = fmt::format("k{}", k);
    kernel.threads = {32, 1, 1};
    Buffer from{"from", Scalar::F32, Space::Global, {integer(64)}, false, false, ""};
    from.read_only = true;
    kernel.buffers.push_back(from);
    kernel.buffers.push_back({"to", Scalar::F32, Space::Global, {integer(64)}, false, false, ""});
    const Expr at = convert(variable("block", Scalar::I64), Scalar::I32);
    kernel.body.push_back({Store{1, {at}, load(0, {integer(k)}, Scalar::F32)}});
    module.kernels.push_back(std::move(kernel));
  }
  return module;
}

Launch launch(int kernel, ArrayArgument from, ArrayArgument to) {
  Launch out;
  out.kernel = kernel;
  out.arrays = {from, to};
  out.blocks = integer(kernel + 1, Scalar::I64);
  return out;
}

// Executes actions as a list of stores, and "|" for the ends of launches and for barriers.
class Execution {
 public:
  explicit Execution(const Module& module) : module_(module) {
    for (const Array& array : module.plan.arrays) {
      slots_.emplace_back(static_cast<size_t>(array.copies));
      std::iota(slots_.back().begin(), slots_.back().end(), 0);
    }
  }
  void run(const Loop& loop) {
    for (const Action& action : loop.actions) {
      if (const auto* launch = std::get_if<Launch>(&action)) {
        this->launch(*launch);
      } else if (const auto* rotate = std::get_if<Rotate>(&action)) {
        auto& slots = slots_[static_cast<size_t>(rotate->array)];
        std::rotate(slots.begin(), slots.end() - 1, slots.end());
      } else if (const auto* swap = std::get_if<SwapSlots>(&action)) {
        auto& slots = slots_[static_cast<size_t>(swap->array)];
        std::swap(slots[static_cast<size_t>(swap->a)], slots[static_cast<size_t>(swap->b)]);
      } else if (const auto* repeat = std::get_if<Repeat>(&action)) {
        for (int64_t n = 0; n < repeat->iterations; ++n) run(*repeat);
      }
    }
  }
  const std::vector<std::string>& events() const { return events_; }
  const std::vector<std::vector<int>>& slots() const { return slots_; }
  int launches() const { return launches_; }

 private:
  void launch(const Launch& launch) {
    ++launches_;
    launch_ = &launch;
    const int64_t blocks = value(launch.blocks);
    for (int64_t block = 0; block < blocks; ++block) {
      values_ = {{"block", block}};
      body(module_.kernels[static_cast<size_t>(launch.kernel)].body);
    }
    end();
  }
  void end() {
    if (events_.back() != "|") events_.push_back("|");
  }
  int64_t value(const Expr& expr) const {
    return evaluate(expr,
                    [&](const std::string& name) -> std::optional<int64_t> {
                      const auto found = values_.find(name);
                      return found == values_.end() ? std::nullopt : std::optional(found->second);
                    })
        .value();
  }
  // The memory behind a buffer now.
  std::string memory(BufferId buffer) const {
    const Kernel& kernel = module_.kernels[static_cast<size_t>(launch_->kernel)];
    const ArrayArgument& argument = launch_->arrays.at(static_cast<size_t>(buffer));
    EXPECT_LT(static_cast<size_t>(buffer), kernel.buffers.size());
    const int slot =
        slots_[static_cast<size_t>(argument.array)][static_cast<size_t>(argument.slot)];
    return fmt::format("{}.{}", argument.array, slot);
  }
  void body(const Body& body) {
    const Kernel& kernel = module_.kernels[static_cast<size_t>(launch_->kernel)];
    for (const Statement& statement : body) {
      if (const auto* store = std::get_if<Store>(&statement.kind)) {
        const auto& from = std::get<Load>(store->value->kind);
        EXPECT_FALSE(kernel.buffers[store->buffer].read_only);
        events_.push_back(fmt::format("{}[{}] = {}[{}]", memory(store->buffer),
                                      value(store->index[0]), memory(from.buffer),
                                      value(from.index[0])));
      } else if (const auto* loop = std::get_if<For>(&statement.kind)) {
        for (int64_t n = value(loop->begin); n < value(loop->end); n += loop->step) {
          values_[loop->name] = n;
          this->body(loop->body);
        }
      } else if (const auto* scope = std::get_if<Scope>(&statement.kind)) {
        this->body(scope->body);
      } else if (const auto* barrier = std::get_if<Barrier>(&statement.kind)) {
        EXPECT_TRUE(barrier->global);
        end();
      }
    }
  }

  const Module& module_;
  std::vector<std::vector<int>> slots_;  // [array][slot]: the memory
  const Launch* launch_ = nullptr;
  std::map<std::string, int64_t> values_;
  std::vector<std::string> events_;
  int launches_ = 0;
};

// The number of launches after merging; checks that they do the same.
int merged(const Module& before, Module& after) {
  after = before;
  merge_launches(after, after.plan, {0, 1, 2}, "merged");
  drop_unused_kernels(after);
  Execution expected(before), found(after);
  expected.run(before.plan);
  found.run(after.plan);
  EXPECT_EQ(found.events(), expected.events());
  EXPECT_EQ(found.slots(), expected.slots());
  for (const Kernel& kernel : after.kernels) EXPECT_EQ(kernel.threads.product(), 32) << kernel.name;
  return found.launches();
}

int barriers(const Body& body) {
  int count = 0;
  for_each_statement(body, [&](const Statement& statement) {
    count += std::holds_alternative<Barrier>(statement.kind) ? 1 : 0;
  });
  return count;
}

Action repeated(int64_t iterations, std::vector<Action> actions) {
  Repeat repeat;
  repeat.iterations = iterations;
  repeat.actions = std::move(actions);
  return repeat;
}

TEST(Merge, JoinsLaunchesSwapsAndRepeats) {
  Module before = sample(), after;
  before.plan.actions = {launch(0, {0, 0}, {0, 1}), SwapSlots{0, 0, 1},
                         repeated(7, {launch(1, {0, 0}, {0, 1}), SwapSlots{0, 0, 1}}),
                         launch(2, {0, 0}, {1, 0})};
  EXPECT_EQ(merged(before, after), 1);
  EXPECT_EQ(after.kernels.size(), 1u);
}

TEST(Merge, KeepsOtherLaunches) {
  Module before = sample(), after;
  before.plan.actions = {launch(0, {0, 0}, {0, 1}), launch(3, {0, 0}, {1, 0}),
                         launch(1, {1, 0}, {0, 0}), launch(2, {1, 0}, {0, 0}), Rotate{1}};
  EXPECT_EQ(merged(before, after), 3);
  EXPECT_EQ(after.kernels.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<Rotate>(after.plan.actions.back()));
}

// The block of a merged kernel has one set of buffers of its own, so these kernels stay apart.
TEST(Merge, KeepsLaunchesWithMemoryOfTheirBlocks) {
  Module before = sample(), after;
  before.kernels[1].buffers.push_back(
      {"kept", Scalar::F32, Space::Shared, {integer(32)}, false, false, ""});
  before.plan.actions = {launch(0, {0, 0}, {0, 1}), launch(1, {0, 1}, {1, 0}),
                         launch(2, {1, 0}, {0, 0}), launch(0, {0, 0}, {0, 1})};
  EXPECT_EQ(merged(before, after), 3);
}

// Sequences share a kernel only if they do the same.
TEST(Merge, MakesEachKernelOnce) {
  const auto apart = launch(3, {0, 0}, {1, 0});
  const auto twice = [&](const std::vector<Action>& a, const std::vector<Action>& b) {
    Module before = sample(), after;
    before.plan.actions = a;
    before.plan.actions.push_back(apart);
    before.plan.actions.insert(before.plan.actions.end(), b.begin(), b.end());
    EXPECT_EQ(merged(before, after), 3);
    return after.kernels.size() - 1;
  };
  const auto sequence = [](ArrayArgument from, SwapSlots swap, int64_t iterations) {
    return std::vector<Action>{launch(0, from, {0, 1}), swap, launch(1, {0, 0}, {2, 0}), Rotate{2},
                               repeated(iterations, {launch(2, {2, 0}, {2, 1})})};
  };
  const std::vector<Action> usual = sequence({1, 0}, {0, 0, 1}, 3);
  EXPECT_EQ(twice(usual, usual), 1u);
  EXPECT_EQ(twice(usual, sequence({2, 0}, {0, 0, 1}, 3)), 2u);
  EXPECT_EQ(twice(usual, sequence({1, 0}, {1, 0, 1}, 3)), 2u);
  EXPECT_EQ(twice(usual, sequence({1, 0}, {0, 0, 1}, 5)), 2u);
}

TEST(Merge, LimitsTheLengthOfKernels) {
  Module before = sample(), after;
  for (int n = 0; n < 500; ++n) before.plan.actions.push_back(launch(n % 3, {0, 0}, {1, n % 2}));
  const int launches = merged(before, after);
  EXPECT_GT(launches, 4);
  EXPECT_LT(launches, 8);
  for (const Kernel& kernel : after.kernels) EXPECT_LT(barriers(kernel.body), 100) << kernel.name;
}

class RandomPlan {
 public:
  explicit RandomPlan(uint32_t seed) : random_(seed) {}
  std::vector<Action> actions(int depth) {
    std::vector<Action> out;
    const int count = 1 + below(6);
    for (int n = 0; n < count; ++n) {
      switch (below(depth == 0 ? 7 : 9)) {
        case 0:
          out.push_back(Rotate{below(kArrays)});
          break;
        case 1: {
          const int array = below(kArrays);
          out.push_back(SwapSlots{array, 0, 1 + below(1 + array % 2)});
          break;
        }
        case 7:
        case 8:
          out.push_back(repeated(1 + below(9), actions(depth - 1)));
          break;
        default:
          out.push_back(launch(below(12) == 0 ? 3 : below(3), any(), any()));
          break;
      }
    }
    return out;
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<uint32_t>(limit)); }
  ArrayArgument any() {
    const int array = below(kArrays);
    return {array, below(2 + array % 2)};
  }
  std::mt19937 random_;
};

TEST(Merge, DoesTheSameForRandomPlans) {
  int fewer = 0;
  for (uint32_t seed = 1; seed <= 2000; ++seed) {
    Module before = sample(), after;
    before.plan.actions = RandomPlan(seed).actions(2);
    Execution separate(before);
    separate.run(before.plan);
    const int launches = merged(before, after);
    EXPECT_LE(launches, separate.launches());
    fewer += launches < separate.launches() ? 1 : 0;
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(fewer, 1000);
}

}  // namespace
}  // namespace stencil::kernel
