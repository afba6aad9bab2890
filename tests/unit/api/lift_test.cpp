// What the lifter understands and what it refuses: small C and C++ files, each lifted and run
// beside the original, or refused by its code at its line.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "runtime/devices/host_library.h"
#include "stencil/lift.h"

namespace stencil::api {
namespace {

struct Sample {
  const char* name;
  const char* source;
  std::vector<const char*> expected;  // of the program's text
  const char* extension = ".c";
  const char* function = "";
};
void PrintTo(const Sample& sample, std::ostream* out) {
  *out << sample.name;
}

Result<LiftedSource> lifted(const std::string& name, const std::string& source,
                            const std::string& extension, const std::string& function,
                            std::vector<std::string> flags = {}) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("stencil_lift_" + std::to_string(getpid()) + "_" + name + extension);
  std::ofstream(path) << source;
  LiftOptions options;
  options.function = function;
  options.flags = std::move(flags);
  const auto out = lift_source(path.string(), options);
  std::filesystem::remove(path);
  return out;
}

bool available() {
  return runtime::HostLibrary::open().ok();
}

class Understood : public testing::TestWithParam<Sample> {};

TEST_P(Understood, AndTheSameAsTheOriginal) {
  if (!available()) GTEST_SKIP() << "no libstencil_host.so";
  const Sample& sample = GetParam();
  const auto out = lifted(sample.name, sample.source, sample.extension, sample.function);
  ASSERT_TRUE(out.ok()) << out.failure().text();
  EXPECT_TRUE(out.value().verified) << out.value().proof << "\n" << out.value().text;
  for (const char* text : sample.expected) {
    EXPECT_NE(out.value().text.find(text), std::string::npos) << text << "\n" << out.value().text;
  }
}

const Sample kUnderstood[] = {
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
     {"the rows of a are apart"}},
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
    {"scalars_left",
     R"(
struct state { double time, dt; int steps; };
void run(struct state *s, int n, double *a, double *b) {
  for (int t = 0; t < s->steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = a[i] + s->dt * (a[i - 1] - a[i]);
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
    s->time += s->dt;
  }
})",
     {"nobody needs what '(*s).time' is set to"}},
    {"coefficients",
     R"(
void blur(int n, int steps, float *a, float *b) {
  const float w[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
  for (int t = 0; t < steps; t++) {
    for (int i = 2; i < n - 2; i++) {
      float sum = 0;
      for (int k = -2; k <= 2; k++) sum += w[k + 2] * a[i + k];
      b[i] = sum;
    }
    for (int i = 2; i < n - 2; i++) a[i] = b[i];
  }
})",
     {"0.1 * a[-2]", "0.2 * a[1]"}},
    {"conditions",
     R"(
void heat(int n, int steps, double *a, double *b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++) {
      if (i == 0) b[i] = a[i + 1];
      else if (i == n - 1) b[i] = a[i - 1];
      else b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    }
    for (int i = 0; i < n; i++) a[i] = b[i] > 1.0 ? b[i] - 0.5 : b[i];
  }
})",
     {"[0] = a[1]", "select(b[0] > 1.0, b[0] - 0.5, b[0])"}},
    {"periodic",
     R"(
void advect(int n, int steps, double *a, double *b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++) b[i] = a[i] - 0.3 * (a[i] - a[(i + n - 1) % n]) + 0.1 * a[(i + 1) % n];
    for (int i = 0; i < n; i++) a[i] = b[i];
  }
})",
     {"boundary periodic"}},
    {"clamped",
     R"(
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
void blur(int n, int m, int steps, float *a, float *b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        b[i * m + j] = 0.25f * (a[MAX(i - 1, 0) * m + j] + a[MIN(i + 1, n - 1) * m + j] +
                                a[i * m + MAX(j - 1, 0)] + a[i * m + MIN(j + 1, m - 1)]);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) a[i * m + j] = b[i * m + j];
  }
})",
     {"boundary clamp"}},
    {"mirrored",
     R"(
void blur(int n, int steps, double *a, double *b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++) {
      int l = i == 0 ? 1 : i - 1, r = i == n - 1 ? n - 2 : i + 1;
      b[i] = 0.5 * (a[l] + a[r]);
    }
    for (int i = 0; i < n; i++) a[i] = b[i];
  }
})",
     {"boundary mirror"}},
    {"types",
     R"(
void mix(int n, int steps, float *a, double *b, int *c) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = 0.25 * a[i] + 0.1f * a[i - 1] + c[i] / 2;
    for (int i = 1; i < n - 1; i++) a[i] = b[i] * 0.5f;
    for (int i = 1; i < n - 1; i++) c[i] = c[i + 1] % 3 + (c[i] << 1);
  }
})",
     {"0.25 * double(a[0]) + double(0.1 * a[-1]) + double(c[0] / 2)",
      "a[1..n - 2] = float(b[0] * 0.5)"}},
    {"library",
     R"(
#include <math.h>
void relax(int n, int steps, double *a, double *b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = sqrt(fabs(a[i] - a[i - 1])) + fmax(a[i], fmin(a[i + 1], 1.0)) + pow(a[i], 2);
    for (int i = 1; i < n - 1; i++) a[i] = floor(3 * b[i]) * 0.25;
  }
})",
     {"sqrt(abs(a[0] - a[-1]))"}},
    {"series_and_profile",
     R"(
void force(int n, int m, int steps, double u[n][m], const double f[steps], const double w[m]) {
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) u[i][j] += f[t] * w[j];
})",
     {"series f : double [0..steps_ - 1]", "along 1"}},
    {"time_and_index",
     R"(
void source(int n, int steps, double *u, double dt) {
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n; i++) u[i] = u[i] + dt * i + 0.5 * t;
})",
     {"double(i)", "double(time)"}},
    {"red_black",
     R"(
void relax(int n, int steps, double *u) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i += 2) u[i] = 0.5 * (u[i - 1] + u[i + 1]);
    for (int i = 2; i < n - 1; i += 2) u[i] = 0.5 * (u[i - 1] + u[i + 1]);
  }
})",
     {"by 2"}},
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
    {"boundary_loops",
     R"(
void heat(int n, int m, int steps, double a[n][m], double b[n][m]) {
  for (int t = 0; t < steps; t++) {
    for (int j = 0; j < m; j++) {
      a[0][j] = a[1][j];
      a[n - 1][j] = a[n - 2][j];
    }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) b[i][j] = 0.5 * (a[i - 1][j] + a[i + 1][j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) a[i][j] = b[i][j];
  }
})",
     {"[0, 0..m - 1] = a[1, 0]"}},
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

INSTANTIATE_TEST_SUITE_P(Lift, Understood, testing::ValuesIn(kUnderstood),
                         [](const auto& info) { return std::string(info.param.name); });

struct Refused {
  const char* name;
  const char* code;
  int line;
  const char* source;
  const char* extension = ".c";
};
void PrintTo(const Refused& refused, std::ostream* out) {
  *out << refused.name;
}

class IsRefused : public testing::TestWithParam<Refused> {};

TEST_P(IsRefused, ByNameAtItsLine) {
  if (!available()) GTEST_SKIP() << "no libstencil_host.so";
  const Refused& refused = GetParam();
  const auto out = lifted(refused.name, refused.source, refused.extension, "");
  ASSERT_FALSE(out.ok()) << out.value().text;
  EXPECT_EQ(out.failure().code, refused.code) << out.failure().text();
  const std::string place =
      std::string(refused.name) + refused.extension + ":" + std::to_string(refused.line) + ":";
  if (refused.line > 0) {
    EXPECT_NE(out.failure().diagnostics.find(place), std::string::npos) << out.failure().text();
  }
  EXPECT_FALSE(out.failure().message.empty());
}

const Refused kRefused[] = {
    {"gauss_seidel", "C010", 5, R"(
void f(int n, int steps, double *a) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      a[i] = 0.5 * (a[i - 1] + a[i + 1]);
})"},
    {"line_solver", "C011", 6, R"(
void f(int n, int m, double a[n][m]) {
  for (int i = 0; i < n; i++) {
    double c = 0;
    for (int j = 0; j < m; j++) {
      a[i][j] = a[i][j] - 0.3 * c;
      c = 0.5 / (1 + c);
    }
  }
})"},
    {"syntax", "C001", 2, R"(
void f(int n { })"},
    {"no_loop", "C002", -1, R"(
int f(int n) { return n; })"},
    {"data_dependent", "C013", 5, R"(
void f(int n, int m, const int *map, double *a, const double *b) {
  for (int t = 0; t < m; t++)
    for (int i = 0; i < n; i++)
      a[i] = a[i] + b[map[i]];
})"},
    {"scattered", "C013", 5, R"(
void f(int n, int m, const int *map, double *a, const double *b) {
  for (int t = 0; t < m; t++)
    for (int i = 0; i < n; i++)
      a[map[i]] = b[i];
})"},
    {"transposed", "C013", 5, R"(
void f(int n, double a[n][n], double b[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = b[j][i];
})"},
    {"triangle", "C012", 4, R"(
void f(int n, double a[n][n], double b[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      a[i][j] = 2 * b[i][j];
})"},
    {"tiled", "C012", 4, R"(
void f(int n, double *a, double *b) {
  for (int k = 0; k < n; k += 16)
    for (int i = k; i < (k + 16 < n ? k + 16 : n); i++)
      a[i] = 2 * b[i];
})"},
    {"goto_statement", "C015", 6, R"(
void f(int n, int steps, double *a, double *b) {
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n; i++) {
      a[i] = b[i];
      goto next;
    next:;
    }
})"},
    {"side_effects", "C021", 7, R"(
#include <stdio.h>
void f(int n, int steps, double *a, double *b) {
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n; i++) {
      a[i] = b[i];
      printf("%g", a[i]);
    }
})"},
    {"moving_bound", "C012", 4,
     R"(
void f(int n, int steps, double *a, double *b) {
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n; i++) {
      a[i] = b[i];
      n = n - 1;
    }
})"},
    {"moving_member", "C012", 5,
     R"(
struct grid { int n; double *a; };
void f(struct grid *g, int steps) {
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < g->n; i++) {
      g->a[i] = i;
      g->n -= 1;
    }
})"},
    {"handed_over", "C021", 4, R"(
#include <string.h>
void f(int n, int steps, double *a, double *b) {
  memset(b, 0, n * sizeof *b);
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n; i++) a[i] = b[i];
})"},
    {"left_early", "C015", 6, R"(
void f(int n, int steps, double *a, double *b) {
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n; i++) {
      a[i] = b[i];
      if (a[i] > 3) break;
    }
})"},
    {"lost_pointer", "C014", 3, R"(
void f(int n, int steps, double *a, double *b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1];
    a = b;
  }
})"},
    {"fixed_beside_moving", "C014", 4, R"(
void f(int n, int steps, double *x, double *y) {
  double *a = x, *b = y;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = x[i - 1] + x[i + 1];
    double *s = a;
    a = b;
    b = s;
  }
})"},
    {"written_before", "C017", 4, R"(
void f(int n, int steps, double *a, double *b) {
  for (int i = 0; i < n; i++) a[i] = 0;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1];
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
  }
})"},
    {"two_ranks", "C019", 4, R"(
void f(int n, double a[n][n], double b[n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i][j] = b[j];
  for (int i = 0; i < n; i++) b[i] = 1;
})"},
    {"recursion", "C021", 3, R"(
double g(double x) {
  return x > 1 ? g(x - 1) : x; }
void f(int n, int steps, double *a, double *b) {
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n; i++) a[i] = g(b[i]);
})"},
    {"unsigned_data", "C023", 5, R"(
void f(int n, int steps, unsigned char *a, unsigned *b) {
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n; i++)
      a[i] = b[i] * 3u + 1u;
})"},
};

INSTANTIATE_TEST_SUITE_P(Lift, IsRefused, testing::ValuesIn(kRefused),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(LiftSizes, OfMacrosAreMadeSmallForTheProof) {
  if (!available()) GTEST_SKIP() << "no libstencil_host.so";
  const auto out = lifted("macros", R"(
#ifndef N
#define N 3000
#endif
#ifndef STEPS
#define STEPS 400
#endif
#define BOUND(x) (x)
void step(double a[N][N], double b[N][N]) {
  for (int t = 0; t < STEPS; t++) {
    for (int i = 1; i < BOUND(N) - 1; i++)
      for (int j = 1; j < N - 1; j++) b[i][j] = 0.25 * (a[i - 1][j] + a[i][j + 1]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) a[i][j] = b[i][j];
  }
})",
                          ".c", "");
  ASSERT_TRUE(out.ok()) << out.failure().text();
  EXPECT_TRUE(out.value().verified) << out.value().proof;
  EXPECT_NE(out.value().proof.find("instead of 3000"), std::string::npos) << out.value().proof;
  EXPECT_NE(out.value().text.find("steps 400"), std::string::npos) << out.value().text;
}

// ---- programs of others, where $STENCIL_LIFT_INPUTS has them

struct Input {
  const char* path;
  const char* function;
  std::vector<std::string> flags;  // % is the directory
  const char* code;                // "": lifted and verified
};

TEST(LiftInputs, AreLiftedOrRefusedAsTheTableSays) {
  const char* directory = std::getenv("STENCIL_LIFT_INPUTS");
  if (directory == nullptr || *directory == '\0') GTEST_SKIP() << "no STENCIL_LIFT_INPUTS";
  if (!available()) GTEST_SKIP() << "no libstencil_host.so";
  const std::vector<std::string> polybench = {"-I%/PolyBenchC-4.2.1/utilities"};
  std::vector<Input> inputs;
  for (const auto& [kernel, code] : {std::pair{"jacobi-1d", ""},
                                     {"jacobi-2d", ""},
                                     {"heat-3d", ""},
                                     {"fdtd-2d", ""},
                                     {"seidel-2d", "C010"},
                                     {"adi", "C010"}}) {
    static std::vector<std::string> paths;
    paths.reserve(16);
    paths.push_back(std::string("PolyBenchC-4.2.1/stencils/") + kernel + "/" + kernel + ".c");
    inputs.push_back({paths.back().c_str(), "", polybench, code});
  }
  for (const char* an5d :
       {"j2d5pt", "j2d9pt", "box2d1r", "star2d4r", "j3d27pt", "star3d2r", "gradient2d"}) {
    static std::vector<std::string> paths;
    paths.reserve(16);
    paths.push_back(std::string("AN5D-Artifact/") + an5d + ".c");
    inputs.push_back({paths.back().c_str(), "", {}, ""});
  }
  for (const auto& [kernel, code] : {std::pair{"accelerate", ""},
                                     {"advec_mom", ""},
                                     {"flux_calc", ""},
                                     {"ideal_gas", ""},
                                     {"PdV", ""},
                                     {"reset_field", ""},
                                     {"revert", ""},
                                     {"viscosity", ""},
                                     {"advec_cell", "C013"}}) {
    static std::vector<std::string> paths;
    paths.reserve(16);
    paths.push_back(std::string("CloverLeaf_ref/kernels/") + kernel + "_kernel_c.c");
    inputs.push_back({paths.back().c_str(), "", {}, code});
  }
  inputs.push_back({"wave_2d_fd_perf/wave_2d_fd_perf/vc1.c", "", {}, "C013"});
  int found = 0;
  for (const Input& input : inputs) {
    const std::string path = std::string(directory) + "/" + input.path;
    if (!std::filesystem::exists(path)) continue;
    ++found;
    LiftOptions options;
    options.function = input.function;
    for (std::string flag : input.flags) {
      if (const size_t at = flag.find('%'); at != std::string::npos) flag.replace(at, 1, directory);
      options.flags.push_back(flag);
    }
    const auto out = lift_source(path, options);
    EXPECT_EQ(out.ok() ? "" : out.failure().code, input.code)
        << path << "\n"
        << (out.ok() ? "" : out.failure().text());
    if (!out.ok()) continue;
    EXPECT_TRUE(out.value().verified) << path << ": " << out.value().proof;
  }
  EXPECT_GT(found, 0) << directory;
}

}  // namespace
}  // namespace stencil::api
