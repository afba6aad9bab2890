// -laplace(u) = f on a cube by multigrid: V-cycles, or W-cycles if the argument is 2. Fields and
// stencil functions are declared once for all levels; a cycle applies them.
#include <cstdio>
#include <string>

#include "stencil/builder.h"

using namespace stencil::dsl;

int main(int argc, char** argv) {
  const std::string visits = argc > 1 ? argv[1] : "1";
  if (argc > 2 || (visits != "1" && visits != "2")) {
    std::fputs("usage: multigrid3d [1 | 2]\n", stderr);
    return 2;
  }
  stencil::Builder b("multigrid3d");
  const auto N = b.param("N", 65);  // points per dimension, 2^k + 1
  const auto L = b.param("L", 5);   // levels
  const auto w = b.param("w", 0.8);
  const auto G = b.grid("G", {extent(N), extent(N), extent(N)}, {.steps = 8, .levels = L, .by = 2});
  const Range inside(first() + 1, last() - 1);  // on each level
  const auto interior = b.subgrid("interior", G, {inside, inside, inside});
  const auto u = b.field("u", real, G, {.boundary = constant(0)});
  const auto f = b.field("f", real, G, {.boundary = constant(0)});
  const auto r = b.field("r", real, G, {.boundary = constant(0)});

  // f is scaled by the square of the spacing.
  const Expr defect = f(0, 0, 0) - 6 * u(0, 0, 0) + u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) +
                      u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1);
  const auto smooth = b.stencil("smooth", u, interior, u(0, 0, 0) + w / 6 * defect);
  const auto residual = b.stencil("residual", r, interior, defect);
  const Index x("x"), y("y"), z("z");
  const Expr share = 0.0625 * (2 - abs(x)) * (2 - abs(y)) * (2 - abs(z));
  const auto restricted =
      b.stencil("restricted", f, interior,
                sum({x.in(-1, 1), y.in(-1, 1), z.in(-1, 1)}, share * fine(r)(x, y, z)));
  const auto zero = b.stencil("zero", u, G, 0);
  const auto correct =
      b.stencil("correct", u, interior,
                u(0, 0, 0) + 0.125 * sum({x.in(0, 1), y.in(0, 1), z.in(0, 1)}, coarse(u)(x, y, z)));

  const auto cycle = b.cycle("visit");
  Block below = {restricted, zero, cycle};
  if (visits == "2") below.push_back(cycle);
  cycle.body({
      repeat(2, {smooth}),
      if_(level() < L - 1, {residual, coarser(below), correct}, {repeat(8, {smooth})}),
      repeat(2, {smooth}),
  });
  b.step({cycle, residual});
  const auto norm = b.reduce("norm", Reducer::max, abs(r(0, 0, 0)), G);
  b.stop(norm < 1e-5);

  const Index i("i"), j("j"), k("k");
  const auto within = [&](const Expr& at) { return at > 0 and at < N - 1; };
  b.init(f, {i, j, k},
         select(within(i) and within(j) and within(k), random({i, j, k}, 1) - 0.5, 0));

  const stencil::BuildResult built = b.finish();
  std::fputs(built.report().c_str(), stderr);
  if (!built) return 1;
  std::fputs(built.program->text().c_str(), stdout);
  return 0;
}
