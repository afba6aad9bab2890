// Every P-code and the most common slips, with the rendered text.
#include "tests/unit/syntax/helpers.h"

namespace stencil {
namespace {

using test::messages;

TEST(Error, P001AtTheTokenThatDoesNotFit) {
  EXPECT_EQ(messages("param N : integer = 1\ngrid G = [0..N-1];\n"),
            R"(t.stn:2:1: error P001: unexpected 'grid'
    2 | grid G = [0..N-1];
      | ^~~~
      = expected: ';' after the param
      = found: 'grid'
)");
  EXPECT_EQ(messages("param : integer;"), R"(t.stn:1:7: error P001: unexpected ':'
    1 | param : integer;
      |       ^
      = expected: the name of the param
      = found: ':'
)");
  EXPECT_EQ(messages("grid G = [0..9, ];"), R"(t.stn:1:17: error P001: unexpected ']'
    1 | grid G = [0..9, ];
      |                 ^
      = expected: an expression
      = found: ']'
)");
}

TEST(Error, P001AtTheEndOfTheFile) {
  EXPECT_EQ(messages("field A : real on G  \n\n"), R"(t.stn:1:20: error P001: unexpected end of file
    1 | field A : real on G  
      |                    ^
      = expected: ';' after the field
      = found: end of file
)");
  EXPECT_EQ(messages("param"), R"(t.stn:1:6: error P001: unexpected end of file
    1 | param
      |      ^
      = expected: the name of the param
      = found: end of file
)");
}

TEST(Error, P001SuggestsAnItem) {
  EXPECT_EQ(messages("stencl s : A[0] = 1;"), R"(t.stn:1:1: error P001: unexpected 'stencl'
    1 | stencl s : A[0] = 1;
      | ^~~~~~
      = expected: an item: param, grid, subgrid, type, field, series, points, table, function, stencil, cycle, step, start, repeat, init, reduce, record, stop or require
      = found: 'stencl'
      = hint: did you mean 'stencil'?
)");
}

TEST(Error, P001NamesTheFormsOfAStencil) {
  EXPECT_EQ(messages("stencil s : A = 1;"), R"(t.stn:1:15: error P001: unexpected '='
    1 | stencil s : A = 1;
      |               ^
      = expected: 'on', '[' or '{'
      = found: '='
      = hint: a stencil is written 'stencil n : F on REGION = e;', 'stencil n : F[box] = e;' or 'stencil n : F { region = e; }'
)");
}

TEST(Error, P001TranslatesOperatorsOfOtherLanguages) {
  EXPECT_EQ(messages("stop when a && b;"), R"(t.stn:1:14: error P001: unexpected '&'
    1 | stop when a && b;
      |              ^
      = expected: an expression
      = found: '&'
      = hint: the logical operator is written 'and'
)");
  EXPECT_EQ(messages("stop when a || b;"), R"(t.stn:1:14: error P001: unexpected '|'
    1 | stop when a || b;
      |              ^
      = expected: an expression
      = found: '|'
      = hint: the logical operator is written 'or'
)");
  EXPECT_EQ(messages("stop when a = b;"), R"(t.stn:1:13: error P001: unexpected '='
    1 | stop when a = b;
      |             ^
      = expected: ';' after the stop
      = found: '='
      = hint: equality is written '=='
)");
  EXPECT_EQ(messages("stop when a ? b : c;"),
            R"(t.stn:1:13: error P008: '?' is not part of the language
    1 | stop when a ? b : c;
      |             ^
      = expected: ';' after the stop
      = found: '?'
      = hint: a choice is written 'select(condition, a, b)'
)");
}

TEST(Error, P001ForAKeywordWhereAnExpressionIsDue) {
  EXPECT_EQ(messages("stop when steps > 3;"), R"(t.stn:1:11: error P001: unexpected 'steps'
    1 | stop when steps > 3;
      |           ^~~~~
      = expected: an expression
      = found: 'steps'
      = hint: 'steps' is a keyword and cannot be used as a name
)");
}

TEST(Error, P001WithinBodies) {
  EXPECT_EQ(messages("function f(u : field) { u[0]; }"), R"(t.stn:1:25: error P001: unexpected 'u'
    1 | function f(u : field) { u[0]; }
      |                         ^
      = expected: 'let', or '=' and the value of the function
      = found: 'u'
      = hint: a function's body ends with its value: '= expression;'
)");
  EXPECT_EQ(messages("stencil s : A { [0] = 1; let b = 2; }"),
            R"(t.stn:1:26: error P001: unexpected 'let'
    1 | stencil s : A { [0] = 1; let b = 2; }
      |                          ^~~
      = expected: '}' after the body
      = found: 'let'
      = hint: local values come first in a body
)");
  EXPECT_EQ(messages("stencil s : A { }"), R"(t.stn:1:17: error P001: unexpected '}'
    1 | stencil s : A { }
      |                 ^
      = expected: a piece: region = expression;
      = found: '}'
)");
}

TEST(Error, P001ForIndexNamesInAGrid) {
  EXPECT_EQ(messages("grid G = [i in 0..9];"), R"(t.stn:1:13: error P001: unexpected 'in'
    1 | grid G = [i in 0..9];
      |             ^~
      = expected: ',', '..' or ']' in the box
      = found: 'in'
      = hint: only the boxes of stencils and reductions name their indices
)");
}

TEST(Error, P001ForALevelThatIsNotEarlier) {
  EXPECT_EQ(messages("stop when U@1[0];"), R"(t.stn:1:13: error P001: unexpected '1'
    1 | stop when U@1[0];
      |             ^
      = expected: '-' and a number of steps, as in U@-1
      = found: '1'
      = hint: a stencil gives the new level; '@-1' is the level before the newest
)");
}

TEST(Error, P002NumberOutOfRange) {
  EXPECT_EQ(messages("param N : integer = 9223372036854775808;"),
            R"(t.stn:1:21: error P002: number out of range
    1 | param N : integer = 9223372036854775808;
      |                     ^~~~~~~~~~~~~~~~~~~
      = expected: an integer of at most 9223372036854775807
      = found: '9223372036854775808'
)");
  EXPECT_EQ(messages("param x : real = 1e999;"), R"(t.stn:1:18: error P002: number out of range
    1 | param x : real = 1e999;
      |                  ^~~~~
      = expected: a number that a double can hold
      = found: '1e999'
)");
  EXPECT_EQ(messages("stop when U@-9999999999[0];"), R"(t.stn:1:14: error P002: number out of range
    1 | stop when U@-9999999999[0];
      |              ^~~~~~~~~~
      = expected: an integer of at most 2147483647
      = found: '9999999999'
)");
}

TEST(Error, P003UnterminatedComment) {
  EXPECT_EQ(messages("param N : integer; /* no end\n\n"),
            R"(t.stn:1:20: error P003: unterminated comment
    1 | param N : integer; /* no end
      |                    ^~
      = expected: '*/' after the comment
      = found: end of file
)");
}

TEST(Error, P004NestingTooDeep) {
  EXPECT_EQ(messages("require\n" + std::string(200, '(') + "\n  (1"),
            R"(t.stn:3:3: error P004: nesting too deep
    3 |   (1
      |   ^
      = expected: at most 200 nested brackets, braces and calls
      = hint: name a part of it with 'let'
)");
}

TEST(Error, P005ExpressionTooDeep) {
  std::string sum = "require 1";
  for (int i = 0; i < 1999; ++i) sum += "+1";
  EXPECT_EQ(messages(sum + "\n + 1;"), R"(t.stn:2:2: error P005: expression too deep
    2 |  + 1;
      |  ^
      = expected: at most 2000 nested operations
      = hint: name a part of it with 'let'
)");
}

TEST(Error, P006ChainedComparison) {
  EXPECT_EQ(messages("stop when a < b + 1 <= c;"),
            R"(t.stn:1:21: error P006: comparisons cannot be chained
    1 | stop when a < b + 1 <= c;
      |                     ^~
      = hint: write 'a < b and b < c'
)");
}

TEST(Error, P007KeywordAsAName) {
  EXPECT_EQ(messages("field grid : real on G;"),
            R"(t.stn:1:7: error P007: 'grid' is a keyword and cannot be used as a name
    1 | field grid : real on G;
      |       ^~~~
      = expected: the name of the field
      = found: 'grid'
      = hint: choose another name
)");
  EXPECT_EQ(messages("stencil s : A { let in = 1; [0] = 2; }"),
            R"(t.stn:1:21: error P007: 'in' is a keyword and cannot be used as a name
    1 | stencil s : A { let in = 1; [0] = 2; }
      |                     ^~
      = expected: the name of the local value
      = found: 'in'
      = hint: choose another name
)");
}

TEST(Error, P008BadCharacter) {
  EXPECT_EQ(messages("param \xC3\xA9 : real;"),
            R"(t.stn:1:7: error P008: 'é' is not part of the language
    1 | param é : real;
      |       ^
      = expected: the name of the param
      = found: 'é'
      = hint: names have the letters a to z and A to Z, digits and '_'
)");
  const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  EXPECT_EQ(first_line(messages(std::string("param a\0 : real;", 16))),
            "t.stn:1:8: error P008: byte 0x00 is not part of the language");
  EXPECT_EQ(first_line(messages("param a : real = \xFF;")),
            "t.stn:1:18: error P008: byte 0xFF is not part of the language");
  EXPECT_EQ(first_line(messages("param a : real = \\;")),
            "t.stn:1:18: error P008: '\\' is not part of the language");
}

TEST(Error, P009MalformedNumber) {
  EXPECT_EQ(messages("param x : real = 12abc;"), R"(t.stn:1:18: error P009: malformed number
    1 | param x : real = 12abc;
      |                  ^~~~~
      = expected: a number such as 12, 0x1F, 0.5 or 1e-6
      = found: '12abc'
      = hint: an operator is missing: 12*abc
)");
  EXPECT_EQ(messages("param x : real = 2.5f;"), R"(t.stn:1:18: error P009: malformed number
    1 | param x : real = 2.5f;
      |                  ^~~~
      = expected: a number such as 12, 0x1F, 0.5 or 1e-6
      = found: '2.5f'
      = hint: numbers have no suffix: the context determines their type
)");
}

TEST(Error, P010FileTooLarge) {
  EXPECT_EQ(messages(std::string((size_t{64} << 20) + 1, ' ')), R"(t.stn: error P010: file too large
      = expected: at most 67108864 bytes
      = found: 67108865 bytes
)");
}

TEST(Error, P011AttributeGivenTwice) {
  EXPECT_EQ(messages("field A : real on G history 2 constant history 3;"),
            R"(t.stn:1:40: error P011: 'history' given twice
    1 | field A : real on G history 2 constant history 3;
      |                                        ^~~~~~~
      = expected: each attribute of a field once
)");
  EXPECT_EQ(messages("grid G = [0..9] spacing 1 steps 4 spacing [2];"),
            R"(t.stn:1:35: error P011: 'spacing' given twice
    1 | grid G = [0..9] spacing 1 steps 4 spacing [2];
      |                                   ^~~~~~~
      = expected: each attribute of a grid once
)");
}

TEST(Error, GridAttributes) {
  EXPECT_EQ(messages("grid G = [0..9] spacng 1;\ngrid H = [0..9] origin [1 2];\n"),
            R"(t.stn:1:17: error P001: unexpected 'spacng'
    1 | grid G = [0..9] spacng 1;
      |                 ^~~~~~
      = expected: 'steps', 'origin', 'spacing', 'levels' or ';' after the grid
      = found: 'spacng'
      = hint: did you mean 'spacing'?
t.stn:2:27: error P001: unexpected '2'
    2 | grid H = [0..9] origin [1 2];
      |                           ^
      = expected: ',' or ']' in the list of values
      = found: '2'
)");
}

TEST(Error, EveryErrorIsReportedOnce) {
  EXPECT_EQ(messages("param N integer;  param M : real;  grid G [0];\n"
                     "stencil a : A { [0] = ; [1] = 2; [2] = ; }\n"
                     "stencil b : A { [0] = 1 }\n"
                     "parm K : real;\n"
                     "stencil c : A[(0] = 1;\n"
                     "stop if 1;\n"
                     "stop when 1;\n"),
            R"(t.stn:1:9: error P001: unexpected 'integer'
    1 | param N integer;  param M : real;  grid G [0];
      |         ^~~~~~~
      = expected: ':'
      = found: 'integer'
      = hint: write ':' before the type
t.stn:1:43: error P001: unexpected '['
    1 | param N integer;  param M : real;  grid G [0];
      |                                           ^
      = expected: '=' or 'of'
      = found: '['
      = hint: write 'grid G = [0..N-1, 0..M-1]'
t.stn:2:23: error P001: unexpected ';'
    2 | stencil a : A { [0] = ; [1] = 2; [2] = ; }
      |                       ^
      = expected: an expression
      = found: ';'
t.stn:2:40: error P001: unexpected ';'
    2 | stencil a : A { [0] = ; [1] = 2; [2] = ; }
      |                                        ^
      = expected: an expression
      = found: ';'
t.stn:3:25: error P001: unexpected '}'
    3 | stencil b : A { [0] = 1 }
      |                         ^
      = expected: ';' after the piece
      = found: '}'
t.stn:4:1: error P001: unexpected 'parm'
    4 | parm K : real;
      | ^~~~
      = expected: an item: param, grid, subgrid, type, field, series, points, table, function, stencil, cycle, step, start, repeat, init, reduce, record, stop or require
      = found: 'parm'
      = hint: did you mean 'param'?
t.stn:5:17: error P001: unexpected ']'
    5 | stencil c : A[(0] = 1;
      |                 ^
      = expected: ')' or an operator
      = found: ']'
t.stn:6:6: error P001: unexpected 'if'
    6 | stop if 1;
      |      ^~
      = expected: 'when'
      = found: 'if'
      = hint: write 'stop when condition;'
)");
}

}  // namespace
}  // namespace stencil
