// Lifting: constants beyond 32 bits, values truncated by conversions, and proofs with smaller
// values of macros.
#include "runtime/api/lift_outside.h"
#include "runtime/lifting/lifting.h"
#include "tests/unit/api/lift_sample.h"

namespace stencil::api {
namespace {

// The text of a function with a loop over `type i` up to n, whose body is
// `if (condition) b[i] = a[i]; else b[i] = 2;`.
std::string split_by(const std::string& type, const std::string& condition) {
  return "#include <limits.h>\n#include <stdint.h>\n#define LIMIT 5000000000L\n"
         "void f(int n, double *a, double *b) {\n  for (" +
         type + " i = 0; i < n; i++) {\n    if (" + condition +
         ") b[i] = a[i]; else b[i] = 2;\n  }\n}\n";
}

struct Decided {
  const char* type;
  const char* condition;
  bool holds;
};

TEST(LiftWide, ComparisonsBeyondTheTypeFollowC) {
  if (!can_lift()) GTEST_SKIP() << "no libstencil_host.so";
  const Decided all[] = {{"int", "i < 4294967299L", true},
                         {"int", "i >= 4294967299L", false},
                         {"int", "i + 4294967296L > 4294967000L", true},
                         {"long", "i < LONG_MAX", true},
                         {"long", "i > LONG_MIN", true},
                         {"int", "i < INT_MAX", true},
                         {"int64_t", "i == INT64_MAX", false},
                         {"long", "i < LIMIT", true},
                         {"unsigned", "i < 4294967295u", true},
                         {"int", "i < 3000000000u", true},
                         {"int", "i != 4294967296L", true},
                         {"int", "LIMIT - i > n", true}};
  int number = 0;
  for (const Decided& one : all) {
    const auto out = lift_text("decided" + std::to_string(++number),
                               split_by(one.type, one.condition), ".c", "f");
    ASSERT_TRUE(out.ok()) << out.failure().text();
    EXPECT_TRUE(out.value().verified) << out.value().proof << "\n" << out.value().text;
    const char* expected = one.holds ? "b[0..n - 1] = a[0];" : "b[0..n - 1] = 2.0;";
    EXPECT_NE(out.value().text.find(expected), std::string::npos) << one.condition << "\n"
                                                                  << out.value().text;
  }
}

const LiftSample kWide[] = {
    {"bound_of_a_long",
     R"(
void f(long n, double *a, double *b) {
  for (int i = 0; i < 40; i++)
    if (i < n - 5000000000L) b[i] = a[i]; else b[i] = 2;
})",
     {"5000000000"},
     ".c",
     "f"},
    {"narrow_condition",
     R"(
void f(int n, double *a, double *b) {
  for (int i = 0; i < n; i++) b[i] = a[i] * (unsigned char)(i > 3);
})",
     {},
     ".c",
     "f"},
    {"many_statements_in_a_line",
     R"(
#define A x = x * x + a[i];
#define B A A A A A A A A A A
#define C B B B B B B B B B B
void f(int n, double *a, double *b) {
  for (int i = 0; i < n; i++) { double x = a[i]; C C C C b[i] = x; }
})",
     {},
     ".c",
     "f"},
    {"sizes_up_to_a_constant",
     R"(
#define N 5000
#define M 3001
double A[N][M], B[N][M];
void f(void) {
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < M / 2; j++) B[i][j] = (A[i - 1][j] + A[i][j + 1]) * (1.0 / (N - 1));
})",
     {"[1..4998, 1..1499]", "with M=15 instead of 3001, N=18 instead of 5000"}},
};
STENCIL_LIFT_SUITE(LiftWideSamples, LiftSample, kWide, expect_lifted);

const LiftRefused kRefused[] = {
    {"bound", "C012", 3, R"(
void f(double *a, double *b) {
  for (long i = 0; i < 4294967306L; i++) b[i] = a[i] * 2;
})",
     ".c", "4294967305"},
    {"bound_with_a_size", "C012", 3, R"(
void f(long n, double *a, double *b) {
  for (long i = 0; i < n - 4294967306L; i++) b[i] = a[i] * 2;
})",
     ".c", "4294967307"},
    {"largest_bound", "C012", 4, R"(
#include <limits.h>
void f(double *a, double *b) {
  for (int i = 0; i < INT_MAX; i++) b[i] = a[i] * 2;
})",
     ".c", "2147483646"},
    {"steps", "C025", 5, R"(
#define NT 5000000000L
double A[20], B[20];
void f(void) {
  for (long s = 0; s < NT; s++) {
    for (int i = 1; i < 19; i++) B[i] = A[i - 1];
    for (int i = 1; i < 19; i++) A[i] = B[i];
  }
})",
     ".c", "5000000000 steps"},
    {"steps_of_a_while", "C025", 5, R"(
double A[20], B[20];
void f(void) {
  long s = 0;
  while (s < 5000000000L) {
    for (int i = 1; i < 19; i++) B[i] = A[i - 1];
    for (int i = 1; i < 19; i++) A[i] = B[i];
    s++;
  }
})",
     ".c", "steps"},
    {"subscript", "C023", 3, R"(
void f(int n, double *a, double *b) {
  for (int i = 0; i < n; i++) b[i] = a[i + 4294967299L];
})",
     ".c", "exceeds an integer of 32 bits"},
    {"narrow_counter", "C013", 3, R"(
void f(int n, double *a, double *b) {
  for (int i = 0; i < n; i++) b[i] = a[(unsigned short)(i + 1) % n];
})",
     ".c", "65535"},
    {"narrow_place", "C013", 3, R"(
void f(int n, double *a, double *b) {
  for (int i = 0; i < n; i++) b[(signed char)i] = a[i];
})",
     ".c", "127"},
    {"narrow_macro", "C013", 5, R"(
#define N 5000000
double A[N], B[N];
void f(void) {
  for (int i = 0; i < N; i++) B[i] = A[(unsigned short)(i + 1) % N];
})",
     ".c", "65535"},
};
void expect_f_refused(const LiftRefused& refused) {
  expect_refused_in(refused, "f");
}
STENCIL_LIFT_SUITE(LiftWideRefuses, LiftRefused, kRefused, expect_f_refused);

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int k = 0; k < times; ++k) out += text;
  return out;
}

TEST(LiftWide, DeepExpressionsAreRefused) {
  if (!can_lift()) GTEST_SKIP() << "no libstencil_host.so";
  const std::string head =
      "void f(int n, double *a, double *b) { for (int i = 0; i < n; i++) b[i] = ";
  for (const std::string& value :
       {repeated("- ", 5000) + "a[i]", "a[i]" + repeated(" + a[i]", 40000),
        "a[i]" + repeated(" + a[i]", 1500)}) {
    const auto out = lift_text("deep", head + value + "; }", ".c", "f");
    ASSERT_FALSE(out.ok());
    EXPECT_EQ(out.failure().code, "C024") << out.failure().text();
    EXPECT_NE(out.failure().message.find("levels deep"), std::string::npos);
  }
}

// The proof uses a smaller value of N, so it must lift to the same program.
TEST(LiftWide, SmallerMacrosThatChangeTheProgramProveNothing) {
  if (!can_lift()) GTEST_SKIP() << "no libstencil_host.so";
  const auto out = lift_text("chosen",
                             "#define N 5000000\n"
                             "void f(double *a, double *b) {\n"
                             "  for (int i = 1; i < N - 1; i++)\n"
                             "    b[i] = N > 1000000 ? a[i] * 3 : a[i] * 2;\n}\n",
                             ".c", "f");
  ASSERT_TRUE(out.ok()) << out.failure().text();
  EXPECT_FALSE(out.value().verified) << out.value().proof;
  EXPECT_NE(out.value().proof.find("with N=14 instead of 5000000"), std::string::npos);
  EXPECT_NE(out.value().proof.find("the lifted program differs"), std::string::npos)
      << out.value().proof;
  EXPECT_NE(out.value().proof.find("'2.0' instead of '3.0'"), std::string::npos)
      << out.value().proof;
}

TEST(LiftWide, SystemMacrosKeepTheirValues) {
  if (!can_lift()) GTEST_SKIP() << "no libstencil_host.so";
  const auto out = lift_text("limits",
                             "#include <limits.h>\n"
                             "double A[6000000], B[6000000];\n"
                             "void f(void) {\n"
                             "  for (int i = 0; i < 6000000; i++) B[i] = A[i] * INT_MAX;\n}\n",
                             ".c", "f");
  ASSERT_TRUE(out.ok()) << out.failure().text();
  EXPECT_FALSE(out.value().verified) << out.value().proof;
  EXPECT_EQ(out.value().proof.find("INT_MAX"), std::string::npos) << out.value().proof;
}

TEST(LiftWide, ReportsShortArraysAtSizesNotCompared) {
  if (!can_lift()) GTEST_SKIP() << "no libstencil_host.so";
  const auto path = std::filesystem::temp_directory_path() /
                    ("stencil_lift_" + std::to_string(getpid()) + "_outside.c");
  std::ofstream(path) << "void f(int n, double *a, double *b) {\n"
                         "  for (int i = 0; i < n; i++) b[i] = a[i];\n}\n";
  runtime::LiftRequest request;
  request.file.path = path.string();
  request.file.function = "f";
  const auto lifted = runtime::lift_file(request);
  std::filesystem::remove(path);
  ASSERT_TRUE(lifted.ok()) << lifted.failure().text();
  LiftValues values(lifted.value(), 1);
  const OriginalMemory memory(lifted.value(), values);
  const LiftPlan plan(lifted.value(), values, memory);
  const auto of_size = [](int64_t n, int64_t steps) {
    LiftCase one;
    one.integers[0] = n;
    one.steps = steps;
    return one;
  };
  LiftOutside outside;
  EXPECT_EQ(outside.text(lifted.value(), plan, {of_size(3, 1)}), "");
  outside.note(0, of_size(4, 1));
  EXPECT_EQ(outside.text(lifted.value(), plan, {of_size(4, 1), of_size(7, 1), of_size(2, 0)}), "");
  const std::string text = outside.text(lifted.value(), plan, {of_size(7, 1), of_size(3, 1)});
  EXPECT_NE(text.find("the program's array 'a' (n = 4)"), std::string::npos) << text;
}

}  // namespace
}  // namespace stencil::api
