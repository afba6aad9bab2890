// The contraction rule on the IR text: which additions become fused and in which order. No addition
// with a product remains.
#include "compiler/ir/passes.h"
#include "tests/unit/load.h"

namespace stencil::ir {
namespace {

std::string expression(const std::string& text, FpMode fp = FpMode::Contract) {
  ProgramOptions options;
  options.fp = fp;
  const Program program = test::load(
      "grid G = [0..9] steps 1; field A, B, C, D : real on G; stencil f : A[0..9] = " + text + ";",
      options);
  const std::string printed = print(program);
  const size_t begin = printed.find("    = ") + 6;
  return printed.substr(begin, printed.find('\n', begin) - begin);
}

TEST(Contract, LeftProductFirst) {
  EXPECT_EQ(expression("A[0]*B[0] + C[0]*D[0]"), "fma(A[0], B[0], mul(C[0], D[0]))");
}
TEST(Contract, RightProduct) {
  EXPECT_EQ(expression("A[0] + C[0]*D[0]"), "fma(C[0], D[0], A[0])");
}
TEST(Contract, SubtractedProductNegatesItsFactor) {
  EXPECT_EQ(expression("A[0] - C[0]*D[0]"), "fma(neg(C[0]), D[0], A[0])");
}
TEST(Contract, SubtractionFromProductNegatesTheAddend) {
  EXPECT_EQ(expression("A[0]*B[0] - C[0]"), "fma(A[0], B[0], neg(C[0]))");
}
TEST(Contract, ConstantsAreNegatedInPlace) {
  EXPECT_EQ(expression("A[0] - 2*D[0]"), "fma(-2, D[0], A[0])");
}
TEST(Contract, NegatedProduct) {
  EXPECT_EQ(expression("-(A[0]*B[0]) + C[0]"), "fma(neg(A[0]), B[0], C[0])");
}
TEST(Contract, ChainsOperandsFirst) {
  EXPECT_EQ(expression("A[0]*B[0] + B[0] + C[0]*D[0]"), "fma(C[0], D[0], fma(A[0], B[0], B[0]))");
}
TEST(Contract, StrictLeavesSumsAlone) {
  EXPECT_EQ(expression("A[0] + C[0]*D[0]", FpMode::Strict), "add(A[0], mul(C[0], D[0]))");
}
TEST(Contract, SharedProductsAreFusedEverywhere) {
  const std::string text = expression("(A[0]*B[0] + C[0]) / (A[0]*B[0] + D[0])");
  EXPECT_EQ(text, "div(fma(A[0], B[0], C[0]), fma(A[0], B[0], D[0]))");
}

}  // namespace
}  // namespace stencil::ir
