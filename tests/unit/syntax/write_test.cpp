// Program text written from trees: writing and parsing again gives the same tree.
#include "compiler/syntax/write.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/unit/syntax/helpers.h"

namespace stencil {
namespace {

namespace fs = std::filesystem;

// Writes the tree of a program, which must parse.
Written written(const std::string& text) {
  const Source source("t.stn", text);
  Diagnostics diagnostics;
  const auto program = parse(source, diagnostics);
  EXPECT_TRUE(program.has_value()) << text << render(source, diagnostics);
  return program ? write(*program) : Written{};
}

// Parses and rewrites an expression.
std::string rewritten(const std::string& expression) {
  const std::string text = written("stop when " + expression + ";").text;
  EXPECT_EQ(test::tree(text), test::tree("stop when " + expression + ";"));
  const size_t prefix = std::string("stop when ").size();
  return text.size() < prefix + 2 ? text : text.substr(prefix, text.size() - prefix - 2);
}

TEST(Write, WritesOnlyTheNeededParentheses) {
  EXPECT_EQ(rewritten("((a + b) - c)"), "a + b - c");
  EXPECT_EQ(rewritten("a - (b - c)"), "a - (b - c)");
  EXPECT_EQ(rewritten("a + (b * c)"), "a + b * c");
  EXPECT_EQ(rewritten("(a + b) * c"), "(a + b) * c");
  EXPECT_EQ(rewritten("(a < b) == (c < d)"), "(a < b) == (c < d)");
  EXPECT_EQ(rewritten("not (a and b) or !c"), "not (a and b) or not c");
  EXPECT_EQ(rewritten("-(a * b) + -c * - -d"), "-(a * b) + -c * --d");
  EXPECT_EQ(rewritten("(a | b) & (c << 1)"), "(a | b) & c << 1");
  EXPECT_EQ(rewritten("(-a)[0].m"), "(-a)[0].m");
  EXPECT_EQ(rewritten("(U@-1[0,(1)]).rho[2]"), "U@-1[0, 1].rho[2]");
  EXPECT_EQ(rewritten("(2)[0]"), "(2)[0]");
  EXPECT_EQ(rewritten("u[(a or b)within(c), -d within 1 + within]"),
            "u[a or b within c, -d within 1 + within]");
}

TEST(Write, NumbersKeepTheirKindAndValue) {
  EXPECT_EQ(rewritten("1 + 1.0 + 2. + .5"), "1 + 1.0 + 2.0 + 0.5");
  EXPECT_EQ(rewritten("1e30 + 1e-6"), "1e+30 + 1e-06");
  EXPECT_EQ(rewritten("0.1000000000000000055511151231257827"), "0.1");
  EXPECT_EQ(rewritten("9223372036854775807"), "9223372036854775807");
}

TEST(Write, EveryFormOfEveryItem) {
  const std::string text =
      "param N : integer = 8;\n"
      "param k : real;\n"
      "type cell = { rho : real, u : vector 2 of float };\n"
      "grid G = [0..N - 1, 0] steps 2 * N origin -k spacing [k / 2, 1];\n"
      "grid C of G by 2;\n"
      "grid D of G by [1, 2 * N] cells steps 3 spacing k;\n"
      "grid H = [0..N - 1, 0] levels N + 1 by 2 cells steps 4 origin 1;\n"
      "grid I of H by N levels 3 by [2, 1];\n"
      "subgrid inner of G = [1..N - 2, 0];\n"
      "subgrid half of inner = [1..N - 2 by 2 * k, 0];\n"
      "field U, V : cell on G history 2 boundary [periodic, clamp .. constant 1];\n"
      "field o : real on inner boundary [linear .. odd, symmetric .. antisymmetric];\n"
      "field p : real on inner boundary [fixed k .. gradient 2 * k, mirror gradient -1];\n"
      "field c : vector 3 of half on inner constant boundary none;\n"
      "table w : real[2, 2] = {{1, 2}, {3, 4.5}};\n"
      "function f(u : field, x) = u[0, 0].rho * x;\n"
      "function g() {\n"
      "  let a = min(1, 2, k);\n"
      "  = a;\n"
      "}\n"
      "stencil one : U on inner = {rho = f(U@-1, 2), u = 0};\n"
      "stencil two : U[i in 0..N - 1, 0] = vector(q in 0..1 : w[q, 0] * i);\n"
      "stencil slow : U every 4 on [0..N - 1, 0] = 1;\n"
      "stencil slower : U every N * 2 on inner = 1;\n"
      "stencil slowest : U every 2 + N {\n"
      "  else = 1;\n"
      "}\n"
      "stencil three : V {\n"
      "  let s = sum(a in -1..1, b in -1..a : V[a, b].rho);\n"
      "  [0, 0] = s;\n"
      "  inner = f(V, s)[0, 1];\n"
      "  [0..N - 1 by 2, j in 1..2 by k] = s;\n"
      "  inner[i, j] where i < 2 * j or s > 0 = s;\n"
      "  else[i, j] = i - j;\n"
      "}\n"
      "init U[i, j] = i + j;\n"
      "repeat 2 * N {\n"
      "stencil v : U on G = U[0, 0];\n"
      "}\n"
      "stencil other : U on G = fine U[0, 0] - coarse U@-1[0, 1].rho + f(fine U, -fine u);\n"
      "cycle v {\n"
      "  repeat select(level == 0, 2, 1) {\n"
      "    one;\n"
      "  }\n"
      "  if level < N - 1 {\n"
      "    two;\n"
      "    coarser {\n"
      "      v;\n"
      "    }\n"
      "  } else if k {\n"
      "    three;\n"
      "  } else if N == 1 {\n"
      "  } else {\n"
      "    repeat 8 {\n"
      "      one;\n"
      "    }\n"
      "    if k {\n"
      "      three;\n"
      "    }\n"
      "  }\n"
      "  one;\n"
      "}\n"
      "start {\n"
      "}\n"
      "step {\n"
      "  v;\n"
      "}\n"
      "init c = 1;\n"
      "reduce m = max(abs(U[0, 0].rho)) on G every 10;\n"
      "reduce n = sum(1) on [0..3, 0];\n"
      "stop when m < 1e-06 or true;\n"
      "require N >= 8;\n";
  EXPECT_EQ(written(text).text, text);
}

TEST(Write, WrapsLongStatementsAndTracksTheirSpans) {
  std::string sum = "A[0]";
  for (int i = 0; i < 40; ++i) sum += " + A[" + std::to_string(i) + "]";
  const std::string text = "stencil s : A {\n  let x = " + sum + ";\n  G = x;\n}\nstop when x;\n";
  const Written result = written(text);
  EXPECT_EQ(test::tree(result.text), test::tree(text));
  std::istringstream lines(result.text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u);

  const Source source("t.stn", result.text), before("t.stn", text);
  ASSERT_EQ(result.statements.size(), 4u);
  EXPECT_TRUE(source.text(result.statements[0].text).starts_with("stencil s"));
  EXPECT_TRUE(source.text(result.statements[0].text).ends_with("}"));
  EXPECT_TRUE(source.text(result.statements[1].text).starts_with("let x"));
  EXPECT_EQ(before.text(result.statements[1].node), "x");
  EXPECT_EQ(source.text(result.statements[2].text), "G = x;");
  EXPECT_EQ(source.text(result.statements[3].text), "stop when x;");
  EXPECT_EQ(before.text(result.statements[3].node), "stop when x;");
}

TEST(Write, TracksStatementsOfBlocks) {
  const std::string text = "cycle v { if a { b; } else if c { d; } coarser { v; } } step { v; }";
  const Written result = written(text);
  const Source source("t.stn", result.text), before("t.stn", text);
  std::vector<std::string> nodes, texts;
  for (const auto& statement : result.statements) {
    nodes.emplace_back(before.text(statement.node));
    texts.emplace_back(source.text(statement.text));
  }
  EXPECT_EQ(nodes,
            (std::vector<std::string>{"cycle v { if a { b; } else if c { d; } coarser { v; } }",
                                      "if a { b; } else if c { d; }", "b", "d", "coarser { v; }",
                                      "v", "step { v; }", "v"}));
  EXPECT_EQ(texts,
            (std::vector<std::string>{"cycle v {\n  if a {\n    b;\n  } else if c {\n    d;\n  }\n"
                                      "  coarser {\n    v;\n  }\n}",
                                      "if a {\n    b;\n  } else if c {\n    d;\n  }", "b;", "d;",
                                      "coarser {\n    v;\n  }", "v;", "step {\n  v;\n}", "v;"}));
}

TEST(Write, EveryExampleParsesToTheSameTree) {
  int examples = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(STENCIL_SOURCE_DIR) / "dsl-examples")) {
    if (entry.path().extension() != ".stn") continue;
    std::ifstream file(entry.path());
    std::ostringstream text;
    text << file.rdbuf();
    const std::string once = written(text.str()).text;
    EXPECT_EQ(test::tree(once), test::tree(text.str())) << entry.path();
    EXPECT_EQ(written(once).text, once) << entry.path();
    ++examples;
  }
  EXPECT_GT(examples, 20);
}

}  // namespace
}  // namespace stencil
