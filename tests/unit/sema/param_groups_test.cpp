// Params that are vectors and structures become one param per component.
#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

const std::string kProgram =
    "param a : real = 2;"
    "param g : vector 3 of real = { 0, a / 2, -9.81 };"
    "param m : { lam : double, c : vector 2 of real } = { lam = 1, c = 0.25 };"
    "param free : vector 2 of float;"
    "grid G = [0..9] steps 1; field A : real on G; field U : vector 3 of real on G;";

const ir::Param& param(const ir::Program& program, const std::string& name) {
  for (const ir::Param& one : program.params) {
    if (one.name == name) return one;
  }
  ADD_FAILURE() << name;
  return program.params[0];
}

TEST(ParamGroups, BecomeOneParamPerComponent) {
  const ir::Program program =
      program_of(kProgram + "stencil s : A on G = g[0] + m.lam + m.c[1] + free[0];");
  EXPECT_EQ(ir::param_names(program),
            (std::vector<std::string>{"a", "g_0", "g_1", "g_2", "m_lam", "m_c_0", "m_c_1", "free_0",
                                      "free_1"}));
  EXPECT_EQ(param(program, "g_2").real_value, -9.81);
  EXPECT_FALSE(param(program, "g_2").derived);
  EXPECT_EQ(param(program, "g_1").real_value, 1);
  EXPECT_TRUE(param(program, "g_1").derived);
  EXPECT_EQ(param(program, "m_lam").type, Scalar::F64);
  EXPECT_EQ(param(program, "m_c_1").real_value, 0.25);
  EXPECT_FALSE(param(program, "free_1").real_value);
}

TEST(ParamGroups, CanBeUsedAsVectors) {
  const ir::Program program = program_of(kProgram + "stencil s : U on G = U[0] + g * m.c[0];");
  const ir::Piece& piece = program.functions[0].pieces[0];
  EXPECT_EQ(expression(program, piece.graph, piece.results[2]), "add(U[0][2], mul(g_2, m_c_0))");
}

TEST(ParamGroups, ComponentsAreGivenByName) {
  ProgramOptions options;
  options.definitions = {{"g_0", "7"}, {"free_1", "0.5"}, {"a", "4"}};
  options.fixed = {"g_0"};
  const ir::Program program =
      program_of(kProgram + "stencil s : A on G = g[0] + g[1] + free[1];", options);
  EXPECT_EQ(param(program, "g_0").real_value, 7);
  EXPECT_TRUE(param(program, "g_0").fixed);
  EXPECT_EQ(param(program, "g_1").real_value, 2);
  EXPECT_EQ(param(program, "free_1").real_value, 0.5);
  options.definitions = {{"g", "7"}};
  options.fixed = {};
  const Analysis wrong = analyze_text(kProgram + "stencil s : A on G = g[0];", options);
  EXPECT_FALSE(wrong.program);
  EXPECT_NE(wrong.messages.find("its components are g_0, g_1, g_2"), std::string::npos)
      << wrong.messages;
}

// A component without a value does not keep the others from having one.
TEST(ParamGroups, ComponentsAreDerivedSeparately) {
  const ir::Program program = program_of(
      "param a : real; param b : real = 3; param g : vector 2 of real = { a, 2 * b };"
      "grid G = [0..9] steps 1; field A : real on G; stencil s : A on G = g[0] + g[1];");
  EXPECT_FALSE(param(program, "g_0").real_value);
  EXPECT_EQ(param(program, "g_1").real_value, 6);
}

}  // namespace
}  // namespace stencil::test
