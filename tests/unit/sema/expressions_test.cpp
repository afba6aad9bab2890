// Elaboration of functions, comprehensions, tables and structures.
#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

const std::string kGrid = "grid G = [0..15] steps 4;\n";

TEST(Functions, ShiftMovesEveryAccess) {
  const ir::Program program = program_of(kGrid +
                                         "field U : real on G history 2 boundary clamp;\n"
                                         "function d(u : field) = u[1] - u@-1[-1];\n"
                                         "function dd(u : field) = d(u)[2] + d(u);\n"
                                         "stencil s : U on G = dd(U)[-1];\n");
  EXPECT_EQ(result(program), "add(sub(U[2], U@-1[0]), sub(U[0], U@-1[-2]))");
}

TEST(Functions, TakeHistoryLevels) {
  const ir::Program program = program_of(kGrid +
                                         "field U : real on G history 3;\n"
                                         "function back(u : field) = u@-1[0];\n"
                                         "stencil s : U on G = back(U) + back(U@-1);\n");
  EXPECT_EQ(result(program), "add(U@-1[0], U@-2[0])");
}

TEST(Functions, ValueArgumentsAreNotShifted) {
  const ir::Program program = program_of(kGrid +
                                         "field U : real on G boundary clamp;\n"
                                         "function f(u : field, c : real) = c * u[0];\n"
                                         "stencil s : U[i in 0..15] = f(U, U[1] + i)[3];\n");
  EXPECT_EQ(result(program), "mul(add(U[1], float(#0)), U[3])");
}

TEST(Functions, SecondBracketSelectsAComponent) {
  const ir::Program program = program_of(kGrid +
                                         "field F : vector 3 of real on G boundary clamp;\n"
                                         "function twice(u : field) = 2 * u[0];\n"
                                         "stencil s : F on G = twice(F)[1][2];\n");
  EXPECT_EQ(result(program, 0, 0), "mul(2f, F[1][2])");
  EXPECT_EQ(result(program, 0, 1), result(program, 0, 0));
}

TEST(Functions, LetsAndArgumentsMayHideDeclarations) {
  const ir::Program program = program_of(kGrid +
                                         "field U, V : real on G;\n"
                                         "function f(U : field) { let h = U[0] * 0.5; = h + h; }\n"
                                         "stencil s : U on G = f(V);\n");
  EXPECT_EQ(result(program), "add(mul(V[0], 0.5f), mul(V[0], 0.5f))");
}

TEST(Functions, NestedApplicationsShareNodes) {
  std::string text =
      kGrid + "field A : real on G boundary periodic;\nfunction f0(u : field) = u[0];\n";
  for (int k = 1; k <= 30; ++k) {
    text += fmt::format("function f{0}(u : field) = f{1}(u)[1] + f{1}(u)[-1];\n", k, k - 1);
  }
  const ir::Program program = program_of(text + "stencil s : A on G = f30(A);\n");
  // A[-30], A[-28], ..., A[30], and one sum per function and shift.
  EXPECT_EQ(program.functions[0].pieces[0].graph.size(), 31 + 30 * 31 / 2);
}

TEST(Comprehensions, CombineFromTheLeftInRowMajorOrder) {
  const ir::Program program = program_of(
      "grid G = [0..7, 0..7] steps 1; field A : real on G boundary clamp;\n"
      "stencil s : A on G = sum(a in 0..1, b in a..1 : A[a,b]);\n");
  EXPECT_EQ(result(program), "add(add(A[0,0], A[0,1]), A[1,1])");
}

TEST(Comprehensions, EmptyOnesGiveTheNeutralElement) {
  EXPECT_EQ(stored("A[0] + sum(a in 1..0 : A[a]) + prod(a in 1..0 : A[a])"),
            "add(add(A[0], 0f), 1f)");
}

TEST(Comprehensions, VariablesActAsLiterals) {
  EXPECT_EQ(stored("sum(a in 1..2 : a/2 * A[a])"), "add(mul(0.5f, A[1]), mul(1f, A[2]))");
}

TEST(Tables, CanBeOffsets) {
  const ir::Program program = program_of(
      "param Q : integer = 3;\n"
      "grid G = [0..7, 0..7] steps 1; field f : vector Q of real on G boundary periodic;\n"
      "table cx : integer[Q] = {0, 1, -1}; table cy : integer[Q] = vector(q in 0..2 : 1 - q);\n"
      "table w : real[Q] = {4/9, 1/9, 1/36};\n"
      "stencil s : f on G = vector(q in 0..Q-1 : w[q] * f[-cx[q], -cy[q]][q]);\n");
  EXPECT_EQ(result(program, 0, 0), "mul(0.444444f, f[0,-1][0])");
  EXPECT_EQ(result(program, 0, 1), "mul(0.111111f, f[-1,0][1])");
  EXPECT_EQ(result(program, 0, 2), "mul(0.027778f, f[1,1][2])");
}

TEST(Structures, AreFlattenedToComponents) {
  const ir::Program program =
      program_of(kGrid +
                 "type cell = { rho : real, u : vector 2 of double };\n"
                 "field S : cell on G boundary constant { 1, {2, 3} };\n"
                 "stencil s : S on G = { u = S[0].u * 2, rho = S[-1].rho + S[0].u[1] } / 4;\n"
                 "init S = 0;\n");
  const ir::Field& field = program.fields[0];
  ASSERT_EQ(field.components.size(), 3u);
  EXPECT_EQ(field.components[0].path, ".rho");
  EXPECT_EQ(field.components[2].path, ".u[1]");
  EXPECT_EQ(field.components[2].type, Scalar::F64);
  EXPECT_EQ(field.boundary[0].high.values, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(result(program, 0, 0), "float(div(add(double(S[-1].rho), S[0].u[1]), 4d))");
  EXPECT_EQ(result(program, 0, 2), "div(mul(S[0].u[1], 2d), 4d)");
  EXPECT_EQ(program.inits[0].piece.results.size(), 3u);
}

TEST(Lets, AreEvaluatedWhereTheyAreUsed) {
  // d would leave the grid in the first piece, which does not use it.
  const ir::Program program = program_of(kGrid +
                                         "field A : real on G;\n"
                                         "stencil s : A {\n"
                                         "  let d = A[-1];\n"
                                         "  let e = 2 * d;\n"
                                         "  [0] = A[0];\n"
                                         "  [i in 1..15] = e + i;\n"
                                         "}\n");
  const ir::Piece& piece = program.functions[0].pieces[1];
  EXPECT_EQ(expression(program, piece.graph, piece.results[0]), "add(mul(2f, A[-1]), float(#0))");
  EXPECT_EQ(piece.graph[0].hint + piece.graph[1].hint + piece.graph[2].hint, "de");
}

TEST(Promotions, AreNotWarnedAboutIfRealIsDouble) {
  const std::string text = kGrid +
                           "param k : double = 0.1;\nfield A : float on G;\n"
                           "stencil s : A on G = k * A[0];\n";
  EXPECT_NE(analyze_text(text).messages.find("warning S103"), std::string::npos);
  ProgramOptions options;
  options.real = Scalar::F64;
  EXPECT_EQ(analyze_text(text, options).messages, "");
}

TEST(Promotions, OfReducedValuesAreNotWarnedAbout) {
  EXPECT_EQ(analyze_text(kGrid + "field A : float on G;\nfield D : double on G;\n"
                                 "stencil s : A on G = float(D[0]);\n"
                                 "reduce r = sum(A[0] * D[0]) on G;\n")
                .messages,
            "");
}

TEST(Reductions, AndStopConditionsAreElaborated) {
  const ir::Program program =
      program_of(kGrid +
                 "field A : real on G history 2;\n"
                 "stencil s : A on G = A[0];\n"
                 "reduce change = max(abs(A[0] - A@-1[0])) on [1..14] every 5;\n"
                 "stop when change < 1e-3 and time > 10;\n");
  EXPECT_EQ(program.reductions[0].every, 5);
  EXPECT_EQ(program.reductions[0].reducer, ir::Reducer::Max);
  EXPECT_EQ(expression(program, program.run.until->graph, program.run.until->condition),
            "and(lt(change, 0.001f), gt(time, 10))");
}

}  // namespace
}  // namespace stencil::test
