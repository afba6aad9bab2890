// Records: the value sampled at a set of points, and the series that results.
#include <gtest/gtest.h>

#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

const std::string kSea =
    "param N : integer; param K : integer; grid G = [0..N-1, 0..N] steps 40; require N >= 8;"
    "subgrid inner of G = [1..N-2, 1..N-1]; points mics [2..5] on G; points deep [0..N] on inner;"
    "field U : real on G history 2; field S : { p : double, q : half } on G;"
    "stencil s : U on inner = U[0,0] + U@-1[1,0]; stencil t : S on G = { p = 1, q = 2 };";

// The code of the first message; "" if there are none.
std::string codes_of(const std::string& text) {
  const Analysis analysis = analyze_text(text);
  if (analysis.program) return "";
  const size_t at = analysis.messages.find("error ");
  return at == std::string::npos ? analysis.messages : analysis.messages.substr(at + 6, 4);
}

TEST(Records, AreSeriesAtTheirPoints) {
  const ir::Program program = program_of(kSea +
                                         "record trace [0..K-1] = U[0,0] at mics every 3;"
                                         "record slope [0..59] = S[1,0].p - S[-1,0].p at deep;");
  const ir::Field& trace = program.fields.at(4);
  EXPECT_EQ(trace.name, "trace");
  EXPECT_EQ(trace.dimensions(), (std::vector<int>{ir::kTime, ir::kPoints}));
  EXPECT_EQ(trace.set(), 0);
  EXPECT_EQ(trace.box.ranges[1].low.constant, 2);
  EXPECT_EQ(trace.box.ranges[1].high.constant, 5);
  EXPECT_EQ(trace.components[0].type, Scalar::F32);
  EXPECT_FALSE(trace.constant);
  EXPECT_EQ(program.fields.at(5).components[0].type, Scalar::F64);
  const ir::Reduction& first = program.reductions.at(0);
  EXPECT_EQ(first.every, 3);
  EXPECT_EQ(first.at, 0);
  EXPECT_EQ(first.target, 4);
  EXPECT_EQ(first.piece.region, program.grid());
  EXPECT_EQ(program.reductions.at(1).piece.region, program.fields[1].as_point_set()->within);
  EXPECT_TRUE(ir::is_record(program, 4));
  EXPECT_FALSE(ir::is_record(program, 2));
  EXPECT_TRUE(ir::changes(program, 4));
  EXPECT_EQ(ir::verify(program), std::vector<std::string>{});
  // K rows of three steps each, plus the two steps before the next row.
  ASSERT_EQ(program.step_limits.size(), 2u);
  EXPECT_EQ(ir::print(program.step_limits[0].steps, ir::param_names(program)), "3*K + 2");
  EXPECT_EQ(program.step_limits[1].steps.constant, 60);
}

TEST(Records, OfAPlainFieldAreSampledInsideTiles) {
  const ir::Program program =
      program_of(kSea +
                 "record a [0..99] = U[0,0] at mics; record b [0..99] = S[0,0].q at mics every 2;"
                 "record c [0..99] = U@-1[0,0] at mics; record d [0..99] = U[1,0] at deep;"
                 "record e [0..99] = 2 * U[0,0] at mics;");
  const auto& records = program.reductions;
  ASSERT_TRUE(ir::sampled_by(program, records[0]));
  EXPECT_EQ(ir::sampled_by(program, records[0])->field, 2);
  ASSERT_TRUE(ir::sampled_by(program, records[1]));
  EXPECT_EQ(ir::sampled_by(program, records[1])->component, 1);
  for (const size_t other : {2, 3, 4}) EXPECT_FALSE(ir::sampled_by(program, records[other]));
  const ir::Program cut = program_of(kSea +
                                     "reduce r = sum(U[0,0]) on G; stencil u : U on G = r;"
                                     "record a [0..99] = U[0,0] at mics;");
  EXPECT_FALSE(ir::sampled_by(cut, cut.reductions[1])) << "steps are divided into phases";
}

TEST(Records, AreCheckedAtTheirPoints) {
  EXPECT_EQ(codes_of(kSea + "record r [0..99] = U[1,0] at mics;"), "S031");
  EXPECT_EQ(codes_of(kSea + "record r [0..99] = U[1,0] at deep;"), "");
}

// Records are evaluated after the step, wherever they are declared.
TEST(Records, MayReadReductionsDeclaredLater) {
  const ir::Program program =
      program_of(kSea + "record r [0..99] = U[0,0] * q at mics; reduce q = sum(U[0,0]) on G;");
  EXPECT_FALSE(program.reductions[0].in_step);
  EXPECT_EQ(ir::functions_before(program, 1), 2u);
  EXPECT_FALSE(ir::sampled_by(program, program.reductions[0]));
}

TEST(Records, AreRefusedByName) {
  EXPECT_EQ(codes_of(kSea + "record r [0..38] = U[0,0] at mics;"), "S031");
  EXPECT_EQ(codes_of(kSea + "record r [0..39] = U[0,0] at mics;"), "");
  EXPECT_EQ(codes_of(kSea + "record r [0..3] = U[0,0] at mics every 10;"), "");
  EXPECT_EQ(codes_of(kSea + "record r [1..99] = U[0,0] at mics;"), "S089");
  EXPECT_EQ(codes_of(kSea + "record r [0..99] = U[0,0] at U;"), "S089");
  EXPECT_EQ(codes_of(kSea + "record r [0..99] = U[0,0] at G;"), "S089");
  EXPECT_EQ(codes_of(kSea + "record r [0..99] = U[0,0] at nowhere;"), "S004");
  EXPECT_EQ(codes_of(kSea + "record r [0..99] = 7 at mics;"), "S084");
  EXPECT_EQ(codes_of(kSea + "record r [0..99] = U[0,0] > 1 at mics;"), "S018");
  EXPECT_EQ(codes_of(kSea + "record r [0..99] = S[0,0] at mics;"), "S019");
  EXPECT_EQ(codes_of(kSea + "record r [0..99] = U[0,0] at mics; init r = 1;"), "S089");
  EXPECT_EQ(codes_of(kSea + "record r [0..99] = U[0,0] at mics; stencil v : U on G = r[time];"),
            "S089");
  EXPECT_EQ(codes_of(kSea + "record r [0..99] = U[0,0] at mics; stencil v : r on G = 1;"), "S028");
  EXPECT_EQ(codes_of(kSea + "record r [0..99] = U[0,0] at mics; reduce q = sum(r[time]) on G;"),
            "S089");
}

}  // namespace
}  // namespace stencil::test
