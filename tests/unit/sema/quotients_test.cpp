// Quotients of open params in bounds.
#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

const std::string kHalves =
    "param N : integer; require N >= 4; grid G = [0..N-1] steps 4; field A : real on G; ";

std::string region(const ir::Program& program) {
  const ir::Range& range = program.functions.at(0).pieces.at(0).region.ranges.at(0);
  const auto params = ir::param_names(program);
  return ir::print(range.low, params) + ".." + ir::print(range.high, params);
}

TEST(Quotients, BecomeDerivedParams) {
  const ir::Program program = program_of(kHalves + "stencil s : A[N/2..N-1] = 1;");
  EXPECT_EQ(region(program), "N_over_2..N - 1");
  ASSERT_EQ(program.params.size(), 2u);
  EXPECT_EQ(program.params[1].derived->text, "N/2");
  EXPECT_EQ(program.params[1].type, Scalar::I32);
  const ir::Program twice =
      program_of(kHalves +
                 "param N_over_2 : real = 1;"
                 "stencil s : A[N/2..N/2] = N_over_2; stencil t : A[(N-1)/3..N/2] = 1;");
  ASSERT_EQ(twice.params.size(), 4u);
  EXPECT_EQ(twice.params[2].name, "N_over_2_2");
  EXPECT_EQ(twice.params[3].name, "quotient");
}

TEST(Quotients, ExactOrKnownNeedNoParam) {
  const ir::Program exact = program_of(kHalves + "stencil s : A[(4*N - 8)/4..N-1] = 1;");
  EXPECT_EQ(region(exact), "N - 2..N - 1");
  EXPECT_EQ(exact.params.size(), 1u);
  ProgramOptions options;
  options.definitions["N"] = "9";
  const ir::Program known = program_of(kHalves + "stencil s : A[N/2..N-1] = 1;", options);
  EXPECT_EQ(region(known), "4..8");
  EXPECT_EQ(known.params.size(), 1u);
}

TEST(Quotients, CanBeUsedInProofs) {
  // The only checks left are the two that compare the param with the quotient.
  for (const char* proved : {
           "stencil s : A { [0..N/2-1] = A[1]; [N/2..N-1] = A[-1]; }",
           "stencil s : A[N/2-2..N/2+1] = 1;",
           "stencil s : A[0..N/2+1-N/2] = 1;",
           "stencil s : A { [N/2] = 1; else = 2; }",
           "subgrid H of G = [0..N/2-1]; field B : real on H; stencil s : B[0..N/2-2] = B[1] + "
           "A[2];",
           "stencil s : A[1..2*(N/2)-2] = A[1] + A[-1];",
       }) {
    const Analysis analysis = analyze_text(kHalves + proved);
    ASSERT_TRUE(analysis.program.has_value()) << analysis.messages;
    EXPECT_EQ(analysis.program->checks.size(), 2u) << proved;
    for (const ir::Check& check : analysis.program->checks) EXPECT_EQ(check.code, "S067");
  }
  EXPECT_NE(analyze_text(kHalves + "stencil s : A[0..N/2] = 1; stencil t : A[N/2..N] = 1;")
                .messages.find("error S032"),
            std::string::npos);
  const ir::Program unknown = program_of(kHalves + "stencil s : A[0..N/2] = A[2];");
  EXPECT_EQ(unknown.checks.size(), 3u) << "the bound holds only from N = 5 or 6 on";
}

TEST(Quotients, OfNegativeNumbersTruncate) {
  const ir::Program program = program_of(
      "param K : integer; grid G = [-100..100] steps 4; field A : real on G;"
      "require K >= -50; require K <= 50; stencil s : A[K/3..K/3] = 1;");
  ASSERT_EQ(program.params.size(), 2u);
  for (int64_t k = -50; k <= 50; ++k) {
    std::vector<int64_t> integers = {k, 0};
    std::vector<double> reals = {0, 0};
    ASSERT_FALSE(ir::derive_params(program, {true, false}, integers, reals).has_value());
    EXPECT_EQ(integers[1], k / 3);
    EXPECT_FALSE(ir::failed_checks(program, integers, reals).has_errors()) << k;
    for (const int64_t beside : {k / 3 - 2, k / 3 + 2}) {
      integers[1] = beside;
      EXPECT_TRUE(ir::failed_checks(program, integers, reals).has_errors()) << k;
    }
  }
}

}  // namespace
}  // namespace stencil::test
