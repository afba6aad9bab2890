// Integer overflow: an error where sizes determine the value, wrap-around elsewhere.
#include <cmath>

#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

const std::string kLongRow =
    "param n : integer; grid G = [0..69999] steps 50000; field F : double on G boundary periodic;"
    "field I : integer on G; field B : ubyte on G; ";

std::string errors(const std::string& value, const std::string& field = "F") {
  return analyze_text(kLongRow + "stencil s : " + field + "[i in 0..69999] = " + value + ";")
      .messages;
}

TEST(Overflow, OfSizesAndCoordinatesIsAnError) {
  for (const char* value :
       {"i * i", "F[0] * (i * i)", "1.0 / (70000 * (i - i + 40000) )", "time * i", "time * time",
        "i * 40000 + time * 1", "select(i > 100, i * i, 0)", "-(i * 30000) - 2147483647",
        "abs(-40000 * i)", "integer(long(i) * 2) * 60000", "min(i, 65536) * 65536",
        "i * (i + 1) / 2"}) {
    EXPECT_NE(errors(value).find("S090"), std::string::npos) << value << errors(value);
  }
  const std::string literals =
      analyze_text(
          "param N : integer = 70000; grid G = [0..N-1] steps 1; field F : double on G;"
          "stencil s : F on G = F[0] * (N * N);")
          .messages;
  EXPECT_NE(literals.find("error S090: a result that is out of the range of 'integer'"),
            std::string::npos)
      << literals;
  EXPECT_NE(literals.find("found: 4900000000"), std::string::npos) << literals;
  EXPECT_NE(errors("i * i").find("found: 4899860001 at i = 69999"), std::string::npos);
  EXPECT_NE(errors("long(i) * 4000000000000000").find("range of 'long'"), std::string::npos);
}

TEST(Overflow, IsNoErrorIfUnusedOrExcluded) {
  for (const char* value :
       {"long(i) * i", "double(i) * i", "select(i < 46000, i * i, 0)",
        "select(i < 100 and i > 50, i * i, i)", "select(I[0] > 3 and i < 100, i * i, i)",
        "select(i >= 100 or I[0] > 3, i, i * i)", "select(not (i >= 100 or I[0] > 3), i * i, i)",
        "i * (69999 - i)", "i * 30000", "time * 42000", "(I[0] * 65536) * i", "n * i",
        "i * i % 1 * 0 * B[0]", "B[0] * 65536 * 128"}) {
    const bool squares = std::string(value).find("i * i %") == 0;
    EXPECT_EQ(errors(value).find("S090") != std::string::npos, squares) << value << errors(value);
  }
  EXPECT_EQ(analyze_text(kLongRow + "stencil s : F[i in 0..69999] { [i in 0..100] = i * i; }")
                .messages.find("S090"),
            std::string::npos);
}

// Reductions are evaluated after steps `every`, 2 * `every`, ...
TEST(Overflow, IsCheckedAtTheStepsOfAReduction) {
  const auto found = [](int steps, const char* value) {
    return analyze_text("grid G = [0..9] steps " + std::to_string(steps) +
                        "; field A : integer on G; stencil s : A on G = A[0]; reduce r = max(" +
                        value + ") on G every 2;")
               .messages.find("S090") != std::string::npos;
  };
  EXPECT_FALSE(found(3, "time * 2000000000")) << "evaluated only at time 1";
  EXPECT_TRUE(found(4, "time * 1000000000"));
  EXPECT_FALSE(found(1, "(time + 2) * 2000000000")) << "never evaluated";
}

TEST(Overflow, IsFoundInAllExpressions) {
  const std::string stencil = "stencil s : F on G = 0; ";
  for (const char* item :
       {"init F[i] = i * i;", "reduce r = max(time * time) on G;",
        "reduce r = max(F[0]) on G; stop when r > time * time;",
        "require 70000 * (n * 0 + 1) > 70000 - 1;", "function f(k) = k * k; init F[i] = f(i);"}) {
    const std::string found = analyze_text(kLongRow + stencil + item).messages;
    EXPECT_EQ(found.find("S090") == std::string::npos, std::string(item).find("require") == 0)
        << item << found;
  }
}

TEST(Overflow, WrapsAroundIfNotExcluded) {
  EXPECT_EQ(stored("I[0] + 1", "integer"), "wrap_add(I[0], 1)");
  EXPECT_EQ(stored("I[0] * I[0] - i", "integer"), "wrap_sub(wrap_mul(I[0], I[0]), #0)");
  EXPECT_EQ(stored("-I[0]", "integer"), "wrap_neg(I[0])");
  EXPECT_EQ(stored("abs(I[0])", "integer"), "wrap_abs(I[0])");
  EXPECT_EQ(stored("long(I[0]) * 2", "long"), "mul(long(I[0]), 2l)");
  EXPECT_EQ(stored("long(I[0]) * long(I[0])", "long"), "mul(long(I[0]), long(I[0]))");
  EXPECT_EQ(stored("I[0] % 100 + 1", "integer"), "add(mod(I[0], 100), 1)");
  EXPECT_EQ(stored("(I[0] & 255) * 255", "integer"), "mul(bitand(I[0], 255), 255)");
  EXPECT_EQ(stored("i * 3 + time", "integer"), "wrap_add(mul(#0, 3), time)");
  EXPECT_EQ(stored("time - 1", "integer"), "sub(time, 1)");
}

TEST(Overflow, OfOpenSizesIsExcludedByRequirements) {
  const auto text = [](const std::string& value) {
    const ir::Program program = program_of(
        "param N : integer; param M : integer; grid G = [0..N-1, 0..M-1, 0..N-1] steps 4;"
        "field F : integer on G; stencil s : F[i in 0..N-1, j in 0..M-1, k in 0..N-1] = " +
        value + ";");
    const ir::Piece& piece = program.functions.at(0).pieces.at(0);
    return expression(program, piece.graph, piece.results.at(0));
  };
  EXPECT_EQ(text("N - 1 - i"), "sub(sub(N, 1), #0)");
  EXPECT_EQ(text("(i + j + k) % 2"), "mod(add(add(#0, #1), #2), 2)");
  EXPECT_EQ(text("j + j"), "wrap_add(#1, #1)");
  EXPECT_EQ(text("i + k"), "add(#0, #2)");
  EXPECT_EQ(text("M + j"), "wrap_add(M, #1)");
  EXPECT_EQ(text("M - 1 - j + i"), "add(sub(sub(M, 1), #1), #0)");
  EXPECT_EQ(text("i * 2"), "wrap_mul(#0, 2)");
  EXPECT_EQ(text("N * i"), "wrap_mul(N, #0)");
}

TEST(IntegerReductions, AddUpIn64Bits) {
  const auto type = [](const std::string& reduction) {
    const ir::Program program =
        program_of(kLongRow + "stencil s : F on G = 0; reduce r = " + reduction + ";");
    return ir::value_type(program.reductions.at(0));
  };
  EXPECT_EQ(type("sum(I[0]) on G"), Scalar::I64);
  EXPECT_EQ(type("prod(I[0]) on G"), Scalar::I64);
  EXPECT_EQ(type("sum(B[0]) on G where I[0] > 0"), Scalar::I64);
  EXPECT_EQ(type("sum(select(I[0] > 0, 1, 0)) on [0..9 by 2]"), Scalar::I64);
  EXPECT_EQ(type("max(I[0]) on G"), Scalar::I32);
  EXPECT_EQ(type("sum(max(I[0], integer(r@-1))) on G initial integer(0)"), Scalar::I64);
}

// --- random
// ----------------------------------------------------------------------------------------

double constant(const std::string& value) {
  const ir::Program program = program_of(
      "grid G = [0..7] steps 4; field D : double on G;"
      "stencil s : D on G = " +
      value + ";");
  const ir::Piece& piece = program.functions.at(0).pieces.at(0);
  const auto* known = std::get_if<ir::Constant>(&piece.graph[piece.results.at(0)].kind);
  return known ? known->real : -1;
}

double upper_53(uint64_t bits) {
  return std::ldexp(static_cast<double>(bits >> 11), -53);
}

// The known-answer tests published by the authors of Philox.
TEST(Random, IsPhilox) {
  EXPECT_EQ(constant("random(0, 0, 0, 0, 0)"), upper_53(0x6627e8d5e169c58du));
  EXPECT_EQ(constant("random(-1, -1, -1, -1, -1)"), upper_53(0x408f276d41c83b0eu));
  EXPECT_EQ(constant("random(0x243f6a88, -2052912941, 0x13198a2e, 0x03707344, 0x299f31d0a4093822)"),
            upper_53(0xd16cfe0994fdccebu));
  EXPECT_EQ(constant("random(0)"), upper_53(0x6627e8d5e169c58du));
  EXPECT_NE(constant("random(0, 0, 0, 0, 0, 0)"), upper_53(0x6627e8d5e169c58du));
}

TEST(Random, FoldsToTheComputedValue) {
  std::string requirements;
  for (const char* coordinates : {"", "a, ", "a, b, c, d, ", "a, b, c, d, e, "}) {
    std::string numbers = coordinates;
    for (const auto& [name, number] :
         {std::pair("a", "-5"), {"b", "7"}, {"c", "2000000000"}, {"d", "0"}, {"e", "-1"}}) {
      if (const auto at = numbers.find(name); at != std::string::npos)
        numbers.replace(at, 1, number);
    }
    for (const char* type : {"double", "float"}) {
      requirements += fmt::format("require {0}(random({1}s)) == {0}(random({2}-12345678901));",
                                  type, coordinates, numbers);
    }
  }
  const ir::Program program = program_of(
      "param a : integer; param b : integer; param c : integer;"
      "param d : integer; param e : integer; param s : long; grid G = [0..7] steps 4;"
      "field D : double on G; stencil t : D on G = 0;" +
      requirements);
  ASSERT_EQ(program.requirements.size(), 8u);
  EXPECT_TRUE(
      ir::failed_checks(program, {-5, 7, 2000000000, 0, -1, -12345678901}, {0, 0, 0, 0, 0, 0})
          .items()
          .empty());
  EXPECT_EQ(ir::failed_checks(program, {-5, 7, 2000000000, 0, -1, -12345678902}, {0, 0, 0, 0, 0, 0})
                .items()
                .size(),
            8u);
}

TEST(Random, TakesTheRealTypeOfItsContext) {
  EXPECT_NE(stored("random(i, 1)", "double").find("d)"), std::string::npos);
  EXPECT_NE(stored("random(i, 1)", "float").find("f)"), std::string::npos);
  EXPECT_NE(stored("random(i, 1) * D[0]", "double").find("0d)"), std::string::npos);
}

TEST(Random, TakesIntegers) {
  for (const char* value : {"random()", "random(0.5, 1)", "random(long(i), 1)", "random(i, A[0])",
                            "random(i < 2, 1)", "random({1, 2}, 3)"}) {
    const std::string found = analyze_text(
                                  "grid G = [0..7] steps 4; field A : real on G;"
                                  "stencil s : A[i in 0..7] = " +
                                  std::string(value) + ";")
                                  .messages;
    EXPECT_NE(found.find("error S0"), std::string::npos) << value;
  }
  EXPECT_EQ(analyze_text("grid G = [0..7] steps 4; field A : real on G; function random(x) = x;"
                         "stencil s : A[i in 0..7] = random(A[0]);")
                .messages,
            "");
}

TEST(Random, NamesTheTypeOfAWrongArgument) {
  const auto found = [](const std::string& value) {
    return analyze_text(
               "grid G = [0..7] steps 4; field A : real on G; param s : long = 5;"
               "stencil s : A[i in 0..7] = " +
               value + ";")
        .messages;
  };
  for (const char* value : {"random(long(i), 1)", "random(s, 1)", "random(3000000000, 1)"}) {
    EXPECT_NE(found(value).find("found: a long"), std::string::npos) << value << found(value);
    EXPECT_NE(found(value).find("integer(x) keeps the low 32 bits"), std::string::npos) << value;
  }
  EXPECT_NE(found("random(0.5, 1)").find("found: a real literal"), std::string::npos);
  EXPECT_NE(found("random(i, A[0])").find("found: float"), std::string::npos);
  EXPECT_NE(found("random({1, 2}, 3)").find("found: a vector of 2"), std::string::npos)
      << found("random({1, 2}, 3)");
  EXPECT_EQ(found("random(i, s)"), "");
  EXPECT_EQ(found("random(i, 3000000000)").find("error"), std::string::npos);
}

// --- Literals

TEST(Overflow, OfLiteralsIsNoRealNumber) {
  const std::string head = "grid G = [0..7] steps 4; field K : long on G; field A : real on G;";
  for (const char* value :
       {"9223372036854775807 + 1", "9223372036854775807 + 1 - 9223372036854775807",
        "-(-9223372036854775807 - 1)", "3037000500 * 3037000500", "long(9223372036854775807 + 1)",
        "K[0] + (9223372036854775807 + 1)"}) {
    const std::string found = analyze_text(head + "stencil s : K on G = " + value + ";").messages;
    EXPECT_NE(found.find("S090: a result that is out of the range of 'long'"), std::string::npos)
        << value << found;
    EXPECT_EQ(found.find("S020"), std::string::npos) << found;
  }
  // It is still accepted where a real number is needed.
  EXPECT_TRUE(analyze_text(head + "stencil s : A on G = 9223372036854775807 + 1;").program);
  EXPECT_NE(analyze_text(head + "stencil s : K on G = 0.5 + 1;").messages.find("S020"),
            std::string::npos);
}

TEST(Overflow, NamesTheCountersOfTheValueAlone) {
  const auto found = [](const std::string& items) {
    return analyze_text(
               "param N : integer = 70000; grid G = [0..7, 0..9] steps 4;"
               "field K : integer on G;" +
               items)
        .messages;
  };
  const std::string same = "stencil s : K on G = K[0,0];";
  const std::string init = found(same + "init K[i,j] = 500000000 * i;");
  EXPECT_NE(init.find("found: 3500000000 at i = 7\n"), std::string::npos) << init;
  const std::string step =
      found("stencil s : K[i in 0..7, j in 0..9] = 1000000000 * time + i - i;");
  EXPECT_NE(step.find("found: 3000000000 at time = 3\n"), std::string::npos) << step;
  const std::string none = found("stencil s : K on G = N * N;");
  EXPECT_NE(none.find("found: 4900000000\n"), std::string::npos) << none;
  // Initial values do not depend on the number of steps.
  EXPECT_NE(analyze_text("grid G = [0..7] steps 0; field K : integer on G; stencil s : K on G = 0;"
                         "init K[i] = 500000000 * i;")
                .messages.find("S090"),
            std::string::npos);
}

}  // namespace
}  // namespace stencil::test
