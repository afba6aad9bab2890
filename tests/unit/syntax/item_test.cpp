// Every form of every item, as its printed tree.
#include "tests/unit/syntax/helpers.h"

namespace stencil {
namespace {

using test::tree;

TEST(Item, Param) {
  EXPECT_EQ(tree("param N : integer = 512; param a : real;"), R"(program
  param N
    type integer
    value
      integer 512
  param a
    type real
)");
}

TEST(Item, GridAttributesInAnyOrder) {
  EXPECT_EQ(tree("grid G = [0..9] spacing [dx] origin -1 steps 4;"), R"(program
  grid G
    box
      range
        integer 0
        integer 9
    steps
      integer 4
    origin
      unary -
        integer 1
    spacing of each dimension
      name dx
)");
}

TEST(Item, GridAndSubgrid) {
  EXPECT_EQ(tree("grid G = [0..N-1, 4] steps 100; subgrid s of G = [1..2];"), R"(program
  grid G
    box
      range
        integer 0
        binary -
          name N
          integer 1
      range
        integer 4
    steps
      integer 100
  subgrid s of G
    box
      range
        integer 1
        integer 2
)");
}

TEST(Item, Type) {
  EXPECT_EQ(tree("type cell = { rho : real, u : vector 2 of vector N + 1 of half };"), R"(program
  type cell
    type structure
      member rho
        type real
      member u
        type vector
          integer 2
          type vector
            binary +
              name N
              integer 1
            type half
)");
}

TEST(Item, FieldAttributesInAnyOrder) {
  EXPECT_EQ(tree("field A, B : real on G;"), R"(program
  field A, B on G
    type real
)");
  const char* all = R"(program
  field A on G
    type real
    history
      integer 2
    constant
    boundary constant
      real 0.5
)";
  EXPECT_EQ(tree("field A : real on G constant history 2 boundary constant 0.5;"), all);
  EXPECT_EQ(tree("field A : real on G boundary constant 0.5 constant history 2;"), all);
  for (const BoundaryRow& row : kBoundaryRows) {
    const std::string keyword(row.keyword), value = row.takes_value() ? " 0.5" : "";
    EXPECT_NE(
        tree("field A : real on G boundary " + keyword + value + ";")
            .find("    boundary " + keyword + (row.takes_value() ? "\n      real 0.5\n" : "\n")),
        std::string::npos);
  }
  // the words are names elsewhere
  EXPECT_EQ(tree("field A : real on G boundary gradient gradient;"), R"(program
  field A on G
    type real
    boundary gradient
      name gradient
)");
}

TEST(Item, BoundariesPerDimensionAndSide) {
  const char* boundary = "[periodic, constant 0.5 .. none, clamp .. constant c - 1]";
  EXPECT_EQ(tree(std::string("field A : real on G boundary ") + boundary + " constant;"),
            R"(program
  field A on G
    type real
    constant
    boundary
      both periodic
      low constant
        real 0.5
      high none
      low clamp
      high constant
        binary -
          name c
          integer 1
)");
  EXPECT_EQ(tree("field A : real on G boundary[clamp];"), R"(program
  field A on G
    type real
    boundary
      both clamp
)");
  EXPECT_EQ(tree("field A : real on G boundary [constant 1..none] history 2;"),
            tree("field A : real on G history 2 boundary [ constant 1 .. none ];"));
}

TEST(Item, Table) {
  EXPECT_EQ(tree("table w : real[2,1] = {{1},{2}};"), R"(program
  table w
    type real
    extents
      integer 2
      integer 1
    value
      aggregate
        aggregate
          integer 1
        aggregate
          integer 2
)");
}

TEST(Item, Function) {
  EXPECT_EQ(tree("function f(u : field, a, b : vector 2 of real) = u[0];"), R"(program
  function f
    argument u : field
    argument a
    argument b
    value
      bracket
        name u
        integer 0
)");
  EXPECT_EQ(tree("function f() { let s = 1; let t = 2; = s; } function g() { = 1; };"), R"(program
  function f
    let s
      integer 1
    let t
      integer 2
    value
      name s
  function g
    value
      integer 1
)");
}

TEST(Item, StencilInItsThreeForms) {
  EXPECT_EQ(tree("stencil n : F on interior = 1; stencil n : F[0, i in 1..2] = 2;"), R"(program
  stencil n : F
    piece
      region interior
      value
        integer 1
  stencil n : F
    piece
      box
        range
          integer 0
        range i
          integer 1
          integer 2
      value
        integer 2
)");
  EXPECT_EQ(tree("stencil n : F { let d = 3; [0] = d; rest = 4; } stop when 1;"), R"(program
  stencil n : F
    let d
      integer 3
    piece
      box
        range
          integer 0
      value
        name d
    piece
      region rest
      value
        integer 4
  stop
    integer 1
)");
}

TEST(Item, Init) {
  EXPECT_EQ(tree("init A[i,j] = i; init A = 0;"), R"(program
  init A
    index i
    index j
    value
      name i
  init A
    value
      integer 0
)");
}

// Items inside stay separate: an error in one does not affect the others.
TEST(Item, RepeatBecomesABeginAndAnEndItem) {
  EXPECT_EQ(tree("repeat 2 * K { stencil s : A on G = 1; } stop when 1;"), R"(program
  repeat
    binary *
      integer 2
      name K
  stencil s : A
    piece
      region G
      value
        integer 1
  end of repeat
  stop
    integer 1
)");
}

TEST(Item, ReduceStopRequire) {
  EXPECT_EQ(tree("reduce e = sum(A[0]) on [1..2] every 50; reduce m = max(1) on G;"
                 "stop when e < 1; require N >= 8;"),
            R"(program
  reduce e = sum
    box
      range
        integer 1
        integer 2
    value
      bracket
        name A
        integer 0
    every
      integer 50
  reduce m = max
    region G
    value
      integer 1
  stop
    binary <
      name e
      integer 1
  require
    binary >=
      name N
      integer 8
)");
}

TEST(Item, UnreservedWordsMayBeNames) {
  EXPECT_NE(
      tree("field none, clamp, vector, sum : real on inner;").find("none, clamp, vector, sum"),
      std::string::npos);
}

TEST(Item, EmptyTextIsAProgram) {
  for (const char* text : {"", "\n", "// only", "/* only */", "\xEF\xBB\xBF", " \r\n\t"}) {
    EXPECT_EQ(tree(text), "program\n");
  }
}

TEST(Item, Targets) {
  EXPECT_EQ(tree("stencil s : A , S . v.w on G = 1;"), R"(program
  stencil s : A, S.v.w
    piece
      region G
      value
        integer 1
)");
  const Source source("t.stn", "stencil s : A, S.v { [0] = 1; }");
  Diagnostics diagnostics;
  const auto program = parse(source, diagnostics);
  ASSERT_TRUE(program) << render(source, diagnostics);
  const auto& stencil = std::get<ast::Stencil>(program->items[0].kind);
  ASSERT_EQ(stencil.targets.size(), 2U);
  EXPECT_EQ(source.text(stencil.targets[0].span()), "A");
  EXPECT_EQ(source.text(stencil.targets[1].span()), "S.v");
}

TEST(Item, SpansReachFromTheKeywordToTheEnd) {
  const Source source(
      "t.stn", "// c\nparam N : real ; stencil s : A { [0] = 1 + 2 ; } // d\r\nstop when e;");
  Diagnostics diagnostics;
  const auto program = parse(source, diagnostics);
  ASSERT_TRUE(program) << render(source, diagnostics);
  ASSERT_EQ(program->items.size(), 3U);
  EXPECT_EQ(source.text(program->items[0].span), "param N : real ;");
  EXPECT_EQ(source.text(program->items[1].span), "stencil s : A { [0] = 1 + 2 ; }");
  EXPECT_EQ(source.text(program->items[2].span), "stop when e;");
  const auto& stencil = std::get<ast::Stencil>(program->items[1].kind);
  EXPECT_EQ(source.text(stencil.name.span), "s");
  EXPECT_EQ(source.text(stencil.pieces[0].span), "[0] = 1 + 2");
  EXPECT_EQ(source.text(std::get<ast::Box>(stencil.pieces[0].region).span), "[0]");
  EXPECT_EQ(source.text(std::get<ast::Param>(program->items[0].kind).type.span), "real");
}

}  // namespace
}  // namespace stencil
