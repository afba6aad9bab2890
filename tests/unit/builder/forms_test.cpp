// The text that the builder writes for every construct of the language.
#include <gtest/gtest.h>

#include <limits>

#include "compiler/builder/access.h"
#include "compiler/syntax/parse.h"
#include "stencil/builder.h"

namespace {

using namespace stencil::dsl;  // NOLINT: as users write

// The text of a program, which is not analysed.
std::string text_of(const Builder& b) {
  const BuildResult result = b.finish({.analyse = false});
  EXPECT_TRUE(result.ok()) << result.report();
  return result.ok() ? result.program->text() : "";
}

// An expression as text.
std::string text_of(const Expr& expr) {
  Builder b;
  b.stop(expr);
  const std::string text = text_of(b);
  const size_t prefix = std::string("stop when ").size();
  return text.size() < prefix + 2 ? text : text.substr(prefix, text.size() - prefix - 2);
}

TEST(Forms, LiteralsFollowTheirCppType) {
  EXPECT_EQ(text_of(Expr(1)), "1");
  EXPECT_EQ(text_of(Expr(1u)), "1");
  EXPECT_EQ(text_of(Expr(1.0)), "1.0");
  EXPECT_EQ(text_of(Expr(0.1)), "0.1");
  EXPECT_EQ(text_of(Expr(0.1f)), "0.10000000149011612");
  EXPECT_EQ(text_of(Expr(1e-30)), "1e-30");
  EXPECT_EQ(text_of(Expr(true)), "true");
  EXPECT_EQ(text_of(Expr(-3)), "-3");
  EXPECT_EQ(text_of(Expr(-0.0)), "-0.0");
  EXPECT_EQ(text_of(Expr(std::numeric_limits<double>::denorm_min())), "5e-324");
  EXPECT_EQ(text_of(Expr(std::numeric_limits<int64_t>::min())), "-9223372036854775807 - 1");
  EXPECT_EQ(text_of(Expr(size_t{7})), "7");
}

TEST(Forms, Operators) {
  const Index a("a"), b("b"), c("c");
  EXPECT_EQ(text_of(a + b - c * a / b % c), "a + b - c * a / b % c");
  EXPECT_EQ(text_of(a - (b - c)), "a - (b - c)");
  EXPECT_EQ(text_of((a + 1) * -b), "(a + 1) * -b");
  EXPECT_EQ(text_of(a < b and not(b >= c or a != 2)), "a < b and not (b >= c or a != 2)");
  EXPECT_EQ(text_of((a == b) == (a > 1 and a <= 2)), "(a == b) == (a > 1 and a <= 2)");
  EXPECT_EQ(text_of((a & b) | (c ^ ~a)), "a & b | c ^ ~a");
  EXPECT_EQ(text_of((a << 2) >> b), "a << 2 >> b");
  Expr sum = a;
  sum += b;
  sum -= 1;
  sum *= 2;
  sum /= c;
  EXPECT_EQ(text_of(sum), "(a + b - 1) * 2 / c");
}

TEST(Forms, FunctionsAndConversions) {
  const Index x("x");
  EXPECT_EQ(text_of(select(x > 0, abs(x), sqrt(x))), "select(x > 0, abs(x), sqrt(x))");
  EXPECT_EQ(text_of(min(x, 1, 2.5) + max(0, x)), "min(x, 1, 2.5) + max(0, x)");
  EXPECT_EQ(text_of(fma(x, 2, pow(x, 3))), "fma(x, 2, pow(x, 3))");
  EXPECT_EQ(text_of(rsqrt(x) + floor(x) + ceil(x)), "rsqrt(x) + floor(x) + ceil(x)");
  EXPECT_EQ(text_of(exp(x) + log(x) + sin(x)), "exp(x) + log(x) + sin(x)");
  EXPECT_EQ(text_of(cos(x) + tan(x) + tanh(x)), "cos(x) + tan(x) + tanh(x)");
  EXPECT_EQ(text_of(integer(x) + long_(x)), "integer(x) + long(x)");
  EXPECT_EQ(text_of(real(x) + float_(x) + double_(x)), "real(x) + float(x) + double(x)");
  EXPECT_EQ(text_of(step_index() * 2), "time * 2");
  EXPECT_EQ(text_of(position(x) - origin(0) * spacing(x)), "position(x) - origin(0) * spacing(x)");
}

TEST(Forms, Comprehensions) {
  const Index p("p"), q("q");
  EXPECT_EQ(text_of(sum({p.in(-1, 1), q.in(0, p)}, p * q)), "sum(p in -1..1, q in 0..p : p * q)");
  EXPECT_EQ(text_of(prod({p.in(0, 1)}, p)), "prod(p in 0..1 : p)");
  EXPECT_EQ(text_of(min({p.in(0, 1)}, p)), "min(p in 0..1 : p)");
  EXPECT_EQ(text_of(max({p.in(0, 1)}, p)), "max(p in 0..1 : p)");
  EXPECT_EQ(text_of(vector({p.in(0, 1)}, p)[1]), "vector(p in 0..1 : p)[1]");
}

TEST(Forms, ParamsGridsAndTypes) {
  Builder b;
  const auto N = b.param("N", integer);
  b.param("M", long_, 2 * N);
  b.param("n", 5);
  b.param("x", 0.5f);
  const auto G = b.grid("G", {extent(N), {0, 7}, {3}}, 2 * N);
  b.subgrid("part", G, {{1, N - 2}, {2}, {3, 3}});
  const auto pair = b.type("pair", vector(2, half));
  const auto cell = b.type("cell", structure({{"rho", float_}, {"u", pair}}));
  b.field("a", cell, G);
  b.field("b", vector(N, structure({{"x", bfloat}})), G, {.history = 3, .constant = true});
  b.field("c", structure({{"x", byte}, {"y", ubyte}, {"z", short_}, {"w", ushort_}}), G);
  b.field("d", bool_, G);
  EXPECT_EQ(text_of(b),
            "param N : integer;\n"
            "param M : long = 2 * N;\n"
            "param n : integer = 5;\n"
            "param x : real = 0.5;\n"
            "grid G = [0..N - 1, 0..7, 3] steps 2 * N;\n"
            "subgrid part of G = [1..N - 2, 2, 3..3];\n"
            "type pair = vector 2 of half;\n"
            "type cell = { rho : float, u : pair };\n"
            "field a : cell on G;\n"
            "field b : vector N of { x : bfloat } on G history 3 constant;\n"
            "field c : { x : byte, y : ubyte, z : short, w : ushort } on G;\n"
            "field d : bool on G;\n");
}

TEST(Forms, CoordinatesOfTheGrid) {
  const auto grid = [](const GridOptions& options) {
    Builder b;
    b.grid("G", {{0, 7}, {0, 7}}, options);
    return text_of(b);
  };
  const Index dx("dx");
  EXPECT_EQ(grid({}), "grid G = [0..7, 0..7];\n");
  EXPECT_EQ(grid({.steps = 3, .spacing = 2 * dx}),
            "grid G = [0..7, 0..7] steps 3 spacing 2 * dx;\n");
  EXPECT_EQ(grid({.origin = {0, -dx}, .spacing = {1.5, dx}}),
            "grid G = [0..7, 0..7] origin [0, -dx] spacing [1.5, dx];\n");
}

TEST(Forms, PeriodicStencils) {
  Builder b;
  const auto G = b.grid("G", {{0, 7}});
  const auto U = b.field("U", real, G);
  b.stencil("s", U, {{1, 6}}, 1).every(4);
  b.stencil("t", U).otherwise(1).every(2);
  EXPECT_EQ(text_of(b),
            "grid G = [0..7];\nfield U : real on G;\nstencil s : U every 4 on [1..6] = 1;\n"
            "stencil t : U every 2 {\n  else = 1;\n}\n");
  b.stencil("u", U, G, 1).every(4).every(5);
  EXPECT_NE(b.finish().report().find("stencil 'u' already has an interval"), std::string::npos);
}

TEST(Forms, Strides) {
  Builder b;
  const auto G = b.grid("G", {{0, 7}, {0, 7}});
  const auto U = b.field("U", real, G);
  const auto half = b.subgrid("half", G, {Range(0, 7).by(2), {0, 7}});
  const Index i("i");
  b.stencil("s", U, {i.in(1, 7).by(3), {0, 7}}, i);
  b.stencil("t", U, half, 1);
  EXPECT_EQ(text_of(b),
            "grid G = [0..7, 0..7];\nfield U : real on G;\n"
            "subgrid half of G = [0..7 by 2, 0..7];\n"
            "stencil s : U[i in 1..7 by 3, 0..7] = i;\nstencil t : U on half = 1;\n");
  Builder wrong;
  wrong.grid("G", {Range(0, 7).by(2)});
  EXPECT_NE(wrong.finish().report().find("a range of a grid cannot have a stride"),
            std::string::npos);
  Builder point;
  const auto H = point.grid("H", {{0, 7}});
  const auto V = point.field("V", real, H);
  point.stencil("s", V, {Range(3).by(2)}, sum({i.in(0, 3).by(2)}, i));
  EXPECT_NE(point.finish().report().find("cannot have a stride"), std::string::npos);
}

TEST(Forms, OffsetsWithinBounds) {
  Builder b;
  const auto G = b.grid("G", {{0, 7}, {0, 7}});
  const auto U = b.field("U", real, G);
  b.stencil("s", U, G, U(within(integer(U(0, 0)), 2), 1));
  EXPECT_EQ(text_of(b),
            "grid G = [0..7, 0..7];\nfield U : real on G;\n"
            "stencil s : U on G = U[integer(U[0, 0]) within 2, 1];\n");
  Builder wrong;  // `within` outside an offset has no form in the text
  const auto H = wrong.grid("G", {{0, 7}});
  const auto V = wrong.field("V", real, H);
  wrong.stencil("s", V, H, 1 + within(V(0), 2));
  EXPECT_FALSE(wrong.finish().ok());
}

TEST(Forms, Boundaries) {
  Builder b;
  const auto G = b.grid("G", {{0, 7}, {0, 7}});
  b.field("a", real, G, {.boundary = none});
  b.field("b", real, G, {.boundary = constant(-1.5)});
  b.field("c", real, G, {.boundary = {periodic, clamp}});
  b.field("d", real, G, {.boundary = {{mirror, constant(1)}, {none, clamp}}});
  b.field("e", vector(2, real), G, {.boundary = {constant(values({1, 2})), mirror}});
  b.field("f", real, G, {.boundary = {{clamp, mirror}}});
  b.field("g", real, G, {.boundary = {{linear, odd}, {symmetric, antisymmetric}}});
  b.field("i", real, G, {.boundary = {antiperiodic, periodic}});
  b.field("h", real, G, {.boundary = {{fixed(3), gradient(-0.5)}, mirror_gradient(2)}});
  EXPECT_EQ(text_of(b),
            "grid G = [0..7, 0..7];\n"
            "field a : real on G boundary none;\n"
            "field b : real on G boundary constant -1.5;\n"
            "field c : real on G boundary [periodic, clamp];\n"
            "field d : real on G boundary [mirror .. constant 1, none .. clamp];\n"
            "field e : vector 2 of real on G boundary [constant {1, 2}, mirror];\n"
            "field f : real on G boundary [clamp .. mirror];\n"
            "field g : real on G boundary [linear .. odd, symmetric .. antisymmetric];\n"
            "field i : real on G boundary [antiperiodic, periodic];\n"
            "field h : real on G boundary [fixed 3 .. gradient -0.5, mirror gradient 2];\n");
}

TEST(Forms, FunctionsStencilsAndTheRest) {
  Builder b("all");
  const auto G = b.grid("G", {{0, 7}, {0, 7}});
  const auto U = b.field("U", structure({{"rho", real}, {"v", vector(2, real)}}), G,
                         {.history = 3, .boundary = clamp});
  const auto w = b.table("w", real, {2, 2}, values({values({1, 2}), values({3, 4.5})}));
  const FieldArgument u("u");
  const ValueArgument k("k");
  const auto one = b.function("one", {}, 1.0);
  auto flux = b.function("flux", {u, k});
  const auto slope = flux.let("slope", u(0, 1).member("rho") - u(0, 0).member("rho"));
  flux.value(k * slope);
  const Index i("i"), j("j"), q("q");
  auto s = b.stencil("s", U);
  const auto r = s.let("r", flux(U.at(-2), 2)(0, -1) + U.at(0)(0, 0).member("v")[1]);
  s.piece({i.in(0, 3), j.in(0)}, record({{"rho", r + i}, {"v", vector({q.in(0, 1)}, w(q, 1))}}));
  s.piece({{4, 7}, {1, 7}}, values({one(), 0}));
  s.otherwise(values({i, 0}), {i, j});
  b.stencil("t", U, Region(G, {i, j}).where(i < j and U(0, 0).member("rho") > 0), U(0, 0));
  b.stencil("u", U).piece(Region({{1, 2}, {0, 7}}).where(one() > 1), 0).otherwise(1);
  b.stencil("v", {Target(U).member("rho"), Target(U).member("v")}, G,
            record({{"rho", 2}, {"v", 1}}));
  b.stencil("w", {Target(U).member("v")}).piece(G, 1);
  b.init(U, {i, j}, values({i * j, 0}));
  const auto m = b.reduce("m", Reducer::min, U(0, 0).member("rho"), {{0, 3}, {0, 3}}, 10);
  b.reduce("p", Reducer::prod, U(0, 0).member("rho"), Region(G).where(U(0, 0).member("rho") > 0),
           2);
  const auto n = b.reduce("n", Reducer::max, U(0, 0).member("rho") + Reduction("last").before(), G,
                          {.initial = 0});
  b.reduce("last", Reducer::sum, U(0, 0).member("rho") * n, G, ReduceOptions{1, 2.5});
  b.stencil("x", U, G, values({n + n.before(), 0}));
  b.stop(m < 0 or step_index() > 100);
  b.require(true);
  const std::string expected =
      "grid G = [0..7, 0..7];\n"
      "field U : { rho : real, v : vector 2 of real } on G history 3 boundary clamp;\n"
      "table w : real[2, 2] = {{1, 2}, {3, 4.5}};\n"
      "function one() = 1.0;\n"
      "function flux(u : field, k) {\n"
      "  let slope = u[0, 1].rho - u[0, 0].rho;\n"
      "  = k * slope;\n"
      "}\n"
      "stencil s : U {\n"
      "  let r = flux(U@-2, 2)[0, -1] + U[0, 0].v[1];\n"
      "  [i in 0..3, j in 0] = {rho = r + i, v = vector(q in 0..1 : w[q, 1])};\n"
      "  [4..7, 1..7] = {one(), 0};\n"
      "  else[i, j] = {i, 0};\n"
      "}\n"
      "stencil t : U on G[i, j] where i < j and U[0, 0].rho > 0 = U[0, 0];\n"
      "stencil u : U {\n"
      "  [1..2, 0..7] where one() > 1 = 0;\n"
      "  else = 1;\n"
      "}\n"
      "stencil v : U.rho, U.v on G = {rho = 2, v = 1};\n"
      "stencil w : U.v on G = 1;\n"
      "init U[i, j] = {i * j, 0};\n"
      "reduce m = min(U[0, 0].rho) on [0..3, 0..3] every 10;\n"
      "reduce p = prod(U[0, 0].rho) on G where U[0, 0].rho > 0 every 2;\n"
      "reduce n = max(U[0, 0].rho + last@-1) on G initial 0;\n"
      "reduce last = sum(U[0, 0].rho * n) on G every 1 initial 2.5;\n"
      "stencil x : U on G = {n + n@-1, 0};\n"
      "stop when m < 0 or time > 100;\n"
      "require true;\n";
  EXPECT_EQ(text_of(b), expected);

  // The program must also be valid.
  const BuildResult result = b.finish();
  ASSERT_TRUE(result.ok()) << result.report();
  EXPECT_EQ(result.program->name(), "all");
  stencil::Diagnostics diagnostics;
  const auto parsed = stencil::parse(stencil::Source("t", expected), diagnostics);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(stencil::print(stencil::syntax_of(*result.program)), stencil::print(*parsed));
}

TEST(Forms, SharedExpressionsRepeatAndFinishCanBeCalledAgain) {
  Builder b;
  const auto G = b.grid("G", {{0, 7}});
  const auto A = b.field("A", real, G);
  const auto x = A(0) * 2;
  b.stencil("s", A, G, x * x);
  const std::string first = text_of(b);
  b.init(A, x);
  EXPECT_EQ(text_of(b), first + "init A = A[0] * 2;\n");
}

}  // namespace
