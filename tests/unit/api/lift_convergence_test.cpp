// Lifting: time loops that end when a condition on computed values holds, reductions in time loops,
// and the values of scalars after them.
#include "tests/unit/api/lift_sample.h"

namespace stencil::api {
namespace {

const LiftSample kConvergence[] = {
    {"while_error",
     R"(
#include <math.h>
int relax(int n, int m, double *u, double *v, double tol, int most, double *residual) {
  double err = 1.0;
  int it = 0;
  while (err > tol && it < most) {
    err = 0;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) {
        v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
        err = fmax(err, fabs(v[i * m + j] - u[i * m + j]));
      }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) u[i * m + j] = v[i * m + j];
    it++;
  }
  *residual = err;
  return it;
})",
     {"reduce err = max(abs(v[0, 0] - u[0, 0])) on [1..n - 2, 1..m - 2]",
      "reduce err_of_step = max(err) on [0, 0]", "stop when not (err_of_step > tol)",
      "ended by the condition", "require 1.0 > tol", "the final scalars: every bit is the same"}},
    {"do_while",
     R"(
#include <math.h>
void relax(int n, float *restrict u, float *restrict v, float eps, int *taken) {
  float diff;
  int it = 0;
  do {
    diff = 0.0f;
    for (int i = 1; i < n - 1; i++) {
      v[i] = 0.5f * (u[i - 1] + u[i + 1]);
      float d = u[i] - v[i];
      diff += d * d;
    }
    float *t = u;
    u = v;
    v = t;
    it++;
  } while (sqrtf(diff) > eps);
  *taken = it;
})",
     {"steps 2147483647", "reduce diff = sum(", "stop when not (sqrt(diff) > eps)",
      "ends within 2147483647 steps"}},
    {"break_behind_all",
     R"(
#include <math.h>
int relax(int n, double *a, double *b, double tol, int most) {
  int it;
  for (it = 0; it < most; it++) {
    double err = 0;
    for (int i = 1; i < n - 1; i++) {
      b[i] = 0.5 * (a[i - 1] + a[i + 1]);
      double d = fabs(a[i] - b[i]);
      if (d > err) err = d;
    }
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
    if (err < tol) break;
  }
  return it;
})",
     {"stop when err_of_step < tol", "steps most", "the final scalars"}},
    {"break_ahead_of_swap",
     R"(
#include <math.h>
void relax(int n, double *a, double *b, double tol, int most) {
  for (int it = 0; it < most; it++) {
    double err = 0;
    for (int i = 1; i < n - 1; i++) {
      b[i] = 0.5 * (a[i - 1] + a[i + 1]);
      err = fmax(err, fabs(a[i] - b[i]));
    }
    if (err < tol) break;
    double *t = a;
    a = b;
    b = t;
  }
})",
     {"reduce err = max(abs(a@-1[0] - a[0]))", "stop when err < tol"}},
    {"returns_in_the_loop",
     R"(
#include <math.h>
int relax(int n, double *a, int most, double eps) {
  for (int k = 0; k < most; k++) {
    double e = 0;
    for (int i = 1; i < n - 1; i += 2) {
      double old = a[i];
      a[i] = 0.5 * (a[i - 1] + a[i + 1]);
      e = fmax(e, fabs(a[i] - old));
    }
    for (int i = 2; i < n - 1; i += 2) {
      double old = a[i];
      a[i] = 0.5 * (a[i - 1] + a[i + 1]);
      e = fmax(e, fabs(a[i] - old));
    }
    if (e < eps) return k;
  }
  return -1;
})",
     {"on [1..n - 2 by 2]", "stop when max(e_of_step, e_2_of_step) < eps", "the final scalars"}},
    {"every_tenth_step",
     R"(
#include <math.h>
void relax(int n, double u[n][n], double v[n][n], double eps, int most) {
  double diff = 1e30;
  for (int it = 1; it <= most && diff > eps; it++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    if (it % 10 == 0) {
      diff = 0;
      for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
          if (fabs(u[i][j] - v[i][j]) > diff) diff = fabs(u[i][j] - v[i][j]);
    }
    double (*t)[n] = u;
    u = v;
    v = t;
  }
})",
     {"reduce diff = max(abs(u@-1[0, 0] - u[0, 0])) on [1..n - 2, 1..n - 2] every 10;",
      "stop when not (diff > eps)"}},
    {"every_tenth_step_from_the_first",
     R"(
#include <math.h>
void relax(int n, double u[n][n], double v[n][n], double eps, int most) {
  double diff = 1e30;
  for (int it = 0; it < most && diff > eps; it++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    if (it % 10 == 0) {
      diff = 0;
      for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
          if (fabs(u[i][j] - v[i][j]) > diff) diff = fabs(u[i][j] - v[i][j]);
    }
    double (*t)[n] = u;
    u = v;
    v = t;
  }
})",
     {"stop when time % 10 == 0 and not (diff > eps)"}},
    {"a_flag",
     R"(
#include <math.h>
int relax(int n, double *a, double *b, int most, double eps) {
  int k = 0, converged = 0;
  while (!converged) {
    double e = 0;
    for (int i = 1; i < n - 1; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    for (int i = 1; i < n - 1; i++) {
      e = fmax(e, fabs(a[i] - b[i]));
      a[i] = b[i];
    }
    k++;
    if (e < eps) converged = 1;
    if (k >= most) break;
  }
  return k;
})",
     {"steps most", "require most >= 1"}},
    {"merely_computed",
     R"(
void f(int n, double *a, double *b, int steps, double *total, int *large) {
  double s = 0;
  int many = 0;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    s = 0;
    many = 0;
    for (int i = 1; i < n - 1; i++) {
      a[i] = b[i];
      s += a[i] * a[i];
      if (a[i] > 1.0) many++;
    }
  }
  *total = s / n;
  *large = many;
})",
     {"reduce s = sum(a[0] * a[0]) on [1..n - 2]", "sum(select(a[0] > 1.0, integer(1), 0))",
      "the final scalars", "order of the language"}},
    {"read_in_the_step",
     R"(
#include <math.h>
void f(int n, double *a, double *b, int steps) {
  for (int t = 0; t < steps; t++) {
    double mean = 0, spread = 0;
    for (int i = 1; i < n - 1; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    for (int i = 1; i < n - 1; i++) mean += b[i];
    mean = mean / n;
    for (int i = 1; i < n - 1; i++) spread += (b[i] - mean) * (b[i] - mean);
    for (int i = 1; i < n - 1; i++) a[i] = (b[i] - mean) / sqrt(spread) + 1.0;
  }
})",
     {"reduce mean = sum(b[0]) on [1..n - 2]", "reduce spread = sum(",
      "(b[0] - mean / double(n))"}},
    {"several_at_a_point",
     R"(
#include <math.h>
double f(int n, double *a, double *b, double *c, int steps, double *total) {
  double largest = 0;
  for (int t = 0; t < steps; t++) {
    double s = 0;
    largest = 0;
    for (int i = 1; i < n - 1; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    for (int i = 1; i < n - 1; i++) {
      for (int k = i - 1; k <= i + 1; k++) s += a[k];
      if (fabs(a[i] - b[i]) > largest) largest = fabs(a[i] - b[i]);
      if (fabs(c[i] - b[i]) > largest) largest = fabs(c[i] - b[i]);
    }
    for (int i = 1; i < n - 1; i++) {
      a[i] = b[i];
      c[i] = 0.5 * b[i];
    }
    *total = s;
  }
  return largest;
})",
     {"reduce s = sum(a[-1] + a[0] + a[1])", "reduce largest = max(max("}},
    {"rows_of_sums",
     R"(
void f(int n, int m, double a[n][m], double b[n][m], int steps, double *out) {
  for (int t = 0; t < steps; t++) {
    double total = 0;
    for (int i = 1; i < n - 1; i++) {
      double row = 0;
      for (int j = 1; j < m - 1; j++) {
        b[i][j] = 0.5 * (a[i][j - 1] + a[i][j + 1]);
        row += b[i][j];
      }
      total += row;
    }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) a[i][j] = b[i][j];
    *out = total;
  }
})",
     {"reduce total = sum(b[0, 0]) on [1..n - 2, 1..m - 2]"}},
};

STENCIL_LIFT_SUITE(LiftConvergence, LiftSample, kConvergence, expect_lifted);

const LiftRefused kEndings[] = {
    {"gauss_seidel_with_residual", "C010", 8, R"(
#include <math.h>
void f(int n, double *a, double tol, int most) {
  for (int it = 0; it < most; it++) {
    double err = 0;
    for (int i = 1; i < n - 1; i++) {
      double old = a[i];
      a[i] = 0.5 * (a[i - 1] + a[i + 1]);
      err = fmax(err, fabs(a[i] - old));
    }
    if (err < tol) break;
  }
})",
     ".c", "Gauss-Seidel"},
    {"gauss_seidel_over_relaxed", "C010", 10, R"(
#include <math.h>
void f(int n, double a[n][n], const double f[n][n], double tol) {
  double err;
  do {
    err = 0;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        const double r = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1] - f[i][j]) - a[i][j];
        a[i][j] += 1.5 * r;
        err += r * r;
      }
  } while (sqrt(err) > tol);
})",
     ".c", "Gauss-Seidel"},
    {"reduced_behind_itself", "C010", 7, R"(
void f(int n, double *a, double *b, int steps, double *out) {
  for (int t = 0; t < steps; t++) {
    double s = 0;
    for (int i = 1; i < n - 1; i++) a[i] = 0.5 * b[i];
    for (int i = 1; i < n - 1; i++) b[i] = a[i];
    for (int i = 1; i < n - 1; i++) {
      s += b[i - 1];
      b[i] = a[i] + 1;
    }
    *out = s;
  }
})",
     ".c", "earlier iterations"},
    {"left_in_the_middle", "C025", 10, R"(
#include <math.h>
void f(int n, double *a, double *b, double tol, int most) {
  for (int it = 0; it < most; it++) {
    double err = 0;
    for (int i = 1; i < n - 1; i++) {
      b[i] = 0.5 * (a[i - 1] + a[i + 1]);
      err = fmax(err, fabs(b[i] - a[i]));
    }
    if (err < tol) break;
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
  }
})",
     ".c", "in the middle"},
    {"single_element", "C025", 3, R"(
void f(int n, double *a, double *b, double tol) {
  while (a[3] > tol) {
    for (int i = 1; i < n - 1; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    for (int i = 1; i < n - 1; i++) a[i] = 0.9 * b[i];
  }
})"},
    {"condition_that_counts", "C025", 4, R"(
void f(int n, double *a, double *b, int most) {
  int k = 0;
  while (k++ < most) {
    for (int i = 1; i < n - 1; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    for (int i = 1; i < n - 1; i++) a[i] = 0.9 * b[i];
  }
})",
     ".c", "side effects"},
    {"never_entered", "C025", 5, R"(
#include <math.h>
void f(int n, double *a, double *b, double tol) {
  double err = 0;
  while (err > 0.5) {
    err = 0;
    for (int i = 1; i < n - 1; i++) {
      b[i] = 0.5 * (a[i - 1] + a[i + 1]);
      err = fmax(err, b[i]);
    }
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
  }
})"},
    {"relative_to_the_first", "C025", 15, R"(
#include <math.h>
int f(int n, double *a, double *b, int most, double eps) {
  int it = 0;
  double e, first = 0;
  do {
    e = 0;
    for (int i = 1; i < n - 1; i++) {
      b[i] = 0.5 * (a[i - 1] + a[i + 1]);
      e += (b[i] - a[i]) * (b[i] - a[i]);
    }
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
    if (it == 0) first = e;
    it++;
  } while (e > eps * first && it < most);
  return it;
})",
     ".c", "different steps"},
    {"endless", "C025", 3, R"(
void f(int n, double *a, double *b) {
  for (;;) {
    for (int i = 1; i < n - 1; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
  }
})"},
    {"written_behind", "C017", 7, R"(
void f(int n, double *a, double *b, int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
  }
  for (int i = 1; i < n - 1; i++) a[i] = 3 * b[i];
})"},
};

STENCIL_LIFT_SUITE(LiftEndings, LiftRefused, kEndings, expect_refused);

}  // namespace
}  // namespace stencil::api
