// Bounded variable offsets: selections among accesses at constant offsets.
#include <set>

#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

const std::string kField =
    "param N : integer = 8; param x : real = 1; grid G = [0..N-1, 0..9] steps 4;"
    "field A : real on G boundary clamp; field D : integer on G boundary clamp;"
    "field B : bool on G; field S : { a : real, b : vector 2 of real } on G boundary clamp;"
    "function d(u : field) = u[1,0] - u[-1,0];"
    "field y : real on G along 1 constant boundary clamp; stencil s : ";

std::string value(const std::string& text) {
  return result(program_of(kField + "A on G = " + text + ";"));
}

std::string messages(const std::string& text) {
  return analyze_text(kField + "A on G = " + text + ";").messages;
}

TEST(Offsets, BecomeSelectionsOfAccesses) {
  EXPECT_EQ(value("A[D[0,0] within 1, 0]"),
            "select(le(D[0,0], 0), select(le(D[0,0], -1), A[-1,0], A[0,0]), A[1,0])");
  EXPECT_EQ(value("A[0, time within 0]"), "A[0,0]");
  EXPECT_EQ(value("A[time within 1, D[0,0] within 0]"),
            "select(le(time, 0), select(le(time, -1), A[-1,0], A[0,0]), A[1,0])");
}

TEST(Offsets, OfSeveralDimensionsAreCombined) {
  const ir::Program program = program_of(kField + "A on G = A[D[0,0] within 4, D[1,0] within 4];");
  std::set<std::vector<int>> read;
  int conditions = 0;
  for (const ir::Node& node : program.functions[0].pieces[0].graph.nodes()) {
    const auto* access = std::get_if<ir::Access>(&node.kind);
    if (access && access->field == 0) read.insert(ir::offsets_of(access->maps));
    const auto* operation = std::get_if<ir::Operation>(&node.kind);
    conditions += operation && operation->op == Op::Le;
  }
  EXPECT_EQ(read.size(), 81u);
  EXPECT_EQ(conditions, 16) << "one per offset except the last, in each dimension";
}

TEST(Offsets, KnownAtCompileTimeAreOneAccess) {
  EXPECT_EQ(value("A[N within 2, -70 within 3]"), "A[2,-3]");
  EXPECT_EQ(value("sum(a in -2..2 : A[a within 1, 0])"),
            "add(add(add(add(A[-1,0], A[-1,0]), A[0,0]), A[1,0]), A[1,0])");
}

TEST(Offsets, ApplyToFunctionsProfilesAndElements) {
  EXPECT_EQ(value("d(A)[D[0,0] within 1, 0]"),
            "select(le(D[0,0], 0), select(le(D[0,0], -1), sub(A[0,0], A[-2,0]), "
            "sub(A[1,0], A[-1,0])), sub(A[2,0], A[0,0]))");
  EXPECT_EQ(value("y[integer(x) within 1]"),
            "select(le(integer(x), 0), select(le(integer(x), -1), y[-1], y[0]), y[1])");
  EXPECT_EQ(value("S[long(D[0,0]) within 1, 0].b[1]").find("select(le(long(D[0,0]), 0l)"), 0u);
}

TEST(Offsets, ShiftWithTheirFunction) {
  const std::string moved =
      "A on G = 0; function f(u : field) = u[D[0,1] within 1, 0]; stencil t : A on G = f(A)[2,3];";
  EXPECT_EQ(result(program_of(kField + moved), 1),
            "select(le(D[2,4], 0), select(le(D[2,4], -1), A[1,3], A[2,3]), A[3,3])");
}

TEST(Offsets, AreCheckedAtTheirBounds) {
  const std::string open =
      "param N : integer; grid G = [0..N-1] steps 4; field A : real on G; stencil s : A[";
  EXPECT_TRUE(analyze_text(open + "2..N-3] = A[time within 2];").program);
  EXPECT_NE(analyze_text(open + "1..N-3] = A[time within 2];").messages.find("A[-2] leaves"),
            std::string::npos);
  EXPECT_NE(analyze_text(open + "2..N-2] = A[time within 2];").messages.find("A[2] leaves"),
            std::string::npos);
}

TEST(Offsets, InvalidUsesAreErrors) {
  const auto says = [](const std::string& text, const std::string& code) {
    EXPECT_NE(messages(text).find(code), std::string::npos) << text << "\n" << messages(text);
  };
  says("A[D[0,0], 0]", "needs a bound, as in 'D[0,0] within 1'");
  says("A[x within 1, 0]", "error S060");
  says("A[B[0,0] within 1, 0]", "integer(c) is 1 where the condition holds");
  says("A[{1, 2} within 1, 0]", "a vector of 2");
  says("A[D[0,0] within 41, 0]", "error S061");
  says("A[time within 4, time within 5]", "9*11");
  says("A[D[0,0] within -1, 0]", "error S029");
  says("A[D[0,0] within D[0,0], 0]", "error S010");
  says("S[0,0].b[time within 1]", "error S062");
  says("A[1048576 + time within 2000000, 0]", "error S029");
}

}  // namespace
}  // namespace stencil::test
