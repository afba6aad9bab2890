// Two species that diffuse and react (Gray-Scott), stored as one structure and run until
// convergence. Shows structures, vectors, tables, functions defined in the program, reductions and
// a stop condition.
#include <cstdio>

#include "stencil/builder.h"

using namespace stencil::dsl;

int main() {
  stencil::Builder b("reaction2d");
  const auto N = b.param("N", 96);
  const auto feed = b.param("feed", 0.03);
  const auto kill = b.param("kill", 0.07);
  const auto tolerance = b.param("tolerance", 1e-4);
  const auto G = b.grid("G", {extent(N), extent(N)}, 5000);

  const auto mixture = b.type("mixture", structure({{"u", real}, {"v", real}}));
  const auto m = b.field("m", mixture, G, {.history = 2, .boundary = periodic});
  const auto flow = b.field("flow", vector(2, real), G, {.constant = true});

  // Nine points, weighted by distance.
  const auto w = b.table(
      "w", real, {3, 3},
      values({values({0.05, 0.2, 0.05}), values({0.2, -1.0, 0.2}), values({0.05, 0.2, 0.05})}));
  const FieldArgument a("a");
  const Index p("p"), q("q");
  const auto spread =
      b.function("spread", {a}, sum({p.in(-1, 1), q.in(-1, 1)}, w(p + 1, q + 1) * a(p, q)));

  const auto react = b.stencil("react", m);
  const auto here = react.let("here", m(0, 0));
  const auto there = react.let("there", spread(m));  // arithmetic on structures is component-wise
  const auto drift = react.let(
      "drift", flow(0, 0)[0] * (m(1, 0) - m(-1, 0)) + flow(0, 0)[1] * (m(0, 1) - m(0, -1)));
  const Expr u = here.member("u"), v = here.member("v");
  const auto rate = react.let("rate", u * v * v);
  react.piece(
      G,
      record({{"u", u + 0.2 * there.member("u") - drift.member("u") - rate + feed * (1 - u)},
              {"v", v + 0.1 * there.member("v") - drift.member("v") + rate - (feed + kill) * v}}));

  const auto change = b.reduce("change", Reducer::max,
                               abs(m(0, 0).member("v") - m.at(-1)(0, 0).member("v")), G, 50);
  b.reduce("mass", Reducer::sum, m(0, 0).member("v"), G, 50);
  b.stop(change < tolerance);

  const Index i("i"), j("j");
  const auto seeded = abs(i - N / 2) < 6 and abs(j - N / 2) < 6;
  b.init(m, {i, j}, record({{"u", select(seeded, 0.5, 1.0)}, {"v", select(seeded, 0.25, 0.0)}}));
  b.init(flow, {i, j}, values({0.01, select(i < N / 2, 0.01, -0.01)}));

  const stencil::BuildResult built = b.finish();
  std::fputs(built.report().c_str(), stderr);
  if (!built) return 1;
  std::fputs(built.program->text().c_str(), stdout);
  return 0;
}
