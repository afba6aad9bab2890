// Lifting: boundaries, conditions, values and their types.
#include "tests/unit/api/lift_sample.h"

namespace stencil::api {
namespace {

const LiftSample kValues[] = {
    // C does not define the sign of fmax(0.0, -0.0), and a division depends on it.
    {"zeros_of_fmax",
     R"(
#include <math.h>
void f(int n, double *a, double *b, double *c) {
  for (int i = 0; i < n; i++) b[i] = fmax(0.0, a[i]);
  for (int i = 0; i < n; i++) c[i] = 1 / fmin(a[i], 0.0);
})",
     {"which fmax and fmin do not specify"}},
    {"zeros_of_std_fmax",
     R"(
#include <cmath>
void f(int n, float *a, float *b) {
  for (int i = 0; i < n; i++) b[i] = 1 / std::fmin(std::fmax(a[i], -0.0f), 1.0f);
})",
     {"which fmax and fmin do not specify"},
     ".cpp"},
    {"zeros_of_a_reduction",
     R"(
#include <math.h>
void f(int n, double *a, double *b) {
  double most = -1;
  for (int i = 0; i < n; i++) most = fmax(a[i] * 0.0, most);
  for (int i = 0; i < n; i++) b[i] = most;
})",
     {"which fmax and fmin do not specify"}},
    {"every_fourth_from_the_end",
     R"(
void f(int n, double *a, double *b) {
  for (int i = 4 * n - 1; i >= 0; i -= 4) b[i] = 2 * a[i];
})",
     {"[3..4 * n - 1 by 4]"}},
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
     {"the caller does not use the final value of '(*s).time'"}},
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
    {"neighbours_by_number",
     R"(
void blur(int n, int m, int steps, double a[n][m], double b[n][m]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) {
        double sum = 0;
        for (int p = i - 1; p <= i + 1; p++)
          for (int q = j - 1; q <= j + 1; q++) sum += a[p][q];
        b[i][j] = sum / 9;
      }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) a[i][j] = b[i][j];
  }
})",
     {"a[-1, -1]", "a[1, 1]"}},
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
};

STENCIL_LIFT_SUITE(LiftValues, LiftSample, kValues, expect_lifted);

}  // namespace
}  // namespace stencil::api
