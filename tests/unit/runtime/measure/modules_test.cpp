// The benchmark kernels verify on every machine, and every target can emit them.
#include "runtime/measure/modules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "compiler/emit/emit.h"
#include "compiler/kernel/evaluate.h"
#include "compiler/kernel/passes.h"
#include "compiler/kernel/walk.h"
#include "runtime/devices/nvrtc.h"

namespace stencil::measure {
namespace {

std::vector<schedule::Machine> machines() {
  schedule::Machine small = schedule::gpu();  // limits of a small OpenCL device
  small.threads = small.threads_in_x = 64;
  small.shuffles = false;
  return {schedule::gpu(), schedule::cpu(), *schedule::find_machine("gfx90a"), small};
}

std::vector<kernel::Module> modules(const schedule::Machine& machine) {
  std::vector<kernel::Module> out = {copies(machine).module, chase(machine).module};
  for (const Scalar type : {Scalar::F32, Scalar::F64}) {
    out.push_back(arithmetic(type, machine).module);
    out.push_back(overlap(type, machine).module);
  }
  for (const Scalar type : {Scalar::I32, Scalar::I64}) out.push_back(reads(type, machine).module);
  if (!machine.threads_are_loops) out.push_back(shared(machine).module);
  if (machine.shuffles && !machine.threads_are_loops) out.push_back(shuffles().module);
  return out;
}

TEST(MeasureModules, Verify) {
  for (const schedule::Machine& machine : machines()) {
    for (const kernel::Module& module : modules(machine)) {
      EXPECT_EQ(kernel::verify(module), std::vector<std::string>{}) << module.name;
    }
  }
}

TEST(MeasureModules, FitTheMachine) {
  for (const schedule::Machine& machine : machines()) {
    for (const kernel::Module& module : modules(machine)) {
      for (const kernel::Kernel& kernel : module.kernels) {
        EXPECT_TRUE(schedule::takes_block(machine, kernel.threads)) << module.name << kernel.name;
        EXPECT_LE(kernel::shared_bytes(kernel, {}), 16 << 10) << kernel.name;
      }
    }
  }
}

TEST(MeasureModules, EveryTargetCanEmitThem) {
  for (const schedule::Machine& machine : machines()) {
    for (const kernel::Module& module : modules(machine)) {
      for (const emit::TargetInfo& target : emit::targets()) {
        emit::Options options;
        options.target = target.target;
        options.kernels_only = true;
        const std::string text = emit::emit(module, options);
        for (const kernel::Kernel& kernel : module.kernels) {
          EXPECT_NE(text.find(kernel.name), std::string::npos) << target.name << module.name;
        }
      }
    }
  }
}

// Only the named one of the measured kernels has blocks. The kernel that prepares memory has one
// block per chunk.
TEST(MeasureModules, LaunchOnlyTheNamedKernel) {
  for (const kernel::Module& module : modules(schedule::gpu())) {
    const bool prepares = steps_of_launch(module) == 2;
    const auto measured = static_cast<size_t>(std::count_if(
        module.plan.actions.begin(), module.plan.actions.end(),
        [](const kernel::Action& action) { return std::get<kernel::Launch>(action).steps != 1; }));
    for (size_t which = 0; which < measured; ++which) {
      Work work;
      work.kernel = static_cast<int64_t>(which);
      work.blocks = 7;
      work.chunks = 3;
      const reference::State state = state_of(work);
      const auto value = [&](const std::string& name) -> std::optional<int64_t> {
        for (const kernel::Parameter& parameter : module.plan.parameters) {
          if (parameter.name == name) {
            return state.integer_params.at(parameter.param);
          }
        }
        return std::nullopt;
      };
      std::multiset<int64_t> blocks;
      for (const kernel::Action& action : module.plan.actions) {
        const auto& launch = std::get<kernel::Launch>(action);
        const auto count = kernel::evaluate(launch.blocks, value);
        ASSERT_TRUE(count) << module.name;
        if (prepares && launch.steps == 1) {
          EXPECT_EQ(*count, 3) << module.name;
        } else {
          EXPECT_EQ(launch.steps, prepares ? 2 : 0) << module.name;
          blocks.insert(*count);
        }
      }
      EXPECT_EQ(blocks.count(7), 1u) << module.name;
      EXPECT_EQ(blocks.count(0), measured - 1) << module.name;
    }
  }
}

TEST(MeasureModules, BarriersCoverAllBlockSizesOfTheMachine) {
  const SharedBenchmark made = shared(schedule::gpu());
  EXPECT_EQ(made.barrier_threads, (std::vector<int>{32, 64, 128, 256, 512, 1024}));
  int barriers = 0;
  for (const kernel::Kernel& kernel : made.module.kernels) {
    if (kernel.name != "barriers_256") continue;
    EXPECT_EQ(kernel.threads.product(), 256);
    kernel::for_each_statement(kernel.body, [&](const kernel::Statement& statement) {
      barriers += std::holds_alternative<kernel::Barrier>(statement.kind);
    });
  }
  EXPECT_EQ(barriers, kBarriers);
}

// Counts the multiply-adds of all chains in the loop over passes.
TEST(MeasureModules, PassesContainTheStatedOperations) {
  for (const schedule::Machine& machine : {schedule::gpu(), schedule::cpu()}) {
    const Benchmark made = arithmetic(Scalar::F32, machine);
    const kernel::Kernel& kernel = made.module.kernels[0];
    EXPECT_EQ(kernel.threads.product(), made.threads);
    double operations = 0;
    for (const kernel::Statement& statement : kernel.body) {
      const auto* loop = std::get_if<kernel::For>(&statement.kind);
      if (loop == nullptr) continue;
      kernel::for_each_statement(loop->body, [&](const kernel::Statement& inner) {
        const auto* let = std::get_if<kernel::Let>(&inner.kind);
        if (let == nullptr) return;
        const auto* node = std::get_if<kernel::Operation>(&let->value->kind);
        operations += node != nullptr && node->op == Op::Fma;
      });
    }
    EXPECT_EQ(made.per_pass, operations * made.threads);
  }
}

TEST(MeasureModules, CompileWithNvrtc) {
  const auto nvrtc = runtime::Nvrtc::open(0);
  if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.failure().message;
  for (const kernel::Module& module : modules(schedule::gpu())) {
    emit::Options options;
    options.target = emit::Target::Cuda;
    options.kernels_only = true;
    const auto code = nvrtc.value().compile({emit::emit(module, options), 80, ""});
    EXPECT_TRUE(code.ok()) << module.name << ": " << code.failure().message;
  }
}

}  // namespace
}  // namespace stencil::measure
