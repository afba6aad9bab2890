// The folding constructors: what they fold, what they must not fold, and result types.
#include <gtest/gtest.h>

#include <limits>

#include "compiler/kernel/evaluate.h"
#include "compiler/kernel/passes.h"

namespace stencil::kernel {
namespace {

Expr x() {
  return variable("x");
}
Expr f() {
  return variable("f", Scalar::F32);
}

TEST(Expr, LiteralsFold) {
  EXPECT_EQ(print(add(integer(2), integer(3))), "5");
  EXPECT_EQ(print(operation(Op::Div, {integer(-7), integer(2)})), "-3");
  EXPECT_EQ(print(operation(Op::Mod, {integer(-7), integer(2)})), "-1");
  EXPECT_EQ(print(less(integer(2), integer(3))), "true");
  EXPECT_EQ(print(operation(Op::Min, {integer(2), integer(3)})), "2");
  EXPECT_EQ(print(operation(Op::Neg, {integer(4)})), "-4");
}

TEST(Expr, MinAndMaxOfValuesThatDifferByALiteralFold) {
  const Expr x = variable("x"), y = variable("y");
  const auto smaller = [](const Expr& a, const Expr& b) { return operation(Op::Min, {a, b}); };
  EXPECT_EQ(print(smaller(sub(x, integer(1)), x)), print(sub(x, integer(1))));
  EXPECT_EQ(print(smaller(x, add(x, integer(8)))), "x");
  EXPECT_EQ(print(operation(Op::Max, {sub(x, integer(1)), x})), "x");
  EXPECT_EQ(print(smaller(smaller(sub(x, integer(1)), y), x)),
            print(smaller(sub(x, integer(1)), y)));
  EXPECT_EQ(print(smaller(smaller(y, add(x, integer(2))), x)), print(smaller(y, x)));
  EXPECT_EQ(print(smaller(x, y)), "min(x, y)");
}

TEST(Expr, SelectsBetweenSumsSelectLiterals) {
  const Expr x = variable("x"), y = variable("y"), c = variable("c", Scalar::Bool);
  const auto choice = [&](const Expr& a, const Expr& b) {
    return operation(Op::Select, {c, a, b});
  };
  EXPECT_EQ(print(choice(x, add(x, integer(4)))), "x + select(c, 0, 4)");
  EXPECT_EQ(print(choice(sub(x, integer(1)), x)), "x + select(c, -1, 0)");
  EXPECT_EQ(print(choice(x, y)), "select(c, x, y)");
  EXPECT_EQ(print(choice(integer(1), integer(2))), "select(c, 1, 2)");
}

TEST(Expr, DivisionByZeroAndMinusOneFoldAsInTheLanguage) {
  EXPECT_EQ(print(operation(Op::Div, {integer(5), integer(0)})), "0");
  EXPECT_EQ(print(operation(Op::Mod, {integer(5), integer(0)})), "0");
  EXPECT_EQ(print(operation(Op::Mod, {integer(5), integer(-1)})), "0");
}

TEST(Expr, SumsCollectTheirLiterals) {
  EXPECT_EQ(print(sub(add(x(), integer(1)), integer(1))), "x");
  EXPECT_EQ(print(add(add(x(), integer(1)), add(variable("y"), integer(2)))), "(x + y) + 3");
  EXPECT_EQ(print(add(x(), integer(-2))), "x - 2");
  EXPECT_EQ(print(sub(integer(3), x())), "3 - x");
  EXPECT_EQ(print(add(integer(3), x())), "x + 3");
}

TEST(Expr, NeutralElementsVanish) {
  EXPECT_EQ(print(mul(x(), integer(1))), "x");
  EXPECT_EQ(print(mul(integer(0), x())), "0");
  EXPECT_EQ(print(operation(Op::Div, {x(), integer(1)})), "x");
  EXPECT_EQ(print(all_of({})), "true");
  EXPECT_EQ(print(all_of({less(x(), integer(3)), boolean(true)})), "x < 3");
  EXPECT_EQ(print(operation(Op::Or, {boolean(true), less(x(), integer(3))})), "true");
  EXPECT_EQ(print(operation(Op::Select, {boolean(false), integer(1), x()})), "x");
}

TEST(Expr, OverflowingOperationsDoNotFold) {
  const int64_t most = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(print(add(integer(most), integer(1))), "2147483647 + 1");
  EXPECT_EQ(print(add(add(x(), integer(most)), integer(1))), "(x + 2147483647) + 1");
  const int64_t huge = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(print(mul(integer(huge, Scalar::I64), integer(2, Scalar::I64))),
            "9223372036854775807L * 2L");
}

TEST(Expr, FloatArithmeticDoesNotFold) {
  EXPECT_EQ(print(add(f(), real(0, Scalar::F32))), "f + 0f");
  EXPECT_EQ(print(mul(f(), real(1, Scalar::F32))), "f * 1f");
  EXPECT_EQ(print(add(real(1, Scalar::F32), real(2, Scalar::F32))), "1f + 2f");
}

TEST(Expr, ResultTypes) {
  EXPECT_EQ(less(f(), f())->type, Scalar::Bool);
  EXPECT_EQ(operation(Op::Select, {variable("c", Scalar::Bool), f(), f()})->type, Scalar::F32);
  EXPECT_EQ(operation(Op::Shl, {variable("l", Scalar::I64), x()})->type, Scalar::I64);
  EXPECT_EQ(add(x(), variable("l", Scalar::I64))->type, Scalar::I64)
      << "the narrow side is widened";
  EXPECT_EQ(print(add(x(), variable("l", Scalar::I64))), "long(x) + l");
}

TEST(Expr, ConversionsOfLiteralsFold) {
  EXPECT_EQ(print(convert(integer(3), Scalar::F32)), "3f");
  EXPECT_EQ(print(convert(integer(3), Scalar::I64)), "3L");
  EXPECT_EQ(print(convert(real(0.1, Scalar::F64), Scalar::F32)), "0.1f");
  EXPECT_EQ(convert(x(), Scalar::I32).use_count(), 1) << "no node where there is nothing to do";
  EXPECT_EQ(print(convert(integer(int64_t{1} << 40, Scalar::I64), Scalar::I32)),
            "integer(1099511627776L)");
}

TEST(Evaluate, UsesTheEnvironment) {
  const Environment environment = [](const std::string& name) -> std::optional<int64_t> {
    if (name == "N") return int64_t{3000000000};
    return std::nullopt;
  };
  const Expr n = variable("N");
  EXPECT_EQ(evaluate(operation(Op::Div, {add(n, integer(31)), integer(32)}), environment),
            93750000);
  EXPECT_EQ(evaluate(less(n, integer(5)), environment), 0);
  EXPECT_EQ(evaluate(add(n, x()), environment), std::nullopt);
}

TEST(SharedBytes, CountsSharedBuffersAlignedTo16) {
  Kernel kernel;
  kernel.buffers = {
      {"a", Scalar::F32, Space::Shared, {variable("w"), integer(3)}, false, false, ""},
      {"b", Scalar::F64, Space::Shared, {integer(2)}, false, false, ""},
      {"c", Scalar::F64, Space::Thread, {integer(100)}, false, false, ""}};
  EXPECT_EQ(shared_bytes(kernel, {{"w", Scalar::I32, 3, ""}}), 48 + 16);
}

TEST(SharedLayout, OrdersByAlignmentAndReservesBarriersOfBulkCopies) {
  Kernel kernel;
  kernel.buffers = {{"a", Scalar::F32, Space::Shared, {integer(3)}, false, false, ""},
                    {"own", Scalar::F32, Space::Thread, {integer(3)}, false, false, ""},
                    {"b", Scalar::F64, Space::Shared, {integer(17)}, false, false, "", 128}};
  kernel.bulk_batches = 3;
  const SharedLayout layout = shared_layout(kernel, {});
  EXPECT_EQ(layout.offsets, (std::vector<int64_t>{0, 0, 128}));
  EXPECT_EQ(layout.alignment, 128);
  EXPECT_EQ(layout.bulk_words, 128 + 144);
  EXPECT_EQ(layout.bytes, 128 + 144 + 32);
}

}  // namespace
}  // namespace stencil::kernel
