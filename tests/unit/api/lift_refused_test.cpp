// Lifting: refused programs, with the code and line of the error.
#include "tests/unit/api/lift_sample.h"

namespace stencil::api {
namespace {

const LiftRefused kRefused[] = {
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
    {"handed_to_the_next_step", "C011", 5, R"(
void f(int n, double *u, double *v, int steps) {
  double dt = 0.1;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) v[i] = u[i] + dt * (u[i - 1] - u[i]);
    double m = 0;
    for (int i = 1; i < n - 1; i++) {
      u[i] = v[i];
      if (u[i] > m) m = u[i];
    }
    dt = 0.1 / m;
  }
})",
     ".c", "from the previous step"},
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
    {"reduced_alone", "C018", 2, R"(
void f(int n, const double *a, double *sum) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int k = i; k <= i + 1; k++) s += a[k];
  *sum = s;
})",
     ".c", "reductions"},
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
    {"function_that_the_language_lacks", "C021", 3, R"(
double log1p(double);
void f(int n, double *a, double *b) { for (int i = 0; i < n; i++) b[i] = log1p(a[i]); }
)",
     ".c", "a call of 'log1p', which has no counterpart in the language"},
    {"mirrored_component", "C013", 3, R"(
void f(int n, int p, double *a, double *b) {
  for (int i = 0; i < n; i++) for (int c = 0; c < p; c++) b[i * p + c] = a[i * p + (p - 1 - c)];
})",
     ".c", "a subscript of 'a' decreases while 'c' increases"},
    {"counts_down_to_an_unknown_end", "C012", 3, R"(
void f(int n, double *a, double *b) {
  for (int i = n - 1; i >= 0; i -= 2) b[i] = a[i];
})",
     ".c", "the loop over 'i' counts down by 2, and its last iteration depends on sizes"},
    {"unsigned_data", "C023", 5, R"(
void f(int n, int steps, unsigned char *a, unsigned *b) {
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n; i++)
      a[i] = b[i] * 3u + 1u;
})"},
};

STENCIL_LIFT_SUITE(LiftRefuses, LiftRefused, kRefused, expect_refused);

}  // namespace
}  // namespace stencil::api
