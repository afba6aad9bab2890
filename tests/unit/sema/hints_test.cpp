// Hints for constructs from other languages: each slip gets its hint, and the program that follows
// the hint is valid.
#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

struct Slip {
  std::string written, hint, mended;  // `mended` is "" if the fix depends on the intent
};

constexpr const char* kParam = "param N : integer = 16;\n";
constexpr const char* kGrid = "grid G = [0..N-1, 0..N-1] steps 4;\n";
constexpr const char* kField = "field A : real on G history 2 boundary clamp;\n";
constexpr const char* kFunction = "function central(u : field) = u[1,0] - u[-1,0];\n";
constexpr const char* kRest = "stencil base : A on G = A[0,0];\n";

void expect_hint(const Slip& slip, const std::string& before, const std::string& behind) {
  SCOPED_TRACE(slip.written);
  const Analysis wrong = analyze_text(before + slip.written + "\n" + behind);
  EXPECT_FALSE(wrong.program.has_value());
  EXPECT_NE(wrong.messages.find("= hint: " + slip.hint), std::string::npos) << wrong.messages;
  if (slip.mended.empty()) return;
  const Analysis right = analyze_text(before + slip.mended + "\n" + behind);
  EXPECT_TRUE(right.program.has_value()) << right.messages;
}

TEST(Hints, InExpressions) {
  const Slip slips[] = {
      {"1.0e", "an exponent has digits", "1.0e0"},
      {"1e+", "an exponent has digits", "1e+1"},
      {"1.0d0", "an exponent is written with 'e': 1.0e0", "1.0e0"},
      {"1d-3*A[0,0]", "an exponent is written with 'e': 1e-3", "1e-3*A[0,0]"},
      {"2A[0,0]", "an operator is missing: 2*A", "2*A[0,0]"},
      {"2.5exp(A[0,0])", "an operator is missing: 2.5*exp", "2.5*exp(A[0,0])"},
      {"0x", "hexadecimal digits are 0 to 9 and a to f", "0x1"},
      {"0x1G", "hexadecimal digits are 0 to 9 and a to f", "0x1"},
      {"0b102", "binary digits are 0 and 1", "0b101"},
      {"0o17", "numbers are decimal, hexadecimal (0x1F) or binary (0b101)", "15"},
      {"1_000", "digits are written without '_'", "1000"},
      {"1.5f", "numbers have no suffix", "1.5"},
      {"1,5*A[0,0]", "the decimal sign is a point", "1.5*A[0,0]"},
      {"if (A[0,0] > 0) 1", "a choice is written 'select(condition, a, b)'",
       "select(A[0,0] > 0, 1, 0)"},
      {"if A[0,0] > 0 then 1 else 0", "a choice is written", "select(A[0,0] > 0, 1, 0)"},
      {"A[0,0] = 1", "write a single '=' before the value", "1"},
      {"select(A[0,0] = 1, 1, 0)", "equality is written '=='", "select(A[0,0] == 1, 1, 0)"},
      {"A(t-1)[0,0]", "an earlier level is read as A@-1[0,0]", "A@-1[0,0]"},
      {"A(time - 1)", "an earlier level is read as A@-1[0,0]", "A@-1[0,0]"},
      {"A(-1,0)", "fields are read at offsets: A[-1,0]", "A[-1,0]"},
      {"A(i,j+1)", "fields are read at offsets: A[0,1]", "A[0,1]"},
      {"A(3)[0,0]", "fields are read at offsets: A[0,0]", "A[0,0]"},
      {"A[0,0] .* A[0,0]", "all operators work point by point", "A[0,0] * A[0,0]"},
      {"A[0,0] ./ 2", "all operators work point by point", "A[0,0] / 2"},
      {"A[0,0].^2", "a power is written 'x*x', or 'pow(x, y)'", "pow(A[0,0], 2)"},
      {"A'", "there are no matrices", "A[0,0]"},
      {"A[0,0]'", "there are no matrices", "A[0,0]"},
      {"'a'", "there are no strings", ""},
      {"select(A[0,0] ~= 1, 1, 0)", "'not equal' is written '!='", "select(A[0,0] != 1, 1, 0)"},
      {"A[:,0]", "a read has one offset per dimension", "A[0,0]"},
      {"A[0,:]", "a read has one offset per dimension", "A[0,0]"},
      {"A[...,0]", "a read has one offset per dimension", "A[0,0]"},
      {"A[0;0]", "dimensions are separated by ','", "A[0,0]"},
      {"A[0 0]", "offsets are separated by ','", "A[0,0]"},
      {"A[0.5,0]", "between two points, take the mean of their values", "0.5*(A[0,0] + A[1,0])"},
      {"A[1.0,0]", "write it as an integer: 1", "A[1,0]"},
      {"A[0,0] ! the point\n + 1", "a comment begins with '//'", "A[0,0] // the point\n + 1"},
      {"A[0,0] % the point\n + 1", "a comment begins with '//'", "A[0,0] // the point\n + 1"},
      {"roll(A, 1, 0)", "a neighbour is read at its offset", "A[-1,0]"},
      {"mean(A)", "divide a sum", "sum(a in -1..1 : A[a,0])/3"},
      {"ln(A[0,0])", "write 'log'", "log(A[0,0])"},
      {"power(A[0,0], 2)", "write 'pow(x, y)'", "pow(A[0,0], 2)"},
      {"arctan(A[0,0])", "write 'atan(x)'", ""},
      {"tgamma(A[0,0])", "not built in", ""},
      {"norm2(A)", "write the products", ""},
      {"lambda x: x", "write 'function f(x) = expression;'", ""},
      {"select(A[0,0] .gt. 1, 1, 0)", "write '>'", "select(A[0,0] > 1, 1, 0)"},
      {"select(A[0,0] > 1 .and. true, 1, 0)", "write 'and'", "select(A[0,0] > 1 and true, 1, 0)"},
      {"select(.not. true, 1, 0)", "write 'not'", "select(not true, 1, 0)"},
      {"select(.true., 1, 0)", "write 'true'", "select(true, 1, 0)"},
      {"NULL", "values are numbers", ""},
      {"A[0,0] − A[1,0]", "the minus sign is '-'", "A[0,0] - A[1,0]"},
      {"2 × A[0,0]", "a product is written '*'", "2 * A[0,0]"},
      {"A[0,0]²", "a power is written 'x*x'", "A[0,0]*A[0,0]"},
      {"π*A[0,0]", "write 'pi'", ""},
      {"“a”", "there are no strings", ""},
      {"α*A[0,0]", "names have the letters a to z", ""},
      {"select(A[0,0] ≤ 1, 1, 0)", "write '<='", "select(A[0,0] <= 1, 1, 0)"},
      {"A[0,0]\u00a0+ 1", "this is a no-break space", "A[0,0] + 1"},
      {"A@0[0,0]", "the newest level has no '@'", "A[0,0]"},
      {"A@1[0,0]", "a stencil gives the new level; '@-1' is the level before", "A@-1[0,0]"},
      {"A@(-1)[0,0]", "a stencil gives the new level; '@-1' is the level before", "A@-1[0,0]"},
      {"A@-t[0,0]", "the number of steps must be a literal", "A@-1[0,0]"},
      {"time()*A[0,0]", "'time' is not a function: omit the parentheses", "time*A[0,0]"},
      {"sum(a in range(2) : A[a,0])", "a range is written 'low..high'", "sum(a in 0..1 : A[a,0])"},
      {"sum(a in 0:1 : A[a,0])", "a range is written 'low..high'", "sum(a in 0..1 : A[a,0])"},
      {"sum(a = 0..1 : A[a,0])", "an index and its range are written 'a in -1..1'",
       "sum(a in -1..1 : A[a,0])"},
      {"sum(A[a,0] for a in range(2))", "write 'sum(a in -1..1 : expression)'",
       "sum(a in -1..1 : A[a,0])"},
      {"sin A[0,0]", "a function is called with parentheses", "sin(A[0,0])"},
      {"std::sin(A[0,0])", "a function is called by its name alone", "sin(A[0,0])"},
      {"|A[0,0]|", "write 'abs(x)'", "abs(A[0,0])"},
      {"A[0,0]/dx", "declare it, 'param dx : real = 0.1;', or give the grid a 'spacing'", ""},
      {"clip(A[0,0], 0, 1)", "write 'min(max(x, low), high)'", "min(max(A[0,0], 0), 1)"},
      {"heaviside(A[0,0])", "write 'select(x >= 0, 1, 0)'", "select(A[0,0] >= 0, 1, 0)"},
      {"exp * A[0,0]", "'exp' is a function: write 'exp(x)'", "exp(A[0,0])"},
      {"pi() * A[0,0]", "'pi' is not a function", "pi * A[0,0]"},
      {"e * A[0,0]", "write 'exp(1.0)'", "exp(1.0) * A[0,0]"},
      {"laplacian(A)", "declare a function, 'function lap(u : field) = u[-1] - 2*u[0] + u[1];'",
       ""},
      {"div(A)", "derivatives are written as differences", "(A[1,0] - A[-1,0])/2"},
      {"rand()", "write 'random(i, seed)'", ""},
      {"A.laplace", "derivatives are written as differences", "(A[1,0] - A[-1,0])/2"},
      {"A.backward", "the previous level is 'A@-1[0]'", "A@-1[0,0]"},
      {"A[end,0]", "there is no word for the last index", ""},
      {"weight * A[0,0]", "the field is A; the param is N\n", "N * A[0,0]"},
      {"smoothed(A)", "the function of the program is central\n", "central(A)"},
      {"centraldifference(A)", "did you mean 'central'?", "central(A)"},
      {"cent(A)", "did you mean 'central'?", "central(A)"},
      {"N (A[0,0] + 1)", "an operator is missing: N * (...)", "N * (A[0,0] + 1)"},
  };
  const auto item = [](const std::string& e) {
    return e.empty() ? e : "stencil slip : A on G = " + e + ";";
  };
  for (const Slip& slip : slips) {
    expect_hint({item(slip.written), slip.hint, item(slip.mended)},
                std::string(kParam) + kGrid + kField + kFunction, kRest);
  }
}

TEST(Hints, OnItems) {
  const char* const kForms = "a stencil is written 'stencil n : F on REGION = e;'";
  const Slip slips[] = {
      {"param M = 32;", "the type comes before the value: 'param M : integer = 32;'",
       "param M : integer = 32;"},
      {"param x = 0.5;", "the type comes before the value: 'param x : real = 0.5;'",
       "param x : real = 0.5;"},
      {"param real a;", "the type follows the name: 'param a : real'", "param a : real;"},
      {"param int M = 3;", "the type follows the name: 'param M : integer'",
       "param M : integer = 3;"},
      {"param M integer = 3;", "write ':' before the type", "param M : integer = 3;"},
      {"param M : integer := 3;", "write '='", "param M : integer = 3;"},
      {"param a, b : real;", "declare each param as a separate item",
       "param a : real; param b : real;"},
      {"param α : real;", "names have the letters a to z", "param alpha : real;"},
      {"param z : double precision;", "write 'double'", "param z : double;"},
      {"field real B on G;", "the type follows the name: 'field B : real on G;'",
       "field B : real on G;"},
      {"field B on G;", "a field is written 'field A : real on G;'", "field B : real on G;"},
      {"field B : double precision on G;", "write 'double'", "field B : double on G;"},
      {"field B : unsigned int on G;", "write 'integer'", "field B : integer on G;"},
      {"field B : real*8 on G;", "write 'double'", "field B : double on G;"},
      {"field B : vec3 on G;", "write 'vector 3 of real'", "field B : vector 3 of real on G;"},
      {"field B : complex on G;", "use a field of '{ re : real, im : real }'",
       "field B : { re : real, im : real } on G;"},
      {"field B : real on G = 1;", "write initial values as a separate item: 'init A = 1;'",
       "field B : real on G; init B = 1;"},
      {"field B : real on G boundary = periodic;",
       "write the rule directly after the word: 'boundary periodic'",
       "field B : real on G boundary periodic;"},
      {"field B : real on G boundary(clamp);",
       "write the rule directly after the word: 'boundary clamp'",
       "field B : real on G boundary clamp;"},
      {"field B : real on G boundary neumann;", "write 'symmetric' for a slope of 0",
       "field B : real on G boundary symmetric;"},
      {"field B : real on G boundary [zeroGradient .. zero-flux, wrap];", "write 'symmetric'", ""},
      {"field B : real on G boundary [clamp .. grid_wrap, clamp];", "write 'periodic'", ""},
      {"field B : real on G boundary perodic;", "did you mean 'periodic'?",
       "field B : real on G boundary periodic;"},
      {"field B : real on G boundary = wrap;", "write 'periodic'",
       "field B : real on G boundary periodic;"},
      {"field B : real on G symmetric;", "write 'boundary symmetric'",
       "field B : real on G boundary symmetric;"},
      {"field B : real on G boundary constant;",
       "the value beyond the edge follows: 'boundary constant 0'",
       "field B : real on G boundary constant 0;"},
      {"field B : real on G boundary constant = 0;", "the value follows without '='",
       "field B : real on G boundary constant 0;"},
      {"field B : real on G boundary fixed;",
       "the value of the edge point follows: 'boundary fixed 0'",
       "field B : real on G boundary fixed 0; stencil b : B on G = 1;"},
      {"field B : real on G boundary [gradient, clamp];",
       "the derivative along the outward normal follows: 'boundary gradient 0'",
       "field B : real on G boundary [gradient 0, clamp];"},
      {"field B : real on G boundary mirror gradient;",
       "the derivative along the outward normal follows: 'boundary mirror gradient 0'",
       "field B : real on G boundary mirror gradient 0;"},
      {"field B : real on G boundary fixed 1 .. clamp;",
       "the rules of two sides are written in brackets, with an entry for each dimension: "
       "'boundary [fixed 1 .. clamp]'",
       "field B : real on G boundary [fixed 1 .. clamp, clamp]; stencil b : B on G = 1;"},
      {"field B : real on G boundary mirror gradient -1 .. gradient 2;",
       "the rules of two sides are written in brackets, with an entry for each dimension: "
       "'boundary [mirror gradient -1 .. gradient 2]'",
       "field B : real on G boundary [mirror gradient -1 .. gradient 2, clamp];"},
      {"field B : real on G boundary clamp, mirror gradient 2;",
       "the rules of the dimensions are written in brackets: 'boundary [clamp, mirror gradient 2]'",
       "field B : real on G boundary [clamp, mirror gradient 2];"},
      {"field B : real on G boundary gradient 1 mirror;",
       "the rules of two sides or dimensions are written in brackets: "
       "'boundary [gradient 1 .. mirror]' or 'boundary [gradient 1, mirror]'",
       "field B : real on G boundary [gradient 1, mirror];"},
      {"field B : real on G boundary fixed 1 gradient 2;",
       "the rules of two sides or dimensions are written in brackets: "
       "'boundary [fixed 1 .. gradient 2]' or 'boundary [fixed 1, gradient 2]'",
       "field B : real on G boundary [fixed 1, gradient 2]; stencil b : B on G = 1;"},
      {"field B : real on G boundary [clamp mirror];",
       "write '..' between the rules of the two sides, or ',' between those of two dimensions",
       "field B : real on G boundary [clamp, mirror];"},
      {"field B : real on G boundary mirror 2;",
       "'mirror' takes no value; 'constant c', 'gradient g', 'mirror gradient g' and 'fixed c' "
       "take one",
       "field B : real on G boundary mirror gradient 2;"},
      {"field B : real on G boundary [clamp 1, clamp];", "'clamp' takes no value",
       "field B : real on G boundary [clamp, clamp];"},
      {"field B : real on G boundary gradient mirror 2;", "write 'mirror gradient 2'",
       "field B : real on G boundary mirror gradient 2;"},
      {"field B : real on G boundary = mirror gradient 2;",
       "the rule follows without a sign: 'boundary mirror gradient 2'",
       "field B : real on G boundary mirror gradient 2;"},
      {"field B : real on G gradient 2;", "write 'boundary gradient 2'",
       "field B : real on G boundary gradient 2;"},
      {"field B : real on G boundary gradient = 0;", "the value follows without '='",
       "field B : real on G boundary gradient 0;"},
      {"field B : real on G boundary 0;",
       "write 'constant 0' for the value 0 of every point beyond the edge, or 'fixed 0'",
       "field B : real on G boundary constant 0;"},
      {"field B : real on G boundary = -1.5;", "write 'constant -1.5' for the value -1.5",
       "field B : real on G boundary constant -1.5;"},
      {"field B : real on G boundary [clamp .. 2, clamp];", "write 'constant 2'",
       "field B : real on G boundary [clamp .. constant 2, clamp];"},
      {"field B : real on G boundary neumann 2;",
       "write 'gradient g' with the derivative g along the outward normal",
       "field B : real on G boundary gradient 2;"},
      {"field B : real on G boundary [neumann N .. clamp, clamp];", "write 'gradient g'",
       "field B : real on G boundary [gradient N .. clamp, clamp];"},
      {"field B : real on G boundary neumann 0;", "write 'symmetric' for a slope of 0", ""},
      {"field B : real on G boundary neumann history 2;", "write 'symmetric' for a slope of 0", ""},
      {"field B : real on G boundary [clamp, fixed 1.0, gradient N];",
       "the low and the high wall of one dimension are written 'fixed 1.0 .. gradient N'",
       "field B : real on G boundary [clamp, fixed 1.0 .. gradient N]; stencil b : B on G = 1;"},
      {"field B : real on G boundary [clamp];", "a rule without brackets applies to all dimensions",
       "field B : real on G boundary clamp;"},
      {"field B : real on G histroy 2;", "did you mean 'history'?",
       "field B : real on G history 2;"},
      {"field B : real on G boundary = fixed 0;",
       "the rule follows without a sign: 'boundary fixed 0'",
       "field B : real on G boundary fixed 0; stencil b : B on G = 1;"},
      {"field B : real on G history = 2;", "the value follows without '='",
       "field B : real on G history 2;"},
      {"function f(x) { return 2*x; }", "write '= expression;' instead of 'return expression;'",
       "function f(x) { = 2*x; }"},
      {"function f(x) { y = 2*x; = y; }", "a local value begins with 'let': 'let y = ...;'",
       "function f(x) { let y = 2*x; = y; }"},
      {"function f(double x) = x;", "an argument is written 'x', 'x : real' or 'u : field'",
       "function f(x : double) = x;"},
      {"function f(field u) = u[0,0];", "an argument is written 'x', 'x : real' or 'u : field'",
       "function f(u : field) = u[0,0];"},
      {"function double f(x) = x;", "a function has no type: 'function f(x) = expression;'",
       "function f(x) = x;"},
      {"double f(double x) { return x; }", "write 'function f(x) = expression;'",
       "function f(x) = x;"},
      {"f = lambda x: x;", "write 'function f(x) = expression;'", "function f(x) = x;"},
      {"stencil f on G = A[0,0];", kForms, "stencil f : A on G = A[0,0];"},
      {"stencil A = A[0,0];", kForms, "stencil f : A on G = A[0,0];"},
      {"stencil f : A on G { [0..1,0] = 1; }", kForms, "stencil f : A { [0..1,0] = 1; }"},
      {"stencil f : A { if (1 > 0) [0..1,0] = 1; }", "a choice is written 'select", ""},
      {"stencil f : A { x = 1; [0..1,0] = x; }", "a local value of a body begins with 'let'",
       "stencil f : A { let x = 1; [0..1,0] = x; }"},
      {"stencil f : A on G[1..N-2, 1..N-2] = 1;", "a box follows the field",
       "stencil f : A[1..N-2, 1..N-2] = 1;"},
      {"stencil f : A on G[-1, 0] = 1;", "a box follows the field", ""},
      {"stencil f : A[:,0] = 1;", "a range is written 'low..high'", "stencil f : A[0..N-1,0] = 1;"},
      {"subgrid S = [1..N-2, 1..N-2];", "a sub-grid is written 'subgrid S of G = [1..N-2];'",
       "subgrid S of G = [1..N-2, 1..N-2];"},
      {"table w[2] : real = {1, 2};", "a table is written 'table w : real[3] = {1, 2, 3};'",
       "table w : real[2] = {1, 2};"},
      {"reduce max(A[0,0]) on G;", "a reduction has a name: 'reduce r = max(A[0]) on G;'",
       "reduce r = max(A[0,0]) on G;"},
      {"reduce r = norm2(A[0,0]) on G;", "write the square root of a 'sum' of squares",
       "reduce r = sum(A[0,0]*A[0,0]) on G;"},
      {"init A[:] = 0;", "an init covers the whole field: 'init A = 1;'", "init A = 0;"},
      {"print A;", "'stencilc run' writes fields", ""},
      {"% a comment", "a comment begins with '//'", "// a comment"},
      {"! a comment", "a comment begins with '//'", "// a comment"},
      {"-- a comment", "a comment begins with '//'", "// a comment"},
      {"#define M 16", "a constant is a param", "param M : integer = 16;"},
      {"assert N > 2;", "write 'require condition;'", "require N > 2;"},
  };
  for (const Slip& slip : slips) {
    expect_hint(slip, std::string(kParam) + kGrid + kField, kRest);
  }
}

TEST(Hints, OnTheGrid) {
  const std::string box = "all ranges go into one pair of brackets";
  const Slip slips[] = {
      {"grid G = N x N steps 4;", box, kGrid},
      {"grid G = 16x16 steps 4;", box, kGrid},
      {"grid G = [N x N] steps 4;", box, kGrid},
      {"grid G = [0..N-1] x [0..N-1] steps 4;", box, kGrid},
      {"grid G[N,N] steps 4;", "write 'grid G = [0..N-1, 0..M-1]'", kGrid},
      {"grid G : [0..N-1, 0..N-1] steps 4;", "write '='", kGrid},
      {"grid G = [range(N), range(N)] steps 4;", "a range is written 'low..high'", kGrid},
      {"grid G = [0..N-1, 0..N-1] steps 1e5;", "write it as an integer: 100000",
       "grid G = [0..N-1, 0..N-1] steps 100000;"},
      {"grid G = [0..N-1, 0..N-1] step 4;", "did you mean 'steps'?", kGrid},
      {"grid G = [0..N-1, 0..N-1] steps 4 spacng 0.5;", "did you mean 'spacing'?",
       "grid G = [0..N-1, 0..N-1] steps 4 spacing 0.5;"},
      {"grid G = [0..N-1, 0..N-1] steps = 4;", "the value follows without '='", kGrid},
  };
  for (const Slip& slip : slips) expect_hint(slip, kParam, std::string(kField) + kRest);
}

// Reads so far away that no region keeps them within the field.
TEST(Hints, OnReadsByCoordinates) {
  const std::string field = "field A : real on G;\n", before = kParam + std::string(kGrid) + field;
  const Slip far{"stencil f : A on G = A[N,0];",
                 "offsets are relative to the current point, A[0,0]",
                 "stencil f : A on G = A[0,0];"};
  expect_hint(far, before, kRest);
  const Slip near{
      "stencil f : A on G = A[N-1,0];",
      "give the field a boundary (constant, clamp, mirror, periodic, ...), or end the region",
      "stencil f : A[0,0..N-1] = A[N-1,0];"};
  expect_hint(near, before, kRest);
  const Slip open{"param M : integer; stencil f : A on G = A[M-1,0];",
                  "offsets are relative to the current point; an offset that varies",
                  "param M : integer; stencil f : A on G = A[0,0]*M;"};
  expect_hint(open, before, kRest);
  const Slip point{"grid G = [N, N] steps 4;",
                   "dimension 0 has the single index 16; write a range as 0..N-1",
                   "grid G = [0..N-1, 0..N-1] steps 4;"};
  expect_hint(point, kParam, field + "stencil f : A[0..N-2,0..N-1] = A[1,0];\n");
  expect_hint({point.written, point.hint, ""}, kParam, field + "stencil f : A on G = A[1,0];\n");
}

// Other errors do not get these hints.
TEST(Hints, AreNotGivenForOtherErrors) {
  const auto lacks = [](const std::string& item, const std::string& hint) {
    const Analysis analysis = analyze_text(std::string(kParam) + kGrid + kField + item + kRest);
    EXPECT_FALSE(analysis.program.has_value()) << item;
    EXPECT_EQ(analysis.messages.find(hint), std::string::npos) << analysis.messages;
  };
  lacks("stencil f : A on G = A[0,0]\n", "'//'");
  lacks("stencil f : A on G = N % 3 N;\n", "'//'");
  lacks("stencil f : A on G = N % N N;\n", "'//'");
  lacks("stencil f : A on G = (1, 2);\n", "decimal");
  lacks("table w : real[2] = (1,2);\n", "decimal");
  lacks("stencil f : A on G = 1 2;\n", "offsets");
  lacks("field B : real on G clamp .. mirror;\n", "letters");
  lacks("stencil f : A on H = 1;\n", "'let'");
  lacks("stencil f : A on G = A[0,0].rho;\n", "dot");
  lacks("param M : real = ;\n", "without");
  lacks("stencil f : A on G = select(A[0,0] > 0, 1, 0) 2;\n", "choice");
}

}  // namespace
}  // namespace stencil::test
