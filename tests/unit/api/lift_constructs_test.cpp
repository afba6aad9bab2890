// Lifting: constructs of C and C++. Each is translated and compared with the original, or refused.
#include "tests/unit/api/lift_sample.h"

namespace stencil::api {
namespace {

const LiftSample kSamples[] = {
    {"element_beside_the_array",
     R"(
void f(int n, const double *a, double *b) {
  for (int i = 5; i < n; i++) b[i] = a[2] + a[i];
})",
     {"a_2 + a[0]", "'a_2' is a[2], which is also an element of the field 'a'"}},
    {"element_beyond_the_loop",
     R"(
void f(int n, const float *a, float *b) {
  for (int i = 0; i < n; i++) b[i] = a[6] * a[i] - a[1];
})",
     {"a_6 * a[0] - a_1"}},
    {"element_of_rows",
     R"(
void f(int n, int m, const int a[n][m], int b[n][m]) {
  for (int i = 1; i < n; i++)
    for (int j = 2; j < m; j++) b[i][j] = a[0][1] ^ a[i][j];
})",
     {"a_0_1 ^ a[0, 0]"}},
    {"element_of_a_linear_array",
     R"(
void f(int n, int m, const int *a, int *b) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++) b[i * m + j] = a[1] + a[(i - 1) * m + j];
})",
     {"a_1 + a[-1, 0]"}},
    {"points_behind_a_loop",
     R"(
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) b[i] = a[i] * 2;
  b[0] = b[n - 1];
  b[n - 1] = a[0];
})",
     {"b[0] = b[n - 1]", "b[n - 1] = a_"}},
    {"points_in_their_order",
     R"(
void f(int n, double b[n]) {
  for (int i = 0; i < n; i++) b[i] = b[i] * 2;
  b[0] = b[1];
  b[1] = b[0] + 1;
  b[0] = b[1] * 3;
})",
     {"b[0] = b[1]"}},
    {"unsigned_long",
     R"(
void f(int n, unsigned long k, const double *a, double *b) {
  for (int i = 0; i < n; i++) b[i] = a[i] * k;
})",
     {"'k' is below 2^62"}},
    {"sum_in_float",
     R"(
void f(int n, const float *a, double *b, double *out) {
  float c = 0;
  for (int i = 0; i < n; i++) c += a[i];
  for (int i = 0; i < n; i++) b[i] = a[i] + c;
  *out = c;
})",
     {"up to the last digits of sums"}},
    {"table",
     R"(
static const float Q[] = {0.1f, 0.2f, 0.3f, 0.4f};
void f(int n, const double *a, double *b) {
  for (int i = 1; i < n - 2; i++) {
    b[i] = 0;
    for (int k = 0; k < 4; k++) b[i] += a[i + k - 1] * Q[k];
  }
})",
     {"a[0] * 0.20000000298023224"}},
    {"table_in_the_function",
     R"(
void f(int n, const double *a, double *b) {
  static const double w[] = {0.25, 0.5};
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = 0; k < 2; k++) s += w[k] * a[i];
    b[i] = s;
  }
})",
     {"0.25 * a[0]"}},
    {"table_by_counter",
     R"(
static const struct { double w; int o[2]; } T[3] = {{0.5, {1, 2}}, {0.25, {3, 4}}, {0.125, {5, 6}}};
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) b[i] = a[i] * T[i % 3].w + T[i % 3].o[1];
})",
     {"select(i % 3 == 0, 0.5"}},
    // The second counter makes the lifter follow the body twice; the first time reads T[0] alone.
    {"table_after_one_element",
     R"(
static const double T[] = {0.5, -2, 0, 3};
void f(int n, const double *a, const int *c, double *b) {
  for (int i = 1, w = -7; i < n - 1; i++, w += 3) {
    double y = T[0];
    if (c[i] <= c[i - 1]) y = T[c[i + 1] & 3];
    b[i] = y * a[i] + w;
  }
})",
     {"-2.0"}},
    {"table_by_data",
     R"(
void f(int n, const int *c, const double *a, double *b) {
  const double w[4] = {1, 2, 3, 4};
  for (int i = 0; i < n; i++) b[i] = a[i] * w[c[i] & 3];
})",
     {"select"}},
    {"two_counters",
     R"(
void f(int n, const double *a, double *b) {
  int i, j;
  for (i = 0, j = n - 1; i < n; i++, j--) b[i] = a[i] * j;
})",
     {"long(n) - long(i) - 1"}},
    {"two_counters_downwards",
     R"(
void f(int n, const double *a, double *b) {
  for (int i = n - 1, j = 2; i >= 0; j += 3, i--) b[i] = a[i] - j;
})",
     {"i in 0..n - 1"}},
    {"counter_in_the_body",
     R"(
void f(int n, const double *a, double *b) {
  unsigned k = 4294967290u;
  for (int i = 0; i < n; i++) {
    b[i] = a[i] + k;
    k += 3;
    if (k > 7u) b[i] += 1;
  }
})",
     {"& 4294967295"}},
    {"counter_of_steps",
     R"(
void f(int n, int steps, double *a, double *b) {
  int t, s;
  for (t = 0, s = 3; t < steps; t++, s += 2) {
    for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] - a[i + 1] * s;
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
  }
})",
     {"2 * time + 3"}},
    {"counter_of_rows",
     R"(
void f(int n, int m, const double *a, double *b) {
  int i, k;
  for (i = 0, k = 1; i < n; ++i, k += 2)
    for (int j = 0; j < m; j++) b[i * m + j] = a[i * m + j] * k;
})",
     {"2 * long(i) + 1"}},
    {"narrow_counter",
     R"(
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) {
    unsigned char j = i;
    if (j < 1) b[i] = 0;
    else b[i] = a[i - 1];
  }
})",
     {"'a' is read at i - 1 only where that is within the array"}},
    {"choice_by_number",
     R"(
void f(int n, int mode, const double *a, double *b) {
  for (int i = 0; i < n; i++) {
    double x = a[i];
    switch (mode) {
      case 0: x = 1;
      case 1: x += 2; break;
      case -3: { x = 7; break; }
      case 5 ... 8: x = -x; break;
      default: x *= 2;
    }
    b[i] = x;
  }
})",
     {"mode == 0"}},
    {"choice_by_data",
     R"(
enum kind { FLUID, WALL = 3, INLET };
void f(int n, const int *c, const double *a, double *b) {
  for (int i = 1; i < n - 1; i++) {
    switch ((enum kind)c[i]) {
      default: b[i] = 9; break;
      case FLUID: b[i] = a[i - 1] + a[i + 1]; break;
      case WALL:
      case INLET: continue;
    }
    b[i] += 1;
  }
})",
     {"== 3 or"}},
    {"choice_in_a_function",
     R"(
static double weight(int k) {
  switch (k) {
    case 0: return 0.5;
    case 1: return 0.25;
  }
  return 0;
}
void f(int n, const int *c, const double *a, double *b) {
  for (int i = 0; i < n; i++) b[i] = a[i] * weight(c[i]);
})",
     {"select"}},
    {"classes_of_numbers",
     R"(
#include <math.h>
void f(int n, const double *a, const float *c, double *b) {
  for (int i = 0; i < n; i++) {
    b[i] = isnan(a[i]) ? 1 : isinf(a[i]) ? 2 : 3;
    if (!isfinite(c[i])) b[i] += 4;
    if (isinf(c[i]) || isnan(c[i])) b[i] -= 16;
  }
})",
     {"a[0] != a[0]"}},
    {"own_function_of_a_known_name",
     R"(
static double round(double x) { return x + 1; }
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) b[i] = round(a[i]);
})",
     {"a[0] + 1.0"}},
    {"copied_structure",
     R"(
struct S { double v[3]; int n; };
void f(struct S s, const double *a, double *b) {
  for (int i = 0; i < s.n; i++) {
    struct S t = s;
    t.v[0] = a[i];
    b[i] = t.v[0] + s.v[0] - t.v[2];
  }
})",
     {"s_v"}},
    {"pragmas_without_meaning",
     R"(
#define RUN(x) _Pragma(#x)
void other(int n, double *a) {
#pragma STDC FP_CONTRACT ON
  for (int i = 0; i < n; i++) a[i] = a[i] * a[i] + 1;
}
__attribute__((noinline, hot, noipa)) void f(int n, const double *a, double *b) {
#pragma STDC FP_CONTRACT OFF
  RUN(omp parallel for)
#pragma GCC ivdep
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) b[i] = a[i] * a[i] + 1;
})",
     {"a[0] * a[0] + 1.0"},
     ".c",
     "f"},
    {"constexpr_recursion",
     R"(
constexpr int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) b[i] = a[i] * factorial(4);
})",
     {"a[0] * 24"},
     ".cpp"},
    {"overloads_that_promote",
     R"(
#include <algorithm>
#include <cmath>
void f(int n, const float *a, float *b) {
  for (int i = 0; i < n; i++)
    b[i] = std::fmin(a[i], 0.1) + std::atan2(a[i], 0.3) + std::hypot(a[i], 1);
})",
     {"double(a[0])"},
     ".cpp"},
    {"objects_without_code",
     R"(
struct P { double w = 0.5; int k; };
struct Sum { double s = 1; Sum& operator+=(double x) { s += 2 * x; return *this; }
             operator double() const { return s + 1; } };
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) {
    P p, q;
    p.k = i;
    q = p;
    Sum c;
    c += a[i];
    b[i] = a[i] * q.w + q.k + c;
  }
})",
     {"double(i)"},
     ".cpp"},
};

// Lifts the function `f` by name.
void expect_f_lifted(LiftSample sample) {
  sample.function = "f";
  expect_lifted(sample);
}
void expect_f_refused(LiftRefused refused) {
  refused.function = "f";
  expect_refused(refused);
}

STENCIL_LIFT_SUITE(LiftConstructs, LiftSample, kSamples, expect_f_lifted);

const LiftRefused kRefused[] = {
    {"destructor", "C015", 6, R"(
struct Log { double *at; explicit Log(double *p) : at(p) {} ~Log() { *at += 1; } };
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) {
    b[i] = a[i];
    Log log(&b[i]);
  }
})",
     ".cpp", "the destructor of 'log'"},
    {"destructor_of_a_member", "C015", 6, R"(
struct Log { double x; ~Log() { x = 0; } };
struct Holder { Log log; };
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) {
    Holder h{{a[i]}};
    b[i] = h.log.x;
  }
})",
     ".cpp", "the destructor of 'h'"},
    {"constructor", "C015", 6, R"(
static int made;
struct Counted { Counted() { ++made; } };
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) {
    Counted c;
    b[i] = a[i];
  }
})",
     ".cpp", "the constructor"},
    {"copy_constructor", "C015", 6, R"(
struct Twice { double v; Twice(double x) : v(x) {} Twice(const Twice& o) : v(2 * o.v) {} };
static double value(Twice t) { return t.v; }
void f(int n, Twice *t, const double *a, double *b) {
  for (int i = 0; i < n; i++)
    { Twice u = *t; b[i] = a[i] * u.v; }
})",
     ".cpp", "the copy constructor of 'Twice'"},
    {"virtual_operator", "C022", 6, R"(
struct Op { virtual double operator()(double x) const { return x; } };
void f(int n, const Op &op, const double *a, double *b) {
  for (int i = 0; i < n; i++) {
    b[i] = a[i];
    b[i] += op(a[i]);
  }
})",
     ".cpp", "virtual"},
    {"copied_container", "C015", 4, R"(
#include <vector>
void f(int n, std::vector<double> &a, std::vector<double> &b) {
  std::vector<double> c = a;
  for (int i = 0; i < n; i++) c[i] = 2 * a[i];
  for (int i = 0; i < n; i++) b[i] = a[i] + c[i];
})",
     ".cpp", "a copy of a container"},
    {"cleanup", "C015", 5, R"(
static void done(double *p) { *p = 0; }
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) {
    __attribute__((cleanup(done))) double t = a[i];
    b[i] = t;
  }
})",
     ".c", "the attribute 'cleanup'"},
    {"weak", "C015", 2, R"(
__attribute__((weak)) double g(double x) { return 2 * x; }
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) b[i] = g(a[i]);
})",
     ".c", "the attribute 'weak'"},
    {"optimize_attribute", "C015", 2, R"(
__attribute__((optimize("fast-math"))) void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) b[i] = a[i] * a[i] + b[i];
})",
     ".c", "the attribute 'optimize'"},
    {"contraction", "C015", 3, R"(
void f(int n, const double *a, double *b) {
#pragma STDC FP_CONTRACT ON
  for (int i = 0; i < n; i++) b[i] = a[i] * a[i] + b[i];
})",
     ".c", "#pragma STDC FP_CONTRACT ON"},
    {"contraction_of_clang", "C015", 4, R"c(
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) {
    _Pragma("clang fp contract(fast)")
    b[i] = a[i] * a[i] + b[i];
}
})c",
     ".c", "#pragma clang fp contract(fast)"},
    {"control_ahead", "C015", 2, R"(
#pragma float_control(precise, off)
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) b[i] = a[i] * a[i] + b[i];
})",
     ".c", "#pragma float_control"},
    {"optimize_pragma", "C015", 2, R"(
#pragma GCC optimize("fast-math")
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) b[i] = a[i] * a[i] + b[i];
})",
     ".c", "#pragma GCC optimize"},
    {"long_double", "C022", 5, R"(
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) {
    long double x = a[i];
    b[i] = x * 2;
  }
})",
     ".c", "a value of the type 'long double'"},
    {"long_double_constant", "C022", 3, R"(
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) b[i] = a[i] * (double)(1.0L / 3.0L);
})",
     ".c", "a value of the type 'long double'"},
    {"volatile_elements", "C022", 3, R"(
void f(int n, const volatile double *a, double *b) {
  for (int i = 0; i < n; i++) b[i] = a[i];
})",
     ".c", "a volatile object"},
    {"vectors", "C015", 4, R"(
typedef double four __attribute__((vector_size(32)));
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) { four x = {a[i], 1, 2, 3}; x = x * 2; b[i] = x[0]; }
})",
     ".c", "a value of the type 'four'"},
    {"rounded_sums", "C022", 5, R"(
void f(int n, const double *a, double *b) {
  float c = 0;
  for (int i = 0; i < n; i++) c += a[i];
  for (int i = 0; i < n; i++) b[i] = a[i] + c;
})",
     ".c", "'c', which each iteration rounds to float"},
    {"sign_of_a_nan", "C021", 4, R"(
#include <math.h>
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) b[i] = copysign(2, a[i]);
})",
     ".c", "the sign of a NaN"},
    {"remainder_of_reals", "C021", 4, R"(
#include <math.h>
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) b[i] = fmod(a[i], 0.75);
})",
     ".c", "no remainder of floating-point numbers"},
    {"switch_left_in_a_condition", "C015", 4, R"(
void f(int n, int k, const double *a, double *b) {
  for (int i = 0; i < n; i++) {
    switch (k) {
      case 1: b[i] = 1; if (a[i] > 0) break; b[i] = 2;
      default: b[i] = 3;
    }
  }
})",
     ".c", "a switch with a break inside a nested statement"},
    {"label_within_a_statement", "C015", 4, R"(
void f(int n, int k, const double *a, double *b) {
  for (int i = 0; i < n; i++) {
    switch (k) {
      case 1: if (a[i] > 0) { case 2: b[i] = 2; }
    }
  }
})",
     ".c", "a label inside a nested statement"},
    {"maximum_of_another_library", "C021", 4, R"(
double max(double x, double y);
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) b[i] = max(a[i], 0.5);
})",
     ".c", "'max', which is not in the file"},
    {"another_function_to_the_linker", "C015", 4, R"(
double sin(double x) __asm__("wave");
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) b[i] = sin(a[i]);
})",
     ".c", "'sin', whose asm label names another symbol"},
    {"large_table", "C022", 4, R"(
static const double T[100] = {1, 2, 3};
void f(int n, const int *c, const double *a, double *b) {
  for (int i = 0; i < n; i++) b[i] = a[i] * T[c[i] & 63];
})",
     ".c", "a table of more than 64 constants"},
};

STENCIL_LIFT_SUITE(LiftRefusesConstructs, LiftRefused, kRefused, expect_f_refused);

}  // namespace
}  // namespace stencil::api
