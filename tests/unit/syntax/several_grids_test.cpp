// Derived grids, levels, and blocks of statements, as their printed trees.
#include "tests/unit/syntax/helpers.h"

namespace stencil {
namespace {

using test::messages;
using test::one_line;
using test::repeated;
using test::tree;

TEST(SeveralGrids, DerivedGrids) {
  EXPECT_EQ(tree("grid C of F by 2;"), R"(program
  grid C of F
    by
      integer 2
)");
  EXPECT_EQ(tree("grid D of F by 2 * K cells;"), R"(program
  grid D of F
    by
      binary *
        integer 2
        name K
    cells
)");
  EXPECT_EQ(tree("grid E of F by [1, 2, 2] cells steps 3 spacing dx;"), R"(program
  grid E of F
    by of each dimension
      integer 1
      integer 2
      integer 2
    cells
    steps
      integer 3
    spacing
      name dx
)");
}

TEST(SeveralGrids, LevelsOfAGrid) {
  EXPECT_EQ(tree("grid G = [0..N] steps 10 levels L + 1 by 2 origin 1;"), R"(program
  grid G
    box
      range
        integer 0
        name N
    levels
      binary +
        name L
        integer 1
    by
      integer 2
    steps
      integer 10
    origin
      integer 1
)");
  EXPECT_EQ(tree("grid G = [0..9] levels 3 by [2] cells;"), R"(program
  grid G
    box
      range
        integer 0
        integer 9
    levels
      integer 3
    by of each dimension
      integer 2
    cells
)");
  EXPECT_EQ(tree("grid C of F by 2 levels 3 by 4 cells;"), R"(program
  grid C of F
    by
      integer 2
    levels
      integer 3
    by
      integer 4
    cells
)");
}

TEST(SeveralGrids, SpansOfRatios) {
  const Source source("t.stn", "grid G of F by [1, N] cells levels L by 2 ;");
  Diagnostics diagnostics;
  const auto program = parse(source, diagnostics);
  ASSERT_TRUE(program) << render(source, diagnostics);
  const auto& grid = std::get<ast::Grid>(program->items[0].kind);
  EXPECT_EQ(source.text(grid.parent->span), "F");
  EXPECT_EQ(source.text(grid.by->span), "by [1, N] cells");
  EXPECT_EQ(source.text(grid.by->ratios.span), "by [1, N]");
  EXPECT_EQ(source.text(grid.level_ratio->span), "by 2");
  EXPECT_EQ(source.text(program->items[0].span), source.text());
}

TEST(SeveralGrids, OtherLevels) {
  EXPECT_EQ(one_line("fine u[a, b]"), "(bracket fine u a b)");
  EXPECT_EQ(one_line("coarse u[0, 0].m"), "(member m (bracket coarse u 0 0))");
  EXPECT_EQ(one_line("-fine u@-1[0] * coarse u[0]"),
            "(* (- (bracket fine u@-1 0)) (bracket coarse u 0))");
  EXPECT_EQ(one_line("average(fine /**/ r)[0] + max(fine r@-2, coarse\nr)"),
            "(+ (bracket (call average fine r) 0) (call max fine r@-2 coarse r))");
  EXPECT_EQ(one_line("fine fine[0] + coarse coarse[0]"),
            "(+ (bracket fine fine 0) (bracket coarse coarse 0))");
  const Source source("t.stn", "stop when fine  u@-1[0] < coarse u[1];");
  Diagnostics diagnostics;
  const auto program = parse(source, diagnostics);
  ASSERT_TRUE(program) << render(source, diagnostics);
  const auto& stop = std::get<ast::Stop>(program->items[0].kind);
  const auto& less = std::get<ast::Binary>(stop.condition->kind);
  const auto& fine = std::get<ast::Bracket>(less.left->kind);
  EXPECT_EQ(source.text(fine.base->span), "fine  u@-1");
  EXPECT_EQ(std::get<ast::Level>(fine.base->kind).towards, -1);
  EXPECT_EQ(std::get<ast::Level>(fine.base->kind).back, 1);
  const auto& coarse = std::get<ast::Bracket>(less.right->kind);
  EXPECT_EQ(source.text(less.right->span), "coarse u[1]");
  EXPECT_EQ(std::get<ast::Level>(coarse.base->kind).towards, 1);
}

// Words that follow an operand are not fields, unless they are read.
TEST(SeveralGrids, FineAndCoarseBeforeOtherWords) {
  EXPECT_EQ(one_line("u[fine within coarse]"), "(bracket u (within fine coarse))");
  EXPECT_EQ(one_line("u[coarse within (fine)]"), "(bracket u (within coarse fine))");
  EXPECT_EQ(one_line("fine by[0] + coarse at[0] + fine within[0] + fine by@-1[0] + f(fine by)"),
            "(+ (+ (+ (+ (bracket fine by 0) (bracket coarse at 0)) (bracket fine within 0)) "
            "(bracket fine by@-1 0)) (call f fine by))");
  EXPECT_EQ(tree("subgrid s of G = [0..fine by 2, 0..coarse by fine];"),
            tree("subgrid s of G = [0..(fine) by 2, 0..(coarse) by fine];"));
  EXPECT_EQ(
      tree("grid G = [0..9] steps fine origin [coarse] spacing coarse levels fine by 2;"),
      tree("grid G = [0..9] steps (fine) origin [coarse] spacing (coarse) levels fine by 2;"));
}

TEST(SeveralGrids, WordsAreNamesElsewhere) {
  EXPECT_EQ(tree("grid G = [0..9] origin coarse spacing [fine] steps fine levels levels by cells;"),
            tree("grid G = [0..9] origin (coarse) spacing [(fine)] steps (fine) levels (levels)\n"
                 "  by (cells);"));
  EXPECT_EQ(tree("grid G = [0..9] levels fine by 2 steps coarse origin [0];"),
            tree("grid G = [0..9] levels (fine) by 2 steps (coarse) origin [0];"));
  EXPECT_EQ(tree("field A : real on G history fine along [0];"),
            tree("field A : real on G history (fine) along [0];"));
  EXPECT_EQ(tree("field A : real on G boundary constant coarse along 0;"),
            tree("field A : real on G boundary constant (coarse) along 0;"));
  EXPECT_EQ(tree("record r [0..fine] = coarse at points every fine;"),
            tree("record r [0..(fine)] = (coarse) at points every fine;"));
  // as names of every kind
  for (const std::string word : {"cycle", "step", "start", "fine", "coarse", "level", "levels",
                                 "cells", "coarser", "if", "by", "repeat"}) {
    const auto with = [&](std::string text) {
      for (size_t at = 0; (at = text.find('$', at)) != text.npos; at += word.size()) {
        text.replace(at, 1, word);
      }
      return text;
    };
    EXPECT_NE(
        tree(with("param $ : integer = 3;\nparam M : integer = $ + $;\n")).find("name " + word),
        std::string::npos);
    EXPECT_NE(tree(with("field $, b : real on $;\ninit $[$] = $;\n")).find("field " + word),
              std::string::npos);
    EXPECT_NE(tree(with("function $($ : field, $) = $[0] + $@-1[$] - $;\n")).find("level " + word),
              std::string::npos);
    EXPECT_NE(tree(with("stencil $ : $ {\n  let $ = -$ * $;\n  $ = $($, $)[0] / $;\n  $[$] where $ "
                        "= {$ = $};\n  [$ in $..$ by $, $] = sum($ in $..$ : $[$ within $]);\n}\n"
                        "repeat $ { stencil b : $.$ on $[$] = $[$ within $].$; }\n"))
                  .find("stencil " + word),
              std::string::npos);
    EXPECT_NE(tree(with("reduce $ = $($) over $ on $ where $ every $ initial $;\nstop when $;\n"))
                  .find("reduce " + word),
              std::string::npos);
    EXPECT_NE(tree(with("cycle $ { $; repeat $ { $; } if $ { $; } else { $; } coarser { $; } }\n"))
                  .find("cycle " + word),
              std::string::npos);
  }
}

constexpr const char* kCycle = R"(
cycle v {
  repeat select(level == 0, 2, 1) { smooth; }
  if level < L - 1 {
    residual;
    coarser { restrict; zero; v; }
    correct;
  } else if exact {
    solve;
  } else {
    repeat 8 { smooth; }
  }
  smooth;
}
start { v; }
step { v; }
)";

TEST(SeveralGrids, Cycle) {
  EXPECT_EQ(tree(kCycle), R"(program
  cycle v
    repeat
      call select
        binary ==
          name level
          integer 0
        integer 2
        integer 1
    body
      apply smooth
    if
      binary <
        name level
        binary -
          name L
          integer 1
    then
      apply residual
      coarser
        apply restrict
        apply zero
        apply v
      apply correct
    else
      if
        name exact
      then
        apply solve
      else
        repeat
          integer 8
        body
          apply smooth
    apply smooth
  start
    apply v
  step
    apply v
)");
}

TEST(SeveralGrids, EmptyBlocksAndSemicolonsAfterItems) {
  EXPECT_EQ(tree("cycle v { }; step {} start { repeat 1 {} if 1 {} else {} coarser {} };"),
            R"(program
  cycle v
  step
  start
    repeat
      integer 1
    body
    if
      integer 1
    then
    coarser
)");
}

// `repeat`, `if` and `coarser` apply stencil functions of these names if a ';' follows.
TEST(SeveralGrids, NamesOfStatements) {
  EXPECT_EQ(tree("cycle coarser { repeat; if ; coarser/**/; cycle; step; start; else; }"),
            R"(program
  cycle coarser
    apply repeat
    apply if
    apply coarser
    apply cycle
    apply step
    apply start
    apply else
)");
}

TEST(SeveralGrids, BlocksWithinARepeatOfItems) {
  EXPECT_EQ(tree("repeat 3 { step { a; } }"), R"(program
  repeat
    integer 3
  step
    apply a
  end of repeat
)");
}

TEST(SeveralGrids, SpansOfBlocks) {
  const Source source(
      "t.stn",
      "cycle v { repeat 2 /**/ { a ; } if x { b; } else if y { c; } coarser { } } ;\n"
      "step { v; } // after");
  Diagnostics diagnostics;
  const auto program = parse(source, diagnostics);
  ASSERT_TRUE(program) << render(source, diagnostics);
  ASSERT_EQ(program->items.size(), 2U);
  EXPECT_TRUE(source.text(program->items[0].span).ends_with("} ;"));
  EXPECT_EQ(source.text(program->items[1].span), "step { v; }");
  const auto& cycle = std::get<ast::Cycle>(program->items[0].kind);
  EXPECT_EQ(source.text(cycle.name.span), "v");
  EXPECT_TRUE(source.text(cycle.body.span).starts_with("{ repeat"));
  EXPECT_TRUE(source.text(cycle.body.span).ends_with("{ } }"));
  ASSERT_EQ(cycle.body.statements.size(), 3U);
  const auto& repeat = cycle.body.statements[0];
  EXPECT_EQ(source.text(repeat.span), "repeat 2 /**/ { a ; }");
  EXPECT_EQ(source.text(std::get<ast::RepeatStatement>(repeat.kind).body.span), "{ a ; }");
  EXPECT_EQ(source.text(std::get<ast::RepeatStatement>(repeat.kind).body.statements[0].span), "a");
  const auto& first = cycle.body.statements[1];
  EXPECT_EQ(source.text(first.span), "if x { b; } else if y { c; }");
  const auto& branches = std::get<ast::IfStatement>(first.kind);
  EXPECT_EQ(source.text(branches.then.span), "{ b; }");
  EXPECT_EQ(source.text(branches.otherwise.span), "if y { c; }");
  ASSERT_EQ(branches.otherwise.statements.size(), 1U);
  EXPECT_EQ(source.text(branches.otherwise.statements[0].span), "if y { c; }");
  EXPECT_EQ(source.text(cycle.body.statements[2].span), "coarser { }");
}

size_t errors_in(const std::string& text) {
  const std::string all = messages(text);
  size_t count = 0;
  for (size_t at = 0; (at = all.find(": error ", at)) != all.npos; ++at) ++count;
  return count;
}

// Each mistake is reported once, and the items around it are parsed.
TEST(SeveralGrids, BlocksEndItemsWithErrors) {
  const auto names = [](const std::string& text) {
    const Source source("t.stn", text);
    Diagnostics diagnostics;
    const ast::Program program = parse_with_errors(source, diagnostics);
    std::string out = print(program);
    std::erase(out, '\n');
    return out;
  };
  EXPECT_EQ(errors_in("param N : integer = 1\ncycle v { a; }\n"), 1U);
  EXPECT_EQ(names("param N : integer\nstep { a; }\n"),
            "program  param N    type integer  step    apply a");
  EXPECT_EQ(errors_in("stencil s : A { [0] = (1; }\ncycle v { b c; }\nstop when (;\n"), 3U);
  EXPECT_EQ(errors_in("stencil s : A { [0] = [; }\nstep { b c; }\nstart { d e; }\n"), 3U);
  EXPECT_EQ(names("cycle v { a b; }\ngrid C of F by 2;\ncycle w {\nstep { c; }\n"),
            "program  grid C of F    by      integer 2  step    apply c");
  // names that begin a line
  EXPECT_EQ(errors_in("stencil s : A {\n  start = ;\n  step = ;\n  cycle = ;\n}\nstop when 1;"),
            3U);
  EXPECT_EQ(errors_in("cycle v {\n  a b;\n  repeat 2 { c d; }\n  step;\n  e f;\n}\nstop when 1;"),
            3U);
  EXPECT_EQ(errors_in("cycle v {\n  if 1 {\n  a b; }\n} else {\n  c d;\n }\n}\nstop when 1;"), 2U);
}

TEST(SeveralGrids, NestingOfStatements) {
  const size_t most = ast::kMaxNesting - 1;  // and the braces of the cycle
  for (const std::string head : {"coarser {", "repeat 2 {", "if 1 {", "if 1 {} else {"}) {
    const auto nested = [&](size_t count) {
      return "cycle v {" + repeated(head, count) + "a;" + repeated("}", count) + "}";
    };
    Diagnostics diagnostics;
    EXPECT_TRUE(parse(Source("t.stn", nested(most)), diagnostics).has_value()) << head;
    EXPECT_NE(messages(nested(most + 1)).find("error P004"), std::string::npos) << head;
    EXPECT_NE(messages(nested(100000)).find("error P004"), std::string::npos) << head;
  }
  // each `else if` lies within the `else` before it
  const auto chain = [](size_t count) {
    return "cycle v { if 1 {}" + repeated(" else if 1 { a; }", count) + "}";
  };
  Diagnostics diagnostics;
  EXPECT_TRUE(parse(Source("t.stn", chain(most)), diagnostics).has_value());
  EXPECT_NE(messages(chain(most + 2)).find("error P004"), std::string::npos);
  EXPECT_NE(messages(chain(100000)).find("error P004"), std::string::npos);
  EXPECT_TRUE(parse(Source("t.stn", "step {" + repeated("if 1 { a; } ", 1000) + "}"), diagnostics)
                  .has_value());
}

}  // namespace
}  // namespace stencil
