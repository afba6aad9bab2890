// What Clang's tree becomes in the lifter's: containers, views, sizes with names. Each file is
// lifted and run beside the original.
#include <fmt/format.h>
#include <gtest/gtest.h>

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

  // Lifted and the same as the original, with these parts in the program.
  void understood(const std::string& name, const std::string& text,
                  const std::vector<std::string>& parts, LiftOptions options = {}) const {
    const auto out = lift_source(write(name, text), options);
    ASSERT_TRUE(out.ok()) << out.failure().text();
    EXPECT_TRUE(out.value().verified) << out.value().proof << "\n" << out.value().text;
    for (const std::string& part : parts) {
      EXPECT_NE(out.value().text.find(part), std::string::npos) << part << "\n" << out.value().text;
    }
  }
  void refused(const std::string& name, const std::string& text, const std::string& code,
               const std::string& part, LiftOptions options = {}) const {
    const auto out = lift_source(write(name, text), options);
    ASSERT_FALSE(out.ok()) << out.value().text;
    EXPECT_EQ(out.failure().code, code) << out.failure().text();
    EXPECT_NE(out.failure().text().find(part), std::string::npos) << out.failure().text();
  }

  std::filesystem::path directory_;
};

TEST_F(LiftFrontend, VectorsSwapAndKnowTheirSize) {
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

TEST_F(LiftFrontend, ElementsOfArraysThatTradePlacesAreNoConstants) {
  // what a step writes into b is a[1] in the next one
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

TEST_F(LiftFrontend, DistancesThatDependOnSizesAreRefused) {
  refused("component.c", R"(
void step(int n, int m, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i * m + j] = b[(n + i) * m + j];
})",
          "C013", "a distance that depends on sizes");
}

TEST_F(LiftFrontend, ParametersWithLengthsTradePlaces) {
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

TEST_F(LiftFrontend, MasksAreNoRemaindersBelowZero) {
  understood("mask.c", R"(
void step(int steps, int n, int *restrict a, const int *restrict b) {
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n; i++) a[i] = ((i - 3) & 3) == 1 ? b[i] : (i & 3) + (t & 1);
})",
             {"i - 3 & 3", "i % 4", "time % 2"});
}

TEST_F(LiftFrontend, FunctionsHaveNamesOfTheirOwn) {
  understood("names.c", R"(
void step(int n, int *restrict f, int *restrict f_2, const int *restrict b) {
  for (int i = 0; i < n; i++) f_2[i] = b[i];
  for (int i = 0; i < n; i++) f[i] = b[i] + 1;
  for (int i = 1; i < n - 1; i++) f[i] = f_2[i + 1];
})",
             {"stencil step_f_2 :", "stencil step_f_3 :"}, function_named("step"));
}

// The tool has the library of C++ within itself, where code of a C file does not find it.
TEST_F(LiftFrontend, TheToolRunsVectors) {
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
  EXPECT_NE(text.str().find("verified: 3 runs"), std::string::npos) << text.str();
}

}  // namespace
}  // namespace stencil::api
