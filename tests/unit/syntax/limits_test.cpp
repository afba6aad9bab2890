// Size, depth and arbitrary bytes: the parser takes linear time,
// enforces its limits and never crashes.
#include <random>

#include "tests/unit/syntax/helpers.h"

namespace stencil {
namespace {

using test::messages;
using test::repeated;
using test::tree;

bool parses(const std::string& text) {
  Diagnostics diagnostics;
  return parse(Source("t.stn", text), diagnostics).has_value();
}

TEST(Limits, TwentyThousandLines) {
  std::string text = "grid G = [0..9] steps 1;\nfield A : real on G;\n";
  for (int i = 0; i < 20000; ++i) {
    text += "stencil s" + std::to_string(i) + " : A[1..8] = 0.25 * (A[-1] + 2 * A[0] + A[1]);\n";
  }
  const Source source("t.stn", text);
  Diagnostics diagnostics;
  const auto program = parse(source, diagnostics);
  ASSERT_TRUE(program) << render(source, diagnostics);
  ASSERT_EQ(program->items.size(), 20002U);
  EXPECT_EQ(source.position(program->items.back().span.begin).line, 20002);
}

TEST(Limits, NestingOfEveryKindOfBracket) {
  const size_t most = ast::kMaxNesting;
  const std::pair<const char*, const char*> brackets[] = {
      {"(", ")"}, {"{", "}"}, {"a[", "]"}, {"f(", ")"}, {"sum(a in 0..1 : ", ")"}};
  for (const auto& [open, close] : brackets) {
    const auto nested = [&](size_t count) {
      return "require " + repeated(open, count) + "1" + repeated(close, count) + ";";
    };
    EXPECT_TRUE(parses(nested(most))) << open;
    EXPECT_NE(messages(nested(most + 1)).find("error P004"), std::string::npos) << open;
    EXPECT_NE(messages(nested(100000)).find("error P004"), std::string::npos) << open;
  }
  EXPECT_TRUE(parses("type t = " + repeated("vector 1 of ", most) + "real;"));
  EXPECT_NE(messages("type t = " + repeated("vector 1 of ", 100000)).find("P004"),
            std::string::npos);
  EXPECT_NE(messages("type t = " + repeated("{ a : ", 100000)).find("P004"), std::string::npos);
}

TEST(Limits, HeightOfExpressions) {
  const size_t most = ast::kMaxExpressionDepth;
  const auto sum = [](size_t terms) { return "require 1" + repeated(" + 1", terms - 1) + ";"; };
  EXPECT_TRUE(parses(sum(most)));
  EXPECT_NE(messages(sum(most + 1)).find("error P005"), std::string::npos);
  EXPECT_NE(messages(sum(100000)).find("error P005"), std::string::npos);
  EXPECT_TRUE(parses("require " + repeated("-", most - 1) + "1;"));
  EXPECT_NE(messages("require " + repeated("-", 100000) + "1;").find("P005"), std::string::npos);
  EXPECT_NE(messages("require a" + repeated("[0]", 100000) + ";").find("P005"), std::string::npos);
  EXPECT_NE(messages("require a" + repeated(".b", 100000) + ";").find("P005"), std::string::npos);
}

TEST(Limits, WideExpressionsAreNotDeep) {
  EXPECT_TRUE(parses("table t : real[50000] = {1" + repeated(", 1", 49999) + "};"));
}

TEST(Limits, StopsAfterAHundredErrors) {
  const Source source("t.stn", repeated("param;\n", 1000));
  Diagnostics diagnostics;
  EXPECT_FALSE(parse(source, diagnostics));
  EXPECT_EQ(diagnostics.items().size(), 100U);
}

TEST(Limits, AcceptsOrRefusesAnyByte) {
  const std::string before = "param N : integer = 1", after = ";\nparam M : real;";
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = before + static_cast<char>(byte) + after;
    const Source source("t.stn", text);
    Diagnostics diagnostics;
    const bool ok = parse(source, diagnostics).has_value();
    EXPECT_EQ(ok, !diagnostics.has_errors()) << byte;
    if (byte == 0 || byte >= 0x80) {
      EXPECT_NE(render(source, diagnostics).find("error P008"), std::string::npos) << byte;
    }
  }
}

constexpr const char* kEverything = R"(
param N : integer = 512; param alpha : real;
grid G = [0..N-1, 0..N-1] steps 10;
subgrid inner of G = [1..N-2, 1..N-2];
type cell = { rho : real, u : vector 2 of real };
field S : cell on G boundary periodic history 2;
field A, B : real on G constant boundary constant 1e-3;
table w : real[2,2] = { {1,2}, {.5,4.} };
function lap(u : field, a) = u[-1,0] + a * u[1,0];
function f(u : field) { let s = u[0,0]; = select(s < 1, s, -s); }
stencil a : A on inner = sum(i in -1..1, j in 0..1 : w[i+1,j] * A[i,j]) / 16;
stencil b : B[i in 0..N-1, 3] = i % 2 == 0 and not (B[0,0] >= 1) or true;
stencil c : S { let d = S@-1[0,0].rho; inner = {rho = d << 1, u = {0, ~1}}; [0,0] = lap(A)[0,1]; }
init A[i,j] = (i | j) ^ (i & j);
grid C of G by [2, 1] cells; grid H = [0..N] levels 3 by 2 steps 4;
stencil d : A on inner = 0.25 * (fine A[0,0] + coarse S@-1[0,1].rho);
cycle v { repeat 2 { a; } if N < 8 { coarser { v; } } else if N < 9 { b; } else { c; } d; }
step { v; }
start { a; }
reduce e = max(A[0,0]) on inner every 50; // comment
stop when e < 1e-9; /* comment */
require N >= 8;
)";

TEST(Limits, MutatedProgramsNeverCrashAndAlwaysGetAMessage) {
  ASSERT_TRUE(parses(kEverything));
  const std::string original = kEverything;
  const std::string alphabet = "()[]{},;:.=+-*/%<>|^&~!@ \n0a\"\\\x80\xC3#$";
  std::mt19937 random(20240607);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  for (int round = 0; round < 10000; ++round) {
    std::string text = original;
    for (size_t edits = 1 + below(3); edits > 0 && !text.empty(); --edits) {
      const size_t at = below(text.size());
      switch (below(5)) {
        case 0:
          text.erase(at, 1 + below(12));
          break;
        case 1:
          text[at] = alphabet[below(alphabet.size())];
          break;
        case 2:
          text.insert(at, 1, alphabet[below(alphabet.size())]);
          break;
        case 3:
          text.insert(at, original, below(original.size()), 1 + below(12));
          break;
        case 4:
          text.resize(at + 1);
          break;
      }
    }
    const Source source("t.stn", text);
    Diagnostics diagnostics;
    const auto program = parse(source, diagnostics);
    ASSERT_EQ(program.has_value(), diagnostics.items().empty()) << text;
    if (program) print(*program);
    for (const auto& d : diagnostics.items()) {
      ASSERT_FALSE(d.expected.starts_with("a valid program")) << render(source, d) << text;
      ASSERT_TRUE(d.span.valid()) << text;
      ASSERT_LE(d.span.begin, text.size()) << text;
    }
  }
}

TEST(Limits, NoiseNeverCrashes) {
  std::mt19937 random(7);
  const std::string words[] = {
      "param", "stencil", "{",  "}",    "[",       "]",      "(",    ")",  ";",     "=",
      "in",    "..",      "a",  "1",    "sum",     "@-",     "-",    ",",  ":",     ".",
      "field", "type",    "of", "/",    "grid",    "on",     "\n",   "/*", "\"",    "or",
      "cycle", "step",    "if", "else", "coarser", "repeat", "fine", "by", "levels"};
  for (int round = 0; round < 5000; ++round) {
    std::string text;
    for (size_t n = random() % 60; n > 0; --n) text += words[random() % std::size(words)] + " ";
    Diagnostics diagnostics;
    const auto program = parse(Source("t.stn", text), diagnostics);
    ASSERT_EQ(program.has_value(), diagnostics.items().empty()) << text;
  }
}

}  // namespace
}  // namespace stencil
