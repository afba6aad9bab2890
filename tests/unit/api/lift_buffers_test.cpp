// Lifting: arrays and ping-pong buffers, time loops, marked regions, and C++ containers.
#include "tests/unit/api/lift_sample.h"

namespace stencil::api {
namespace {

const LiftSample kBuffers[] = {
    {"two_arrays",
     R"(
void heat(int steps, int n, double a[n][n], double b[n][n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) a[i][j] = b[i][j];
  }
})",
     {"stencil step_b : b[1..n - 2, 1..n - 2]",
      "stencil step_a : a[1..n - 2, 1..n - 2] = b[0, 0]"}},
    {"parity",
     R"(
void heat(float a[2][40][50], int steps) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < 39; i++)
      for (int j = 1; j < 49; j++)
        a[(t + 1) % 2][i][j] = 0.25f * (a[t % 2][i - 1][j] + a[t % 2][i + 1][j]) + 0.1f;
})",
     {"field a : float on G history 2", "else = a@-1[0, 0]"}},
    {"pointer_swap",
     R"(
void wave(float *restrict u, float *restrict v, int nx, int ny, int steps, float c) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < ny - 1; i++)
      for (int j = 1; j < nx - 1; j++)
        v[i * nx + j] = 2 * u[i * nx + j] - v[i * nx + j] +
                        c * (u[i * nx + j - 1] + u[i * nx + j + 1] + u[(i - 1) * nx + j] +
                             u[(i + 1) * nx + j] - 4 * u[i * nx + j]);
    float *tmp = u;
    u = v;
    v = tmp;
  }
})",
     {"field u : float on G history 2", "u@-1[0, 0]", "2.0 * u[0, 0]"}},
    {"three_pointers",
     R"(
void wave(int n, int steps, double *a, double *b, double *c) {
  double *previous = a, *now = b, *next = c;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) next[i] = 2 * now[i] - previous[i] + 0.1 * (now[i - 1] - 2 * now[i] + now[i + 1]);
    double *spare = previous;
    previous = now;
    now = next;
    next = spare;
  }
})",
     {"history 3", "else = b@-2[0]"}},
    {"index_swap",
     R"(
void heat(double a[2][30][30], int steps) {
  int now = 0, next = 1;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < 29; i++)
      for (int j = 1; j < 29; j++) a[next][i][j] = 0.5 * (a[now][i][j - 1] + a[now][i][j + 1]);
    int s = now;
    now = next;
    next = s;
  }
})",
     {"history 2"}},
    {"index_flip",
     R"(
void heat(double a[2][30][30], int steps) {
  int now = 0;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < 29; i++)
      for (int j = 1; j < 29; j++) a[1 - now][i][j] = 0.5 * (a[now][i - 1][j] + a[now][i + 1][j]);
    now = 1 - now;
  }
})",
     {"history 2"}},
    {"in_place_fields",
     R"(
void fdtd(int steps, double e[50], double h[49]) {
  for (int t = 0; t < steps; ++t) {
    for (int i = 1; i < 49; i++) e[i] += 0.5 * (h[i] - h[i - 1]);
    for (int i = 0; i < 49; i++) h[i] += 0.5 * (e[i + 1] - e[i]);
  }
})",
     {"subgrid h_box of G = [0..48]", "stencil step_h : h[0..48] = h[0] + 0.5 * (e[1] - e[0])"}},
    {"while_counter",
     R"(
void heat(int n, int steps, float *a, float *b) {
  int t = 0;
  while (t < steps) {
    for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1];
    for (int i = 1; i < n - 1; i++) a[i] = 0.5f * b[i];
    t++;
  }
})",
     {"steps steps"}},
    {"pointer_to_rows",
     R"(
void heat(int n, int m, int steps, double (*a)[m], double (*b)[m]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) b[i][j] = a[i][j] + 0.1 * (a[i + 1][j] - a[i - 1][j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) a[i][j] = b[i][j];
  }
})",
     {"grid G = [0..n - 1, 0..m - 1]"}},
    {"rows_of_pointers",
     R"(
void heat(int n, int m, int steps, float **a, float **b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) b[i][j] = a[i][j] + 0.1f * (a[i + 1][j] - a[i][j - 1]);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) a[i][j] = b[i][j];
  }
})",
     {"the rows of a do not overlap"}},
    {"linear_3d",
     R"(
#define AT(z, y, x) (((z) * NY + (y)) * NX + (x))
static inline int at(int z, int y, int x, int NY, int NX) { return (z * NY + y) * NX + x; }
void heat(int NZ, int NY, int NX, int steps, const double *restrict a, double *restrict b) {
  for (int t = 0; t < steps; t++)
    for (int z = 1; z < NZ - 1; z++)
      for (int y = 1; y < NY - 1; y++)
        for (int x = 1; x < NX - 1; x++)
          b[AT(z, y, x)] = b[AT(z, y, x)] + a[at(z - 1, y, x, NY, NX)] + a[at(z, y + 1, x, NY, NX)] - a[AT(z, y, x - 1)];
})",
     {"0..NY - 1, 0..NX - 1]", "a[-1, 0, 0]", "a[0, 1, 0]", "a[0, 0, -1]"}},
    {"all_elements_at_once",
     R"(
void wave(int nz, int ny, int nx, int steps, float *restrict a, float *restrict b) {
  for (int t = 0; t < steps; t++) {
    for (int z = 1; z < nz - 1; z++)
      for (int y = 1; y < ny - 1; y++)
        for (int x = 1; x < nx - 1; x++)
          b[(z * ny + y) * nx + x] =
              0.5f * (a[(z * ny + y) * nx + x - 1] + a[((z + 1) * ny + y) * nx + x]);
    for (int i = 0; i < nz * ny * nx; i++) a[i] = 0.9f * b[i];
    for (int i = 0; i < ny * nx; i++) a[i] = b[ny * nx + i];
    for (int i = ny * nx; i < (nz - 1) * ny * nx; i++) b[i] += a[i];
  }
})",
     {"a[0..nz - 1, 0..ny - 1, 0..nx - 1] = 0.9 * b[0, 0, 0]",
      "a[0, 0..ny - 1, 0..nx - 1] = b[1, 0, 0]", "b[1..nz - 2, 0..ny - 1, 0..nx - 1]"}},
    {"sum_of_all_elements",
     R"(
#define N 24
double heat(int steps, double *restrict a, double *restrict b) {
  double worst = 0;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) b[i * N + j] = 0.5 * (a[(i - 1) * N + j] + a[i * N + j + 1]);
    worst = 0;
    for (int i = 0; i < N * N; i++)
      if (a[i] > worst) worst = a[i];
    for (int i = 0; i < N * N; i++) a[i] = b[i];
  }
  return worst;
})",
     {"a[0..23, 0..23] = b[0, 0]", "on [0..23, 0..23]"}},
    {"structure",
     R"(
struct grid { int nx, ny; double dt; double *u, *v; };
static void step(struct grid *g) {
  for (int j = 1; j < g->ny - 1; j++)
    for (int i = 1; i < g->nx - 1; i++)
      g->v[j * g->nx + i] = g->u[j * g->nx + i] + g->dt * (g->u[j * g->nx + i + 1] - g->u[(j - 1) * g->nx + i]);
}
void run(struct grid *g, int steps) {
  for (int t = 0; t < steps; t++) {
    step(g);
    for (int j = 1; j < g->ny - 1; j++)
      for (int i = 1; i < g->nx - 1; i++) g->u[j * g->nx + i] = g->v[j * g->nx + i];
  }
})",
     {"param g_nx : integer", "param g_dt : double"},
     ".c",
     "run"},
    {"openmp",
     R"(
#include <omp.h>
void heat(int n, int steps, float *a, float *b) {
#pragma omp parallel
  for (int t = 0; t < steps; t++) {
#pragma omp for simd
    for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1];
#pragma omp for
    for (int i = 1; i < n - 1; i++) a[i] = 0.5f * b[i];
  }
})",
     {"steps steps"}},
    {"scop",
     R"(
void work(int n, int steps, double a[100], double b[100]) {
  a[0] = 1;
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1];
    for (int i = 1; i < n - 1; i++) a[i] = 0.5 * b[i];
  }
#pragma endscop
  b[0] = 2;
})",
     {"a region of work", "grid G = [0..99]"}},
    {"globals",
     R"(
#define N 20
static double a[N][N], b[N][N];
static const double k = 0.125;
int main(void) {
  for (int t = 0; t < 9; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) b[i][j] = k * (a[i][j - 1] + a[i][j + 1]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) a[i][j] = b[i][j];
  }
  return 0;
})",
     {"steps 9", "0.125 * (a[0, -1] + a[0, 1])"}},
    {"no_time_loop",
     R"(
void gradient(int n, int m, const double *u, double *restrict gx, double *restrict gy) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++) {
      gx[i * m + j] = 0.5 * (u[i * m + j + 1] - u[i * m + j - 1]);
      gy[i * m + j] = 0.5 * (u[(i + 1) * m + j] - u[(i - 1) * m + j]);
    }
})",
     {"steps 1", "gx, gy"}},
    {"vectors",
     R"(
#include <algorithm>
#include <vector>
void heat(std::vector<double>& a, std::vector<double>& b, int n, int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = std::max(0.5 * (a[i - 1] + a[i + 1]), 0.6);
    std::swap(a, b);
  }
})",
     {"history 2", "max(0.5 * (a[-1] + a[1]), 0.6)"},
     ".cpp"},
    {"vectors_that_know_their_length",
     R"(
#include <utility>
#include <vector>
void heat(std::vector<double>& a, std::vector<double>& b, int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < (int)a.size() - 1; i++) b.at(i) = a[i - 1] + 0.5 * a[i + 1];
    std::swap(a, b);
  }
})",
     {"history 2", "Assumed: b and a have the same length"},
     ".cpp"},
    {"a_single_loop_is_found",
     "void scale(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 2 * a[i]; }",
     {"2.0 * a[0]"}},
    {"spans_and_templates",
     R"(
#include <array>
#include <span>
template <class T>
inline T average(T x, T y) { return T(0.5) * (x + y); }
void heat(std::span<float> a, std::span<float> b, int n, int steps) {
  constexpr std::array<float, 2> w = {0.25f, 0.75f};
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = w[0] * average(a[i - 1], a[i + 1]) + w[1] * a[i];
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
  }
})",
     {"0.25 * (0.5 * (a[-1] + a[1])) + 0.75 * a[0]"},
     ".cpp"},
    {"classes",
     R"(
struct Field {
  double* data;
  double& operator()(int i, int j) { return data[i * 24 + j]; }
};
void heat(Field& a, Field& b, int n, int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < 23; j++) b(i, j) = 0.5 * (a(i - 1, j) + a(i, j + 1));
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < 23; j++) a(i, j) = b(i, j);
  }
})",
     {},
     ".cpp",
     "heat"},
};

STENCIL_LIFT_SUITE(LiftBuffers, LiftSample, kBuffers, expect_lifted);

}  // namespace
}  // namespace stencil::api
