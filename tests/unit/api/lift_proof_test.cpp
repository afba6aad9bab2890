// The claim of a proof: its runs took both branches of every condition in the original. Otherwise
// the report names the branch that was not taken.
#include <fmt/format.h>

#include "tests/unit/api/lift_sample.h"

namespace stencil::api {
namespace {

struct Claim {
  const char* name;
  const char* source;
  bool verified;
  std::vector<const char*> said;  // parts of the report
  const char* extension = ".c";
};
void PrintTo(const Claim& claim, std::ostream* out) {
  *out << claim.name;
}

const Claim kClaims[] = {
    {"both_sides_on_data",
     "void f(int n, double* a, double* b) {\n"
     "  for (int i = 0; i < n; i++) b[i] = a[i] > 0 ? a[i] : 2 * a[i];\n}",
     true,
     {"n = 1 to 7"}},
    {"a_mode_among_the_constants",
     "void f(int n, int mode, double* a, double* b) {\n"
     "  for (int i = 0; i < n; i++) b[i] = mode == 4711 ? a[i] : 1;\n}",
     true,
     {}},
    {"a_threshold_among_the_constants",
     "void f(int n, double* a, double* b) {\n"
     "  for (int i = 0; i < n; i++) b[i] = a[i] > 123456.0 ? 3 : a[i];\n}",
     true,
     {}},
    {"equality_with_a_param",
     "void f(int n, double s, double* a, double* b) {\n"
     "  for (int i = 0; i < n; i++) b[i] = a[i] == s ? 3 : a[i];\n}",
     true,
     {}},
    {"never_true",
     "void f(int n, double* a, double* b) {\n"
     "  for (int i = 0; i < n; i++) {\n"
     "    double x = 3 * a[i];\n"
     "    b[i] = x == 7.7e-77 ? 3 : x;\n"
     "  }\n}",
     false,
     {"4:12 never held"}},
    {"never_false",
     "void f(int n, double* a, double* b) {\n"
     "  for (int i = 0; i < n; i++) {\n"
     "    double x = 3 * a[i];\n"
     "    if (x != 7.7e-77) b[i] = x;\n"
     "  }\n}",
     false,
     {"4:9 always held"}},
    {"removed_with_a_smaller_macro",
     "#define T 2000000000\n"
     "void f(int n, double* restrict a, double* restrict b) {\n"
     "  for (int t = 0; t < T; t++) {\n"
     "    for (int i = 1; i < n - 1; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);\n"
     "    for (int i = 1; i < n - 1; i++)\n"
     "      if (t > 1999999990) a[i] = b[i] + 1; else a[i] = b[i];\n"
     "  }\n}",
     false,
     {"instead of 2000000000", "6:11 never held"}},
    {"kept_with_a_smaller_macro",
     "#define T 2000000000\n"
     "void f(int n, double* restrict a, double* restrict b) {\n"
     "  for (int t = 0; t < T; t++) {\n"
     "    for (int i = 1; i < n - 1; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);\n"
     "    for (int i = 1; i < n - 1; i++)\n"
     "      if (t > T - 10) a[i] = b[i] + 1; else a[i] = b[i];\n"
     "  }\n}",
     true,
     {"instead of 2000000000"}},
    {"removed_with_fewer_steps",
     "void f(int n, double* restrict a, double* restrict b) {\n"
     "  for (int t = 0; t < 2000000000; t++) {\n"
     "    for (int i = 1; i < n - 1; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);\n"
     "    for (int i = 1; i < n - 1; i++)\n"
     "      if (t > 1999999990) a[i] = b[i] + 1; else a[i] = b[i];\n"
     "  }\n}",
     false,
     {"7 steps instead of 2000000000", "5:11 never held"}},
    {"more_steps_for_a_branch",
     "void f(double a[300][300], double b[300][300]) {\n"
     "  for (int t = 0; t < 5000; t++) {\n"
     "    for (int i = 1; i < 299; i++)\n"
     "      for (int j = 1; j < 299; j++) b[i][j] = a[i - 1][j] + a[i][j + 1];\n"
     "    for (int i = 1; i < 299; i++)\n"
     "      for (int j = 1; j < 299; j++) a[i][j] = t % 100 == 99 ? 0.1 * b[i][j] : b[i][j];\n"
     "  }\n}",
     true,
     {"302 steps instead of 5000"}},
    // Clang removes the branch even with the original number of steps.
    {"impossible_with_any_number_of_steps",
     "void f(int n, double* restrict a, double* restrict b) {\n"
     "  for (int t = 0; t < 2000000000; t++) {\n"
     "    for (int i = 1; i < n - 1; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);\n"
     "    for (int i = 1; i < n - 1; i++)\n"
     "      if (t < 0) a[i] = b[i] + 1; else a[i] = b[i];\n"
     "  }\n}",
     true,
     {"7 steps instead of 2000000000"}},
    {"a_comparison_as_a_number",
     "void f(int n, double* a, double* b) {\n"
     "  for (int i = 0; i < n; i++) b[i] = a[i] * (a[i] * 3 == 7.7e-77);\n}",
     false,
     {"the comparison at 2:", "was never true"}},
    {"second_operand",
     "void f(int n, double* a, double* b) {\n"
     "  for (int i = 0; i < n; i++) b[i] = a[i] > 0 && a[i] * 3 == 7.7e-77 ? 3 : a[i];\n}",
     false,
     {"the condition of the branch at 2:38 never held"}},
    {"a_constant_condition_is_no_branch",
     "static const int debug = 0;\n"
     "void f(int n, double* a, double* b) {\n"
     "  for (int i = 0; i < n; i++) b[i] = debug ? 3 : a[i];\n}",
     true,
     {}},
    {"functions_that_are_not_called",
     "double other(double x) { return x > 5 ? x : 1; }\n"
     "void f(int n, double* a, double* b) {\n"
     "  for (int i = 0; i < n; i++) b[i] = 2 * a[i];\n}",
     true,
     {}},
    {"a_function_of_a_header",
     "#include <algorithm>\n"
     "void f(int n, double* a, double* b) {\n"
     "  for (int i = 0; i < n; i++) {\n"
     "    double x = a[i] * 3 == 7.7e-77 ? -1 : 2;\n"
     "    b[i] = std::max(x, 0.0);\n"
     "  }\n}",
     false,
     {" at 4:", " at 5:"},
     ".cpp"},
    {"what_the_optimiser_excludes_is_no_gap",
     "void f(int n, double* a, double* b) {\n"
     "  for (int i = 0; i < n; i++) b[i] = a[i] * a[i] < 0 ? 3 : a[i];\n}",
     true,
     {}},
    {"parameters_that_nothing_depends_on",
     "void f(int n, int mode, const int* c, double* a, double* b) {\n"
     "  for (int i = 0; i < n; i++) {\n"
     "    double x = mode > 3 ? 1 : 2;\n"
     "    if (c[i] > 0) x = 4;\n"
     "    b[i] = a[i];\n"
     "  }\n}",
     true,
     {}},
    {"a_return_for_sizes_that_are_excluded",
     "int f(int n, double* a, double* b) {\n"
     "  if (n < 5) return -1;\n"
     "  for (int i = 1; i < n - 1; i++) b[i] = a[i - 1];\n"
     "  return 3;\n}",
     true,
     {}},
    {"overflow_is_no_evidence",
     "void f(int n, int* a, int* b) {\n"
     "  for (int i = 0; i < n; i++) b[i] = 2147483647 + (a[i] * 0 + 1);\n}",
     false,
     {"undefined behaviour", "overflow of a signed integer at 2:"}},
};

class LiftProof : public testing::TestWithParam<Claim> {};

TEST_P(LiftProof, NamesBranchesNotTaken) {
  if (!can_lift()) GTEST_SKIP() << "no libstencil_host.so";
  const Claim& claim = GetParam();
  const auto out = lift_text(claim.name, claim.source, claim.extension, "f");
  ASSERT_TRUE(out.ok()) << out.failure().text();
  EXPECT_EQ(out.value().verified, claim.verified) << out.value().proof << out.value().text;
  for (const char* said : claim.said)
    EXPECT_NE(out.value().proof.find(said), std::string::npos) << out.value().proof;
}
INSTANTIATE_TEST_SUITE_P(Lift, LiftProof, testing::ValuesIn(kClaims),
                         [](const auto& info) { return std::string(info.param.name); });

// A branch that the compiler removes at every tested value of a param.
TEST(LiftProofOfParams, NamesBranchesOfTheValueInTheFile) {
  if (!can_lift()) GTEST_SKIP() << "no libstencil_host.so";
  const auto proof_with = [](const std::string& limit) {
    const auto path = std::filesystem::temp_directory_path() /
                      ("stencil_lift_" + std::to_string(getpid()) + "_own_value.c");
    std::ofstream(path) << "#define T 2000000000\n"
                           "void f(int n, double* restrict a, double* restrict b) {\n"
                           "  for (int t = 0; t < T; t++) {\n"
                           "    for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1];\n"
                           "    for (int i = 1; i < n - 1; i++)\n"
                           "      if (t > " +
                               limit +
                               ") a[i] = b[i] + 1; else a[i] = b[i];\n"
                               "  }\n}";
    LiftOptions options;
    options.params = {"T"};
    auto out = lift_source(path.string(), options);
    std::filesystem::remove(path);
    return out;
  };
  const auto never = proof_with("1999999990"), taken = proof_with("T - 10");
  ASSERT_TRUE(never.ok()) << never.failure().text();
  ASSERT_TRUE(taken.ok()) << taken.failure().text();
  EXPECT_FALSE(never.value().verified) << never.value().proof;
  EXPECT_NE(never.value().proof.find("6:11 never held"), std::string::npos) << never.value().proof;
  EXPECT_TRUE(taken.value().verified) << taken.value().proof;
}

// Conditions on a param are constants in the original, and Clang removes one of their outcomes.
// Both outcomes have to be taken, each at another value of the param.
struct FoldedClaim {
  const char* name;
  const char* size;  // the number of N in the file
  const char* body;  // of the loop over i
  const char* says;  // nullptr: verified
};
const FoldedClaim kFolded[] = {
    {"branch_of_the_number_in_the_file", "2000",
     "if (N > 1000) b[i] = 3 * a[i - 1]; else b[i] = a[i + 1];", nullptr},
    {"branch_of_other_numbers", "20", "if (N > 1000) b[i] = 3 * a[i - 1]; else b[i] = a[i + 1];",
     nullptr},
    {"choice", "20", "b[i] = N == 700 ? a[i] : 2 * a[i];", nullptr},
    {"comparison", "20", "b[i] = a[i] * (N < 16);", nullptr},
    {"switch_on_a_quotient", "20",
     "switch (N / 1000) { case 0: b[i] = a[i]; break; default: b[i] = 2 * a[i]; }", nullptr},
    {"too_large_to_run", "20", "if (N > 1000000000) b[i] = 3 * a[i - 1]; else b[i] = a[i + 1];",
     "4:5 never held"},
    {"too_large_choice", "20", "b[i] = N > 1000000000 ? a[i] : 2 * a[i];", "4:8 never held"},
    {"case_too_large_to_run", "20",
     "switch (N) { case 2000000000: b[i] = a[i]; break; default: b[i] = 2 * a[i]; }",
     "never took case 2000000000"},
    {"condition_without_a_param", "20", "if (DEBUG) b[i] = 0; else b[i] = a[i + 1];", nullptr},
};

class FoldedConditions : public testing::TestWithParam<FoldedClaim> {};

TEST_P(FoldedConditions, AreTakenAtOtherValuesOfTheParam) {
  if (!can_lift()) GTEST_SKIP() << "no libstencil_host.so";
  const FoldedClaim& claim = GetParam();
  const auto path = std::filesystem::temp_directory_path() /
                    ("stencil_lift_" + std::to_string(getpid()) + "_" + claim.name + ".c");
  std::ofstream(path)
      << "#define DEBUG 0\n#define N " << claim.size
      << "\nvoid f(double* restrict a, double* restrict b) { for (int i = 1; i < N - 1; "
         "i++) {\n"
      << claim.body << "\n}}";
  LiftOptions options;
  options.params = {"N"};
  const auto lifted = lift_source(path.string(), options);
  std::filesystem::remove(path);
  ASSERT_TRUE(lifted.ok()) << lifted.failure().text();
  const std::string& proof = lifted.value().proof;
  EXPECT_EQ(lifted.value().verified, claim.says == nullptr) << proof;
  if (claim.says != nullptr) {
    EXPECT_NE(proof.find(claim.says), std::string::npos) << proof;
  }
}

INSTANTIATE_TEST_SUITE_P(Lift, FoldedConditions, testing::ValuesIn(kFolded),
                         [](const auto& info) { return std::string(info.param.name); });

// A number derived from a param is constant near the param's value in the file and differs far from
// it, so tests with nearby values cannot notice the dependence.
TEST(LiftProofOfParams, RefusesNumbersThatChangeFarFromTheValueInTheFile) {
  if (!can_lift()) GTEST_SKIP() << "no libstencil_host.so";
  for (const char* derived :
       {"static const int k = N > 1000 ? 3 : 5;", "enum { k = N > 1000 ? 3 : 5 };",
        "static const char table[N > 1000 ? 7 : 9]; enum { k = sizeof table };"}) {
    const auto path = std::filesystem::temp_directory_path() /
                      ("stencil_lift_" + std::to_string(getpid()) + "_derived.c");
    std::ofstream(path) << "#define N 2000\n"
                        << derived
                        << "\nvoid f(double* restrict a, double* restrict b) {\n"
                           "  for (int i = 1; i < N - 1; i++) b[i] = k * a[i - 1];\n}";
    LiftOptions options;
    options.params = {"N"};
    const auto lifted = lift_source(path.string(), options);
    std::filesystem::remove(path);
    ASSERT_FALSE(lifted.ok()) << derived;
    EXPECT_EQ(lifted.failure().code, "C028") << lifted.failure().text();
  }
}

const LiftSample kBuilt[] = {
    {"const_structure",
     "struct Par { const int n; int m; double k; };\n"
     "void f(double* b, const double* a, const struct Par p) {\n"
     "  for (int i = 1; i < p.n - 1; i++)\n"
     "    for (int j = 1; j < p.m - 1; j++) b[i * p.m + j] = p.k * a[(i - 1) * p.m + j];\n}",
     {}},
    {"const_reference",
     "struct Par { int n; double k; Par(int n) : n(n), k(0) {} };\n"
     "void f(double* b, const double* a, const Par& p) {\n"
     "  for (int i = 1; i < p.n - 1; i++) b[i] = p.k * a[i - 1];\n}",
     {},
     ".cpp",
     "f"},
    {"pointer_to_const",
     "struct Par { int n; double w[3]; };\n"
     "void f(double* b, const double* a, const struct Par* p) {\n"
     "  for (int i = 1; i < p->n - 1; i++) b[i] = p->w[2] * a[i - 1];\n}",
     {},
     ".c",
     "f"},
    {"mask_of_rows",
     "void f(double** b, double** a, double** w, int n, int m) {\n"
     "  for (int i = 1; i < n - 1; i++)\n"
     "    for (int j = 1; j < m - 1; j++) {\n"
     "      double s = 0;\n"
     "      for (int p = -1; p <= 1; p++)\n"
     "        for (int q = -1; q <= 1; q++) s += w[p + 1][q + 1] * a[i + p][j + q];\n"
     "      b[i][j] = s;\n"
     "    }\n}",
     {}},
    {"local_array",
     "void f(int* u, int n) {\n"
     "  int t[n];\n"
     "  for (int i = 0; i < n; i++) t[i] = u[(i + 1) % n] > 1;\n"
     "  for (int i = 0; i < n; i++) u[i] = t[i];\n}",
     {},
     ".c",
     "f"},
    {"many_literal_steps",
     "void f(double a[300][300], double b[300][300]) {\n"
     "  for (int t = 0; t < 5000; t++) {\n"
     "    for (int i = 1; i < 299; i++)\n"
     "      for (int j = 1; j < 299; j++) b[i][j] = a[i - 1][j] + a[i][j + 1];\n"
     "    for (int i = 1; i < 299; i++)\n"
     "      for (int j = 1; j < 299; j++) a[i][j] = b[i][j];\n"
     "  }\n}",
     {"with 7 steps instead of 5000"}},
};
STENCIL_LIFT_SUITE(LiftBuilt, LiftSample, kBuilt, expect_lifted);

}  // namespace
}  // namespace stencil::api
