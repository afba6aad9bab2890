// The layout of derived grids, reads of other levels and blocks of statements.
#include "compiler/syntax/format.h"
#include "tests/unit/syntax/helpers.h"

namespace stencil {
namespace {

std::string formatted(const std::string& text) {
  const Source source("t.stn", text);
  Diagnostics diagnostics;
  const auto out = format(source, diagnostics);
  if (out) return *out;
  ADD_FAILURE() << render(source, diagnostics);
  return {};
}

void expect_layout(const std::string& text, const std::string& expected) {
  EXPECT_EQ(formatted(text), expected);
  EXPECT_EQ(formatted(expected), expected);
}

TEST(FormatBlocks, OneStatementPerLine) {
  expect_layout(R"(cycle   v{
repeat select( level==0,2,1 ){ smooth ; }   // before
      if level<L-1{ // deeper
residual ;   /* r */
coarser{restrict;zero;  v ;}

correct;
}else if exact {
  solve;
  } else{
    // nothing
// more
}
    // at the end
smooth;
  } // v
step{v;}
start {
})",
                R"(cycle v {
  repeat select(level==0, 2, 1) { smooth; } // before
  if level<L-1 { // deeper
    residual; /* r */
    coarser { restrict; zero; v; }

    correct;
  } else if exact {
    solve;
  } else {
    // nothing
    // more
  }
  // at the end
  smooth;
} // v
step { v; }
start {
}
)");
}

TEST(FormatBlocks, LinesAsTheUserBreaksThem) {
  expect_layout(R"(cycle v { repeat 2 { smooth; }
if level == 0 and
more { a; }
else
{ b; } coarser
{
v;
} }
)",
                R"(cycle v { repeat 2 { smooth; }
  if level == 0 and
      more { a; }
  else
      { b; } coarser
          {
    v;
  } }
)");
}

TEST(FormatBlocks, ExpressionsOfStatements) {
  expect_layout(R"(step {
repeat -  N { a; }
if - x<1 { a; } else if - x==1 { b; }
if(x<1){ a; } else if (x<2) { a; }
repeat (N) { a; }
}
repeat - N { stencil s : u on G = 1; }
)",
                R"(step {
  repeat -N { a; }
  if -x<1 { a; } else if -x==1 { b; }
  if (x<1) { a; } else if (x<2) { a; }
  repeat (N) { a; }
}
repeat -N { stencil s : u on G = 1; }
)");
}

TEST(FormatBlocks, GridsAndLevels) {
  expect_layout(R"(grid C of F by[1,2]cells ;
grid D of F by(2) cells levels(L)by - R steps 4;
grid G=[0..N-1] levels L+1 by [ 2, 1 ] cells spacing -1;
stencil s : u on G = 0.5*fine  u [0]-fine u @ -1 [ 1 ] + - coarse u[0]+avg( fine r )[0];
)",
                R"(grid C of F by [1,2] cells;
grid D of F by (2) cells levels (L) by -R steps 4;
grid G = [0..N-1] levels L+1 by [2, 1] cells spacing -1;
stencil s : u on G = 0.5*fine u[0]-fine u@-1[1] + -coarse u[0]+avg(fine r)[0];
)");
}

// Stencil functions with the names of statements.
TEST(FormatBlocks, NamesOfStatements) {
  expect_layout("step { repeat ; if; coarser  ;  else; }\n",
                "step { repeat; if; coarser; else; }\n");
  expect_layout("param if : integer = 1;\nparam M : integer = if - if+if(1)+repeat[0]-repeat;\n",
                "param if : integer = 1;\nparam M : integer = if - if+if(1)+repeat[0]-repeat;\n");
}

}  // namespace
}  // namespace stencil
