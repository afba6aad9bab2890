// Types of literals: the operand or target that a literal meets determines its type.
#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

TEST(Literals, TakeTheTypeOfTheirContext) {
  EXPECT_EQ(stored("1/2 * A[0]"), "mul(0.5f, A[0])");
  EXPECT_EQ(stored("1/2 * D[0]", "double"), "mul(0.5d, D[0])");
  EXPECT_EQ(stored("7/2 + I[0]", "integer"), "wrap_add(3, I[0])");
  EXPECT_EQ(stored("1/2", "integer"), "0");
  EXPECT_EQ(stored("1/2", "real"), "0.5f");
  EXPECT_EQ(stored("7/2*2", "integer"), "6");
  EXPECT_EQ(stored("0.1", "half"), "half(0.1f)");
}

TEST(Literals, AreRoundedOnce) {
  const ir::Program program =
      program_of("grid G = [0..7] steps 1; field A : float on G; stencil s : A on G = 0.1 + 0.2;");
  const ir::Piece& piece = program.functions[0].pieces[0];
  const auto& constant = std::get<ir::Constant>(piece.graph[piece.results[0]].kind);
  EXPECT_EQ(constant.real, static_cast<double>(static_cast<float>(0.1 + 0.2)));
}

TEST(Literals, CombineWithIntegersAsReal) {
  EXPECT_EQ(stored("0.5 * i"), "mul(0.5f, float(#0))");
  EXPECT_EQ(stored("time * 0.01"), "mul(float(time), 0.01f)");
  ProgramOptions options;
  options.real = Scalar::F64;
  EXPECT_EQ(stored("0.5 * i", "real", options), "mul(0.5d, double(#0))");
}

TEST(Literals, FoldThroughBuiltIns) {
  EXPECT_EQ(stored("sqrt(16) * A[0]"), "mul(4f, A[0])");
  EXPECT_EQ(stored("max(1, 2, 3) * A[0]"), "mul(3f, A[0])");
  EXPECT_EQ(stored("select(1 < 2 and not false, 3, 4.5)"), "3f");
  EXPECT_EQ(stored("real(1/2)"), "0.5f");
  EXPECT_EQ(stored("integer(-7.9)", "integer"), "-7");
}

TEST(Literals, InBinaryAndHexadecimal) {
  EXPECT_EQ(stored("0x1F + I[0]", "integer"), "wrap_add(31, I[0])");
  EXPECT_EQ(stored("0XaB * A[0]"), "mul(171f, A[0])");
  EXPECT_EQ(stored("0b1011 & I[0]", "integer"), "bitand(11, I[0])");
  EXPECT_EQ(stored("0x7fffffffffffffff", "long"), "9223372036854775807l");
}

TEST(Library, PiIsALiteral) {
  EXPECT_EQ(stored("pi * A[0]"), "mul(3.141593f, A[0])");
  EXPECT_EQ(stored("pi / 2 * D[0]", "double"), "mul(1.570796d, D[0])");
  EXPECT_EQ(stored("integer(10 * pi)", "integer"), "31");
}

TEST(Library, WholePowersAreProducts) {
  EXPECT_EQ(stored("pow(A[0], 1)"), "A[0]");
  EXPECT_EQ(stored("pow(A[0], 2)"), "mul(A[0], A[0])");
  EXPECT_EQ(stored("pow(A[0], 3)"), "mul(mul(A[0], A[0]), A[0])");
  EXPECT_EQ(stored("pow(A[0], 4.0)"), "mul(mul(A[0], A[0]), mul(A[0], A[0]))");
  EXPECT_EQ(stored("pow(A[0], -1)"), "div(1f, A[0])");
  EXPECT_EQ(stored("pow(A[0], 0)"), "1f");
  EXPECT_EQ(stored("pow(I[0], 2)"), "mul(float(I[0]), float(I[0]))");
  EXPECT_EQ(stored("pow(A[0], 0.5)"), "pow(A[0], 0.5f)");
  EXPECT_EQ(stored("pow(A[0], 17)"), "pow(A[0], 17f)");
  EXPECT_EQ(stored("pow(A[0], A[0])"), "pow(A[0], A[0])");
  EXPECT_EQ(stored("pow(2, 3) * A[0]"), "mul(8f, A[0])");
}

// A param must give the same bits whether or not the compiler knows its value.
TEST(Library, PowersByParamsAreTheLibrarys) {
  const auto power = [](const std::string& param, const std::string& exponent) {
    return result(program_of("param k : " + param +
                             ";\ngrid G = [0..9] steps 1;\n"
                             "field A : double on G;\nstencil s : A on G = pow(A[0], " +
                             exponent + ");\n"));
  };
  EXPECT_EQ(power("integer = 3", "k"), "pow(A[0], 3d)");
  EXPECT_EQ(power("integer = 3", "k - 1"), "pow(A[0], 2d)");
  EXPECT_EQ(power("integer = 3", "double(k)"), "pow(A[0], 3d)");
  EXPECT_EQ(power("integer", "k"), "pow(A[0], double(k))");
  EXPECT_EQ(power("double = 2", "k"), "pow(A[0], k)");
  EXPECT_EQ(power("integer = 3", "2"), "mul(A[0], A[0])");
  EXPECT_EQ(power("integer = 3", "sum(a in 1..1 : a)"), "A[0]");
}

TEST(Library, SignKeepsZerosAndNans) {
  EXPECT_EQ(stored("sign(A[0])"), "select(gt(A[0], 0f), 1f, select(lt(A[0], 0f), -1f, A[0]))");
  EXPECT_EQ(stored("sign(I[0])", "integer"),
            "select(gt(I[0], 0), 1, select(lt(I[0], 0), -1, I[0]))");
  EXPECT_EQ(stored("sign(-3) * A[0]"), "mul(-1f, A[0])");
}

TEST(Library, LogicalShiftsMask) {
  EXPECT_EQ(stored("lshr(I[0], 4)", "integer"), "bitand(shr(I[0], 4), 268435455)");
  EXPECT_EQ(stored("lshr(I[0], 32)", "integer"), "shr(I[0], 32)");
  EXPECT_EQ(stored("lshr(long(I[0]), 63)", "long"), "bitand(shr(long(I[0]), 63l), 1l)");
  EXPECT_EQ(stored("lshr(I[0], i)", "integer"),
            "bitand(shr(I[0], #0), bitnot(shl(shl(-1, sub(31, #0)), 1)))");
}

TEST(Library, LibraryNamesCanBeRedeclared) {
  const ir::Program program = program_of(
      "param pi : real = 3; grid G = [0..7] steps 1; field A : real on G;"
      "function round(x) = x + 1; stencil s : A on G = round(A[0]) * pi;");
  EXPECT_EQ(result(program), "mul(add(A[0], 1f), pi)");
  EXPECT_EQ(stored("round(A[0]) + trunc(A[0])"), "add(round(A[0]), trunc(A[0]))");
  EXPECT_EQ(stored("atan2(A[0], 1) + hypot(3, A[0])"), "add(atan2(A[0], 1f), hypot(3f, A[0]))");
}

TEST(Literals, SelectedAtRunTimeStayLiterals) {
  EXPECT_EQ(stored("select(i == 0, 1/2, 0)"), "select(eq(#0, 0), 0.5f, 0f)");
  EXPECT_EQ(stored("select(i == 0, 1/2, 0)", "integer"), "select(eq(#0, 0), 0, 0)");
  EXPECT_EQ(stored("select(i == 0, 0.1, 0)", "double"), "select(eq(#0, 0), 0.1d, 0d)");
  EXPECT_EQ(stored("(1 - select(i == 0, 1/2, 0)) * A[0]"),
            "mul(select(eq(#0, 0), 0.5f, 1f), A[0])");
  EXPECT_EQ(stored("select(i == 0, 1/2, 0) + select(i == 1, 2, 3)"),
            "add(select(eq(#0, 0), 0.5f, 0f), select(eq(#0, 1), 2f, 3f))");
  EXPECT_EQ(stored("select(select(i == 0, 1, 2) < 2, A[0], A[1])"),
            "select(lt(select(eq(#0, 0), 1, 2), 2), A[0], A[1])");
  EXPECT_EQ(stored("integer(select(i == 0, 1.5, -2.5))", "integer"), "select(eq(#0, 0), 1, -2)");
}

TEST(Types, WiderOperandDecides) {
  EXPECT_EQ(stored("A[0] * D[0]", "double"), "mul(double(A[0]), D[0])");
  EXPECT_EQ(stored("I[0] + A[0]"), "add(float(I[0]), A[0])");
  EXPECT_EQ(stored("I[0] / 2", "integer"), "div(I[0], 2)");
  EXPECT_EQ(stored("I[0] / 2"), "float(div(I[0], 2))");
  EXPECT_EQ(stored("I[0] + 3000000000", "long"), "add(long(I[0]), 3000000000l)");
  EXPECT_EQ(stored("sqrt(I[0])"), "sqrt(float(I[0]))");
  EXPECT_EQ(stored("min(I[0], 3)", "integer"), "min(I[0], 3)");
  EXPECT_EQ(stored("select(A[0] < 1, I[0], 2.5)"), "select(lt(A[0], 1f), float(I[0]), 2.5f)");
}

TEST(Types, FoldedParamsKeepTheirType) {
  EXPECT_EQ(stored("N / 3 * A[0]"), "mul(5f, A[0])");  // integer division, as with an open N
  EXPECT_EQ(stored("alpha * N"), "mul(alpha, 16f)");
  EXPECT_EQ(stored("N % 5", "integer"), "1");
}

TEST(Types, HalfComputesInFloat) {
  const ir::Program program =
      program_of("grid G = [0..7] steps 1; field H : half on G; stencil s : H on G = H[0] * 0.5;");
  EXPECT_EQ(result(program), "half(mul(H[0], 0.5f))");
  const ir::Piece& piece = program.functions[0].pieces[0];
  EXPECT_EQ(piece.graph[piece.results[0]].type, Scalar::F16);
}

// The messages for `value` stored in a field of `type`.
std::string messages_of(const std::string& type, const std::string& value) {
  return analyze_text(
             "grid G = [0..7] steps 1; field A : real on G; field L : long on G;"
             "field B : " +
             type + " on G; stencil s : B[i in 0..7] = " + value +
             "; reduce a = sum(A[0]) on G; reduce l = sum(L[0]) on G;")
      .messages;
}

TEST(Types, SmallIntegersComputeInInteger) {
  for (const char* type : {"byte", "ubyte", "short", "ushort"}) {
    const ir::Program program = program_of(std::string("grid G = [0..7] steps 1; field B : ") +
                                           type + " on G; stencil s : B on G = B[0] * 5 + 300;");
    EXPECT_EQ(result(program), std::string(type) + "(add(mul(B[0], 5), 300))");
    const ir::Piece& piece = program.functions[0].pieces[0];
    EXPECT_EQ(piece.graph[0].type, Scalar::I32);
    EXPECT_EQ(name(piece.graph[piece.results[0]].type), type);
    EXPECT_EQ(messages_of(type, "B[0] * L[0]"), "") << "keeping the low bits is intended";
  }
  EXPECT_EQ(stored("200", "ubyte"), "ubyte(200)");
  EXPECT_EQ(stored("select(i == 0, -128, 7/2)", "byte"), "byte(select(eq(#0, 0), -128, 3))");
}

TEST(Types, SmallIntegersRefuseConstantsOutOfRange) {
  EXPECT_NE(messages_of("byte", "128").find("S012: number too large for a byte"),
            std::string::npos);
  EXPECT_NE(messages_of("ubyte", "-1").find("S012: number too small for a ubyte"),
            std::string::npos);
  EXPECT_NE(messages_of("short", "3000000000").find("expected: a value in -32768..32767"),
            std::string::npos);
  EXPECT_NE(messages_of("ushort", "select(i == 0, 1, 65536)").find("S012"), std::string::npos);
  EXPECT_EQ(messages_of("ushort", "65536 & 0xFFFF"), "");
}

TEST(Types, SmallIntegersAcceptIntegersOnly) {
  EXPECT_NE(messages_of("byte", "A[0]").find("S020"), std::string::npos);
  EXPECT_NE(messages_of("byte", "A[0]").find("integer(x) truncates"), std::string::npos);
  EXPECT_NE(messages_of("ubyte", "0.5").find("S020"), std::string::npos);
  EXPECT_NE(messages_of("ushort", "A[0] < 1").find("S018"), std::string::npos);
  EXPECT_EQ(messages_of("short", "integer(A[0])"), "");
}

TEST(Types, BoolsAreConditions) {
  const ir::Program program = program_of(
      "grid G = [0..7] steps 1; field B : bool on G boundary constant true; field A : real on G;"
      "stencil s : B on G = B[0] and not B[1] or A[0] < 2; stencil t : A on G where B[0] = 1;");
  EXPECT_EQ(result(program), "or(and(B[0], not(B[1])), lt(A[0], 2f))");
  EXPECT_EQ(result(program, 1), "select(B[0], 1f, A[0])");
  EXPECT_EQ(program.fields[0].boundary[0].low.values, std::vector<double>{1});
  EXPECT_EQ(stored("true", "bool"), "true");
  EXPECT_EQ(stored("I[0] != 0", "bool"), "ne(I[0], 0)");
  EXPECT_NE(messages_of("bool", "1").find("S039"), std::string::npos);
  EXPECT_NE(messages_of("bool", "select(A[0] < 1, 1, 0)").find("S039"), std::string::npos);
  EXPECT_NE(messages_of("bool", "B[0] + 1").find("S018"), std::string::npos);
}

TEST(Types, TruthValuesConvertExplicitly) {
  EXPECT_EQ(stored("integer(A[0] > 1)", "integer"), "select(gt(A[0], 1f), 1, 0)");
  const std::string program =
      "grid G = [0..7] steps 1; field A : real on G; stencil s : A on G = A[0] + (A[0] > 1);";
  EXPECT_NE(analyze_text(program).messages.find("S018"), std::string::npos);
}

TEST(Params, UsedOnlyForTheStepsAreNotNeededIfStepsAreGiven) {
  ProgramOptions options;
  options.steps = 3;
  const ir::Program program = program_of(
      "param N : integer; param S : integer = N / 2;"
      "grid G = [0..N] steps S; field A : real on G; stencil s : A on G = A[0];",
      options);
  EXPECT_EQ(program.params[1].integer_value, 0);
  std::vector<int64_t> integers = {8, 0};
  std::vector<double> reals = {0, 0};
  EXPECT_FALSE(ir::derive_params(program, {true, false}, integers, reals));
}

// Derived values are computed in double from values rounded to their types, and rounded once.
TEST(Params, DerivedValuesAreComputedInDoubleAndRoundedOnce) {
  const std::string text =
      "param N : integer = 65; param k : real = 0.1; param h : real = k*k/3;"
      "param d : double = k; param n : integer = integer(k*100); param M : integer = 2*N+1;"
      "param Q : integer = N/2;"
      "grid G = [0..N+M] steps Q+n; field A : real on G; stencil s : A[1..M] = d * h + M;";
  const ir::Program program = program_of(text);
  const double k = 0.1f;
  EXPECT_EQ(program.params[2].real_value, static_cast<float>(k * k / 3));
  EXPECT_EQ(program.params[3].real_value, k);
  EXPECT_EQ(program.params[4].integer_value, 10);
  EXPECT_TRUE(program.params[2].derived && program.params[4].derived);
  EXPECT_EQ(program.params[2].derived->text, "k*k/3");
  EXPECT_FALSE(program.params[5].derived || program.params[5].affine || program.params[6].derived);

  ProgramOptions options;
  options.open = {"N"};
  const ir::Program open = program_of(text, options);
  EXPECT_EQ(ir::print(*open.params[5].affine, ir::param_names(open)), "2*N + 1");
  EXPECT_TRUE(open.params[5].folded());
  EXPECT_TRUE(open.params[6].open() && open.params[6].derived);
  std::vector<int64_t> integers = {7, 0, 0, 0, 10, 0, 0};
  std::vector<double> reals = {0, 0.1, 0, 0, 0, 0, 0};
  std::vector<bool> given(7, false);
  EXPECT_FALSE(ir::derive_params(open, given, integers, reals));
  EXPECT_EQ(integers, (std::vector<int64_t>{7, 0, 0, 0, 10, 15, 3}));
  EXPECT_EQ(reals[2], *program.params[2].real_value);
  given[2] = true;  // a given value is kept
  reals[2] = 5;
  EXPECT_FALSE(ir::derive_params(open, given, integers, reals));
  EXPECT_EQ(reals[2], 5);
  reals[1] = 0.2;  // n is part of the code
  const auto fault = ir::derive_params(open, given, integers, reals);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->code, "R074");
  EXPECT_EQ(fault->message,
            "param 'n' is compiled in with the value 10, but is now computed as 20");
  EXPECT_EQ(
      fault->hint,
      "it is computed as integer(k*100), with k = 0.2; keep it open and give its value: --open n");
}

TEST(Params, ValuesUseEarlierParams) {
  ProgramOptions options;
  options.definitions["N"] = "10";
  const ir::Program program = program_of(
      "param N : integer = 4; param M : integer = 2*N+1; param dx : real = 1.0/N;"
      "param c : real = dx*dx;"
      "grid G = [0..M-1] steps M; field A : real on G; stencil s : A on G = c * dx;",
      options);
  EXPECT_EQ(program.params[1].integer_value, 21);
  EXPECT_EQ(program.params[2].real_value, 0.1);
  EXPECT_EQ(program.params[3].real_value, static_cast<float>(double{0.1f} * double{0.1f}));
  EXPECT_EQ(program.steps->constant, 21);
  EXPECT_EQ(result(program), "mul(c, dx)");
}

TEST(Params, KeepTheirTypeInConstants) {
  const ir::Program program = program_of(
      "param N : integer = 65; param a : real = N/2; param b : real = real(N)/2;"
      "param c : real = 1/N; param d : real = sqrt(N - 1) / 3; param e : long = long(N) * "
      "1000000000;"
      "param f : integer = select(N > 64.5, N/2, 7);"
      "table w : real[4] = {N/2, N/2.0, 1.0/N, 0.5*(N/2)};"
      "grid G = [0..N/2] steps N/2; field A : real on G boundary constant N/2;"
      "stencil s : A on G = (w[0] * A[0]) * (w[1] * A[0]) * (w[2] * A[0]) * (w[3] * A[0]);");
  EXPECT_EQ(program.params[1].real_value, 32);
  EXPECT_EQ(program.params[2].real_value, 32.5);
  EXPECT_EQ(program.params[3].real_value, 0);
  EXPECT_EQ(program.params[4].real_value, 8.0 / 3);
  EXPECT_EQ(program.params[5].integer_value, 65'000'000'000);
  EXPECT_EQ(program.params[6].integer_value, 32);
  EXPECT_EQ(program.grid().ranges[0].high.constant, 32);
  EXPECT_EQ(program.fields[0].boundary[0].low.values[0], 32);
  EXPECT_EQ(
      result(program),
      "mul(mul(mul(mul(32f, A[0]), mul(32.5f, A[0])), mul(0.015385f, A[0])), mul(16f, A[0]))");
}

TEST(Params, OverflowOfConstantsIsAnError) {
  const std::string program =
      "param N : integer = 100000; param a : real = N*N; grid G = [0..7] steps 1;"
      "field A : real on G; stencil s : A on G = a;";
  EXPECT_NE(analyze_text(program).messages.find("S013: integer overflow"), std::string::npos);
}

// The number of quotients warned about in `value`, stored in a field of `type`.
int warned_quotients(const std::string& value, const std::string& type = "real") {
  const std::string messages =
      analyze_text(
          "param N : integer = 65; param M : integer; param alpha : real = 0.5;"
          "param mid : integer = N/2; table t : integer[1] = {N/2};"
          "grid G = [0..N-1] steps 1; field A : real on G; field T : " +
          type +
          " on G; function twice(x) = x + x;"
          "stencil s : A on G = A[0] + alpha + mid + t[0] + M + twice(1);"
          "stencil u : T[i in 0..N-1] = " +
          value + ";")
          .messages;
  EXPECT_EQ(messages.find("error"), std::string::npos) << messages;
  int count = 0;
  for (size_t at = 0; (at = messages.find("S104", at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(Quotients, OfIntegersAreWarnedAboutIfConvertedToReal) {
  for (const char* value :
       {"N/2", "M/2", "i/N", "time/2", "i/2 * A[0]", "(i/2 + 1) * A[0]", "-(i/2) * alpha",
        "max(i/2, 3) * 0.5", "sqrt(i/2)", "pow(A[0], M/2)", "1/2*i", "twice(i/2)",
        "select(i/2 < A[0], 1, 0)", "select(i == 0, i/3, 1) * A[0]", "select(i == 0, 1/2, 0) * i",
        "sum(a in 0..1 : i/3) * 0.5", "1/N"}) {
    EXPECT_EQ(warned_quotients(value), 1) << value;
  }
}

TEST(Quotients, AreNotWarnedAboutIfIntendedOrHarmless) {
  for (const char* value :
       {"1/2 * A[0]", "N/5", "i/1", "integer(i/2) * A[0]", "real(i/2)", "real(i)/2", "i/2.0",
        "mid * A[0]", "t[0] * A[0]", "(i/2) % 2", "((i/2) & 1) * A[0]", "select(i/2 == 3, 1, 0)",
        "select(i == 0, 1/2, 0)", "alpha/2", "A[0]/N", "twice(1/2)"}) {
    EXPECT_EQ(warned_quotients(value), 0) << value;
  }
  EXPECT_EQ(warned_quotients("i/2 + N/2", "integer"), 0);
  EXPECT_EQ(warned_quotients("{i/2, A[0]}", "{n : integer, x : real}"), 0);
  EXPECT_EQ(warned_quotients("{i/2, i/2}", "{n : integer, x : real}"), 1);
}

TEST(Params, OpenParamsStaySymbolic) {
  ProgramOptions options;
  options.open = {"N"};
  options.steps = 7;
  const ir::Program program = program_of(
      "param N : integer = 4; grid G = [0..N-1] steps N; field A : real on G;"
      "stencil s : A on G = N * A[0];",
      options);
  EXPECT_EQ(ir::print(program.grid().ranges[0].high, ir::param_names(program)), "N - 1");
  EXPECT_EQ(program.steps->constant, 7);
  EXPECT_EQ(result(program), "mul(float(N), A[0])");
  EXPECT_EQ(program.checks.size(), 1u);  // that the grid is not empty
}

}  // namespace
}  // namespace stencil::test
