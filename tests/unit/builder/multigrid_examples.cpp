#include "tests/unit/builder/examples.h"

namespace stencil::test::multigrid {
namespace {

using namespace stencil::dsl;  // NOLINT: as users write

const Box kInner(3, Range(first() + 1, last() - 1));
const Index i("i"), j("j"), k("k"), a("a"), b("b"), c("c");
const FieldArgument v("v");

Box cube(const Expr& points) {
  return {extent(points), extent(points), extent(points)};
}
Expr faces(const Field& u) {
  return u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1);
}
std::vector<Range> corners_of(int low) {
  return {a.in(low, 1), b.in(low, 1), c.in(low, 1)};
}
Expr inside(const Expr& N) {
  return i > 0 and i < N - 1 and j > 0 and j < N - 1 and k > 0 and k < N - 1;
}
Expr share_of(Builder& builder) {
  return builder.table("share", real, {4}, values({0.5, 0.25, 0.125, 0.0625}));
}
// Full weighting of the finer field.
Expr weighted(const Expr& share, const Field& field) {
  return sum(corners_of(-1), share(abs(a) + abs(b) + abs(c)) * fine(field)(a, b, c));
}

BuildResult vcycle7() {
  Builder builder("vcycle7");
  const auto N = builder.param("N", 128), L = builder.param("L", 6);
  const auto smoothing = builder.param("smoothing", 6), coarsest = builder.param("coarsest", 24);
  const auto w = builder.param("w", real, Expr(2.0) / 3);
  const auto G = builder.grid("G", cube(N), {.steps = 10, .levels = L, .by = 2, .cells = true});
  const auto u = builder.field("u", real, G, {.boundary = antisymmetric});
  const auto f = builder.field("f", real, G, {.boundary = constant(0)});
  const auto r = builder.field("r", real, G, {.boundary = constant(0)});
  builder.init(f, {i, j, k}, random({i, j}, k) - 0.5);
  const auto around = builder.function("around", {v}, faces(v));
  const Expr defect = f(0, 0, 0) - (6 * u(0, 0, 0) - around(u));
  const auto smooth = builder.stencil("smooth", u, G, u(0, 0, 0) + w / 6 * defect);
  const auto residual = builder.stencil("residual", r, G, defect);
  const auto restrict =
      builder.stencil("restrict", f, G, 0.5 * sum(corners_of(0), fine(r)(a, b, c)));
  const auto zero = builder.stencil("zero", u, G, 0);
  const auto correct = builder.stencil("correct", u, G, u(0, 0, 0) + coarse(u)(0, 0, 0));
  const auto cycle = builder.cycle("v");
  cycle.body({if_(level() < L - 1,
                  {repeat(smoothing, {smooth}), residual, coarser({restrict, zero, cycle}), correct,
                   repeat(smoothing, {smooth})},
                  {repeat(coarsest, {smooth})})});
  builder.step({cycle, residual});
  builder.reduce("norm", Reducer::max, abs(r(0, 0, 0)), G);
  return builder.finish();
}

BuildResult poisson27() {
  Builder builder("poisson27");
  const auto N = builder.param("N", 129), L = builder.param("L", 6);
  const auto w = builder.param("w", 0.8);
  const auto G = builder.grid("G", cube(N), {.steps = 6, .levels = L, .by = 2});
  const auto interior = builder.subgrid("interior", G, kInner);
  const auto u = builder.field("u", real, G, {.boundary = constant(0)});
  const auto f = builder.field("f", real, G, {.boundary = constant(0)});
  const auto r = builder.field("r", real, G, {.boundary = constant(0)});
  builder.init(f, {i, j, k}, select(inside(N), random({i, j}, k) - 0.5, 0));

  const Expr p = 2 * a - 1, q = 2 * b - 1, s = 2 * c - 1;
  const auto edges = builder.function(
      "edges", {v}, sum({a.in(0, 1), b.in(0, 1)}, v(0, p, q) + v(p, 0, q) + v(p, q, 0)));
  const auto corners = builder.function("corners", {v}, sum(corners_of(0), v(p, q, s)));
  const auto stiffness = builder.function(
      "stiffness", {v},
      Expr(8.0) / 3 * v(0, 0, 0) - Expr(1.0) / 6 * edges(v) - Expr(1.0) / 12 * corners(v));
  const Expr defect = f(0, 0, 0) - stiffness(u);
  const auto smooth = builder.stencil("smooth", u, interior, u(0, 0, 0) + w * 3.0 / 8 * defect);
  const auto residual = builder.stencil("residual", r, interior, defect);
  const auto restrict = builder.stencil("restrict", f, interior, weighted(share_of(builder), r));
  const auto zero = builder.stencil("zero", u, G, 0);
  const auto correct = builder.stencil("correct", u, interior,
                                       u(0, 0, 0) + 0.125 * sum(corners_of(0), coarse(u)(a, b, c)));
  const auto cycle = builder.cycle("v");
  cycle.body({repeat(select(level() == 0, 2, 1), {smooth}),
              if_(level() < L - 1, {residual, coarser({restrict, zero, cycle}), correct},
                  {repeat(8, {smooth})}),
              smooth});
  builder.step({cycle, residual});
  const auto norm = builder.reduce("norm", Reducer::max, abs(r(0, 0, 0)), G);
  builder.stop(norm < 1e-6);
  return builder.finish();
}

// V(2,2) with the name v.
Cycle v_cycle(Builder& builder, const Expr& L, const Statement& smooth, const Stencil& defect,
              const Block& down, const Stencil& correct, int coarsest) {
  const auto cycle = builder.cycle("v");
  Block below = down;
  below.push_back(cycle);
  cycle.body({if_(level() < L - 1,
                  {repeat(2, {smooth}), defect, coarser(below), correct, repeat(2, {smooth})},
                  {repeat(coarsest, {smooth})})});
  return cycle;
}

BuildResult cg() {
  Builder builder("cg");
  const auto N = builder.param("N", 65), L = builder.param("L", 5);
  const auto w = builder.param("w", 0.8);
  const auto G = builder.grid("G", cube(N), {.steps = 20, .levels = L, .by = 2});
  const auto interior = builder.subgrid("interior", G, kInner);
  const auto x = builder.field("x", real, G), source = builder.field("source", real, G);
  const auto q = builder.field("q", real, G);
  const FieldOptions zero_outside = {.boundary = constant(0)};
  const auto p = builder.field("p", real, G, zero_outside);
  const auto z = builder.field("z", real, G, zero_outside);
  const auto r = builder.field("r", real, G, zero_outside);
  const auto d = builder.field("d", real, G, zero_outside);
  builder.init(source, {i, j, k}, select(inside(N), random({i, j}, k) - 0.5, 0));
  const auto laplacian = builder.function("laplacian", {v}, 6 * v(0, 0, 0) - faces(v));

  const auto zero = builder.stencil("zero", z, G, 0);
  const Expr here = r(0, 0, 0) - laplacian(z);
  const auto smooth = builder.stencil("smooth", z, interior, z(0, 0, 0) + w / 6 * here);
  const auto defect = builder.stencil("defect", d, interior, here);
  const auto restrict = builder.stencil("restrict", r, interior, weighted(share_of(builder), d));
  const auto correct = builder.stencil("correct", z, interior,
                                       z(0, 0, 0) + 0.125 * sum(corners_of(0), coarse(z)(a, b, c)));
  const auto cycle = v_cycle(builder, L, smooth, defect, {restrict, zero}, correct, 16);

  const auto rz = builder.reduce("rz", Reducer::sum, r(0, 0, 0) * z(0, 0, 0), G, {.initial = 1});
  const auto direction = builder.stencil(
      "direction", p, G, z(0, 0, 0) + select(step_index() == 0, 0, rz / rz.before()) * p(0, 0, 0));
  const auto product = builder.stencil("product", q, interior, laplacian(p));
  const auto pq = builder.reduce("pq", Reducer::sum, p(0, 0, 0) * q(0, 0, 0), G);
  const auto advance = builder.stencil("advance", {x, r});
  const auto length = advance.let("length", rz / pq);
  advance.piece(G, record({{"x", x(0, 0, 0) + length * p(0, 0, 0)},
                           {"r", r(0, 0, 0) - length * q(0, 0, 0)}}));
  const auto begin = builder.stencil("begin", r, G, source(0, 0, 0));
  builder.start({begin});
  builder.step({zero, cycle, rz, direction, product, pq, advance});
  const auto norm = builder.reduce("norm", Reducer::max, abs(r(0, 0, 0)), G);
  builder.stop(norm < 1e-5);
  return builder.finish();
}

BuildResult full() {
  Builder builder("full");
  const auto N = builder.param("N", 65), L = builder.param("L", 6);
  const auto G =
      builder.grid("G", cube(N), {.steps = 5, .spacing = 1.0 / (N - 1), .levels = L, .by = 2});
  const auto interior = builder.subgrid("interior", G, kInner);
  const auto u = builder.field("u", real, G, {.boundary = constant(0)});
  const auto f = builder.field("f", real, G, {.boundary = constant(0)});
  const auto r = builder.field("r", real, G, {.boundary = constant(0)});
  const ValueArgument x("x"), y("y"), z("z");
  const auto exact =
      builder.function("exact", {x, y, z}, sin(pi() * x) * sin(pi() * y) * sin(pi() * z));
  const Expr solution = exact(position(i), position(j), position(k));
  builder.init(f, {i, j, k}, 3 * pi() * pi() * spacing(i) * spacing(i) * solution);
  const auto laplacian = builder.function("laplacian", {v}, 6 * v(0, 0, 0) - faces(v));
  const Expr defect = f(0, 0, 0) - laplacian(u);
  const auto half = [&](const char* name, int colour) {
    return builder.stencil(name, u).piece(
        Region(interior, {i, j, k}).where((i + j + k) % 2 == colour), u(0, 0, 0) + defect / 6);
  };
  const auto red = half("red", 0), black = half("black", 1);
  const auto smooth = builder.cycle("smooth");
  smooth.body({red, black});
  const auto residual = builder.stencil("residual", r, interior, defect);
  const auto share = share_of(builder);
  const auto restrict = builder.stencil("restrict", f, interior, weighted(share, r));
  const auto restrict_source = builder.stencil("restrict_source", f, interior, weighted(share, f));
  const auto interpolated =
      builder.function("interpolated", {v}, 0.125 * sum(corners_of(0), v(a, b, c)));
  const auto zero = builder.stencil("zero", u, G, 0);
  const auto correct =
      builder.stencil("correct", u, interior, u(0, 0, 0) + interpolated(coarse(u)));
  const auto guess = builder.stencil("guess", u, interior, interpolated(coarse(u)));

  const auto cycle = v_cycle(builder, L, smooth, residual, {restrict, zero}, correct, 8);
  const auto full = builder.cycle("full");
  full.body({if_(level() < L - 1, {coarser({restrict_source, full}), guess}), cycle});
  builder.start({full});
  builder.step({cycle, residual});
  builder.reduce("norm", Reducer::max, abs(r(0, 0, 0)), G);
  builder.reduce("error", Reducer::max, abs(u(0, 0, 0) - solution), Region(G, {i, j, k}));
  return builder.finish();
}

}  // namespace
}  // namespace stencil::test::multigrid

const std::vector<stencil::test::Example>& stencil::test::multigrid_examples() {
  using namespace multigrid;  // NOLINT
  static const std::vector<Example> kExamples = {
      {"cg", cg}, {"full", full}, {"poisson27", poisson27}, {"vcycle7", vcycle7}};
  return kExamples;
}
