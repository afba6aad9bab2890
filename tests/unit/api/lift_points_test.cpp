// Lifting: sources and receivers whose positions are data or params.
#include "tests/unit/api/lift_sample.h"

namespace stencil::api {
namespace {

const LiftSample kPoints[] = {
    {"sources_and_receivers",
     R"(
void shots(int ny, int nx, int nt, float *restrict u, float *restrict v, const float *restrict c,
           int ns, const int *restrict sy, const int *restrict sx, const float *restrict w,
           int nr, const int *restrict ry, const int *restrict rx, float *restrict rec) {
  for (int t = 0; t < nt; t++) {
    for (int y = 1; y < ny - 1; y++)
      for (int x = 1; x < nx - 1; x++)
        v[y * nx + x] = 2 * u[y * nx + x] - v[y * nx + x] + c[y * nx + x] *
            (u[y * nx + x - 1] + u[y * nx + x + 1] + u[(y - 1) * nx + x] + u[(y + 1) * nx + x] - 4 * u[y * nx + x]);
    for (int s = 0; s < ns; s++) v[sy[s] * nx + sx[s]] += c[sy[s] * nx + sx[s]] * w[t * ns + s];
    for (int r = 0; r < nr; r++) rec[t * nr + r] = v[ry[r] * nx + rx[r]];
    float *s = u;
    u = v;
    v = s;
  }
})",
     {"points sources_at [0..ns - 1] on G", "series w : float [0..nt - 1] on sources_at",
      "u on G where sources_at > 0 = u[0, 0] + c[0, 0] * w[time]",
      "record rec [0..nt - 1] = u[0, 0] at receivers"}},
    {"by_source_first",
     R"(
void shots(int ny, int nx, int nt, float *restrict u, float *restrict v, const float *restrict c,
           int ns, const int *restrict sy, const int *restrict sx, const float *restrict w, int length) {
  for (int t = 0; t < nt; t++) {
    for (int y = 2; y < ny - 2; y++)
      for (int x = 2; x < nx - 2; x++) v[y * nx + x] = c[y * nx + x] * u[y * nx + x - 2] + u[(y + 2) * nx + x];
    for (int s = 0; s < ns; s++) {
      int y = sy[s] + 2, x = sx[s] + 2;
      v[y * nx + x] += c[y * nx + x] * w[s * length + t];
    }
    float *s = u;
    u = v;
    v = s;
  }
})",
     {"series w : float [0..nt - 1] on sources_at", "field c : float on G constant"}},
    {"places_of_params",
     R"(
void shot(int n, int m, int steps, double u[n][m], double v[n][m], const double *w, double *trace, int iy, int ix) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    v[iy][ix] += w[t];
    trace[t] = v[n / 2][m / 2];
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) u[i][j] = v[i][j];
  }
})",
     {"v[iy, ix] = v[0, 0] + w[time]", "init receivers[number] = {double(n / 2), double(m / 2)}",
      "record trace [0..steps_ - 1] = v[0, 0] at receivers"}},
    {"pairs_and_strengths",
     R"(
#define N 40
#define NS 7
void shot(int steps, double u[N][N], double v[N][N], const int at[NS][2], const double w[NS][100], const double strength[NS], double seis[NS][100]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) u[i][j] = v[i][j];
    for (int s = 0; s < NS; s++) u[at[s][0]][at[s][1]] += strength[s] * w[s][t];
    for (int s = 0; s < NS; s++) seis[s][t] = u[at[s][0]][at[s][1]];
  }
})",
     {"field strength : double on sources_at constant", "u[0, 0] + strength * w[time]"}},
};

STENCIL_LIFT_SUITE(LiftPoints, LiftSample, kPoints, expect_lifted);

const LiftRefused kPlaces[] = {
    {"read_elsewhere", "C013", 6, R"(
void f(int n, int ns, int steps, double *u, double *v, const int *at, const double *w) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) v[i] = 0.5 * (u[i - 1] + u[i + 1]);
    for (int i = 1; i < n - 1; i++) u[i] = v[i];
    for (int s = 0; s < ns; s++) u[at[s]] += w[s] * u[at[s] + 1];
  }
})",
     ".c", "read at other positions"},
    {"places_that_move", "C013", 6, R"(
void f(int n, int ns, int steps, double *u, double *v, const int *at, const double *w) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) v[i] = 0.5 * (u[i - 1] + u[i + 1]);
    for (int i = 1; i < n - 1; i++) u[i] = v[i];
    for (int s = 0; s < ns; s++) u[at[t * ns + s]] += w[s];
  }
})",
     ".c", "positions"},
    {"recorded_at_first", "C013", 4, R"(
void f(int n, int nr, int steps, double *u, double *v, const int *at, double *rec) {
  for (int t = 0; t < steps; t++) {
    for (int r = 0; r < nr; r++) rec[t * nr + r] = u[at[r]];
    for (int i = 1; i < n - 1; i++) v[i] = 0.5 * (u[i - 1] + u[i + 1]);
    for (int i = 1; i < n - 1; i++) u[i] = v[i];
  }
})",
     ".c", "recorded before"},
    {"beside_the_place", "C013", 6, R"(
void f(int n, int nr, int steps, double *u, double *v, const int *at, double *rec) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) v[i] = 0.5 * (u[i - 1] + u[i + 1]);
    for (int i = 1; i < n - 1; i++) u[i] = v[i];
    for (int r = 0; r < nr; r++) rec[t * nr + r] = u[at[r]] - u[at[r] - 1];
  }
})",
     ".c", "at a point other than the source or receiver"},
    {"rows_at_once", "C013", 6, R"(
void f(int n, int m, int steps, double *u, double *v) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) v[i * m + j] = 0.5 * (u[i * m + j - 1] + u[(i + 1) * m + j]);
    for (int k = 1; k < n * m; k++) u[k] = v[k];
  }
})",
     ".c", "several rows"},
};

STENCIL_LIFT_SUITE(LiftPlaces, LiftRefused, kPlaces, expect_refused);

}  // namespace
}  // namespace stencil::api
