// The tree of a C file as text, polynomials in the sizes, and boundary rules found in subscripts.
#include <gtest/gtest.h>

#include "compiler/lift/edge.h"
#include "compiler/lift/expr.h"
#include "compiler/lift/lift.h"

namespace stencil::lifter {
namespace {

// void f(double* a) { a[0] = 1.5; }
CTree small_tree() {
  CTree tree;
  tree.files = {"f.c"};
  const auto type = [&](CTypeInfo::Kind kind, CScalar scalar, int of, const char* text) {
    CTypeInfo made;
    made.kind = kind;
    made.scalar = scalar;
    made.of = of;
    made.text = text;
    tree.types.push_back(made);
  };
  type(CTypeInfo::Kind::Void, CScalar::None, -1, "void");
  type(CTypeInfo::Kind::Scalar, CScalar::F64, -1, "double");
  type(CTypeInfo::Kind::Pointer, CScalar::None, 1, "double *");
  type(CTypeInfo::Kind::Scalar, CScalar::I32, -1, "int");
  tree.variables.push_back({"a", 2, CVariable::Storage::Parameter, -1, 1});
  const auto add = [&](CKind kind, int of, std::vector<int> children, double real = 0) {
    CNode node;
    node.kind = kind;
    node.type = of;
    node.children = std::move(children);
    node.real = real;
    if (kind == CKind::Real) node.text = "a b\n7 ";
    tree.nodes.push_back(node);
    return static_cast<int>(tree.nodes.size()) - 1;
  };
  const int a = add(CKind::Variable, 2, {});
  const int zero = add(CKind::Int, 3, {});
  const int element = add(CKind::Subscript, 1, {a, zero});
  const int value = add(CKind::Real, 1, {}, 1.5);
  const int assign = add(CKind::Assign, 1, {element, value});
  const int body = add(CKind::Block, -1, {assign});
  tree.functions.push_back({"f", {0}, 0, body, 1, false, {}});
  tree.entry = 0;
  return tree;
}

TEST(CTree, SurvivesWritingAndReading) {
  const std::string text = write(small_tree());
  const auto back = read_tree(text);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(write(*back), text);
  EXPECT_EQ(back->nodes[3].text, "a b\n7 ");
  EXPECT_EQ(back->nodes[3].real, 1.5);
}

TEST(CTree, TruncatedTextIsRefusedAndDamagedTextIsSafe) {
  const std::string text = write(small_tree());
  for (size_t size = 0; size < text.size() - 1; ++size) {
    EXPECT_FALSE(read_tree(text.substr(0, size)).has_value()) << size;
  }
  for (size_t at = 0; at < text.size(); ++at) {  // may be accepted, but must not crash
    for (const char other : {'9', ' ', '-', 'x'}) {
      std::string damaged = text;
      damaged[at] = other;
      (void)read_tree(damaged);
    }
  }
}

TEST(CTree, OfASingleAssignmentIsLifted) {
  const auto lifted = lift(small_tree(), "f.c", {});
  ASSERT_TRUE(std::holds_alternative<Lifted>(lifted)) << std::get<Refusal>(lifted).message;
  EXPECT_NE(std::get<Lifted>(lifted).program.text.find("a[0] = 1.5;"), std::string::npos);
}

struct Sums : testing::Test {
  Pool pool;
  Poly n = Poly::atom(pool.leaf(XKind::Symbol, CScalar::I32, 0, "n"));
  Poly m = Poly::atom(pool.leaf(XKind::Symbol, CScalar::I32, 1, "m"));
};

TEST_F(Sums, AreDividedByStrides) {
  const Poly stride = n + Poly(4);
  const auto division = (stride * (m - Poly(2)) + n - Poly(1)).divided_by(stride);
  EXPECT_EQ(division.quotient * stride + division.rest, stride * (m - Poly(2)) + n - Poly(1));
  EXPECT_EQ((stride * m).divided_by(stride).quotient, m);
  EXPECT_TRUE((stride * m).divided_by(stride).rest.zero());
}

TEST_F(Sums, AreProvedNonNegativeFromFacts) {
  const std::vector<Poly> facts = {n - Poly(3), m - n};
  EXPECT_TRUE(proved(n - Poly(2), facts));
  EXPECT_TRUE(proved(Poly(2) * n - Poly(6), facts));
  EXPECT_TRUE(proved(m - Poly(3), facts));
  EXPECT_FALSE(proved(n - Poly(4), facts));
  EXPECT_FALSE(proved(n - m, facts));
  EXPECT_FALSE(proved(-n, facts));
}

// The boundary rule that the subscript `x` follows for `index` in 0..n-1; null if there is none.
X edge(Pool& pool, const Poly& n, X index, X x) {
  return edge_of(pool, x, index, Domain{0, Poly(), n - Poly(1), 1, 1});
}

TEST_F(Sums, InSubscriptsBecomeBoundaryRules) {
  X i = pool.leaf(XKind::Index, CScalar::I64, 0, "i");
  const auto number = [&](int64_t value) { return pool.integer(value, CScalar::I64); };
  const auto plus = [&](X a, int64_t b) { return pool.binary("+", a, number(b), CScalar::I64); };
  X length = n.expression(pool, CScalar::I64);
  X around = edge(pool, n, i, pool.binary("%", plus(i, 1), length, CScalar::I64));
  ASSERT_NE(around, nullptr);
  EXPECT_EQ(around->text, "periodic");
  EXPECT_EQ(around->integer, 1);
  X first = pool.binary("==", i, number(0), CScalar::I32);
  X held = edge(pool, n, i, pool.select(first, number(0), plus(i, -1)));
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(held->text, "clamp");
  X mirrored = edge(pool, n, i, pool.select(first, number(1), plus(i, -1)));
  ASSERT_NE(mirrored, nullptr);
  EXPECT_EQ(mirrored->text, "mirror");
  EXPECT_EQ(edge(pool, n, i, pool.select(first, number(2), plus(i, -1))), nullptr);
  EXPECT_EQ(edge(pool, n, i, pool.select(first, number(0), plus(i, -2))), nullptr);
}

}  // namespace
}  // namespace stencil::lifter
