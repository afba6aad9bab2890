#include "compiler/support/scalar.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace stencil {
namespace {

TEST(Scalar, Table) {
  struct Row {
    Scalar type;
    std::string_view name;
    int bytes;
    bool floating, integer;
    Scalar arithmetic;
  };
  const std::vector<Row> rows = {
      {Scalar::Bool, "bool", 1, false, false, Scalar::Bool},
      {Scalar::I8, "byte", 1, false, false, Scalar::I32},
      {Scalar::U8, "ubyte", 1, false, false, Scalar::I32},
      {Scalar::I16, "short", 2, false, false, Scalar::I32},
      {Scalar::U16, "ushort", 2, false, false, Scalar::I32},
      {Scalar::I32, "integer", 4, false, true, Scalar::I32},
      {Scalar::I64, "long", 8, false, true, Scalar::I64},
      {Scalar::F16, "half", 2, true, false, Scalar::F32},
      {Scalar::BF16, "bfloat", 2, true, false, Scalar::F32},
      {Scalar::F32, "float", 4, true, false, Scalar::F32},
      {Scalar::F64, "double", 8, true, false, Scalar::F64},
  };
  EXPECT_EQ(rows.size(), kScalarTypes);
  for (const Row& row : rows) {
    EXPECT_EQ(name(row.type), row.name);
    EXPECT_EQ(size_in_bytes(row.type), row.bytes) << row.name;
    EXPECT_EQ(is_float(row.type), row.floating) << row.name;
    EXPECT_EQ(is_integer(row.type), row.integer) << row.name;
    EXPECT_EQ(arithmetic_type(row.type), row.arithmetic) << row.name;
    EXPECT_EQ(is_storage(row.type), row.type != row.arithmetic) << row.name;
  }
}

TEST(Scalar, IntegerRangesFollowTheirWidth) {
  EXPECT_TRUE(integer_range(Scalar::I8).holds(-128));
  EXPECT_FALSE(integer_range(Scalar::I8).holds(128));
  EXPECT_TRUE(integer_range(Scalar::U8).holds(255));
  EXPECT_FALSE(integer_range(Scalar::U8).holds(-1));
  EXPECT_EQ(integer_range(Scalar::I16).least, -32768);
  EXPECT_EQ(integer_range(Scalar::U16).most, 65535);
  EXPECT_FALSE(integer_range(Scalar::I32).holds(int64_t{1} << 31));
  EXPECT_TRUE(integer_range(Scalar::I64).holds(INT64_MIN));
  EXPECT_FALSE(integer_range(Scalar::Bool).holds(2));
}

TEST(Op, EveryOperatorHasItsOwnNameAndOneToThreeOperands) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Op::Convert); ++i) {
    const Op op = static_cast<Op>(i);
    EXPECT_TRUE(names.insert(name(op)).second) << name(op);
    EXPECT_GE(arity(op), 1) << name(op);
    EXPECT_LE(arity(op), 3) << name(op);
  }
}

TEST(Op, Arity) {
  EXPECT_EQ(arity(Op::Neg), 1);
  EXPECT_EQ(arity(Op::Convert), 1);
  EXPECT_EQ(arity(Op::Pow), 2);
  EXPECT_EQ(arity(Op::Shr), 2);
  EXPECT_EQ(arity(Op::Fma), 3);
  EXPECT_EQ(arity(Op::Select), 3);
}

// Operators with the same spelling differ in the number of operands.
TEST(Op, Spellings) {
  std::set<std::pair<std::string_view, int>> spellings;
  std::string symbols;
  for (int i = 0; i <= static_cast<int>(Op::Convert); ++i) {
    const Op op = static_cast<Op>(i);
    EXPECT_TRUE(spellings.insert({spelling(op), arity(op)}).second) << name(op);
    if (spelling(op) != name(op)) symbols += std::string(spelling(op)) + " ";
  }
  EXPECT_EQ(symbols, "- + - * / % < <= > >= == != & | ^ ~ << >> ");
}

TEST(Op, Classes) {
  const std::string kLibrary =
      "exp exp2 log log2 log10 pow cbrt hypot sin cos tan asin acos atan atan2 sinh cosh tanh "
      "asinh acosh atanh erf erfc ";
  std::string of[6];
  for (int i = 0; i <= static_cast<int>(Op::Convert); ++i) {
    const Op op = static_cast<Op>(i);
    of[static_cast<int>(class_of(op))] += std::string(name(op)) + " ";
  }
  EXPECT_EQ(of[static_cast<int>(OpClass::Numbers)], "neg add sub mul div min max abs convert ");
  EXPECT_EQ(of[static_cast<int>(OpClass::Integers)], "mod bitand bitor bitxor bitnot shl shr ");
  EXPECT_EQ(of[static_cast<int>(OpClass::Floats)],
            "fma sqrt rsqrt " + kLibrary + "floor ceil round trunc ");
  EXPECT_EQ(of[static_cast<int>(OpClass::Logic)], "and or not ");
  EXPECT_EQ(of[static_cast<int>(OpClass::Select)], "select ");
  std::string comparisons, transcendental;
  for (int i = 0; i <= static_cast<int>(Op::Convert); ++i) {
    const Op op = static_cast<Op>(i);
    if (is_comparison(op)) comparisons += std::string(name(op)) + " ";
    if (is_transcendental(op)) transcendental += std::string(name(op)) + " ";
  }
  EXPECT_EQ(comparisons, "lt le gt ge eq ne ");
  EXPECT_EQ(transcendental, kLibrary);
}

TEST(FpMode, Names) {
  EXPECT_EQ(name(FpMode::Strict), "strict");
  EXPECT_EQ(name(FpMode::Contract), "contract");
  EXPECT_EQ(name(FpMode::Fast), "fast");
}

}  // namespace
}  // namespace stencil
