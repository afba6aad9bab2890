#include "tests/unit/builder/examples.h"

using namespace stencil::dsl;  // NOLINT: as users write

namespace {

using stencil::Builder;
using stencil::BuildResult;

Expr neighbours(const Field& a) {
  return a(-1, 0) + a(1, 0) + a(0, -1) + a(0, 1);
}

BuildResult converge2d() {
  Builder b("converge2d");
  const auto N = b.param("N", 64);
  const auto tolerance = b.param("tolerance", 1e-5);
  b.require(N >= 3);
  const auto G = b.grid("G", {extent(N), extent(N)}, 20000);
  const auto interior = b.subgrid("interior", G, {{1, N - 2}, {1, N - 2}});
  const auto u = b.field("u", real, G);
  const FieldArgument a("a");
  const auto mean = b.function("mean", {a}, 0.25 * (a(-1, 0) + a(1, 0) + a(0, -1) + a(0, 1)));
  b.stencil("sweep", u, interior, mean(u));
  const auto change = b.reduce("change", Reducer::max, abs(mean(u) - u(0, 0)), interior, 100);
  b.stop(change < tolerance);
  const Index i("i"), j("j");
  b.init(u, {i, j}, select(i == 0, 1.0, 0.0));
  return b.finish();
}

BuildResult fdtd2d() {
  Builder b("fdtd2d");
  const auto N = b.param("N", integer, 1000);
  const auto M = b.param("M", integer, 1200);
  const auto G = b.grid("G", {{0, N - 1}, {0, M - 1}}, 500);
  const auto Ex = b.field("Ex", real, G);
  const auto Ey = b.field("Ey", real, G);
  const auto Hz = b.field("Hz", real, G);
  b.stencil("ey0", Ey, {0, {0, M - 1}}, step_index() * 0.01);
  b.stencil("ey", Ey, {{1, N - 1}, {0, M - 1}}, Ey(0, 0) - 0.5 * (Hz(0, 0) - Hz(-1, 0)));
  b.stencil("ex", Ex, {{0, N - 1}, {1, M - 1}}, Ex(0, 0) - 0.5 * (Hz(0, 0) - Hz(0, -1)));
  b.stencil("hz", Hz, {{0, N - 2}, {0, M - 2}},
            Hz(0, 0) - 0.7 * (Ex(0, 1) - Ex(0, 0) + Ey(1, 0) - Ey(0, 0)));
  return b.finish();
}

BuildResult gradient2d() {
  Builder b("gradient2d");
  const auto N = b.param("N", integer, 1024);
  const auto M = b.param("M", integer, 1024);
  const auto eps = b.param("eps", real, 1.0);
  b.require(N >= 3 and M >= 3);
  const auto G = b.grid("G", {extent(N), extent(M)}, 64);
  const auto interior = b.subgrid("interior", G, {{1, N - 2}, {1, M - 2}});
  const auto A = b.field("A", real, G);
  const auto square = [&](int i, int j) { return (A(0, 0) - A(i, j)) * (A(0, 0) - A(i, j)); };
  b.stencil("gradient", A, interior,
            rsqrt(eps + square(-1, 0) + square(1, 0) + square(0, -1) + square(0, 1)));
  const Index i("i"), j("j");
  b.init(A, {i, j}, ((i * 31 + j * 17) % 64) / 16.0);
  return b.finish();
}

BuildResult chip2d() {
  Builder b("chip2d");
  const auto M = b.param("M", integer, 96);
  const auto N = b.param("N", integer, 192);
  const auto h = b.param("h", real, 0.0001);
  const auto a = b.param("a", real, 9.7e-5);
  const auto k = b.param("k", real, 237);
  const auto q = b.param("q", real, 1e6);
  const auto dt = b.param("dt", real, 0.2 * h * h / a);
  const auto G = b.grid("G", {extent(M), extent(N)}, {.steps = 4000, .spacing = h});
  const auto chip = b.field("chip", real, G, {.constant = true, .along = 1});
  const auto T =
      b.field("T", real, G, {.boundary = {{gradient(q / k * chip(0)), fixed(20)}, symmetric}});
  b.stencil("conduct", T, G, T(0, 0) + a * dt / (h * h) * (neighbours(T) - 4 * T(0, 0)));
  b.reduce("hottest", Reducer::max, T(0, 0), G, 1000);
  const Index j("j");
  b.init(chip, {j}, select(j >= N / 3 and j < N - N / 3, 1, 0));
  b.init(T, 20);
  return b.finish();
}

BuildResult graetz2d() {
  Builder b("graetz2d");
  const auto M = b.param("M", integer, 64);
  const auto N = b.param("N", integer, 512);
  const auto C = b.param("C", real, 0.4);
  const auto d = b.param("d", real, 0.1);
  const auto G = b.grid("G", {extent(M), extent(N)}, 2000);
  const auto T = b.field("T", real, G, {.boundary = {{mirror, constant(1)}, {constant(0), clamp}}});
  const Index j("j");
  const auto y = j / (1.0 * M);
  const auto speed = 1.5 * (1 - y * y);
  b.stencil("heat", T, {j.in(0, M - 1), {0, N - 1}},
            T(0, 0) - C * speed * (T(0, 0) - T(0, -1)) + d * (neighbours(T) - 4 * T(0, 0)));
  return b.finish();
}

BuildResult grayscott() {
  Builder b("grayscott");
  const auto N = b.param("N", integer, 256);
  const auto M = b.param("M", integer, 256);
  const auto Du = b.param("Du", real, 0.16);
  const auto Dv = b.param("Dv", real, 0.08);
  const auto F = b.param("F", real, 0.035);
  const auto k = b.param("k", real, 0.065);
  b.require(N >= 2 and M >= 2);
  const auto G = b.grid("G", {extent(N), extent(M)}, 2000);
  const auto u = b.field("u", real, G, {.boundary = clamp});
  const auto v = b.field("v", real, G, {.boundary = clamp});
  const auto rate = b.field("rate", real, G);
  const auto lap = [](const Field& a) { return neighbours(a) - 4 * a(0, 0); };
  b.stencil("react", rate, G, u(0, 0) * v(0, 0) * v(0, 0));
  b.stencil("feed", u, G, u(0, 0) + (Du * lap(u) - rate(0, 0) + F * (1 - u(0, 0))));
  b.stencil("remove", v, G, v(0, 0) + (Dv * lap(v) + rate(0, 0) - (F + k) * v(0, 0)));
  const Index i("i"), j("j");
  const ValueArgument x("i"), y("j");
  const auto seeded = b.function("seeded", {x, y}, abs(x - N / 2) < 10 and abs(y - M / 2) < 10);
  b.init(u, {i, j}, select(seeded(i, j), 0.5, 1.0));
  b.init(v, {i, j}, select(seeded(i, j), 0.25 + ((i * 7 + j * 3) % 5) / 100.0, 0.0));
  return b.finish();
}

BuildResult jacobi1d(const std::string& name, int radius, bool by_sum) {
  Builder b(name);
  const int points = 2 * radius + 1;
  const auto N = b.param("N", integer, 65536);
  b.require(N >= points);
  const auto G = b.grid("G", {extent(N)}, 64);
  const auto A = b.field("A", real, G);
  const Index a("a"), i("i");
  Expr total = A(-radius);
  for (int o = 1 - radius; o <= radius; ++o) total += A(o);
  const auto weight = points == 5 ? Expr(0.2) : Expr(1.0) / points;
  b.stencil("jacobi", A, {{radius, N - 1 - radius}},
            weight * (by_sum ? sum({a.in(-radius, radius)}, A(a)) : total));
  b.init(A, {i}, select(i < N / 2, 1.0, 0.0));
  return b.finish();
}
BuildResult jacobi1d3() {
  return jacobi1d("jacobi1d3", 1, false);
}
BuildResult jacobi1d5() {
  return jacobi1d("jacobi1d5", 2, false);
}
BuildResult jacobi1d7() {
  return jacobi1d("jacobi1d7", 3, true);
}

BuildResult jacobi2d() {
  Builder b("jacobi2d");
  const auto N = b.param("N", 1024);
  const auto M = b.param("M", 1024);
  b.require(N >= 3 and M >= 3);
  const auto G = b.grid("G", {extent(N), extent(M)}, 100);
  const auto interior = b.subgrid("interior", G, {{1, N - 2}, {1, M - 2}});
  const auto A = b.field("A", real, G);
  b.stencil("jacobi", A, interior, 0.2 * (A(0, 0) + A(-1, 0) + A(1, 0) + A(0, -1) + A(0, 1)));
  const Index i("i"), j("j");
  b.init(A, {i, j}, select(i == 0, 100.0, 0.0));
  return b.finish();
}

BuildResult labyrinth() {
  Builder b("labyrinth");
  const auto N = b.param("N", 512);
  const auto F = b.param("F", real, 0.037);
  const auto k = b.param("k", real, 0.06);
  b.require(N >= 2);
  const auto G = b.grid("G", {extent(N), extent(N)}, 6000);
  const auto c = b.field("c", structure({{"u", real}, {"v", real}}), G, {.boundary = periodic});
  const FieldArgument a("a");
  const auto lap = b.function("lap", {a}, a(-1, 0) + a(1, 0) + a(0, -1) + a(0, 1) - 4 * a(0, 0));
  const auto react = b.stencil("react", c);
  const auto now = react.let("now", c(0, 0));
  const auto flow = react.let("flow", lap(c));
  const Expr u = now.member("u"), v = now.member("v");
  const auto rate = react.let("rate", u * v * v);
  react.piece(G, record({{"u", u + 0.16 * flow.member("u") - rate + F * (1 - u)},
                         {"v", v + 0.08 * flow.member("v") + rate - (F + k) * v}}));
  const Index i("i"), j("j");
  const ValueArgument x("i"), y("j");
  const auto seeded = b.function("seeded", {x, y}, (x * 73 + y * 41 + x * y * 7) % 61 == 0);
  b.init(c, {i, j}, record({{"u", 1}, {"v", select(seeded(i / 8, j / 8), 0.5, 0.0)}}));
  return b.finish();
}

BuildResult lbm_d2q9() {
  Builder b("lbm_d2q9");
  const auto N = b.param("N", 128);
  const auto M = b.param("M", 128);
  const auto tau = b.param("tau", 0.8);
  const auto speed = b.param("speed", real, 0.05);
  const auto G = b.grid("G", {extent(N), extent(M)}, 100);
  const auto f = b.field("f", vector(9, real), G, {.boundary = periodic});
  const auto cx = b.table("cx", integer, {9}, values({0, 1, 0, -1, 0, 1, -1, -1, 1}));
  const auto cy = b.table("cy", integer, {9}, values({0, 0, 1, 0, -1, 1, 1, -1, -1}));
  std::vector<Expr> weights = {Expr(4.0) / 9};
  weights.insert(weights.end(), 4, Expr(1.0) / 9);
  weights.insert(weights.end(), 4, Expr(1.0) / 36);
  const auto w = b.table("w", real, {9}, values(weights));

  const ValueArgument of("q"), density("rho"), vx("ux"), vy("uy");
  const auto along = b.function("along", {of, vx, vy}, cx[of] * vx + cy[of] * vy);
  const auto projected = along(of, vx, vy);
  const auto equilibrium =
      b.function("equilibrium", {of, density, vx, vy},
                 w[of] * density *
                     (1 + 3 * projected + 4.5 * projected * projected - 1.5 * (vx * vx + vy * vy)));

  const Index q("q"), i("i"), j("j");
  const auto stream = b.stencil("stream_and_collide", f);
  const auto g = stream.let("g", vector({q.in(0, 8)}, f(-cx[q], -cy[q])[q]));
  const auto rho = stream.let("rho", sum({q.in(0, 8)}, g[q]));
  const auto ux = stream.let("ux", sum({q.in(0, 8)}, cx[q] * g[q]) / rho);
  const auto uy = stream.let("uy", sum({q.in(0, 8)}, cy[q] * g[q]) / rho);
  stream.piece(G, vector({q.in(0, 8)}, g[q] - (g[q] - equilibrium(q, rho, ux, uy)) / tau));
  b.init(f, {i, j},
         vector({q.in(0, 8)}, equilibrium(q, 1.0, 0.0, speed * sin(6.28318530717959 * i / N))));
  return b.finish();
}

BuildResult life() {
  Builder b("life");
  const auto N = b.param("N", 512);
  const auto M = b.param("M", 512);
  const auto G = b.grid("G", {extent(N), extent(M)}, 100);
  const auto cell = b.field("cell", integer, G, {.boundary = constant(0)});
  const Index i("i"), j("j"), x("a"), y("b");
  const auto generation = b.stencil("generation", cell);
  const auto around =
      generation.let("around", sum({x.in(-1, 1), y.in(-1, 1)}, cell(x, y)) - cell(0, 0));
  generation.piece(G, select(around == 3 or (around == 2 and cell(0, 0) == 1), 1, 0));
  b.init(cell, {i, j}, select((i * i * 3 + i * j * 7 + j * j * 11 + i * 5) % 7 < 3, 1, 0));
  return b.finish();
}

BuildResult paper_multi() {
  Builder b("paper_multi");
  const auto N = b.param("N", 4096);
  b.require(N >= 3);
  const auto G = b.grid("G", {extent(N)}, 12);
  const auto A = b.field("A", real, G);
  const auto B = b.field("B", real, G);
  b.stencil("fA", A, {{1, N - 2}}, B(-1) + B(0));
  b.stencil("fB", B, {{1, N - 2}}, A(0) + A(1));
  const Index i("i");
  b.init(B, {i}, (i % 16) / 16.0);
  return b.finish();
}

BuildResult paper_smooth() {
  Builder b("paper_smooth");
  const auto M = b.param("M", 4096);
  b.require(M >= 3);
  const auto G = b.grid("G", {extent(M)}, 64);
  const auto A = b.field("A", real, G);
  b.stencil("smooth", A)
      .piece({0}, A(0))
      .piece({{1, M - 2}}, 0.333 * (A(-1) + A(0) + A(1)))
      .piece({M - 1}, A(0));
  const Index i("i");
  b.init(A, {i}, select(i == 0 or i == M - 1, 1.0, (i % 8) / 8.0));
  return b.finish();
}

BuildResult poisson2d() {
  Builder b("poisson2d");
  const auto N = b.param("N", 128);
  b.require(N >= 3);
  const auto G = b.grid("G", {extent(N), extent(N)}, {.steps = 2000, .spacing = 1.0 / (N - 1)});
  const auto interior = b.subgrid("interior", G, {{1, N - 2}, {1, N - 2}});
  const auto u = b.field("u", real, G);
  const auto f = b.field("f", real, G, {.constant = true});
  const auto corners = [](const Field& a) { return a(-1, -1) + a(-1, 1) + a(1, -1) + a(1, 1); };
  const auto sweep = b.stencil("sweep", u);
  const auto h = sweep.let("h", spacing(0));
  sweep.piece(interior,
              0.2 * neighbours(u) + 0.05 * corners(u) + h * h / 40 * (8 * f(0, 0) + neighbours(f)));
  const Index i("i"), j("j");
  const auto arch = [](const Index& k) { return position(k) * (1 - position(k)); };
  b.init(f, {i, j}, 2 * (arch(i) + arch(j)));
  return b.finish();
}

BuildResult rician2d() {
  Builder b("rician2d");
  const auto N = b.param("N", 512);
  const auto M = b.param("M", 512);
  const auto dt = b.param("dt", 5.0);
  const auto eps = b.param("eps", 1e-4);
  const auto sigma = b.param("sigma", 0.05);
  const auto lambda = b.param("lambda", 0.065);
  b.require(N >= 2 and M >= 2);
  const auto G = b.grid("G", {extent(N), extent(M)}, 50);
  const auto u = b.field("u", real, G, {.boundary = clamp});
  const auto g = b.field("g", real, G, {.boundary = clamp});
  const auto f = b.field("f", real, G, {.constant = true});
  const Box whole = {extent(N), extent(M)};

  const auto square = [](const Expr& x) { return x * x; };
  const ValueArgument z("z");
  const auto bessel_ratio = b.function(
      "bessel_ratio", {z},
      z * (2.38944 + z * (0.950037 + z)) / (4.65314 + z * (2.57541 + z * (1.48937 + z))));
  b.stencil("edge", g, whole,
            rsqrt(eps + square(u(0, 0) - u(-1, 0)) + square(u(0, 0) - u(1, 0)) +
                  square(u(0, 0) - u(0, -1)) + square(u(0, 0) - u(0, 1))));
  const auto denoise = b.stencil("denoise", u);
  const auto variance = denoise.let("variance", sigma * sigma);
  const auto gamma = denoise.let("gamma", lambda / variance);
  const auto r = denoise.let("r", bessel_ratio(u(0, 0) * f(0, 0) / variance));
  const auto pull = denoise.let(
      "pull", g(-1, 0) * u(-1, 0) + g(1, 0) * u(1, 0) + g(0, -1) * u(0, -1) + g(0, 1) * u(0, 1));
  denoise.piece(whole,
                (u(0, 0) + dt * (pull + gamma * f(0, 0) * r)) / (1 + dt * (neighbours(g) + gamma)));

  const Index i("i"), j("j");
  const ValueArgument x("i"), y("j");
  const auto disc = b.function(
      "disc", {x, y},
      select((x - N / 2) * (x - N / 2) + (y - M / 2) * (y - M / 2) < N * M / 16, 0.8, 0.4));
  const auto scatter =
      b.function("scatter", {x, y}, ((x * 73 + y * 151 + x * y * 7) % 17 - 8) / 8.0);
  b.init(f, {i, j}, disc(i, j) + 0.08 * scatter(i, j));
  b.init(u, {i, j}, disc(i, j) + 0.08 * scatter(i, j));
  return b.finish();
}

BuildResult srad() {
  Builder b("srad");
  const auto N = b.param("N", 512);
  const auto side = b.param("side", integer, N / 2);
  const auto dt = b.param("dt", 0.5);
  b.require(side >= 2 and N >= side);
  const auto G = b.grid("G", {extent(N), extent(N)}, 100);
  const auto homogeneous = b.subgrid("homogeneous", G, {extent(side), extent(side)});
  const auto I = b.field("I", real, G, {.boundary = clamp});
  const auto c = b.field("c", real, G, {.boundary = clamp});
  const auto square = [](const Expr& x) { return x * x; };
  const auto points = real(side * side);
  const auto total = b.reduce("total", Reducer::sum, I(0, 0), homogeneous);
  const auto spread =
      b.reduce("spread", Reducer::sum, square(I(0, 0) - total / points), homogeneous);
  const FieldArgument a("a");
  const ValueArgument s("s");
  auto conductance = b.function("conductance", {a, s});
  const auto n = conductance.let("n", a(-1, 0) / a(0, 0) - 1);
  const auto e = conductance.let("e", a(0, 1) / a(0, 0) - 1);
  const auto w = conductance.let("w", a(0, -1) / a(0, 0) - 1);
  const auto o = conductance.let("o", a(1, 0) / a(0, 0) - 1);
  const auto lap = conductance.let("lap", n + e + w + o);
  const auto q =
      conductance.let("q", (square(n) + square(e) + square(w) + square(o)) / 2 - square(lap) / 16);
  conductance.value(min(1, (1 + s) * s / (q / square(1 + lap / 4) + square(s))));
  b.stencil("coefficient", c, G, conductance(I, spread * points / square(total)));
  b.stencil("diffuse", I, G,
            I(0, 0) + dt / 4 *
                          (c(1, 0) * (I(1, 0) - I(0, 0)) + c(0, 1) * (I(0, 1) - I(0, 0)) +
                           c(0, 0) * (I(-1, 0) - I(0, 0) + I(0, -1) - I(0, 0))));
  const Index i("i"), j("j");
  b.init(I, {i, j},
         select(i + j < N, 40.0, select((i / 32 + j / 32) % 2 == 0, 70.0, 100.0)) *
             (0.6 + ((i * 73 + j * 151 + i * j * 7) % 61) / 75.0));
  return b.finish();
}

BuildResult tv2d() {
  Builder b("tv2d");
  const auto N = b.param("N", 512);
  const auto M = b.param("M", 512);
  const auto dt = b.param("dt", 0.02);
  const auto eps = b.param("eps", 0.01);
  b.require(N >= 3 and M >= 3);
  const auto G = b.grid("G", {extent(N), extent(M)}, 64);
  const auto interior = b.subgrid("interior", G, {{1, N - 2}, {1, M - 2}});
  const auto u = b.field("u", real, G);
  const auto square = [](const Expr& x) { return x * x; };
  const FieldArgument a("a");
  const auto weight =
      b.function("weight", {a}, rsqrt(eps + square(a(1, 0) - a(0, 0)) + square(a(0, 1) - a(0, 0))));
  b.stencil("update", u, interior,
            u(0, 0) + dt * (weight(u) * (u(1, 0) - u(0, 0) + u(0, 1) - u(0, 0)) -
                            weight(u)(-1, 0) * (u(0, 0) - u(-1, 0)) -
                            weight(u)(0, -1) * (u(0, 0) - u(0, -1))));
  const Index i("i"), j("j");
  b.init(u, {i, j},
         select((i / 32 + j / 32) % 2 == 0, 1.0, 0.0) + ((i * 73 + j * 151) % 17) / 85.0);
  return b.finish();
}

}  // namespace

const std::vector<stencil::test::Example>& stencil::test::flat_examples() {
  static const std::vector<Example> kExamples = {
      {"chip2d", chip2d},       {"converge2d", converge2d},
      {"fdtd2d", fdtd2d},       {"gradient2d", gradient2d},
      {"graetz2d", graetz2d},   {"grayscott", grayscott},
      {"jacobi1d3", jacobi1d3}, {"jacobi1d5", jacobi1d5},
      {"jacobi1d7", jacobi1d7}, {"jacobi2d", jacobi2d},
      {"labyrinth", labyrinth}, {"lbm_d2q9", lbm_d2q9},
      {"life", life},           {"paper_multi", paper_multi},
      {"poisson2d", poisson2d}, {"paper_smooth", paper_smooth},
      {"rician2d", rician2d},   {"srad", srad},
      {"tv2d", tv2d},
  };
  return kExamples;
}
