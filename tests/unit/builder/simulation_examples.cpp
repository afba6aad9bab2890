#include "tests/unit/builder/examples.h"

using namespace stencil::dsl;  // NOLINT: as users write

namespace {

using stencil::Builder;
using stencil::BuildResult;

Expr squared(const Expr& x) {
  return x * x;
}

BuildResult elastic2d() {
  Builder b("elastic2d");
  const auto N = b.param("N", 160);
  const auto M = b.param("M", 320);
  const auto L = b.param("L", 30);
  const auto dx = b.param("dx", 5.0);
  const auto dt = b.param("dt", 0.001);
  const auto f0 = b.param("f0", 15.0);
  const auto upper = b.param("upper", 2000.0);
  const auto lower = b.param("lower", 3000.0);
  b.require(N >= 2 and M >= 3 and L >= 1);
  const auto G = b.grid("G", {extent(N), extent(M)}, {.steps = 400, .spacing = dx});
  const FieldOptions layers = {.constant = true, .boundary = clamp, .along = 0};
  const auto rho = b.field("rho", real, G, layers);
  const auto lambda = b.field("lambda", real, G, layers);
  const auto mu = b.field("mu", real, G, layers);
  const auto fade_z = b.field("fade_z", real, G, {.constant = true, .along = 0});
  const auto fade_x = b.field("fade_x", real, G, {.constant = true, .along = 1});
  const auto ricker = b.series("ricker", real, {0, 199}, {.boundary = constant(0)});
  const auto vx = b.field("vx", real, G, {.boundary = constant(0)});
  const auto vz = b.field("vz", real, G, {.boundary = constant(0)});
  const auto txx = b.field("txx", real, G, {.boundary = constant(0)});
  const auto tzz = b.field("tzz", real, G, {.boundary = constant(0)});
  const auto txz =
      b.field("txz", real, G, {.boundary = {{antisymmetric, constant(0)}, constant(0)}});

  const auto fade = fade_z(0) * fade_x(0);
  const auto vx_x = vx(0, 0) - vx(0, -1), vz_z = vz(0, 0) - vz(-1, 0);
  const Index i("i"), j("j"), t("t");
  b.stencil(
      "moved_x", vx, G,
      fade * (vx(0, 0) + dt / (dx * rho(0)) * (txx(0, 1) - txx(0, 0) + (txz(0, 0) - txz(-1, 0)))));
  b.stencil("moved_z", vz, G,
            fade * (vz(0, 0) + 2 * dt / (dx * (rho(0) + rho(1))) *
                                   (txz(0, 0) - txz(0, -1) + (tzz(1, 0) - tzz(0, 0)))));
  b.stencil("blow", vz, Region(G, {i, j}).where(i == N / 4 and j == M / 3),
            vz(0, 0) + dt * ricker(step_index()));
  const auto strained_xx = b.stencil("strained_xx", txx);
  const auto stiff = strained_xx.let("stiff", lambda(0) + 2 * mu(0));
  strained_xx.piece({0, extent(M)},
                    fade * (txx(0, 0) + dt / dx * (stiff - lambda(0) * lambda(0) / stiff) * vx_x));
  strained_xx.piece({{1, N - 1}, extent(M)},
                    fade * (txx(0, 0) + dt / dx * (stiff * vx_x + lambda(0) * vz_z)));
  b.stencil("strained_zz", tzz, {{1, N - 1}, extent(M)},
            fade * (tzz(0, 0) + dt / dx * ((lambda(0) + 2 * mu(0)) * vz_z + lambda(0) * vx_x)));
  const ValueArgument first("a"), second("b");
  const auto harmonic =
      b.function("harmonic", {first, second}, 2 * first * second / (first + second));
  b.stencil("sheared", txz, G,
            fade * (txz(0, 0) + dt / dx * harmonic(mu(0), mu(1)) *
                                    (vx(1, 0) - vx(0, 0) + (vz(0, 1) - vz(0, 0)))));

  const auto strain_energy = ((lambda(0) + 2 * mu(0)) * (squared(txx(0, 0)) + squared(tzz(0, 0))) -
                              2 * lambda(0) * txx(0, 0) * tzz(0, 0)) /
                                 (8 * mu(0) * (lambda(0) + mu(0))) +
                             squared(txz(0, 0)) / (2 * mu(0));
  b.reduce("energy", Reducer::sum,
           0.5 * rho(0) * (squared(vx(0, 0)) + squared(vz(0, 0))) + strain_energy, G, 40);
  b.reduce("geophone", Reducer::sum, vz(0, 0), Region({0, j.in(0, M - 1)}).where(j == 2 * M / 3),
           8);

  b.init(rho, {i}, select(i < N / 2, 2000.0, 2300.0));
  b.init(mu, {i}, rho(0) * squared(select(i < N / 2, upper, lower)) / 3);
  b.init(lambda, mu(0));
  const ValueArgument d("d");
  const auto beside = b.function("beside", {d}, exp(-squared(0.3 * max(0, L - d) / L)));
  b.init(fade_z, {i}, beside(N - 1 - i));
  b.init(fade_x, {j}, beside(min(j, M - 1 - j)));
  const auto a = squared(pi() * f0 * (real(t) * dt - 1.2 / f0));
  b.init(ricker, {t}, (1 - 2 * a) * exp(-a));
  return b.finish();
}

BuildResult cavity2d() {
  Builder b("cavity2d");
  const auto N = b.param("N", 64);
  const auto Re = b.param("Re", 100.0);
  const auto lid = b.param("lid", 1.0);
  const auto h = b.param("h", real, Expr(1.0) / N);
  const auto dt = b.param("dt", real, 0.2 * min(h, Re * h * h));
  b.require(N >= 4);
  const auto G = b.grid("G", {{0, N + 1}, {0, N + 1}}, 4000);
  const auto cells = b.subgrid("cells", G, {{1, N}, {1, N}});
  const auto faces_x = b.subgrid("faces_x", G, {{1, N}, {1, N - 1}});
  const auto faces_y = b.subgrid("faces_y", G, {{1, N - 1}, {1, N}});
  const auto u = b.field("u", real, G), v = b.field("v", real, G);
  const auto us = b.field("us", real, G), vs = b.field("vs", real, G);
  const auto p = b.field("p", real, cells, {.boundary = symmetric});
  const auto source = b.field("source", real, cells, {.boundary = symmetric});

  // The program's abbreviations are C++ lambdas here.
  const auto mean = [](const Expr& a, const Expr& c) { return 0.5 * (a + c); };
  const auto diffusion = [&](const Field& a) {
    return (a(-1, 0) + a(1, 0) + a(0, -1) + a(0, 1) - 4 * a(0, 0)) / (Re * h * h);
  };
  const auto walls_u = b.stencil("walls_u", u);
  walls_u.piece({0, {1, N - 1}}, -u(1, 0));
  walls_u.piece({N + 1, {1, N - 1}}, 2 * lid - u(-1, 0));
  const auto walls_v = b.stencil("walls_v", v);
  walls_v.piece({{1, N - 1}, 0}, -v(0, 1));
  walls_v.piece({{1, N - 1}, N + 1}, -v(0, -1));
  const auto momentum_u = b.stencil("momentum_u", us);
  {
    const auto right = momentum_u.let("right", mean(u(0, 0), u(0, 1)));
    const auto left = momentum_u.let("left", mean(u(0, -1), u(0, 0)));
    const auto upper = momentum_u.let("upper", mean(u(0, 0), u(1, 0)) * mean(v(0, 0), v(0, 1)));
    const auto lower = momentum_u.let("lower", mean(u(-1, 0), u(0, 0)) * mean(v(-1, 0), v(-1, 1)));
    momentum_u.piece(
        faces_x, u(0, 0) + dt * (diffusion(u) - (right * right - left * left + upper - lower) / h));
  }
  const auto momentum_v = b.stencil("momentum_v", vs);
  {
    const auto upper = momentum_v.let("upper", mean(v(0, 0), v(1, 0)));
    const auto lower = momentum_v.let("lower", mean(v(-1, 0), v(0, 0)));
    const auto right = momentum_v.let("right", mean(u(0, 0), u(1, 0)) * mean(v(0, 0), v(0, 1)));
    const auto left = momentum_v.let("left", mean(u(0, -1), u(1, -1)) * mean(v(0, -1), v(0, 0)));
    momentum_v.piece(faces_y, v(0, 0) + dt * (diffusion(v) -
                                              (upper * upper - lower * lower + right - left) / h));
  }
  b.stencil("divergence", source, cells, (us(0, 0) - us(0, -1) + vs(0, 0) - vs(-1, 0)) / (h * dt));
  b.repeat(20, [&] {
    b.stencil("pressure", p, cells,
              0.25 * (p(-1, 0) + p(1, 0) + p(0, -1) + p(0, 1) - h * h * source(0, 0)));
  });
  b.stencil("project_u", u, faces_x, us(0, 0) - dt / h * (p(0, 1) - p(0, 0)));
  b.stencil("project_v", v, faces_y, vs(0, 0) - dt / h * (p(1, 0) - p(0, 0)));
  b.reduce("outflow", Reducer::max, abs(u(0, 0) - u(0, -1) + v(0, 0) - v(-1, 0)), cells, 100);
  return b.finish();
}

BuildResult lbm_d3q19() {
  Builder b("lbm_d3q19");
  const auto K = b.param("K", 24);
  const auto N = b.param("N", 32);
  const auto M = b.param("M", 64);
  const auto tau = b.param("tau", 0.57);
  const auto speed = b.param("speed", 0.05);
  const auto radius = b.param("radius", 4.7);
  b.require(K >= 2 and N >= 2 and M >= 2);
  const auto G = b.grid("G", {extent(K), extent(N), extent(M)}, 600);
  const auto entry = b.field("entry", real, G, {.constant = true, .boundary = clamp, .along = 1});
  const auto solid =
      b.field("solid", byte, G,
              {.constant = true, .boundary = {periodic, constant(2), {constant(0), constant(3)}}});

  // The lattice as C++ arrays; the program has tables.
  const int lattice[19][3] = {{0, 0, 0},  {0, 0, 1},   {0, 0, -1},  {0, 1, 0},   {0, -1, 0},
                              {1, 0, 0},  {-1, 0, 0},  {0, 1, 1},   {0, -1, -1}, {0, 1, -1},
                              {0, -1, 1}, {1, 0, 1},   {-1, 0, -1}, {1, 0, -1},  {-1, 0, 1},
                              {1, 1, 0},  {-1, -1, 0}, {1, -1, 0},  {-1, 1, 0}};
  std::vector<Expr> columns[3], reversed = {0};
  for (int q = 0; q < 19; ++q) {
    for (int d = 0; d < 3; ++d) columns[d].push_back(lattice[q][d]);
    if (q > 0) reversed.push_back(q % 2 == 1 ? q + 1 : q - 1);
  }
  const auto cz = b.table("cz", integer, {19}, values(columns[0]));
  const auto cy = b.table("cy", integer, {19}, values(columns[1]));
  const auto cx = b.table("cx", integer, {19}, values(columns[2]));
  const auto opposite = b.table("opposite", integer, {19}, values(reversed));

  const ValueArgument of("q"), density("rho"), vz("uz"), vy("uy"), vx("ux"), row("i");
  const auto w = b.function(
      "w", {of}, select(of == 0, 1.0 / 3, select(of <= 6, Expr(1.0) / 18, Expr(1.0) / 36)));
  const auto along = b.function("along", {of, vz, vy, vx}, cz[of] * vz + cy[of] * vy + cx[of] * vx);
  const auto projected = along(of, vz, vy, vx);
  const auto equilibrium = b.function(
      "equilibrium", {of, density, vz, vy, vx},
      w(of) * density *
          (1 + 3 * projected + 4.5 * projected * projected - 1.5 * (vz * vz + vy * vy + vx * vx)));

  const Index q("q"), k("k"), j("j"), i("i");
  const auto entering = vector({q.in(0, 18)}, equilibrium(q, 1.0, 0.0, 0.0, entry(0)));
  const auto f = b.field("f", vector(19, real), G,
                         {.boundary = {periodic, clamp, {constant(entering), clamp}}});
  const auto velocity = b.field("velocity", vector(3, real), G);

  const auto arriving = b.function("arriving", {of});
  const auto beyond = arriving.let("beyond", solid(-cz[of], -cy[of], -cx[of]));
  const auto u = arriving.let("u", velocity(0, 0, 0));
  arriving.value(select(
      beyond == 0, f(-cz[of], -cy[of], -cx[of])[of],
      select(beyond == 3, equilibrium(of, 1.0, u[0], u[1], u[2]), f(0, 0, 0)[opposite[of]])));

  const auto fluid = Region(G).where(solid(0, 0, 0) == 0);
  const auto stream = b.stencil("stream_and_collide", f);
  const auto g = stream.let("g", vector({q.in(0, 18)}, arriving(q)));
  const auto rho = stream.let("rho", sum({q.in(0, 18)}, g[q]));
  const auto uz = stream.let("uz", sum({q.in(0, 18)}, cz[q] * g[q]) / rho);
  const auto uy = stream.let("uy", sum({q.in(0, 18)}, cy[q] * g[q]) / rho);
  const auto ux = stream.let("ux", sum({q.in(0, 18)}, cx[q] * g[q]) / rho);
  stream.piece(fluid, vector({q.in(0, 18)}, g[q] - (g[q] - equilibrium(q, rho, uz, uy, ux)) / tau));
  const auto mean = [&](const Expr& c) {
    return sum({q.in(1, 18)}, c[q] * f(0, 0, 0)[q]) / sum({q.in(0, 18)}, f(0, 0, 0)[q]);
  };
  b.stencil("observe", velocity, fluid, values({mean(cz), mean(cy), mean(cx)}));

  const auto is_sphere = solid(-cz[q], -cy[q], -cx[q]) == 1;
  b.reduce("drag", Reducer::sum,
           sum({q.in(1, 18)}, select(is_sphere, -2 * cx[q] * f(0, 0, 0)[opposite[q]], 0.0)), fluid,
           50);
  b.reduce("mass", Reducer::sum, sum({q.in(0, 18)}, f(0, 0, 0)[q]), fluid, 50);

  const auto profile =
      b.function("profile", {row}, 1.5 * speed * (1 - squared((2 * row + 1) / (1.0 * N) - 1)));
  b.init(entry, {j}, profile(j));
  b.init(solid, {k, j, i},
         select(squared(k - (K - 1) / 2.0) + squared(j - (N - 1) / 2.0) + squared(i - M / 4.0) <
                    radius * radius,
                1, 0));
  b.init(f, {k, j, i}, vector({q.in(0, 18)}, equilibrium(q, 1.0, 0.0, 0.0, profile(j))));
  b.init(velocity, {k, j, i}, values({0, 0, profile(j)}));
  return b.finish();
}

BuildResult q2r() {
  Builder b("q2r");
  const auto N = b.param("N", 256);
  const auto M = b.param("M", 256);
  const auto p = b.param("p", 0.08);
  b.require(N >= 1 and M >= 1);
  const auto G = b.grid("G", {extent(2 * N), extent(2 * M)}, 2000);
  const auto spin = b.field("spin", byte, G, {.boundary = periodic});
  const Index i("i"), j("j");
  const auto flip = b.stencil("flip", spin);
  const auto around = flip.let("around", spin(-1, 0) + spin(1, 0) + spin(0, -1) + spin(0, 1));
  flip.piece(Region(G, {i, j}).where((i + j + step_index()) % 2 == 0 and around == 0), -spin(0, 0));
  b.reduce("energy", Reducer::sum, -spin(0, 0) * (spin(0, 1) + spin(1, 0)), G, 100);
  b.reduce("magnetisation", Reducer::sum, real(spin(0, 0)), G, 100);

  b.init(spin, {i, j}, select(random({i, j}, 7) < p, -1, 1));
  return b.finish();
}

BuildResult semi_lagrangian() {
  Builder b("semi_lagrangian");
  const auto N = b.param("N", 256);
  const auto K = b.param("K", 200);
  const auto courant = b.param("courant", 2.0);
  b.require(N >= 2 and K >= 1 and courant <= 2);
  const auto G = b.grid("G", {extent(N), extent(N)}, {.steps = K / 2, .spacing = Expr(1.0) / N});
  const auto c = b.field("c", real, G, {.boundary = periodic});
  const auto u = b.field("u", real, G, {.constant = true, .boundary = periodic});
  const auto v = b.field("v", real, G, {.constant = true, .boundary = periodic});
  const auto swing = b.series("swing", real, {0, K - 1}, {.boundary = periodic});

  const FieldArgument a("a");
  const ValueArgument s("s"), r("r");
  const auto bilinear = b.function(
      "bilinear", {a, s, r},
      (1 - s) * ((1 - r) * a(0, 0) + r * a(0, 1)) + s * ((1 - r) * a(1, 0) + r * a(1, 1)));
  const auto rest = [](const Expr& d) { return d - floor(d); };
  const auto now = swing(step_index());
  const auto advect = b.stencil("advect", c);
  const auto half_y = advect.let("half_y", -0.5 * now * v(0, 0));
  const auto half_x = advect.let("half_x", -0.5 * now * u(0, 0));
  const auto m = advect.let("m", integer(floor(half_y)));
  const auto n = advect.let("n", integer(floor(half_x)));
  const auto there = [&](const Field& wind) {
    return bilinear(wind, rest(half_y), rest(half_x))(within(m, 1), within(n, 1));
  };
  const auto dy = advect.let("dy", -now * there(v));
  const auto dx = advect.let("dx", -now * there(u));
  advect.piece(G, bilinear(c, rest(dy), rest(dx))(within(integer(floor(dy)), 2),
                                                  within(integer(floor(dx)), 2)));
  b.reduce("lowest", Reducer::min, c(0, 0), G, 20);
  b.reduce("highest", Reducer::max, c(0, 0), G, 20);
  b.reduce("total", Reducer::sum, c(0, 0), G, 20);

  const Index i("i"), j("j"), t("t");
  const auto wave = [](const Expr& at) { return sin(2 * pi() * at); };
  const auto hill = [](const Expr& at) { return squared(sin(pi() * at)); };
  b.init(v, {i, j}, -courant * hill(position(i)) * wave(position(j)));
  b.init(u, {i, j}, courant * hill(position(j)) * wave(position(i)));
  b.init(swing, {t}, cos(pi() * (real(t) + 0.5) / K));
  const ValueArgument y("y"), x("x");
  const auto near =
      b.function("near", {y, x}, min(1.0, 5 * sqrt(squared(y - 0.5) + squared(x - 0.7))));
  b.init(c, {i, j}, 0.5 * (1 + cos(pi() * near(position(i), position(j)))));
  return b.finish();
}

BuildResult tide() {
  Builder b("tide");
  const auto N = b.param("N", 96);
  const auto M = b.param("M", 160);
  const auto P = b.param("P", 480);
  const auto dx = b.param("dx", 5000.0);
  const auto period = b.param("period", 44714.0);
  const auto amplitude = b.param("amplitude", 1.0);
  const auto f = b.param("f", 1.2e-4);
  const auto g = b.param("g", 9.81);
  const auto cd = b.param("cd", 0.0025);
  const auto dt = b.param("dt", real, period / P);
  b.require(N >= 2 and M >= 2 and P >= 8);
  const auto G = b.grid("G", {extent(N), extent(M)}, {.steps = 4 * P, .spacing = dx});
  const auto sea = b.series("sea", real, {0, P - 1}, {.boundary = periodic});
  const auto h = b.field("h", real, G, {.constant = true, .boundary = clamp});
  const auto eta =
      b.field("eta", real, G, {.boundary = {none, {constant(sea(step_index())), none}}});
  const auto u = b.field("u", real, G, {.boundary = {none, {none, constant(0)}}});
  const auto v = b.field("v", real, G, {.boundary = {{none, constant(0)}, {clamp, none}}});
  const auto crest = b.field("crest", real, G);

  const auto drag = [&](const Expr& s, const Expr& t, const Expr& depth) {
    return 1 + dt * cd * sqrt(s * s + t * t) / depth;
  };
  const auto eastward = b.stencil("eastward", u);
  const auto across = eastward.let("across", 0.25 * (v(0, 0) + v(1, 0) + v(0, -1) + v(1, -1)));
  const auto west = eastward.let("depth", 0.5 * (h(0, 0) + h(0, -1)));
  eastward.piece(G, (u(0, 0) - dt * (f * across + g * (eta(0, 0) - eta(0, -1)) / dx)) /
                        drag(u(0, 0), across, west));
  const auto southward = b.stencil("southward", v);
  const auto along = southward.let("along_row", 0.25 * (u(0, 0) + u(0, 1) + u(-1, 0) + u(-1, 1)));
  const auto north = southward.let("depth", 0.5 * (h(0, 0) + h(-1, 0)));
  southward.piece({{1, N - 1}, extent(M)},
                  (v(0, 0) + dt * (f * along - g * (eta(0, 0) - eta(-1, 0)) / dx)) /
                      drag(v(0, 0), along, north));
  const FieldArgument a("a");
  const auto through_west = b.function("through_west", {a}, a(0, 0) * 0.5 * (h(0, 0) + h(0, -1)));
  const auto through_north = b.function("through_north", {a}, a(0, 0) * 0.5 * (h(0, 0) + h(-1, 0)));
  b.stencil("level", eta, G,
            eta(0, 0) - dt / dx *
                            (through_west(u)(0, 1) - through_west(u) + through_north(v)(1, 0) -
                             through_north(v)));
  b.stencil("highest", crest, G,
            select(step_index() % P == 0, eta(0, 0), max(crest(0, 0), eta(0, 0))));
  b.reduce("energy", Reducer::sum,
           0.5 * (g * eta(0, 0) * eta(0, 0) + h(0, 0) * (u(0, 0) * u(0, 0) + v(0, 0) * v(0, 0))), G,
           240);
  b.reduce("stored", Reducer::sum, eta(0, 0), G, 240);

  const Index i("i"), j("j"), t("t");
  b.init(sea, {t}, amplitude * sin(2 * pi() * real(t) / P));
  b.init(h, {i, j}, 30 + 50 * (1 - 0.6 * real(j) / M) * (1 - squared(2 * (i + 0.5) / N - 1)));
  return b.finish();
}

BuildResult vlasov() {
  Builder b("vlasov");
  const auto N = b.param("N", 64);
  const auto M = b.param("M", 160);
  const auto k = b.param("k", 0.5);
  const auto alpha = b.param("alpha", 0.01);
  const auto vmax = b.param("vmax", 6.0);
  const auto dt = b.param("dt", 0.05);
  const auto dx = b.param("dx", real, 2.0 * pi() / k / N);
  const auto dv = b.param("dv", real, 2.0 * vmax / M);
  b.require(N >= 4 and M >= 4);
  const auto G = b.grid("G", {extent(N), extent(M)},
                        {.steps = 400, .origin = {0, dv / 2 - vmax}, .spacing = {dx, dv}});
  const auto space = b.subgrid("space", G, {extent(N), 0});
  const auto f = b.field("f", real, G, {.boundary = {periodic, constant(0)}});

  const ValueArgument two("b"), one("a"), here("h"), next("n"), c("c");
  const auto cubic = b.function("cubic", {two, one, here, next, c},
                                (c * (c * c - 1) * two + 3 * c * (2 - c) * (c + 1) * one +
                                 3 * (2 - c) * (1 - c * c) * here - (2 - c) * (1 - c) * c * next) /
                                    6);
  const ValueArgument b2("b2"), b1("b1"), h("h"), n1("n1"), n2("n2"), by("c");
  const auto moved =
      b.function("moved", {b2, b1, h, n1, n2, by},
                 select(by >= 0, cubic(b2, b1, h, n1, by), cubic(n2, n1, h, b1, -by)));
  const Index i("i"), j("j");
  const auto drifted =
      moved(f(-2, 0), f(-1, 0), f(0, 0), f(1, 0), f(2, 0), 0.5 * dt / dx * position(j));
  b.stencil("drift", f, Region(G, {i, j}), drifted);
  const auto current =
      b.reduce_over("current", 1, Reducer::sum, dv * position(j) * f(0, 0), Region(G, {i, j}));
  const auto E = b.reduce_over("E", 1, Reducer::sum, Field("E").at(-1)(0) + dt * current(0), space);
  b.stencil("drift2", f, Region(G, {i, j}), drifted);
  b.stencil("kick", f, G, moved(f(0, -2), f(0, -1), f(0, 0), f(0, 1), f(0, 2), -dt / dv * E(0)));

  b.reduce_over("density", 1, Reducer::sum, dv * f(0, 0), G, {.every = 10});
  b.reduce("mass", Reducer::sum, dv * dx * f(0, 0), G, 10);
  b.reduce("energy", Reducer::sum, 0.5 * dx * E(0) * E(0), space);
  b.init(
      f, {i, j},
      (1 + alpha * cos(k * position(i))) * exp(-0.5 * position(j) * position(j)) / sqrt(2 * pi()));
  b.init(E, {i}, -alpha / k * sin(k * position(i)));
  return b.finish();
}

}  // namespace

const std::vector<stencil::test::Example>& stencil::test::simulation_examples() {
  static const std::vector<Example> kExamples = {
      {"cavity2d", cavity2d},
      {"elastic2d", elastic2d},
      {"lbm_d3q19", lbm_d3q19},
      {"q2r", q2r},
      {"semi_lagrangian", semi_lagrangian},
      {"tide", tide},
      {"vlasov", vlasov},
  };
  return kExamples;
}
