#include "runtime/device_opencl_cpu.h"

#include <gtest/gtest.h>

#include "compiler/kernel/passes.h"
#include "compiler/kernel/walk.h"
#include "compiler/schedule/schedule.h"
#include "tests/unit/runtime/programs.h"

namespace stencil::runtime {
namespace {

// Barriers under a condition, and unrolled loops.
int unsuitable(const kernel::Body& body) {
  int count = 0;
  kernel::for_each_statement(body, [&](const kernel::Statement& statement) {
    if (const auto* branch = std::get_if<kernel::If>(&statement.kind)) {
      kernel::for_each_statement(branch->then, [&](const kernel::Statement& inner) {
        count += std::holds_alternative<kernel::Barrier>(inner.kind);
      });
    }
    const auto* loop = std::get_if<kernel::For>(&statement.kind);
    count += loop != nullptr && loop->kind == kernel::LoopKind::Unrolled;
  });
  return count;
}

TEST(SuitCpu, MovesBarriersOutOfConditions) {
  const ir::Program program = program_of(kDecay);
  Diagnostics diagnostics;
  const auto schedule =
      schedule::parse("overlapped T=4 block=16x4 elements=1x4", program, diagnostics);
  ASSERT_TRUE(schedule);
  const auto module = schedule::lower(program, *schedule, diagnostics);
  ASSERT_TRUE(module);
  EXPECT_GT(unsuitable(module->kernels[0].body), 0);
  const kernel::Module suited = suit_cpu(*module);
  EXPECT_EQ(unsuitable(suited.kernels[0].body), 0) << kernel::print(suited);
  EXPECT_TRUE(kernel::verify(suited).empty());
}

TEST(SuitCpu, KeepsBothBranchesInOrder) {
  using namespace kernel;
  const auto comment = [](const char* text) { return Statement{Comment{text}}; };
  Module module;
  module.kernels.emplace_back();
  module.kernels[0].body.push_back({If{
      less(variable("n"), integer(3)), {comment("a"), {Barrier{}}, comment("b")}, {comment("c")}}});
  std::string order;
  for_each_statement(suit_cpu(module).kernels[0].body, [&](const Statement& statement) {
    if (const auto* c = std::get_if<Comment>(&statement.kind)) order += c->text;
    if (std::holds_alternative<Barrier>(statement.kind)) order += "|";
  });
  EXPECT_EQ(order, "a|bc");
}

}  // namespace
}  // namespace stencil::runtime
