// Legalization for a target: unsupported statements are replaced, the result
// verifies, and names are unique.
#include "compiler/emit/legalise.h"

#include <gtest/gtest.h>

#include "compiler/emit/passes.h"
#include "compiler/kernel/passes.h"
#include "tests/unit/emit/samples.h"

namespace stencil::emit {
namespace {

using namespace kernel;

template <class Kind>
bool has(const Module& module) {
  bool found = false;
  for (const Kernel& kernel : module.kernels) {
    for_each_statement(kernel.body, [&](const Statement& statement) {
      found |= std::holds_alternative<Kind>(statement.kind);
    });
  }
  return found;
}

const Buffer* buffer(const Module& module, const std::string& name) {
  for (const Buffer& buffer : module.kernels[0].buffers) {
    if (buffer.name == name) return &buffer;
  }
  return nullptr;
}

std::vector<Module> all_samples() {
  return {samples::heat(),   samples::wave(),     samples::tiled(),
          samples::places(), samples::exchange(), samples::boxes()};
}

TEST(Legalise, LeavesSoundModulesForEveryDialect) {
  for (const Module& module : all_samples()) {
    ASSERT_EQ(verify(module), std::vector<std::string>{}) << module.name;
    for (const Dialect* dialect :
         {&cuda_dialect(), &cuda_jit_dialect(), &hip_dialect(), &opencl_dialect(),
          &opencl_loops_dialect(), &cpp_dialect(), &cpp_jit_dialect()}) {
      EXPECT_EQ(verify(legalise(module, *dialect)), std::vector<std::string>{})
          << module.name << " in " << dialect->name;
    }
  }
}

TEST(Legalise, KeepsShufflesAndCopiesForCuda) {
  const Module copies = legalise(samples::exchange(), cuda_dialect());
  EXPECT_TRUE(has<Shuffle>(copies));
  EXPECT_TRUE(has<Copy>(copies));
  EXPECT_TRUE(has<AwaitCopies>(copies));
  const Module boxes = legalise(samples::boxes(), cuda_dialect());
  EXPECT_TRUE(has<BulkCopies>(boxes));
  EXPECT_FALSE(boxes.kernels[0].thread_loops);
}

TEST(Legalise, OpenClHasNoShufflesAndNoCopies) {
  const Module module = legalise(samples::exchange(), opencl_dialect());
  EXPECT_FALSE(has<Shuffle>(module));
  EXPECT_FALSE(has<Copy>(module));
  EXPECT_FALSE(has<CommitCopies>(module));
  EXPECT_FALSE(has<AwaitCopies>(module));
  EXPECT_TRUE(has<Barrier>(module));
  ASSERT_NE(buffer(module, "exchange_2"), nullptr) << "the kernel's name is taken";
  EXPECT_EQ(buffer(module, "exchange_2")->space, Space::Shared);
}

TEST(Legalise, RemovedBulkCopiesLeaveNoDescriptors) {
  const Module before = samples::boxes();
  ASSERT_FALSE(std::get<Launch>(before.plan.actions[0]).bulk_sources.empty());
  const Module after = legalise(before, opencl_dialect());
  EXPECT_FALSE(has<BulkCopies>(after));
  EXPECT_FALSE(has<AwaitBulk>(after));
  EXPECT_TRUE(after.kernels[0].bulk_sources.empty());
  EXPECT_EQ(after.kernels[0].bulk_batches, 0);
  EXPECT_TRUE(std::get<Launch>(after.plan.actions[0]).bulk_sources.empty());
}

// PoCL duplicates the code after each barrier under a condition.
TEST(Legalise, OpenClLoopsThatDecideAboutBarriersAreWrittenOut) {
  const auto waits_if_odd = [](Expr number) {
    const Expr odd = operation(Op::Mod, {std::move(number), integer(2)});
    return If{operation(Op::Eq, {odd, integer(1)}), Body{{Barrier{}}}, {}};
  };
  const auto with_loop = [&](const Expr& end, const Expr& number) {
    Module module = samples::heat();
    Body body;
    for (int n = 0; n < 3; ++n) body.push_back({waits_if_odd(add(number, integer(n)))});
    Body loop;
    loop.push_back({For{LoopKind::Unrolled, "u", integer(0), end, 1, std::move(body)}});
    module.kernels[0].body.push_back(
        {For{LoopKind::Serial, "n", integer(0), variable("steps"), 1, std::move(loop)}});
    module.kernels[0].scalars.push_back({"steps", Scalar::I32});
    return module;
  };
  const auto conditional = [](const Module& module) {
    int count = 0;
    for_each_statement(module.kernels[0].body, [&](const Statement& statement) {
      const auto* branch = std::get_if<If>(&statement.kind);
      if (!branch) return;
      for_each_statement(branch->then, [&](const Statement& inner) {
        count += std::holds_alternative<Barrier>(inner.kind);
      });
    });
    return count;
  };
  const auto barriers = [](const Module& module) {
    int count = 0;
    for_each_statement(module.kernels[0].body, [&](const Statement& statement) {
      count += std::holds_alternative<Barrier>(statement.kind);
    });
    return count;
  };
  const int others = barriers(legalise(samples::heat(), opencl_dialect()));
  const Module known = with_loop(integer(4), variable("u"));
  const Module written_out = legalise(known, opencl_dialect());
  EXPECT_EQ(conditional(written_out), 0);
  EXPECT_EQ(barriers(written_out), others + 6) << "half of 4 iterations of 3";
  EXPECT_EQ(conditional(legalise(known, cuda_dialect())), 3);
  // Loops whose counter decides no such condition are not unrolled.
  for (const Module& other :
       {with_loop(integer(4), variable("n")), with_loop(variable("steps"), variable("u"))}) {
    EXPECT_EQ(conditional(legalise(other, opencl_dialect())), 3);
  }
}

// Compilers leave arrays in memory whose initialiser is long.
TEST(Legalise, LargeArraysOfThreadsAreZeroedByLoops) {
  const auto stores = [](const Module& module, BufferId to) {
    int count = 0;
    for_each_statement(module.kernels[0].body, [&](const Statement& statement) {
      const auto* store = std::get_if<Store>(&statement.kind);
      count += store != nullptr && store->buffer == to;
    });
    return count;
  };
  const auto with_array = [](int64_t planes) {
    Module module = samples::heat();
    Buffer queue{"queue", Scalar::F64, Space::Thread, {}, false, false, "", 16, true, false};
    queue.extents = {integer(planes), integer(1), integer(32)};
    module.kernels[0].buffers.push_back(std::move(queue));
    return module;
  };
  const auto id = static_cast<BufferId>(samples::heat().kernels[0].buffers.size());
  const Module large = legalise(with_array(33), cuda_dialect());
  EXPECT_FALSE(buffer(large, "queue")->zeroed);
  EXPECT_EQ(stores(large, id), 1);
  EXPECT_EQ(verify(large), std::vector<std::string>{});
  const Module usual = legalise(with_array(32), cuda_dialect());
  EXPECT_TRUE(buffer(usual, "queue")->zeroed);
  EXPECT_EQ(stores(usual, id), 0);
  EXPECT_TRUE(buffer(legalise(with_array(33), cpp_dialect()), "queue")->zeroed);
}

TEST(Legalise, ThreadsBecomeLoops) {
  const Module module = legalise(samples::tiled(), cpp_dialect());
  EXPECT_TRUE(module.kernels[0].thread_loops);
  EXPECT_FALSE(has<Barrier>(module));
  // A variable that lives across sections gets one element per thread.
  ASSERT_NE(buffer(module, "next"), nullptr);
  EXPECT_FALSE(buffer(module, "next")->local);
  EXPECT_EQ(buffer(module, "next")->extents.size(),
            buffer(samples::tiled(), "next")->extents.size() + 1);
  for_each_statement(module.kernels[0].body, [](const Statement& statement) {
    const auto* threads = std::get_if<Threads>(&statement.kind);
    if (threads) {
      EXPECT_EQ(threads->loops.size(), 1u);
    }
  });
}

TEST(Legalise, VariablesOfOneSectionAreLocalToItsLoops) {
  Module module = samples::tiled();
  Body& body = module.kernels[0].body;
  Body steps = std::get<For>(body[3].kind).body;  // one iteration, nothing carried
  body.erase(body.begin() + 3);
  body.insert(body.begin() + 3, steps.begin(), steps.end());
  module = legalise(module, cpp_dialect());
  EXPECT_TRUE(buffer(module, "mean")->local);
  EXPECT_TRUE(buffer(module, "mean")->extents.empty());
  EXPECT_FALSE(buffer(module, "next")->local) << "the next section reads it";
  EXPECT_EQ(verify(module), std::vector<std::string>{});
  EXPECT_NE(kernel::print(module).find("thread mean: float[] local\n"), std::string::npos);
}

// HIP has vector copies but no asynchronous ones.
TEST(Legalise, HipCopiesAreSynchronous) {
  const Module module = legalise(samples::exchange(), hip_dialect());
  EXPECT_TRUE(has<Shuffle>(module));
  EXPECT_TRUE(has<Copy>(module));
  EXPECT_FALSE(has<CommitCopies>(module));
  EXPECT_FALSE(has<AwaitCopies>(module));
  for_each_statement(module.kernels[0].body, [](const Statement& statement) {
    if (const auto* copy = std::get_if<Copy>(&statement.kind)) {
      EXPECT_FALSE(copy->async);
    }
  });
  EXPECT_EQ(verify(module), std::vector<std::string>{});
}

TEST(Legalise, PrintShowsThreadLoops) {
  const std::string text = kernel::print(legalise(samples::exchange(), cpp_dialect()));
  EXPECT_NE(text.find(" thread_loops\n"), std::string::npos) << text;
  EXPECT_NE(text.find("threads for thread_y in 0 .. 4, thread_x in 0 .. 8 {"), std::string::npos)
      << text;
  EXPECT_NE(text.find("thread row: float[4, 8, 2, 7]\n"), std::string::npos) << text;
}

TEST(FreshNames, AreUnusedInTheModule) {
  Module module = samples::boxes();
  module.constants.push_back({"own_2", Scalar::I32, 1, ""});
  FreshNames fresh(module);
  EXPECT_EQ(fresh("own"), "own");
  EXPECT_EQ(fresh("own"), "own_3");
  EXPECT_EQ(fresh("thread_x"), "thread_x_2");
  EXPECT_EQ(fresh("A"), "A_2");
}

}  // namespace
}  // namespace stencil::emit
