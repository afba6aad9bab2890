// Expressions: precedence, ends of numbers, the tree of each form, and spans.
#include "tests/unit/syntax/helpers.h"

namespace stencil {
namespace {

using test::messages;
using test::one_line;

TEST(Expression, PrecedenceFromLowestToHighest) {
  EXPECT_EQ(one_line("a or b and c"), "(or a (and b c))");
  EXPECT_EQ(one_line("a and b or c"), "(or (and a b) c)");
  EXPECT_EQ(one_line("a and b == c"), "(and a (== b c))");
  EXPECT_EQ(one_line("a < b | c"), "(< a (| b c))");
  EXPECT_EQ(one_line("a | b ^ c & d"), "(| a (^ b (& c d)))");
  EXPECT_EQ(one_line("a & b ^ c | d"), "(| (^ (& a b) c) d)");
  EXPECT_EQ(one_line("a & b << c"), "(& a (<< b c))");
  EXPECT_EQ(one_line("a << b + c"), "(<< a (+ b c))");
  EXPECT_EQ(one_line("a + b * c"), "(+ a (* b c))");
  EXPECT_EQ(one_line("a * b + c"), "(+ (* a b) c)");
  EXPECT_EQ(one_line("a * -b"), "(* a (- b))");
  EXPECT_EQ(one_line("-a * b"), "(* (- a) b)");
  EXPECT_EQ(one_line("-a[0]"), "(- (bracket a 0))");
  EXPECT_EQ(one_line("not a and b"), "(and (not a) b)");
}

TEST(Expression, BinaryOperatorsAssociateToTheLeft) {
  EXPECT_EQ(one_line("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(one_line("a / b * c % d"), "(% (* (/ a b) c) d)");
  EXPECT_EQ(one_line("a << b >> c"), "(>> (<< a b) c)");
  EXPECT_EQ(one_line("a or b or c"), "(or (or a b) c)");
}

TEST(Expression, EveryComparison) {
  for (const std::string op : {"==", "!=", "<", "<=", ">", ">="}) {
    EXPECT_EQ(one_line("a" + op + "b"), "(" + op + " a b)");
  }
  EXPECT_EQ(one_line("a < b and b < c"), "(and (< a b) (< b c))");
  EXPECT_EQ(one_line("(a < b) == c"), "(== (< a b) c)");
}

TEST(Expression, PrefixOperators) {
  EXPECT_EQ(one_line("- - ~a"), "(- (- (~ a)))");
  EXPECT_EQ(one_line("!a"), "(not a)");
  EXPECT_EQ(one_line("not not a"), "(not (not a))");
  EXPECT_EQ(one_line("a - -b"), "(- a (- b))");
  EXPECT_EQ(one_line("notable"), "notable");
}

TEST(Expression, ParenthesesGroup) {
  EXPECT_EQ(one_line("(a + b) * c"), "(* (+ a b) c)");
  EXPECT_EQ(one_line("-(a + b)"), "(- (+ a b))");
  EXPECT_EQ(one_line("((a))"), "a");
}

TEST(Expression, OffsetsWithinBounds) {
  EXPECT_EQ(one_line("a[b + 1 within c * 2, 0]"), "(bracket a (within (+ b 1) (* c 2)) 0)");
  EXPECT_EQ(one_line("within[within within within]"), "(bracket within (within within within))");
  EXPECT_NE(messages("stop when a within 1;").find("P001"), std::string::npos);
  EXPECT_NE(messages("stop when a[1 within];").find("expected: an expression"), std::string::npos);
}

TEST(Expression, Numbers) {
  EXPECT_EQ(one_line("12"), "12");
  EXPECT_NE(test::tree("stop when 12;").find("integer 12"), std::string::npos);
  EXPECT_NE(test::tree("stop when 12.;").find("real 12"), std::string::npos);
  EXPECT_EQ(one_line("0.5"), "0.5");
  EXPECT_EQ(one_line(".5"), "0.5");
  EXPECT_EQ(one_line("1e-6"), "1e-06");
  EXPECT_EQ(one_line("1E6"), "1000000");
  EXPECT_EQ(one_line("2.5e+3"), "2500");
  EXPECT_EQ(one_line("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(one_line("true or false"), "(or true false)");
}

TEST(Expression, TheDotsOfARangeDoNotBelongToTheNumber) {
  const char* box = R"(program
  grid G
    box
      range
        integer 0
        integer 9
)";
  EXPECT_EQ(test::tree("grid G = [0..9];"), box);
  EXPECT_EQ(test::tree("grid G = [0 .. 9];"), box);
}

TEST(Expression, PostfixForms) {
  EXPECT_EQ(one_line("A[-1, 0]"), "(bracket A (- 1) 0)");
  EXPECT_EQ(one_line("U@-1[0]"), "(bracket U@-1 0)");
  EXPECT_EQ(one_line("U @ - 2"), "U@-2");
  EXPECT_EQ(one_line("lap(U)[0,1]"), "(bracket (call lap U) 0 1)");
  EXPECT_EQ(one_line("S[0].u[1]"), "(bracket (member u (bracket S 0)) 1)");
  EXPECT_EQ(one_line("f()"), "call f");
  EXPECT_EQ(one_line("select(a < b, 1, 2)"), "(call select (< a b) 1 2)");
}

TEST(Expression, Comprehensions) {
  EXPECT_EQ(one_line("sum(a in -1..1, b in 0..N : w[a] * b)"),
            "(comprehension sum (binder a (- 1) 1) (binder b 0 N) (* (bracket w a) b))");
  EXPECT_EQ(one_line("vector(q in 0..8 : q)"), "(comprehension vector (binder q 0 8) q)");
  EXPECT_EQ(one_line("max(a in 0..1 : sum(b in 0..a : f(b)))"),
            "(comprehension max (binder a 0 1) (comprehension sum (binder b 0 a) (call f b)))");
  EXPECT_EQ(one_line("sum(index)"), "(call sum index)");  // not the binder `in dex`
}

TEST(Expression, Aggregates) {
  EXPECT_EQ(one_line("{1, {2, 3}}"), "(aggregate 1 (aggregate 2 3))");
  EXPECT_EQ(one_line("{rho = 1, u = {a == b, 0}}"),
            "(aggregate (rho = 1) (u = (aggregate (== a b) 0)))");
}

TEST(Expression, CommentsAndBlanksSeparateAnyTokens) {
  EXPECT_EQ(one_line("/* a */ f // b\n ( /**/ x \t,\r\n y /* c */ ) [ 0 ] . m"),
            "(member m (bracket (call f x y) 0))");
}

// The source text of each node's span, outermost first.
std::vector<std::string> texts_of(const std::string& expression) {
  const Source source("t.stn", "stop when " + expression + ";");
  Diagnostics diagnostics;
  const auto program = parse(source, diagnostics);
  if (!program) return {render(source, diagnostics)};
  std::vector<std::string> texts;
  const ast::Expr* expr = std::get<ast::Stop>(program->items[0].kind).condition.get();
  while (expr) {
    texts.emplace_back(source.text(expr->span));
    if (const auto* binary = std::get_if<ast::Binary>(&expr->kind)) {
      expr = binary->left.get();
    } else if (const auto* unary = std::get_if<ast::Unary>(&expr->kind)) {
      expr = unary->operand.get();
    } else if (const auto* bracket = std::get_if<ast::Bracket>(&expr->kind)) {
      expr = bracket->base.get();
    } else if (const auto* member = std::get_if<ast::Member>(&expr->kind)) {
      expr = member->base.get();
    } else {
      expr = nullptr;
    }
  }
  return texts;
}

TEST(Expression, SpansCoverTheTextOfTheNode) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(texts_of("(a + b) * c"), (Texts{"(a + b) * c", "(a + b)", "a"}));
  EXPECT_EQ(texts_of("- A[1] . x /**/ + 2"),
            (Texts{"- A[1] . x /**/ + 2", "- A[1] . x", "A[1] . x", "A[1]", "A"}));
  EXPECT_EQ(texts_of("f(a, b)[0]"), (Texts{"f(a, b)[0]", "f(a, b)"}));
  EXPECT_EQ(texts_of("U@-12 < sum(a in 0..1 : a)"), (Texts{"U@-12 < sum(a in 0..1 : a)", "U@-12"}));
  EXPECT_EQ(texts_of("{1, 2} "), (Texts{"{1, 2}"}));
}

}  // namespace
}  // namespace stencil
