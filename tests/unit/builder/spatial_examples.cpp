#include "tests/unit/builder/examples.h"

using namespace stencil::dsl;  // NOLINT: as users write

namespace {

using stencil::Builder;
using stencil::BuildResult;

Expr square(const Expr& x) {
  return x * x;
}

// The six neighbours, low side first.
Expr faces(const Field& u) {
  return u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1);
}

Box inner(const Expr& N) {
  return {{1, N - 2}, {1, N - 2}, {1, N - 2}};
}

BuildResult acoustic3d() {
  Builder b("acoustic3d");
  const auto N = b.param("N", integer, 96);
  const auto L = b.param("L", integer, 16);
  b.require(N >= 3 and L >= 1);
  const auto G = b.grid("G", {extent(N), extent(N), extent(N)}, 100);
  const auto interior = b.subgrid("interior", G, inner(N));
  const auto U = b.field("U", real, G, {.history = 2});
  const auto c2 = b.field("c2", real, G, {.constant = true});
  const auto damp = b.field("damp", real, G, {.constant = true});

  const auto wave = b.stencil("wave", U);
  const auto s = wave.let("s", damp(0, 0, 0));
  wave.piece(interior, (2 * U(0, 0, 0) - (1 - s) * U.at(-1)(0, 0, 0) +
                        c2(0, 0, 0) * (faces(U) - 6 * U(0, 0, 0))) /
                           (1 + s));

  const Index i("i"), j("j"), k("k");
  const ValueArgument x("i"), y("j"), z("k");
  const auto depth = b.function("depth", {x}, max(0, L - min(x, N - 1 - x)) / (L * 1.0));
  const auto squared = b.function("square", {x}, x * x);
  const auto from_centre = b.function("from_centre", {x, y, z},
                                      squared(x - N / 2) + squared(y - N / 2) + squared(z - N / 2));
  b.init(U, {i, j, k}, squared(max(0, 1 - from_centre(i, j, k) / 36.0)));
  b.init(c2, {i, j, k}, select(i < N / 2, 0.0625, 0.25));
  b.init(damp, {i, j, k}, 0.2 * squared(max(depth(i), max(depth(j), depth(k)))));
  return b.finish();
}

BuildResult box27() {
  Builder b("box27");
  const auto N = b.param("N", 128);
  b.require(N >= 3);
  const auto G = b.grid("G", {extent(N), extent(N), extent(N)}, 50);
  const auto interior = b.subgrid("interior", G, inner(N));
  const auto u = b.field("u", real, G);
  const int weights[3][3] = {{2, 10, 4}, {8, 40, 16}, {6, 30, 12}};
  std::vector<Expr> planes;
  for (const auto& row : weights) {
    const auto of = [&](int times) {  // times / 2, as the weights of a row are even
      return values({row[0] * times / 2, row[1] * times / 2, row[2] * times / 2});
    };
    planes.push_back(values({of(2), of(3), of(3)}));
  }
  const auto K = b.table("K", real, {3, 3, 3}, values(planes));
  const Index x("a"), y("b"), z("c"), i("i"), j("j"), k("k");
  b.stencil("convolve", u, interior,
            (Expr(1.0) / 512) *
                sum({x.in(-1, 1), y.in(-1, 1), z.in(-1, 1)}, K(x + 1, y + 1, z + 1) * u(x, y, z)));
  const auto within = [&](const Expr& at) { return at > N / 4 and at < N / 2; };
  b.init(u, {i, j, k}, select(within(i) and within(j) and within(k), 1.0, 0.0));
  return b.finish();
}

BuildResult box27sym() {
  Builder b("box27sym");
  const auto N = b.param("N", 128);
  const auto C0 = b.param("C0", 0.2);
  const auto C1 = b.param("C1", 0.0);
  const auto C2 = b.param("C2", 0.05);
  const auto C3 = b.param("C3", 0.025);
  b.require(N >= 3);
  const auto G = b.grid("G", {extent(N), extent(N), extent(N)}, 50);
  const auto interior = b.subgrid("interior", G, inner(N));
  const auto u = b.field("u", real, G);
  const FieldArgument a("a");
  const Index s("s"), t("t"), r("r");
  const auto of_faces =
      b.function("faces", {a},
                 sum({s.in(0, 1)}, a(2 * s - 1, 0, 0) + a(0, 2 * s - 1, 0) + a(0, 0, 2 * s - 1)));
  const auto of_edges = b.function(
      "edges", {a},
      sum({s.in(0, 1), t.in(0, 1)},
          a(2 * s - 1, 2 * t - 1, 0) + a(2 * s - 1, 0, 2 * t - 1) + a(0, 2 * s - 1, 2 * t - 1)));
  const auto of_corners =
      b.function("corners", {a},
                 sum({s.in(0, 1), t.in(0, 1), r.in(0, 1)}, a(2 * s - 1, 2 * t - 1, 2 * r - 1)));
  b.stencil("smooth", u, interior,
            C0 * u(0, 0, 0) + C1 * of_faces(u) + C2 * of_edges(u) + C3 * of_corners(u));
  const Index i("i"), j("j"), k("k");
  b.init(u, {i, j, k}, select(i == 0, 100.0, ((i * 7 + j * 5 + k * 3) % 8) * 1.0));
  return b.finish();
}

BuildResult heat3d() {
  Builder b("heat3d");
  const auto N = b.param("N", integer, 128);
  const auto alpha = b.param("alpha", double_, 1.9e-5);
  const auto dx = b.param("dx", double_, 0.01);
  const auto dt = b.param("dt", double_, 0.5);
  b.require(N >= 3);
  b.require(alpha * dt / (dx * dx) < Expr(1.0) / 6);
  const auto G = b.grid("G", {extent(N), extent(N), extent(N)}, 100);
  const auto interior = b.subgrid("interior", G, inner(N));
  const auto T = b.field("T", double_, G);
  const auto conduct = b.stencil("conduct", T);
  const auto d = conduct.let("d", alpha * dt / (dx * dx));
  conduct.piece(interior, T(0, 0, 0) + d * (T(1, 0, 0) + T(-1, 0, 0) + T(0, 1, 0) + T(0, -1, 0) +
                                            T(0, 0, 1) + T(0, 0, -1) - 6 * T(0, 0, 0)));
  const Index i("i"), j("j"), k("k");
  b.init(T, {i, j, k}, select(i == 0, 100.0, 0.0));
  return b.finish();
}

BuildResult jacobi3d() {
  Builder b("jacobi3d");
  const auto N = b.param("N", integer, 512);
  const auto alpha = b.param("alpha", real, 0.25);
  const auto G = b.grid("G", {extent(N), extent(N), extent(N)}, 100);
  const auto interior = b.subgrid("interior", G, inner(N));
  const auto A = b.field("A", real, G);
  b.stencil("jacobi", A, interior, alpha * A(0, 0, 0) + (1 - alpha) / 6 * (faces(A)));
  const Index i("i"), j("j"), k("k");
  b.init(A, {i, j, k}, select(i == 0, 100.0, 0.0));
  return b.finish();
}

BuildResult maxwell3d() {
  Builder b("maxwell3d");
  const auto N = b.param("N", 64);
  const auto S = b.param("S", 0.5);
  b.require(N >= 3);
  const auto G = b.grid("G", {extent(N), extent(N), extent(N)}, 200);
  const auto field = [&](const char* name) { return b.field(name, real, G); };
  const auto Ex = field("Ex"), Ey = field("Ey"), Ez = field("Ez");
  const auto Hx = field("Hx"), Hy = field("Hy"), Hz = field("Hz");
  const auto H = [&](const char* name, const Field& h, const Region& region, const Expr& curl) {
    b.stencil(name, h, region, h(0, 0, 0) - S * curl);
  };
  const auto E = [&](const char* name, const Field& e, const Region& region, const Expr& curl) {
    b.stencil(name, e, region, e(0, 0, 0) + S * curl);
  };
  const Range all = extent(N), faces(0, N - 2), inside(1, N - 2);
  H("hx", Hx, {all, faces, faces}, (Ez(0, 1, 0) - Ez(0, 0, 0)) - (Ey(0, 0, 1) - Ey(0, 0, 0)));
  H("hy", Hy, {faces, all, faces}, (Ex(0, 0, 1) - Ex(0, 0, 0)) - (Ez(1, 0, 0) - Ez(0, 0, 0)));
  H("hz", Hz, {faces, faces, all}, (Ey(1, 0, 0) - Ey(0, 0, 0)) - (Ex(0, 1, 0) - Ex(0, 0, 0)));
  E("ex", Ex, {faces, inside, inside}, (Hz(0, 0, 0) - Hz(0, -1, 0)) - (Hy(0, 0, 0) - Hy(0, 0, -1)));
  E("ey", Ey, {inside, faces, inside}, (Hx(0, 0, 0) - Hx(0, 0, -1)) - (Hz(0, 0, 0) - Hz(-1, 0, 0)));
  E("ez", Ez, {inside, inside, faces}, (Hy(0, 0, 0) - Hy(-1, 0, 0)) - (Hx(0, 0, 0) - Hx(0, -1, 0)));
  const Index i("i"), j("j"), k("k");
  const auto mode = [&](const Expr& at) {
    return select(at == 0 or at == N - 1, 0.0, sin(3.14159265358979 * at / (N - 1)));
  };
  b.init(Ez, {i, j, k}, select(k == N - 1, 0.0, mode(i) * mode(j)));
  return b.finish();
}

BuildResult phi4flow() {
  Builder b("phi4flow");
  const auto M = b.param("M", 24);
  const auto N = b.param("N", 16);
  const auto m2 = b.param("m2", 0.25);
  const auto lambda = b.param("lambda", 0.5);
  const auto e = b.param("e", 0.05);
  const auto G = b.grid("G", {extent(M), extent(N), extent(N), extent(N)}, 100);
  const auto phi = b.field("phi", real, G, {.boundary = periodic});

  // The point `by` steps further in dimension d.
  const auto moved = [&](size_t d, int by) {
    std::vector<Expr> offsets(4, 0);
    offsets[d] = by;
    return phi.at_indices(offsets);
  };
  const Expr here = phi(0, 0, 0, 0);
  Expr lap = moved(0, -1) + moved(0, 1);
  for (size_t d = 1; d < 4; ++d) lap = lap + moved(d, -1) + moved(d, 1);
  lap -= 8 * here;
  b.stencil("flow", phi, G, here + e * (lap - (m2 + lambda * square(here)) * here));

  Expr slope = square(moved(0, 1) - here);
  for (size_t d = 1; d < 4; ++d) slope += square(moved(d, 1) - here);
  b.reduce("action", Reducer::sum, slope / 2 + square(here) * (m2 / 2 + lambda / 4 * square(here)),
           G, 20);
  const Index t("t"), i("i"), j("j"), k("k");
  b.init(phi, {t, i, j, k},
         ((t * 7 + i * 13 + j * 29 + k * 31 + t * i * 5 + j * k * 3) % 17) / 8.0 - 1.0);
  return b.finish();
}

}  // namespace

const std::vector<stencil::test::Example>& stencil::test::spatial_examples() {
  static const std::vector<Example> kExamples = {
      {"acoustic3d", acoustic3d}, {"box27", box27},       {"box27sym", box27sym},
      {"heat3d", heat3d},         {"jacobi3d", jacobi3d}, {"maxwell3d", maxwell3d},
      {"phi4flow", phi4flow},
  };
  return kExamples;
}
