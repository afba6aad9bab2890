// Every family computes point-independent values before the loops over points.
#include <gtest/gtest.h>

#include <map>

#include "compiler/kernel/passes.h"
#include "compiler/kernel/walk.h"
#include "compiler/schedule/schedule.h"
#include "tests/unit/load.h"

namespace stencil::schedule {
namespace {

const std::vector<std::string> kUniformLines = {"direct",
                                                "direct block=32x2 elements=2x2",
                                                "overlapped T=1",
                                                "overlapped T=3 regions=shrink",
                                                "overlapped T=3 regions=hull",
                                                "streaming T=3 block=32x1",
                                                "planes T=3 interior=split",
                                                "planes T=3 interior=tested"};

kernel::Module lowered(const ir::Program& program, const std::string& line) {
  Diagnostics diagnostics;
  const auto schedule = parse(line, program, diagnostics);
  auto module = schedule ? lower(program, *schedule, diagnostics) : std::nullopt;
  EXPECT_TRUE(module) << line;
  if (!module) return {};
  EXPECT_EQ(kernel::verify(*module), std::vector<std::string>{}) << line;
  return *module;
}

using Calls = std::map<Op, int>;

Calls calls_in(const kernel::Body& body) {
  Calls calls;
  kernel::for_each_node(body, [&](const kernel::Expr& expr) {
    const auto* operation = std::get_if<kernel::Operation>(&expr->kind);
    if (operation && is_transcendental(operation->op)) ++calls[operation->op];
  });
  return calls;
}

// The calls inside thread code.
Calls calls_at_points(const kernel::Body& body) {
  Calls calls;
  kernel::for_each_statement(body, [&](const kernel::Statement& statement) {
    const auto* threads = std::get_if<kernel::Threads>(&statement.kind);
    if (!threads) return;
    for (const auto& [op, count] : calls_in(threads->body)) calls[op] += count;
  });
  return calls;
}

const char* const kPieces =
    "param N : integer; require N >= 40; param w : real = 3; param b : double = 0.5;\n"
    "grid G = [0..N-1, 0..N-1] steps 9;\n"
    "field A, B : real on G;\nfield H : half on G;\nfield C : integer on G;\n"
    "stencil f : A {\n"
    "  let value = sin(w * time);\n"
    "  [1..9, 1..N-2] = A[-1,0] + value;\n"
    "  [10..N-2, 1..N-2] = 0.5 * A[0,1] + select(time < 3, value, -exp(-w)) * cos(b);\n"
    "}\n"
    "stencil g : B on G = B[0,0] * exp(-w) + sin(w * time);\n"
    "stencil h : H on G = tanh(w * time);\n"  // uniform as a whole
    "stencil c : C on G = C[0,0] + integer(8 * log(2.0 + time));\n"
    "reduce r = sum(cos(w * time) * A[0,0]) on G every 2;\n";

TEST(Uniform, CallsAreHoistedOutOfLoopsOverPoints) {
  const ir::Program program = test::load(kPieces);
  for (const std::string& line : kUniformLines) {
    int calls = 0;
    for (const kernel::Kernel& kernel : lowered(program, line).kernels) {
      EXPECT_EQ(calls_at_points(kernel.body), Calls{}) << line << ", " << kernel.name;
      for (const auto& [op, count] : calls_in(kernel.body)) calls += count;
    }
    EXPECT_GT(calls, 0) << line;
  }
}

// Equal values from all functions and pieces are shared within a kernel, once for all steps of a
// tile or once per step.
TEST(Uniform, EqualValuesAreShared) {
  const ir::Program program = test::load(kPieces);
  const std::map<std::string, int> steps = {{"overlapped T=1", 1},
                                            {"overlapped T=3 regions=shrink", 3},
                                            {"overlapped T=3 regions=hull", 1},  // a loop
                                            {"streaming T=3 block=32x1", 1},
                                            {"planes T=3 interior=split", 1},
                                            {"planes T=3 interior=tested", 1}};
  for (const auto& [line, count] : steps) {
    const kernel::Module module = lowered(program, line);
    Calls calls = calls_in(module.kernels[0].body);
    calls.erase(Op::Tanh);  // its field is unread, so only the last step calls it
    const Calls expected = {{Op::Sin, count}, {Op::Exp, 1}, {Op::Cos, 1}, {Op::Log, count}};
    EXPECT_EQ(calls, expected) << line;
  }
}

// Not every compiler folds functions of literals.
TEST(Uniform, FunctionsOfLiteralsAreComputedOnce) {
  const ir::Program program = test::load(
      "param n : integer = 5;\ngrid G = [0..63] steps 4;\nfield A : real on G;\n"
      "stencil s : A on G = A[0] * exp(n * 1.0);\n");
  const kernel::Module module = lowered(program, "direct");
  EXPECT_EQ(calls_at_points(module.kernels[0].body), Calls{});
  EXPECT_EQ(calls_in(module.kernels[0].body), (Calls{{Op::Exp, 1}}));
}

// Local values may have the names of variables that families generate.
TEST(Uniform, GeneratedNamesDoNotCollide) {
  for (const char* name : {"value", "v", "x", "t", "n", "front", "local_x", "live", "covered"}) {
    const std::string let = name;
    const ir::Program program = test::load(
        "param w : real = 3;\ngrid G = [0..127, 0..127] steps 9;\nfield A, B : real on G;\n"
        "stencil f : A {\n  let " +
        let +
        " = sqrt(w + time);\n"
        "  [1..9, 1..126] = A[-1,0] + " +
        let +
        ";\n"
        "  [10..126, 1..126] = A[1,0] * " +
        let +
        " + 2 * w;\n}\n"
        "stencil g : B { let v = A[0,0] * B[0,0]; [0..127, 0..127] = v * v + sqrt(2 * w) * v; }\n");
    for (const std::string& line : kUniformLines) lowered(program, line);
  }
}

}  // namespace
}  // namespace stencil::schedule
