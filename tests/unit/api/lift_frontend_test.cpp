// The translation of Clang's syntax tree to the lifter's: containers, views, named sizes. Each file
// is lifted and compared with the original.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "runtime/devices/host_library.h"
#include "stencil/lift.h"

namespace stencil::api {
namespace {

class LiftFrontend : public testing::Test {
 protected:
  void SetUp() override {
    if (!runtime::HostLibrary::open().ok()) GTEST_SKIP() << "no libstencil_host.so";
    directory_ =
        std::filesystem::temp_directory_path() / fmt::format("stencil_lift_frontend_{}", getpid());
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  static LiftOptions function_named(const std::string& name) {
    LiftOptions options;
    options.function = name;
    return options;
  }

  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = directory_ / name;
    std::ofstream(path) << text;
    return path.string();
  }

  // Expects that the file is lifted and verified, and that the program contains these parts.
  void understood(const std::string& name, const std::string& text,
                  const std::vector<std::string>& parts, LiftOptions options = {}) const {
    options.flags.push_back("-I" STENCIL_SOURCE_DIR);
    const auto out = lift_source(write(name, text), options);
    ASSERT_TRUE(out.ok()) << out.failure().text();
    EXPECT_TRUE(out.value().verified) << out.value().proof << "\n" << out.value().text;
    for (const std::string& part : parts) {
      EXPECT_NE(out.value().text.find(part), std::string::npos) << part << "\n" << out.value().text;
    }
  }
  void refused(const std::string& name, const std::string& text, const std::string& code,
               const std::string& part, LiftOptions options = {}) const {
    options.flags.push_back("-I" STENCIL_SOURCE_DIR);
    const auto out = lift_source(write(name, text), options);
    ASSERT_FALSE(out.ok()) << out.value().text;
    EXPECT_EQ(out.failure().code, code) << out.failure().text();
    EXPECT_NE(out.failure().text().find(part), std::string::npos) << out.failure().text();
  }

  std::filesystem::path directory_;
};

TEST_F(LiftFrontend, VectorsCanBeSwappedAndGiveTheirSize) {
  understood("swap.cpp", R"(
#include <vector>
void heat(std::vector<double>& a, std::vector<double>& b, int n, int steps) {
  for (int t = 0; t < steps; ++t) {
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < n - 1; ++j) b[i * n + j] = 0.5 * (a[i * n + j - 1] + a[i * n + j + 1]);
    a.swap(b);
  }
})",
             {"history 2"});
  understood("size.cpp", R"(
#include <vector>
void heat(std::vector<double>& a, std::vector<double>& b, int steps) {
  for (int t = 0; t < steps; ++t) {
    for (int i = 1; i < (int)a.size() - 1; ++i) b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    for (int i = 1; i < (int)a.size() - 1; ++i) a[i] = b[i];
  }
})",
             {"a_size"});
}

// The program has only the elements that the loop accesses. The original must still see the size.
TEST_F(LiftFrontend, ContainersThatAreLongerThanTheLoops) {
  for (const char* test : {"i + 4 < b.size()", "b.size() > 4 + i", "i < b.size() - 4"}) {
    for (const char* type : {"std::vector<double>&", "std::span<double>"}) {
      understood("long.cpp",
                 fmt::format(R"(
#include <cstddef>
#include <span>
#include <vector>
void f(const std::vector<double>& a, {} b) {{
  for (std::size_t i = 0; {}; i++) b[i] = a[i] + a[i + 4];
}})",
                             type, test),
                 {"b[0..b_size - 5] = a[0] + a[4]", "require b_size >= 4"});
    }
  }
  understood("long.cpp", R"(
#include "tests/property/lift/mdspan.h"
using Grid = mdspan<double, dextents<int, 2>>;
void step(Grid a, Grid b) {
  for (int i = 0; i + 4 < b.extent(0); ++i)
    for (int j = 0; j + 1 < b.extent(1); j++) b(i, j) = a(i, j);
})",
             {"b_size"});
}

TEST_F(LiftFrontend, ElementsOfSwappedArraysAreNotConstant) {
  // After the swap, the b[1] that a step wrote is a[1] of the next step.
  understood("edges.c", R"(
void step(int steps, int *a, int *b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < 39; ++i) b[i] = a[i] + a[i + 1];
    b[0] = a[1];
    b[39] = a[38];
    int *s = b;
    b = a;
    a = s;
  }
})",
             {"step_a_2 : a[0] = a@-1[1]"});
}

// The language accepts such offsets only if the sizes have values at compile time. Hence no
// replacement function for all sizes can be written.
TEST_F(LiftFrontend, OffsetsThatDependOnSizesNeedKnownSizes) {
  understood("component.c", R"(
void step(int n, int m, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i * m + j] = b[(n + i) * m + j];
})",
             {"Assumed: sizes are given at compile time", "= b[n, 0];"});
}

TEST_F(LiftFrontend, ArrayParametersWithLengthsCanBeSwapped) {
  understood("lengths.c", R"(
void step(int steps, int n, int m, double a[n][m], double b[n][m]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < m - 1; j++) b[i][j] = a[i][j] + a[i + 1][j - 1];
    double (*s)[m] = b;
    b = a;
    a = s;
  }
})",
             {"history 2", "else = a@-1[0, 0]"});
}

TEST_F(LiftFrontend, RotatedBuffersMayBeUnusedInAStep) {
  understood("waits.c", R"(
void step(int steps, int n, float *restrict a, float *restrict b, float *restrict c) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; ++i) c[i] = a[i - 1] + a[i + 1];
    float *s = c;
    c = b;
    b = a;
    a = s;
  }
})",
             {"history 3", "else = a@-2[0]"}, function_named("step"));
  understood("first.c", R"(
void step(int steps, int n, float *restrict a, float *restrict b, float *restrict c) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; ++i) c[i] = (float)i + t;
    float *s = c;
    c = b;
    b = a;
    a = s;
  }
})",
             {"history 3"}, function_named("step"));
}

TEST_F(LiftFrontend, MasksOfNegativeNumbersAreNotRemainders) {
  understood("mask.c", R"(
void step(int steps, int n, int *restrict a, const int *restrict b) {
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n; i++) a[i] = ((i - 3) & 3) == 1 ? b[i] : (i & 3) + (t & 1);
})",
             {"i - 3 & 3", "i % 4", "time % 2"});
}

TEST_F(LiftFrontend, NamesOfStencilFunctionsAreUnique) {
  understood("names.c", R"(
void step(int n, int *restrict f, int *restrict f_2, const int *restrict b) {
  for (int i = 0; i < n; i++) f_2[i] = b[i];
  for (int i = 0; i < n; i++) f[i] = b[i] + 1;
  for (int i = 1; i < n - 1; i++) f[i] = f_2[i + 1];
})",
             {"stencil step_f_2 :", "stencil step_f_3 :"}, function_named("step"));
}

TEST_F(LiftFrontend, SingleElementsOfVectorsAreScalars) {
  understood("single.cpp", R"(
#include <vector>
void step(std::vector<double>& a, const std::vector<double>& w, int n, int steps) {
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n; ++i) a[i] = w[6] * a[i] + w[2];
})",
             {"a[0..n - 1] = w_6 * a[0] + w_2"});
}

TEST_F(LiftFrontend, VectorsOfVectorsAndOfArrays) {
  const char* code = R"(
#include <array>
#include <utility>
#include <vector>
void step(std::vector<ROW>& a, std::vector<ROW>& b, int n, int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < 39; j++) b[i][j] = a[i][j] + a[i + 1][j - 1];
    std::swap(a, b);
  }
})";
  for (const char* row : {"std::vector<double>", "std::array<float, 40>"}) {
    LiftOptions options;
    options.flags = {fmt::format("-DROW={}", row)};
    understood("rows.cpp", code, {"history 2", "a[0, 0] + a[1, -1]"}, options);
  }
}

TEST_F(LiftFrontend, SwappedSpansKeepTheirContents) {
  understood("spans.cpp", R"(
#include <span>
#include <utility>
void step(std::span<double> a, std::span<double> b, int n, int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; ++i) b[i] = a[i] + a[i + 1];
    std::swap(a, b);
  }
})",
             {"history 2"});
  understood("span_of.cpp", R"(
#include <span>
#include <vector>
void step(double* p, std::vector<double>& q, int n, int steps) {
  std::span<double> a(p, n), b(q);
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; ++i) b[i] = a[i] + a[i + 1];
    for (int i = 1; i < n - 1; ++i) a[i] = b[i];
  }
})",
             {"stencil step_q : q[1..n - 2] = p[0] + p[1]"});
}

TEST_F(LiftFrontend, MdspanExtentsDetermineTheGrid) {
  understood("dynamic.cpp", R"(
#include <utility>
#include "tests/property/lift/mdspan.h"
using Grid = mdspan<double, dextents<int, 2>>;
void step(Grid a, Grid b, int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < a.extent(0) - 1; ++i)
      for (int j = 1; j < a.extent(1) - 1; j++) b(i, j) = a(i, j) + a(i + 1, j - 1);
    std::swap(a, b);
  }
})",
             {"grid G = [0..a_size - 1, 0..a_size_1 - 1]", "history 2", "a[0, 0] + a[1, -1]"});
  understood("fixed.cpp", R"(
#include "tests/property/lift/mdspan.h"
using Grid = mdspan<float, extents<int, 30, 40>>;
void step(Grid a, Grid b, int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < a.extent(0) - 1; ++i)
      for (int j = 1; j < a.extent(1) - 1; j++) b(i, j) = a(i, j) + a(i + 1, j - 1);
    Grid spare = a;
    a = b;
    b = spare;
  }
})",
             {"grid G = [0..29, 0..39]", "history 2"});
}

TEST_F(LiftFrontend, MdspanOfAPointerAndWithBrackets) {
  LiftOptions options;
  options.flags = {"-std=c++2b"};
  understood("pointer.cpp", R"(
#include "tests/property/lift/mdspan.h"
void step(double* p, double* q, int n, int m, int steps) {
  mdspan<double, dextents<int, 2>> a(p, n, m);
  auto b = mdspan<double, extents<int, dynamic_extent, dynamic_extent>>(q, n, m);
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < m - 1; j++) b[i, j] = a[i, j] + a(i + 1, j - 1);
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < m - 1; j++) a[i, j] = b[i, j];
  }
})",
             {"p[0, 0] + p[1, -1]"}, options);
}

TEST_F(LiftFrontend, MdspanWithLayoutLeft) {
  const char* code = R"(
#include "tests/property/lift/mdspan.h"
using Grid = mdspan<double, dextents<int, 2>, LAYOUT>;
void step(Grid a, Grid b, int n, int m, int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < m - 1; j++) b(i, j) = a(i, j) + a(i + 1, j - 1);
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < m - 1; j++) a(i, j) = b(i, j);
  }
})";
  LiftOptions options;
  options.flags = {"-DLAYOUT=layout_left"};
  understood("left.cpp", code, {"[1..m - 2, 1..n - 2] = a[0, 0] + a[-1, 1]"}, options);
  options.flags = {"-DLAYOUT=layout_stride"};
  refused("stride.cpp", code, "C020", "a layout other than layout_right and layout_left", options);
}

// Replacement functions compile for parameters of all types and names.
TEST_F(LiftFrontend, ReplacementsCompile) {
  const auto shell = [&](const std::string& command) {
    const std::string log = (directory_ / "log").string();
    const int status = std::system((command + " >" + log + " 2>&1").c_str());
    std::stringstream text;
    text << std::ifstream(log).rdbuf();
    EXPECT_EQ(status, 0) << command << "\n" << text.str();
  };
  const std::pair<const char*, const char*> codes[] = {{"numbers.c", R"(
typedef float real;
void step(int n, real c, _Bool *restrict a, const _Bool *restrict b, real *restrict d) {
  for (int i = 1; i < n - 1; ++i) {
    a[i] = b[i - 1];
    d[i] = c * d[i];
  }
})"},
                                                       {"words.c", R"(
long step(int n, int new, long k, unsigned xor, double *class, double *or_eq, double *residual) {
  if (n < 4) return -1;
  double m = 0;
  for (int i = 1; i < n - 1; i++) {
    or_eq[i] = class[i - 1] * 0.5 + k + new + (xor - 7);
    if (or_eq[i] > m) m = or_eq[i];
  }
  *residual = m;
  return (xor - 7u) + k / 2;
})"},
                                                       {"containers.cpp", R"(
#include <array>
#include <span>
#include <vector>
using Rows = std::vector<std::array<double, 40>>;
void step(Rows& a, std::span<const double> b, int n) {
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < 39; j++) a[i][j] = b[i];
})"}};
  for (const auto& [name, code] : codes) {
    const std::string file = write(name, code), out = (directory_ / "out.cpp").string();
    shell(fmt::format("{} lift {} --function step --replace -o {}", STENCIL_BINARY, file, out));
    shell(fmt::format("c++ -std=c++20 -Wall -Wextra -Werror -fopenmp -fsyntax-only {}", out));
  }
}

TEST_F(LiftFrontend, ConstantArgumentsKeepTheirTypeInC) {
  understood("numbers.c", R"(
#include <math.h>
void step(int n, float *restrict a, const float *restrict b) {
  for (int i = 0; i < 64; i++)
    a[i] = b[i] - (i == 62 ? 1.0f / sqrtf(1.5f + fabsf(0.01f * 62)) : 1.0f / expf(0.3f));
})",
             {"abs(float(0.62", "exp(float(0.3"}, function_named("step"));
  understood("choice.c", R"(
void step(int n, float *restrict a, const float *restrict b) {
  for (int i = 0; i < 64; i++) a[i] = 0.267f * ((0.0f < b[i] ? 0.7f : 0.25f) + 0.1f) + 0.0625f;
})",
             {"float(0.69"}, function_named("step"));
}

TEST_F(LiftFrontend, MacrosAndConstantsBecomeParams) {
  LiftOptions options;
  options.params = {"N", "M"};
  const char* loops = R"(
void heat(int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++) b[i][j] = 0.25 * (a[i - 1][j] + a[i][j + 1]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++) a[i][j] = b[i][j];
  }
})";
  const std::vector<std::string> expected = {
      "param N : integer = 1000;", "param M : integer = 800;", "grid G = [0..N - 1, 0..M - 1]"};
  const std::string macros = "#define N 1000\n#define M 800\n";
  const std::string parentheses = "#define N (1000)\n#define M ( 800 ) /* columns */\n";
  const std::string arrays = "static double a[N][M], b[N][M];";
  understood("macros.c", macros + arrays + loops, expected, options);
  understood("parentheses.c", parentheses + arrays + loops, expected, options);
  understood("guarded.c", "#ifndef N\n" + macros + "#endif\n" + arrays + loops, expected, options);
  understood("constants.cpp", "const int N = 1000;\nconstexpr int M{800};\n" + arrays + loops,
             expected, options);
  understood("names.c",
             macros + "typedef double Grid[N][M];\nGrid a, b;\nstruct { Grid a; } s;" + loops,
             expected, options);
  options.flags = {"-DN=1000", "-DM=800"};
  understood("flags.c", arrays + loops, expected, options);
}

TEST_F(LiftFrontend, ParamsInLinearSubscriptsAndSteps) {
  LiftOptions options;
  options.params = {"W", "STEPS"};
  understood("linear.c", R"(
#define W 300
#define STEPS 50
void heat(int h, float *restrict a, float *restrict b) {
  for (int t = 0; t < STEPS; t++) {
    for (int i = 1; i < h - 1; i++)
      for (int j = 1; j < W - 1; j++) b[i * W + j] = a[(i - 1) * W + j] + a[i * W + j + 1];
    for (int i = 1; i < h - 1; i++)
      for (int j = 1; j < W - 1; j++) a[i * W + j] = b[i * W + j];
  }
})",
             {"param W : integer = 300;", "param STEPS : integer = 50;", "steps STEPS"}, options);
}

TEST_F(LiftFrontend, ParamsInGhostCellsReductionsAndPoints) {
  LiftOptions options;
  options.params = {"N", "MOST"};
  understood("ghosts.c", R"(
#define N 300
#define MOST 50
void heat(int m, double a[N + 2][m], double b[N + 2][m]) {
  for (int t = 0; t < MOST; t++) {
    for (int j = 0; j < m; j++) {
      a[0][j] = a[N][j];
      a[N + 1][j] = a[1][j];
    }
    for (int i = 1; i <= N; i++)
      for (int j = 1; j < m - 1; j++) b[i][j] = a[i - 1][j] + a[i + 1][j] + 0.1 * a[i][j - 1];
    for (int i = 1; i <= N; i++)
      for (int j = 1; j < m - 1; j++) a[i][j] = 0.4 * b[i][j];
  }
})",
             {"param N : integer = 300;", "param MOST : integer = 50;", "periodic"}, options);
  understood("relax.c", R"(
#define N 300
#define MOST 50
int relax(double a[N], double b[N], double eps) {
  int it = 0;
  double worst = 1;
  while (worst > eps && it < MOST) {
    worst = 0;
    for (int i = 1; i < N - 1; i++) {
      b[i] = 0.5 * (a[i - 1] + a[i + 1]);
      double d = b[i] > a[i] ? b[i] - a[i] : a[i] - b[i];
      if (d > worst) worst = d;
    }
    for (int i = 1; i < N - 1; i++) a[i] = b[i];
    it++;
  }
  return it;
})",
             {"param N : integer = 300;", "param MOST : integer = 50;", "stop when"}, options);
  understood("points.c", R"(
#define N 300
#define MOST 9
void wave(int steps, float a[N][N], float b[N][N], const int *y, const int *x, const float *w,
          float *trace) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 0; j < N; j++) b[i][j] = 0.5f * (a[i - 1][j] + a[i + 1][j]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 0; j < N; j++) a[i][j] = b[i][j];
    for (int s = 0; s < MOST; s++) a[y[s]][x[s]] += w[s * steps + t];
    trace[t] = a[N / 2][N - 3];
  }
})",
             {"param N : integer = 300;", "param MOST : integer = 9;", "points"}, options);
}

TEST_F(LiftFrontend, UnsoundParamsAreRefused) {
  LiftOptions options;
  options.params = {"N"};
  const std::string loop =
      "void f(double *restrict a, const double *restrict b) {\n"
      "  for (int i = 0; i < N; i++) a[i] = b[i] * K;\n}\n";
  refused("nowhere.c", "#define K 2\nvoid f(double *a) {\n  a[0] = K;\n}", "C002", "", options);
  options.function = "f";
  refused("unused.c",
          "#define K 2\nvoid f(double *a) {\n  for (int i = 0; i < 9; i++) a[i] = K;\n}", "C028",
          "does not use a macro or constant of this name", options);
  refused("sizeof.c", "#define N 1000\nstatic char x[N];\n#define K sizeof(x)\n" + loop, "C028",
          "with N=1001 the program differs in more than the default", options);
  refused("computed.c", "#define N 1000\nenum { K = 2 * N };\n" + loop, "C028",
          "with N=1001 the program differs in more than the default", options);
  refused("condition.c",
          "#define N 1000\n#if N > 500\n#define K 2\n#else\n#define K 3\n#endif\n" + loop, "C028",
          "#if tests it", options);
  write("sizes.h", "#define N 1000\n");
  refused("header.c", "#include \"sizes.h\"\n#define K 2\n" + loop, "C028",
          "it is not defined in this file", options);
}

// Clang would wait for the writer of a pipe, and would never finish reading a device.
TEST_F(LiftFrontend, PipesAndDevicesAreRefused) {
  const std::string loop =
      "void f(int n, double* restrict a, double* restrict b) {\n"
      "  for (int i = 0; i < n; i++) a[i] = b[i];\n}\n";
  ASSERT_EQ(::mkfifo((directory_ / "pipe").c_str(), 0600), 0);
  refused("pipe.c", "#include \"pipe\"\n" + loop, "C001", "pipe' cannot be read: it is a pipe");
  refused("device.c", "#include \"/dev/zero\"\n" + loop, "C001", "it is a device");
  LiftOptions before;
  before.flags = {"-include", (directory_ / "pipe").string()};
  refused("before.c", loop, "C001", "it is a pipe", before);
  LiftOptions named;
  write(
      "compile_commands.json",
      fmt::format(R"([{{"directory": "{}", "file": "named.c", "command": "cc @pipe -c named.c"}}])",
                  directory_.string()));
  named.compile_commands = directory_.string();
  refused("named.c", loop, "C001", "it is a pipe", named);
}

// A file that includes itself twice would keep Clang busy forever.
TEST_F(LiftFrontend, ClangHasATimeLimit) {
  const std::string path = write("twice.c",
                                 "#if __INCLUDE_LEVEL__ < 60\n#include \"twice.c\"\n"
                                 "#include \"twice.c\"\n#endif\n");
  runtime::CFile file{path, "f", {}, ""};
  file.seconds = 1;
  const auto read = runtime::HostLibrary::open().value().read_c(file);
  const auto* failure = std::get_if<runtime::CFailure>(&read);
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->code, "C001");
  EXPECT_EQ(failure->message, "Clang takes more than 1 seconds for the file");
}

// The tool links the C++ library statically, where code compiled from a C++ file cannot find it.
TEST_F(LiftFrontend, ToolRunsCodeWithVectors) {
  const std::string file = write("tool.cpp", R"(
#include <vector>
void heat(std::vector<double>& a, std::vector<double>& b, int n) {
  for (int i = 1; i < n - 1; ++i) b[i] = 0.5 * (a[i - 1] + a[i + 1]);
})");
  const std::string log = (directory_ / "log").string();
  const int status = std::system(
      fmt::format("{} lift {} --function heat >{} 2>&1", STENCIL_BINARY, file, log).c_str());
  std::stringstream text;
  text << std::ifstream(log).rdbuf();
  EXPECT_EQ(status, 0) << text.str();
  EXPECT_EQ(text.str().find("not verified"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("verified: "), std::string::npos) << text.str();
}

}  // namespace
}  // namespace stencil::api
