// Lifting: conditions that end a time loop. In some cases the reduced value keeps its initial value
// in some steps, an operand may be NaN, or a value is infinite before the loop.
#include "tests/unit/api/lift_sample.h"

namespace stencil::api {
namespace {

const LiftSample kStops[] = {
    {"guarded_every_tenth_step",
     R"(
#include <math.h>
void f(int n, int t, double tol, double *restrict a, double *restrict b) {
  double e = 1;
  for (int s = 0; s < t; s++) {
    for (int i = 0; i < n; i++) b[i] = 0.9 * a[i];
    if (s % 10 == 9) { e = 0; for (int i = 0; i < n; i++) e = fmax(e, fabs(b[i] - a[i])); }
    for (int i = 0; i < n; i++) a[i] = b[i];
    if (e < tol) break;
  }
}
)",
     {"require not (1.0 < tol)", "stop when time % 10 == 9 and e_of_step < tol"}},
    {"guarded_by_a_size",
     R"(
#include <math.h>
void f(int n, int t, double tol, double *restrict a, double *restrict b) {
  double e = 1;
  for (int s = 0; s < t; s++) {
    for (int i = 0; i < n; i++) b[i] = 0.9 * a[i];
    if (n > 50) { e = 0; for (int i = 0; i < n; i++) e = fmax(e, fabs(b[i] - a[i])); }
    for (int i = 0; i < n; i++) a[i] = b[i];
    if (e < tol) break;
  }
}
)",
     {"require not (1.0 < tol)", "stop when n > 50"}},
    {"guarded_do_while",
     R"(
#include <math.h>
void f(int n, int t, double tol, double *restrict a, double *restrict b) {
  double e = 1; int s = 0;
  do {
    for (int i = 0; i < n; i++) b[i] = 0.9 * a[i];
    if (s % 10 == 9) { e = 0; for (int i = 0; i < n; i++) e = fmax(e, fabs(b[i] - a[i])); }
    for (int i = 0; i < n; i++) a[i] = b[i];
    s++;
  } while (e > tol && s < t);
}
)",
     {"require 1.0 > tol", "not (e_of_step > tol)"}},
    {"guarded_flag_of_the_loop",
     R"(
#include <math.h>
void f(int n, int t, double tol, double *restrict a, double *restrict b) {
  double e = 1; int s = 0, done = 0;
  while (!done) {
    for (int i = 0; i < n; i++) b[i] = 0.9 * a[i];
    if (s % 10 == 9) { e = 0; for (int i = 0; i < n; i++) e = fmax(e, fabs(b[i] - a[i])); }
    for (int i = 0; i < n; i++) a[i] = b[i];
    done = e < tol;
    s++; if (s >= t) break;
  }
}
)",
     {"require not (1.0 < tol)"}},
    {"guarded_count",
     R"(
#include <math.h>
void f(int n, int t, int k, double *restrict a, double *restrict b) {
  int e = 1;
  for (int s = 0; s < t; s++) {
    for (int i = 0; i < n; i++) b[i] = 0.9 * a[i];
    if (s % 10 == 9) { e = 0; for (int i = 0; i < n; i++) if (b[i] > 0.5) e++; }
    for (int i = 0; i < n; i++) a[i] = b[i];
    if (e < k) break;
  }
}
)",
     {"require"}},
    {"guarded_test_under_the_same_guard",
     R"(
#include <math.h>
void f(int n, int t, double tol, double *restrict a, double *restrict b) {
  double e = 1;
  for (int s = 0; s < t; s++) {
    for (int i = 0; i < n; i++) b[i] = 0.9 * a[i];
    if (s % 4 == 1) { e = 0; for (int i = 0; i < n; i++) e = fmax(e, fabs(b[i] - a[i])); }
    for (int i = 0; i < n; i++) a[i] = b[i];
    if (s % 4 == 1 && e < tol) break;
  }
}
)",
     {"stop when time % 4 == 1 and"}},
    {"computed_in_the_first_step",
     R"(
#include <math.h>
void f(int n, int t, double tol, double *restrict a, double *restrict b) {
  double e = 0;
  for (int s = 0; s < t; s++) {
    for (int i = 0; i < n; i++) b[i] = 0.9 * a[i];
    if (s % 10 == 0) { e = 0; for (int i = 0; i < n; i++) e = fmax(e, fabs(b[i] - a[i])); }
    for (int i = 0; i < n; i++) a[i] = b[i];
    if (e < tol) break;
  }
}
)",
     {"stop when time % 10 == 0 and"}},
    {"guarded_by_two_conditions",
     R"(
#include <math.h>
void f(int n, int t, int p, double tol, double *restrict a, double *restrict b) {
  double e = 1;
  for (int s = 0; s < t; s++) {
    for (int i = 0; i < n; i++) b[i] = 0.9 * a[i];
    if (s % 10 == 9) { e = 0; for (int i = 0; i < n; i++) e = fmax(e, fabs(b[i] - a[i])); }
    for (int i = 0; i < n; i++) a[i] = b[i];
    if (p > 2 && e < tol) break;
  }
}
)",
     {"require not (p > 2 and 1.0 < tol)"}},
    {"kept_behind_a_pointer",
     R"(
#include <math.h>
void f(int n, int t, double tol, double *restrict a, double *restrict b, double *restrict res) {
  
  for (int s = 0; s < t; s++) {
    for (int i = 0; i < n; i++) b[i] = 0.9 * a[i];
    if (s % 10 == 9) { double e = 0; for (int i = 0; i < n; i++) e = fmax(e, fabs(b[i] - a[i])); *res = e; }
    for (int i = 0; i < n; i++) a[i] = b[i];
    if (*res < tol) break;
  }
}
)",
     {"require not (res < tol)"}},
    {"guarded_else",
     R"(
#include <math.h>
void f(int n, int t, double tol, double *restrict a, double *restrict b) {
  double e = 1;
  for (int s = 0; s < t; s++) {
    for (int i = 0; i < n; i++) b[i] = 0.9 * a[i];
    if (s % 10 != 9) ; else { e = 0; for (int i = 0; i < n; i++) e = fmax(e, fabs(b[i] - a[i])); }
    for (int i = 0; i < n; i++) a[i] = b[i];
    if (e < tol) break;
  }
}
)",
     {"require not (1.0 < tol)"}},
    {"infinite_at_first",
     R"(
#include <math.h>
void f(int n, int t, double tol, double *restrict a, double *restrict b) {
  double e = HUGE_VAL;
  for (int s = 0; s < t; s++) {
    for (int i = 0; i < n; i++) b[i] = 0.9 * a[i];
    if (s % 10 == 9) { e = 0; for (int i = 0; i < n; i++) e = fmax(e, fabs(b[i] - a[i])); }
    for (int i = 0; i < n; i++) a[i] = b[i];
    if (e < tol) break;
  }
}
)",
     {"stop when time % 10 == 9 and e_of_step < tol"}},
    {"infinite_before_the_loop",
     R"(
#include <math.h>
void f(int n, int t, double tol, double *restrict a, double *restrict b) {
  double e = HUGE_VAL;
  for (int s = 0; s < t && e > tol; s++) {
    for (int i = 0; i < n; i++) b[i] = 0.9 * a[i];
    { e = 0; for (int i = 0; i < n; i++) e = fmax(e, fabs(b[i] - a[i])); }
    for (int i = 0; i < n; i++) a[i] = b[i];

  }
}
)",
     {"require tol <= "}},
    {"negated_comparison",
     R"(
#include <math.h>
void f(int n, int t, double tol, double *restrict a, double *restrict b) {
  double e;
  for (int s = 0; s < t; s++) {
    for (int i = 0; i < n; i++) b[i] = 0.9 * a[i];
    { e = 0; for (int i = 0; i < n; i++) e = fmax(e, fabs(b[i] - a[i])); }
    for (int i = 0; i < n; i++) a[i] = b[i];
    if (!(e > tol)) break;
  }
}
)",
     {"stop when not (e_of_step > tol)"}},
    {"negated_comparison_with_a_number",
     R"(
#include <math.h>
void f(int n, int t, double tol, double *restrict a, double *restrict b) {
  double e;
  for (int s = 0; s < t; s++) {
    for (int i = 0; i < n; i++) b[i] = 0.9 * a[i];
    { e = 0; for (int i = 0; i < n; i++) e = fmax(e, fabs(b[i] - a[i])); }
    for (int i = 0; i < n; i++) a[i] = b[i];
    if (!(e > 0.001)) break;
  }
}
)",
     {"stop when e_of_step <= 0.001"}},
};
STENCIL_LIFT_SUITE(LiftStop, LiftSample, kStops, expect_lifted);

const LiftRefused kNoStops[] = {
    {"another_variable_in_other_steps", "C025", 0, R"(
#include <math.h>
void f(int n, int t, double tol, double *restrict a, double *restrict b) {
  double e = 1, g = 1;
  for (int s = 0; s < t; s++) {
    for (int i = 0; i < n; i++) b[i] = 0.9 * a[i];
    if (s % 10 == 9) { e = 0; for (int i = 0; i < n; i++) e = fmax(e, fabs(b[i] - a[i])); } else e = g;
    for (int i = 0; i < n; i++) a[i] = b[i];
    if (e < tol) break; g = 3;
  }
}
)",
     ".c", "changes it after"},
    {"guards_that_differ", "C025", 0, R"(
#include <math.h>
void f(int n, int t, double tol, double *restrict a, double *restrict b) {
  double e = 1;
  for (int s = 0; s < t; s++) {
    for (int i = 0; i < n; i++) b[i] = 0.9 * a[i];
    if (s % 4 == 0) { e = 0; for (int i = 0; i < n; i++) e = fmax(e, fabs(b[i] - a[i])); }
    for (int i = 0; i < n; i++) a[i] = b[i];
    if (s % 4 == 1 && e < tol) break;
  }
}
)",
     ".c", "do not compute"},
    {"not_initialized", "C025", 0, R"(
#include <math.h>
void f(int n, int t, double tol, double *restrict a, double *restrict b) {
  double e;
  for (int s = 0; s < t; s++) {
    for (int i = 0; i < n; i++) b[i] = 0.9 * a[i];
    if (s % 10 == 9) { e = 0; for (int i = 0; i < n; i++) e = fmax(e, fabs(b[i] - a[i])); }
    for (int i = 0; i < n; i++) a[i] = b[i];
    if (e < tol) break;
  }
}
)",
     ".c", "only one branch assigns"},
    {"tolerance_of_the_step", "C025", 0, R"(
#include <math.h>
void f(int n, int t, double tol, double *restrict a, double *restrict b) {
  double e = 1;
  for (int s = 0; s < t; s++) {
    for (int i = 0; i < n; i++) b[i] = 0.9 * a[i];
    if (s % 10 == 9) { e = 0; for (int i = 0; i < n; i++) e = fmax(e, fabs(b[i] - a[i])); }
    for (int i = 0; i < n; i++) a[i] = b[i];
    if (e < tol * s) break;
  }
}
)",
     ".c", "also depends on the step"},
    {"changed_after_the_test", "C025", 0, R"(
#include <math.h>
void f(int n, int t, double tol, double *restrict a, double *restrict b) {
  double e = 1;
  for (int s = 0; s < t; s++) {
    for (int i = 0; i < n; i++) b[i] = 0.9 * a[i];
    if (s % 10 == 9) { e = 0; for (int i = 0; i < n; i++) e = fmax(e, fabs(b[i] - a[i])); }
    for (int i = 0; i < n; i++) a[i] = b[i];
    if (e < tol) break;
    e = 0.5 * e;
  }
}
)",
     ".c", "changes it after the test"},
    {"ended_by_the_initial_value", "C025", 0, R"(
#include <math.h>
void f(int n, int t, double tol, double *restrict a, double *restrict b) {
  double e = 1;
  for (int s = 0; s < t; s++) {
    for (int i = 0; i < n; i++) b[i] = 0.9 * a[i];
    if (s % 10 == 9) { e = 0; for (int i = 0; i < n; i++) e = fmax(e, fabs(b[i] - a[i])); }
    for (int i = 0; i < n; i++) a[i] = b[i];
    if (e < 2.0) break;
  }
}
)",
     ".c", "ends the time loop"},
};
STENCIL_LIFT_SUITE(LiftNoStop, LiftRefused, kNoStops, expect_refused);

}  // namespace
}  // namespace stencil::api
