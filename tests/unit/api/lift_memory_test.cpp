// Lifting: the assumptions about memory. They name every object that must not overlap another one.
#include "tests/unit/api/lift_sample.h"

#include <algorithm>

namespace stencil::api {
namespace {

struct Assumption {
  const char* name;
  const char* source;
  const char* line;  // "": no assumption about memory
  const char* extension = ".c";
};
void PrintTo(const Assumption& one, std::ostream* out) {
  *out << one.name;
}

void expect_assumed(const Assumption& one) {
  const auto out = lift_text(one.name, one.source, one.extension, "f");
  ASSERT_TRUE(out.ok()) << out.failure().text();
  EXPECT_TRUE(out.value().verified) << out.value().proof;
  std::string found;
  for (const std::string& line : out.value().assumed) {
    if (line.find("overlap") != std::string::npos || line.find("extends") != std::string::npos)
      found += (found.empty() ? "" : "; ") + line;
  }
  EXPECT_EQ(found, one.line) << out.value().text;
}

const Assumption kAssumptions[] = {
    {"pointed_number",
     "void f(int n, double *a, double *s) { for (int i = 0; i < n; i++) a[i] = a[i] / *s; }",
     "a, s do not overlap"},
    {"array_parameters",
     "void f(int n, int m, double a[n][m], double b[n][m], double w[4]) {\n"
     "  for (int i = 0; i < n; i++)\n"
     "    for (int j = 0; j < m; j++) b[i][j] = a[i][j] * w[3];\n}",
     "a, b, w do not overlap"},
    {"elements_as_numbers",
     "void f(int n, double *a, double *b, const double *w) {\n"
     "  for (int i = 1; i < n - 1; i++) b[i] = w[0] * a[i - 1] + w[1] * a[i + 1];\n}",
     "a, b, w do not overlap"},
    {"member_through_a_pointer",
     "struct P { double c; int n; };\n"
     "void f(struct P *p, double *a) { for (int i = 0; i < p->n; i++) a[i] = a[i] * p->c; }",
     "a, p->c do not overlap"},
    {"global_table",
     "int K[4];\nvoid f(int n, int *a) { for (int i = 0; i < n; i++) a[i] = a[i] + K[1]; }",
     "a, K do not overlap"},
    {"size_behind_a_pointer",
     "void f(int *n, int *a) { for (int i = 0; i < *n; i++) a[i] = a[i] * 2; }",
     "a, n do not overlap"},
    {"unsigned_and_signed",
     "void f(int n, int *a, const unsigned short *b, short *c) {\n"
     "  for (int i = 0; i < n; i++) c[i] = b[i] & 7;\n"
     "  for (int i = 0; i < n; i++) a[i] = a[i] + 1;\n}",
     "b, c do not overlap"},
    {"characters_reach_anything",
     "void f(int n, unsigned char *a, double *b) { for (int i = 0; i < n; i++) a[i] = b[i] > 0.5; "
     "}",
     "a, b do not overlap"},
    {"result_behind_a_pointer",
     "void f(int n, double *a, double *b, double *most) {\n"
     "  double m = 0;\n"
     "  for (int i = 0; i < n; i++) { b[i] = a[i] * 2; if (b[i] > m) m = b[i]; }\n"
     "  *most = m;\n}",
     "a, b, *most do not overlap"},
    {"series",
     "void f(int n, int t, double *a, double *b, double *w) {\n"
     "  for (int s = 0; s < t; s++) {\n"
     "    for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + w[s];\n"
     "    for (int i = 1; i < n - 1; i++) a[i] = b[i];\n  }\n}",
     "a, b, w do not overlap"},
    {"references",
     "void f(int n, double *a, const double &s) { for (int i = 0; i < n; i++) a[i] = a[i] / s; }",
     "a, s do not overlap", ".cpp"},
    {"other_types",
     "void f(int n, double *a, float *s, int *k) { for (int i = 0; i < n; i++) a[i] = a[i] / *s + "
     "k[1]; }",
     ""},
    {"restricted",
     "void f(int n, double *restrict a, double *s) { for (int i = 0; i < n; i++) a[i] = a[i] / *s; "
     "}",
     ""},
    {"globals",
     "double a[50], b[50], c;\nvoid f(void) { for (int i = 0; i < 50; i++) a[i] = b[i] * c; }", ""},
    {"members_of_one_object",
     "struct P { double u[50], v[50], c; };\n"
     "void f(struct P *p) { for (int i = 0; i < 50; i++) p->u[i] = p->v[i] * p->c; }",
     ""},
    {"constant_table",
     "static const double w[3] = {0.5, 1.5, 2.5};\n"
     "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = a[i] * w[2]; }",
     ""},
    // Arrays end at the last accessed element if its position is known for all sizes.
    {"strides_that_divide",
     "void f(int n, double *restrict a, double *restrict b) {\n"
     "  for (int i = 0; i < 3 * n; i += 3) b[i] = a[i] + a[i + 1] + a[i + 2];\n}",
     ""},
    {"strides_up_to_a_multiple",
     "void f(int n, double *restrict a, double *restrict b) {\n"
     "  for (int i = 0; i < n - n % 4; i += 4) { b[i] = a[i + 3]; b[i + 3] = a[i]; }\n}",
     ""},
    {"strides_that_may_not_divide",
     "void f(int n, double *restrict a, double *restrict b) { for (int i = 0; i < n; i += 3) b[i] "
     "= a[i] * 2; }",
     "the memory of a, b extends up to 2 elements beyond the last one that a strided loop "
     "accesses"},
};

STENCIL_LIFT_SUITE(LiftMemory, Assumption, kAssumptions, expect_assumed);

TEST(LiftMemory, StridedLoopsHaveExactLengths) {
  if (!can_lift()) GTEST_SKIP() << "no libstencil_host.so";
  const auto out = lift_text("unrolled", R"(
void f(int n, double *a, double *b) {
  for (int i = 0; i < 4 * n; i += 4) {
    b[i] = a[i];
    b[i + 1] = a[i + 1] * 2;
    b[i + 2] = a[i + 2] * 3;
    b[i + 3] = a[i + 3] - a[i];
  }
})",
                             ".c", "f");
  ASSERT_TRUE(out.ok()) << out.failure().text();
  EXPECT_TRUE(out.value().verified) << out.value().proof;
  EXPECT_NE(out.value().text.find("grid G = [0..4 * n - 1]"), std::string::npos)
      << out.value().text;
}

}  // namespace
}  // namespace stencil::api
