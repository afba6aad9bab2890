// finish() reports the errors of a built program with their place in the C++ source.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compiler/builder/access.h"
#include "compiler/sema/analyze.h"
#include "stencil/builder.h"

namespace {

using namespace stencil::dsl;  // NOLINT: as users write

// Returns the only message, which must be an error in this file.
BuildMessage only_error(const Builder& b) {
  const BuildResult result = b.finish();
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.messages.size(), 1u) << result.report();
  if (result.messages.size() != 1) return {};
  const BuildMessage& message = result.messages.front();
  EXPECT_TRUE(message.is_error);
  EXPECT_TRUE(message.file.ends_with("errors_test.cpp")) << message.file;
  EXPECT_EQ(result.report(), message.text);
  return message;
}

// Returns the only error of a program with one statement that uses `expr`.
BuildMessage only_error(const Expr& expr) {
  Builder b;
  b.stop(expr);
  return only_error(b);
}

struct Small {  // a builder with a grid and a field
  Builder b{"small"};
  Domain G = b.grid("G", {{0, 7}, {0, 7}}, 10);
  Field A = b.field("A", real, G);
};

TEST(BuilderErrors, SemanticErrorsQuoteTheTextAndLocateTheCall) {
  Small p;
  p.b.stencil("s", p.A, p.G, p.A(0, 0) + p.A(-1, 0));
  const uint32_t line = __LINE__ - 1;
  const BuildMessage error = only_error(p.b);
  EXPECT_EQ(error.code, "S031");
  EXPECT_EQ(error.line, line);
  EXPECT_NE(error.text.find("<small>:3:32: error S031"), std::string::npos) << error.text;
  EXPECT_NE(error.text.find("3 | stencil s : A on G = A[0, 0] + A[-1, 0];"), std::string::npos)
      << error.text;
  EXPECT_NE(error.text.find("errors_test.cpp:" + std::to_string(line) + "\n"), std::string::npos)
      << error.text;
}

TEST(BuilderErrors, ErrorsInABodyNameItsLine) {
  Small p;
  auto s = p.b.stencil("s", p.A);
  const auto x = s.let("x", p.A(0));
  const uint32_t line = __LINE__ - 1;
  s.piece(p.G, x);
  const BuildMessage error = only_error(p.b);
  EXPECT_EQ(error.line, line) << error.text;
  EXPECT_EQ(error.code[0], 'S');
}

TEST(BuilderErrors, ScopesAndTypesFollowTheLanguage) {
  Small p;
  auto s = p.b.stencil("s", p.A);
  const auto x = s.let("x", p.A(0, 0));
  s.piece(p.G, x);
  p.b.stencil("t", p.A, p.G, x);
  EXPECT_EQ(only_error(p.b).code, "S004");

  Small q;
  q.b.stencil("s", q.A, q.G, select((q.A(0, 0) < 1) < 2, 1, 0));
  EXPECT_EQ(only_error(q.b).code[0], 'S');
}

TEST(BuilderErrors, ReservedWordsAreRefused) {
  Small p;
  const auto N = p.b.param("steps", 5);
  EXPECT_EQ(only_error(p.b).code, "P007");
}

TEST(BuilderErrors, ValuesOfAnotherBuilderAreRefused) {
  Small p, q;
  p.b.stencil("s", p.A, p.G, q.A(0, 0));
  EXPECT_EQ(only_error(p.b).code, "P020");

  Small r;
  r.b.stencil("s", r.A, r.G, r.A(0, 0) + q.A(0, 0));
  EXPECT_EQ(only_error(r.b).code, "P020");

  Small s;
  s.b.stencil("s", s.A, q.G, 1);
  const uint32_t line = __LINE__ - 1;
  const BuildMessage error = only_error(s.b);
  EXPECT_EQ(error.code, "P020");
  EXPECT_EQ(error.line, line);
  EXPECT_NE(error.text.find("errors_test.cpp:" + std::to_string(line) + ": error P020"),
            std::string::npos)
      << error.text;

  Small t;
  t.b.stencil("s", q.A, t.G, 1);
  EXPECT_EQ(only_error(t.b).code, "P020");

  Small u;
  const auto f = q.b.function("f", {}, 1);
  u.b.stencil("s", u.A, u.G, f());
  EXPECT_EQ(only_error(u.b).code, "P020");

  Small v;
  v.b.field("c", q.b.type("cell", structure({{"x", real}})), v.G);
  EXPECT_EQ(only_error(v.b).code, "P020");
}

TEST(BuilderErrors, InvalidNamesAreRefused) {
  for (const char* name : {"", "1a", "a b", " a", "a;", "a-b", "\xC3\xA4"}) {
    Builder b;
    b.param(name, 1);
    EXPECT_EQ(only_error(b).code, "P021") << name;
    EXPECT_EQ(only_error(Index(name) + 1).code, "P021") << name;
    EXPECT_EQ(only_error(Index("x").member(name)).code, "P021") << name;
    EXPECT_EQ(only_error(record({{name, 1}})).code, "P021") << name;
    EXPECT_EQ(only_error(sum({Index(name).in(0, 1)}, 1)).code, "P021") << name;
    Builder program(name);
    EXPECT_EQ(only_error(program).code, "P021") << name;
    Small p;
    p.b.function("f", {FieldArgument(name)}, 1);
    EXPECT_EQ(only_error(p.b).code, "P021") << name;
    Small q;
    q.b.type("t", structure({{name, real}}));
    EXPECT_EQ(only_error(q.b).code, "P021") << name;
  }
}

TEST(BuilderErrors, NumbersWithoutALiteralAreRefused) {
  EXPECT_EQ(only_error(Expr(NAN)).code, "P022");
  EXPECT_EQ(only_error(1 + Expr(INFINITY)).code, "P022");
  EXPECT_EQ(only_error(Expr(-std::numeric_limits<float>::infinity())).code, "P022");
  EXPECT_EQ(only_error(Expr(std::numeric_limits<uint64_t>::max())).code, "P022");
}

TEST(BuilderErrors, IncompleteDeclarationsAreRefused) {
  Small p;
  p.b.function("f", {});
  const uint32_t line = __LINE__ - 1;
  BuildMessage error = only_error(p.b);
  EXPECT_EQ(error.code, "P023");
  EXPECT_EQ(error.line, line);
  EXPECT_EQ(error.message, "function 'f' has no value");

  Small q;
  q.b.stencil("s", q.A).let("x", 1);
  EXPECT_EQ(only_error(q.b).code, "P023");

  Small none;
  none.b.stencil("s", std::vector<Target>{}).piece(none.G, 1);
  EXPECT_EQ(only_error(none.b).message, "stencil 's' has no target");

  Small r;
  r.b.function("f", {}, 1).value(2);
  EXPECT_EQ(only_error(r.b).code, "P023");

  EXPECT_EQ(only_error(q.A.at_indices({})).code, "P023");
  EXPECT_EQ(only_error(sum({{0, 1}}, 1)).code, "P023");
  EXPECT_EQ(only_error(sum({Index("a").in(1)}, 1)).code, "P023");
  // Empty lists are reported by the parser.
  EXPECT_EQ(only_error(sum({}, 1)).code, "P001");
  EXPECT_EQ(only_error(values({})).code, "P001");
  EXPECT_EQ(only_error(record({})).code, "P001");

  Small s;
  s.b.field("f", structure({}), s.G);
  EXPECT_EQ(only_error(s.b).code, "P001");
  Small t;
  t.b.table("f", real, {}, 1);
  EXPECT_EQ(only_error(t.b).code, "P001");
  Builder u;
  u.grid("G", {});
  EXPECT_EQ(only_error(u).code, "P001");
  Small v;
  v.b.field("f", real, v.G, {.boundary = std::vector<Sides>{}});
  EXPECT_EQ(only_error(v.b).code, "P001");
}

TEST(BuilderErrors, MissingHistoryLevelsAreRefused) {
  Small p;
  p.b.stencil("s", p.A, p.G, p.A.at(1)(0, 0));
  EXPECT_EQ(only_error(p.b).code, "P024");
  Small q;
  q.b.stencil("s", q.A, q.G, q.A.at(-1)(0, 0));
  EXPECT_EQ(only_error(q.b).code[0], 'S');  // the field has no history
}

TEST(BuilderErrors, TooLargeExpressionsAreRefused) {
  Expr deep = 1;
  for (int i = 0; i < 100000; ++i) deep = deep + 1;
  EXPECT_EQ(only_error(deep).code, "P005");
  Expr nested = 1;
  for (int i = 0; i < 300; ++i) nested = 1 - nested;
  EXPECT_EQ(only_error(nested).code, "P004");
  Expr large = 1;
  for (int i = 0; i < 64; ++i) large = large * large;
  EXPECT_EQ(only_error(large).code, "P025");

  Type type = real;
  for (int i = 0; i < 100000; ++i) type = vector(2, type);
  Small p;
  p.b.type("t", type);
  EXPECT_EQ(only_error(p.b).code, "P005");
  Type wide = real;
  for (int i = 0; i < 64; ++i) wide = structure({{"a", wide}, {"b", wide}});
  Small q;
  q.b.type("t", wide);
  EXPECT_EQ(only_error(q.b).code, "P025");
}

TEST(BuilderErrors, MisplacedIndexRangesAreRefused) {
  Builder b;
  b.grid("G", {Index("i").in(0, 7)});
  EXPECT_EQ(only_error(b).code, "P001");
}

TEST(BuilderErrors, AllErrorsAreReported) {
  Small p;
  p.b.param("a b", 1);
  p.b.param("c d", 1);
  const BuildResult result = p.b.finish();
  EXPECT_FALSE(result);
  ASSERT_EQ(result.messages.size(), 2u);
  EXPECT_LT(result.messages[0].line, result.messages[1].line);
}

TEST(BuilderErrors, WarningsComeWithTheProgram) {
  Small p;
  p.b.param("unused", 1);
  const uint32_t line = __LINE__ - 1;
  p.b.stencil("s", p.A, p.G, 1);
  const BuildResult result = p.b.finish();
  EXPECT_TRUE(result.ok());
  ASSERT_EQ(result.messages.size(), 1u);
  EXPECT_FALSE(result.messages[0].is_error);
  EXPECT_EQ(result.messages[0].code, "S101");
  EXPECT_EQ(result.messages[0].line, line);
}

TEST(BuilderErrors, AnalysisTakesDefinitionsAndIsOptional) {
  Small p;
  const auto n = p.b.param("n", integer);
  const auto v = p.b.field("v", vector(n, real), p.G);
  p.b.stencil("s", v, p.G, 1);
  p.b.stencil("t", p.A, p.G, 1);
  EXPECT_FALSE(p.b.finish().ok());
  EXPECT_TRUE(p.b.finish({.definitions = {{"n", "3"}}}).ok());

  const BuildResult unchecked = p.b.finish({.analyse = false});
  ASSERT_TRUE(unchecked.ok()) << unchecked.report();
  stencil::Diagnostics diagnostics;
  EXPECT_FALSE(stencil::analyze(stencil::syntax_of(*unchecked.program),
                                stencil::source_of(*unchecked.program), {}, diagnostics));
  const std::string text = stencil::render(*unchecked.program, diagnostics);
  EXPECT_NE(text.find("errors_test.cpp:"), std::string::npos) << text;
  EXPECT_EQ(stencil::place_of(*unchecked.program, {}).line, 0u);
}

TEST(BuilderErrors, HandlesOutliveTheirBuilder) {
  std::optional<Stencil> left;
  std::optional<Expr> value;
  {
    Small p;
    left = p.b.stencil("s", p.A);
    value = p.A(0, 0);
  }
  left->piece({{0, 7}, {0, 7}}, *value);
  Small other;
  other.b.stencil("s", other.A, other.G, *value);
  EXPECT_EQ(only_error(other.b).code, "P020");
}

}  // namespace
