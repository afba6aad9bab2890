// Real values made of literals and integers take the type of their context.
#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

const std::string kDoubles =
    "param n : integer; param k : real = 0.5; grid G = [0..7] steps 4; field U, V : double on G;"
    "field I : integer on G; ";

std::string result(const std::string& items, size_t component = 0) {
  const ir::Program program = program_of(kDoubles + items);
  const ir::Piece& piece = program.functions.at(0).pieces.at(0);
  return expression(program, piece.graph, piece.results.at(component));
}

std::string written(const std::string& value) {
  return result("stencil s : U[i in 0..7] = " + value + ";");
}

TEST(Weak, IsStoredInTheTypeOfTheField) {
  EXPECT_EQ(written("0.1 * time"), "mul(0.1d, double(time))");
  EXPECT_EQ(written("1.0/(n-1)"), "div(1d, double(wrap_sub(n, 1)))");
  EXPECT_EQ(written("sqrt(i)"), "sqrt(double(#0))");
  EXPECT_EQ(written("pow(i, 2)"), "mul(double(#0), double(#0))");
  EXPECT_EQ(written("pow(i, -1) + pow(i, 0)"), "add(div(1d, double(#0)), 1d)");
  EXPECT_EQ(written("i / 2 * 0.5"), "mul(double(div(#0, 2)), 0.5d)");
  EXPECT_EQ(written("select(i < 2, 0.1, 0.2) * time"),
            "mul(select(lt(#0, 2), 0.1d, 0.2d), double(time))");
  EXPECT_EQ(stored("0.1 * time", "half"), "half(mul(0.1f, float(time)))");
  EXPECT_EQ(stored("0.1 * time", "float"), "mul(0.1f, float(time))");
  ProgramOptions real_is_double;
  real_is_double.real = Scalar::F64;
  EXPECT_EQ(stored("0.1 * time", "float", real_is_double), "mul(0.1f, float(time))");
}

TEST(Weak, TakesTheTypeOfTheOtherOperand) {
  EXPECT_EQ(stored("0.1 * time + A[0]", "double"), "double(add(mul(0.1f, float(time)), A[0]))");
  EXPECT_EQ(stored("float(0.1 * time + D[0])"), "float(add(mul(0.1d, double(time)), D[0]))");
  EXPECT_EQ(written("select(I[0] > 0, 0.1 * time, U[0])"),
            "select(gt(I[0], 0), mul(0.1d, double(time)), U[0])");
  EXPECT_EQ(written("max(sqrt(i), U[0])"), "max(sqrt(double(#0)), U[0])");
}

TEST(Weak, IsConvertedAsAWhole) {
  EXPECT_EQ(stored("float(double(1.0 / i))"), "float(div(1d, double(#0)))");
  EXPECT_EQ(written("double(float(1.0 / i))"), "double(div(1f, float(#0)))");
  EXPECT_EQ(written("double(real(1.0 / i))"), "double(div(1f, float(#0)))");
  EXPECT_EQ(result("stencil s : I { let h = 0.1 * time; G = integer(h); }"),
            "integer(mul(0.1d, double(time)))");
}

TEST(Weak, PassesThroughNamesAndFunctions) {
  const std::string f = "function f(x) { let y = x * 0.1; = y + 1.0/n; } ";
  EXPECT_EQ(result(f + "stencil s : U { let a = f(time); G = a; }"),
            "add(mul(double(time), 0.1d), div(1d, double(n)))");
  const std::string both = "type cell = { d : double, f : float }; field C : cell on G; ";
  const std::string stencil = "stencil s : C { let a = 0.1 * time; G = { d = a, f = a }; }";
  EXPECT_EQ(result(both + stencil, 0), "mul(0.1d, double(time))");
  EXPECT_EQ(result(both + stencil, 1), "mul(0.1f, float(time))");
  EXPECT_EQ(result("field W : vector 2 of double on G; stencil s : W on G = {1, 0.5} * time;", 1),
            "mul(0.5d, double(time))");
}

TEST(Weak, IsComparedInTheTypeThatIsStored) {
  EXPECT_EQ(written("select(0.1 * time < 0.3, U[0], 0)"),
            "select(lt(mul(0.1d, double(time)), 0.3d), U[0], 0d)");
  EXPECT_EQ(stored("select(0.1 * time < 0.3, A[0], 0)"),
            "select(lt(mul(0.1f, float(time)), 0.3f), A[0], 0f)");
  EXPECT_EQ(result("stencil s : U { G where 0.1 * time < 0.3 = 1; }"),
            "select(lt(mul(0.1d, double(time)), 0.3d), 1d, U[0])");
  EXPECT_EQ(
      result("function c() = select(0.1 * time < 0.3, 1, 2); type m = { f : float, d : double };"
             "field M : m on G; stencil s : M on G = { c() * 1.0, c() * 1.0 };"),
      "select(lt(mul(0.1f, float(time)), 0.3f), 1f, 2f)");
}

TEST(Weak, IsDoubleIfAllFieldsAre) {
  const ir::Program program =
      program_of(kDoubles +
                 "stencil s : U on G = V[0]; reduce r = sum(0.1 * time) on G;"
                 "reduce most = max(max(U[0], most@-1)) on G initial 0; stop when r > 0.1 * time;"
                 "require 0.1 * n < 3.5; init U[i] = 0.1 * i;");
  EXPECT_EQ(ir::value_type(program.reductions[0]), Scalar::F64);
  EXPECT_EQ(ir::value_type(program.reductions[1]), Scalar::F64);
  EXPECT_EQ(expression(program, program.run.until->graph, program.run.until->condition),
            "gt(r, mul(0.1d, double(time)))");
  const ir::Requirement& requirement = program.requirements.at(0);
  EXPECT_EQ(expression(program, requirement.graph, requirement.condition),
            "lt(mul(0.1d, double(n)), 3.5d)");
  const ir::Piece& init = program.inits.at(0).piece;
  EXPECT_EQ(expression(program, init.graph, init.results.at(0)), "mul(0.1d, double(#0))");
}

TEST(Weak, IsRealIfAFieldIsFloat) {
  const ir::Program program = program_of(
      "grid G = [0..7] steps 1; field A : float on G; field D : double on G;"
      "stencil s : A on G = D[0]; reduce r = sum(0.1 * time) on G;");
  EXPECT_EQ(ir::value_type(program.reductions[0]), Scalar::F32);
}

TEST(Weak, TakesTheTypeOfTheFieldInBoundaries) {
  const std::string value =
      result("field B : double on G boundary constant 0.1 * time; stencil s : U on G = B[-1];");
  EXPECT_EQ(value, "select(lt(#0, 1), mul(0.1d, double(time)), B[-1])");
}

TEST(Weak, IsNotConvertedToInteger) {
  EXPECT_NE(analyze_text(kDoubles + "stencil s : I on G = 0.1 * time;").messages.find("S020"),
            std::string::npos);
  EXPECT_NE(analyze_text(kDoubles + "stencil s : I on G = (0.1 * time) % 2;").messages.find("S018"),
            std::string::npos);
  EXPECT_NE(
      analyze_text(kDoubles + "stencil s : U on G = V[0.1 * time within 1];").messages.find("S060"),
      std::string::npos);
}

TEST(Weak, NestedFunctionsShareNodes) {
  std::string functions = "function f0(x) = x * 0.5;";
  for (int n = 1; n < 40; ++n) {
    functions += fmt::format("function f{0}(x) = f{1}(x) + f{1}(x);", n, n - 1);
  }
  const ir::Program program =
      program_of(kDoubles + functions + "stencil s : U on G = f39(0.1 * time);");
  EXPECT_LT(program.functions.at(0).pieces.at(0).graph.size(), 100);
}

// --- S107
// ------------------------------------------------------------------------------------------

TEST(RoundedToFloat, IsWarnedAboutForParamsAndArithmetic) {
  for (const char* value : {"k * U[0]", "k", "real(i) * 0.1", "select(i > 1, k, 0.5)",
                            "w[1] * U[0]", "U[0] + position(i)", "U[0] * spacing(0)",
                            "real(double(i) / 3)", "S[0] * S[1]", "sqrt(S[0])"}) {
    const std::string text =
        "param k : real = 0.5; table w : real[2] = {1, 0.1};"
        "grid G = [0..7] spacing 0.1 steps 4; field U : double on G; field S : float on G boundary "
        "clamp; stencil s : U[i in 0..7] = " +
        std::string(value) + "; stencil t : S on G = S[0];";
    EXPECT_NE(analyze_text(text).messages.find("S107"), std::string::npos) << value;
  }
}

TEST(RoundedToFloat, IsNotWarnedAboutIfExactOrExplicit) {
  for (const char* value :
       {"U[0] * 0.1", "S[0] * U[0]", "-S[0]", "max(S[0], U[0])", "double(k) * U[0]", "w[0] * U[0]",
        "double(S[0] * S[1])", "float(S[0] * S[1])", "float(0.1) * U[0]", "float(U[0] * 0.1)",
        "real(i)", "double(w[1]) * U[0]"}) {
    const std::string text =
        "param k : real = 0.5; table w : real[2] = {0.5, 0.1};"
        "grid G = [0..7] steps 4; field U : double on G; field S : float on G boundary clamp;"
        "stencil s : U[i in 0..7] = " +
        std::string(value) + "; stencil t : S on G = S[0];";
    EXPECT_EQ(analyze_text(text).messages.find("S107"), std::string::npos)
        << value << analyze_text(text).messages;
  }
}

}  // namespace
}  // namespace stencil::test
