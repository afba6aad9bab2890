// Stencil functions with several targets, and with members as targets.
#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

std::vector<std::string> results(const std::string& text, size_t piece = 0) {
  const ir::Program program = program_of(text);
  std::vector<std::string> out;
  if (program.functions.empty()) return out;
  const ir::Piece& of = program.functions[0].pieces[piece];
  for (const ir::NodeId id : of.results) out.push_back(expression(program, of.graph, id));
  return out;
}
using Texts = std::vector<std::string>;

const std::string kFields =
    "grid G = [0..9] steps 1; type cell = { rho : real, v : vector 2 of real };"
    "field A, B : real on G; field S : cell on G; field h : half on G; field n : byte on G;";

TEST(Targets, TakeValuesByNameOrInOrder) {
  const Texts swapped = {"B[0]", "A[0]"};
  EXPECT_EQ(results(kFields + "stencil s : A, B on G = { A = B[0], B = A[0] };"), swapped);
  EXPECT_EQ(results(kFields + "stencil s : A, B on G = { B = A[0], A = B[0] };"), swapped);
  EXPECT_EQ(results(kFields + "stencil s : A, B on G = { B[0], A[0] };"), swapped);
  EXPECT_EQ(results(kFields + "stencil s : B, A on G = { B = A[0], A = B[0] };"),
            (Texts{"A[0]", "B[0]"}));
  EXPECT_EQ(results(kFields + "stencil s : A, B on G = A[0];"), (Texts{"A[0]", "A[0]"}));
}

TEST(Targets, KeepTheirTypesInOneFunction) {
  const ir::Program program =
      program_of(kFields + "stencil s : n, h, S on G = { n = n[0] + 300, h = 1, S = S[0] };");
  ASSERT_EQ(program.functions.size(), 1u);
  EXPECT_EQ(program.functions[0].targets, (std::vector<ir::FieldId>{4, 3, 2}));
  EXPECT_EQ(ir::target_names(program, program.functions[0]), "n, h, S");
  std::vector<Scalar> types;
  const ir::Piece& piece = program.functions[0].pieces[0];
  for (const ir::NodeId id : piece.results) types.push_back(piece.graph[id].type);
  EXPECT_EQ(types,
            (std::vector<Scalar>{Scalar::I8, Scalar::F16, Scalar::F32, Scalar::F32, Scalar::F32}));
}

TEST(Targets, ConditionsAndElseApplyToAll) {
  const std::string text =
      kFields +
      "stencil s : A, B { [1..8] where A[0] > 0 = { A = B[1], B = 2 }; else = { 3, B[0] }; }";
  EXPECT_EQ(results(text),
            (Texts{"select(gt(A[0], 0f), B[1], 3f)", "select(gt(A[0], 0f), 2f, B[0])"}));
  EXPECT_EQ(results(text, 1), (Texts{"3f", "B[0]"}));
  EXPECT_EQ(results(kFields + "stencil s : A, B on G where A[0] > 0 = 1;"),
            (Texts{"select(gt(A[0], 0f), 1f, A[0])", "select(gt(A[0], 0f), 1f, B[0])"}));
}

TEST(Targets, WritingAMemberKeepsTheOthers) {
  EXPECT_EQ(results(kFields + "stencil s : S.v on G = 2 * S[0].v;"),
            (Texts{"S[0].rho", "mul(2f, S[0].v[0])", "mul(2f, S[0].v[1])"}));
  EXPECT_EQ(results(kFields + "stencil s : S.rho on G where A[0] > 0 = 1;"),
            (Texts{"select(gt(A[0], 0f), 1f, S[0].rho)", "S[0].v[0]", "S[0].v[1]"}));
  EXPECT_EQ(results(kFields + "stencil s : S.v, A, S.rho on G = { v = A[0], rho = 1, A = 5 };"),
            (Texts{"1f", "A[0]", "A[0]", "5f"}));
}

TEST(Targets, LetsAreShared) {
  const ir::Program program = program_of(
      kFields + "stencil s : A, B { let q = B[0] / A[0]; G = { A = q + 1, B = q - 1 }; }");
  int divisions = 0;
  for (const ir::Node& node : program.functions[0].pieces[0].graph.nodes()) {
    const auto* operation = std::get_if<ir::Operation>(&node.kind);
    divisions += operation && operation->op == Op::Div ? 1 : 0;
  }
  EXPECT_EQ(divisions, 1);
}

}  // namespace
}  // namespace stencil::test
