// Lifting: ghost cells that every step fills with copies from the opposite side or from nearby
// points.
#include "tests/unit/api/lift_sample.h"

namespace stencil::api {
namespace {

const LiftSample kGhosts[] = {
    {"periodic_at_begin",
     R"(
void f(int n, int m, int steps, double a[n + 2][m + 2], double b[n + 2][m + 2]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i <= n; i++) {
      a[i][0] = a[i][m];
      a[i][m + 1] = a[i][1];
    }
    for (int j = 0; j <= m + 1; j++) {
      a[0][j] = a[n][j];
      a[n + 1][j] = a[1][j];
    }
    for (int i = 1; i <= n; i++)
      for (int j = 1; j <= m; j++) b[i][j] = 0.25 * (a[i - 1][j - 1] + a[i + 1][j] + a[i][j - 1] + a[i + 1][j + 1]);
    for (int i = 1; i <= n; i++)
      for (int j = 1; j <= m; j++) a[i][j] = b[i][j];
  }
})",
     {"grid G = [1..n, 1..m]", "field a : double on G boundary periodic", "the ghost cells of a"}},
    {"periodic_at_end",
     R"(
void f(int n, int steps, double *a, double *b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i <= n; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    for (int i = 1; i <= n; i++) a[i] = b[i];
    a[0] = a[n];
    a[n + 1] = a[1];
  }
})",
     {"grid G = [1..n]", "field a : double on G boundary periodic",
      "fills the ghost cells of a with copies before the loop"}},
    {"antiperiodic",
     R"(
void f(int n, int m, int steps, float a[n + 2][m + 2], float b[n + 2][m + 2]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i <= n; i++)
      for (int j = 1; j <= m; j++) b[i][j] = 0.25f * (a[i - 1][j - 1] + a[i + 1][j] + a[i][j - 1] + a[i + 1][j + 1]);
    for (int i = 1; i <= n; i++)
      for (int j = 1; j <= m; j++) a[i][j] = b[i][j];
    for (int i = 1; i <= n; i++) {
      a[i][0] = -a[i][m];
      a[i][m + 1] = -a[i][1];
    }
    for (int j = 0; j <= m + 1; j++) {
      a[0][j] = a[n][j];
      a[n + 1][j] = a[1][j];
    }
  }
})",
     {"grid G = [1..n, 1..m]", "field a : float on G boundary [periodic, antiperiodic]",
      "fills the ghost cells of a with copies before the loop"}},
    {"one_sign_changes",
     R"(
void f(int steps, double a[34], double b[34]) {
  for (int t = 0; t < steps; t++) {
    a[0] = -a[32];
    a[33] = a[1];
    for (int i = 1; i <= 32; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    for (int i = 1; i <= 32; i++) a[i] = b[i];
  }
})",
     {"grid G = [0..33]", "-a[32]"}},
    {"sign_in_the_expression",
     R"(
void f(int n, int steps, double *a, double *b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++) b[i] = 0.5 * ((i == 0 ? -a[n - 1] : a[i - 1]) + a[i]);
    for (int i = 0; i < n; i++) a[i] = b[i];
  }
})",
     {"field a : double on G;", "[0] = 0.5 * (-a[n - 1] + a[0]);"}},
    {"copied_after_the_swap",
     R"(
void f(int n, int t, double *a, double *b) {
  for (int s = 0; s < t; s++) {
    for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + 0.3 * a[i + 1];
    double *q = a;
    a = b;
    b = q;
    a[0] = a[n - 2];
    a[n - 1] = a[1];
  }
})",
     {"the caller does not use the ghost cells of a, b in dimension 0 afterwards, and fills the "
      "ghost cells of a",
      "after an odd number of steps, the newest level is in b"}},
    {"periodic_and_swapped",
     R"(
void f(int n, int steps, double *a, double *b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i <= n; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    b[0] = b[n];
    b[n + 1] = b[1];
    double *s = a;
    a = b;
    b = s;
  }
})",
     {"grid G = [1..n]", "field a : double on G history 2 boundary periodic"}},
    {"two_layers",
     R"(
#define H 2
void f(int n, int m, int steps, float *a, float *b) {
  const int w = m + 2 * H;
  for (int t = 0; t < steps; t++) {
    for (int k = 0; k < H; k++)
      for (int i = H; i < n + H; i++) {
        a[i * w + k] = a[i * w + m + k];
        a[i * w + m + H + k] = a[i * w + H + k];
      }
    for (int k = 0; k < H; k++)
      for (int j = 0; j < w; j++) {
        a[k * w + j] = a[(n + k) * w + j];
        a[(n + H + k) * w + j] = a[(H + k) * w + j];
      }
    for (int i = H; i < n + H; i++)
      for (int j = H; j < m + H; j++)
        b[i * w + j] = 0.25f * (a[(i - 2) * w + j] + a[(i + 2) * w + j] + a[i * w + j - 2] + a[i * w + j + 2]);
    for (int i = H; i < n + H; i++)
      for (int j = H; j < m + H; j++) a[i * w + j] = b[i * w + j];
  }
})",
     {"grid G = [2..n + 1, 2..m + 1]", "boundary periodic", "require n >= 2"}},
    {"periodic_in_one_dimension",
     R"(
void f(int n, int m, int steps, double a[n][m + 2], double b[n][m + 2], const double w[m + 2]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++) {
      a[i][0] = a[i][m];
      a[i][m + 1] = a[i][1];
    }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j <= m; j++) b[i][j] = w[j] * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j <= m; j++) a[i][j] = 0.2 * b[i][j];
  }
})",
     {"grid G = [0..n - 1, 1..m]", "boundary [none, periodic]"}},
    // Not converted to boundary rules: corners without copies, copies that are outdated when they
    // are read, and mirrored copies. These ghost cells remain points of the grid.
    {"corners_of_their_own",
     R"(
void f(int n, int steps, double a[34][34], double b[34][34]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i <= 32; i++) {
      a[i][0] = a[i][32];
      a[i][33] = a[i][1];
      a[0][i] = a[32][i];
      a[33][i] = a[1][i];
    }
    for (int i = 1; i <= 32; i++)
      for (int j = 1; j <= 32; j++) b[i][j] = 0.5 * (a[i - 1][j - 1] + a[i + 1][j]);
    for (int i = 1; i <= 32; i++)
      for (int j = 1; j <= 32; j++) a[i][j] = b[i][j];
  }
})",
     {"grid G = [0..33, 0..33]", "a[0, 32]"}},
    {"copied_too_early",
     R"(
void f(int steps, double a[34], double b[34]) {
  for (int t = 0; t < steps; t++) {
    a[0] = a[32];
    a[33] = a[1];
    for (int i = 1; i <= 32; i++) a[i] = 0.5 * a[i] + 0.1;
    for (int i = 1; i <= 32; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    for (int i = 1; i <= 32; i++) a[i] = b[i];
  }
})",
     {"grid G = [0..33]"}},
    {"mirrored",
     R"(
void f(int n, int steps, double *a, double *b) {
  for (int t = 0; t < steps; t++) {
    a[0] = a[4];
    a[1] = a[3];
    a[n - 1] = a[n - 5];
    a[n - 2] = a[n - 4];
    for (int i = 2; i < n - 2; i++) b[i] = 0.5 * (a[i - 2] + a[i + 2]) + a[i] - 0.5 * (a[i - 1] + a[i + 1]);
    for (int i = 2; i < n - 2; i++) a[i] = b[i];
  }
})",
     {"a[0] = a[4]"}},
};

STENCIL_LIFT_SUITE(LiftGhosts, LiftSample, kGhosts, expect_lifted);

}  // namespace
}  // namespace stencil::api
