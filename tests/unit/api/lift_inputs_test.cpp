// Lifting: sizes defined by macros, and published programs in the directory $STENCIL_LIFT_INPUTS.
#include "tests/unit/api/lift_sample.h"

#include <cstdlib>

namespace stencil::api {
namespace {

TEST(LiftSizes, OfMacrosAreReducedForTheProof) {
  if (!can_lift()) GTEST_SKIP() << "no libstencil_host.so";
  const auto out = lift_text("macros", R"(
#ifndef N
#define N 3000
#endif
#ifndef STEPS
#define STEPS 400
#endif
#define BOUND(x) (x)
void step(double a[N][N], double b[N][N]) {
  for (int t = 0; t < STEPS; t++) {
    for (int i = 1; i < BOUND(N) - 1; i++)
      for (int j = 1; j < N - 1; j++) b[i][j] = 0.25 * (a[i - 1][j] + a[i][j + 1]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) a[i][j] = b[i][j];
  }
})",
                             ".c", "");
  ASSERT_TRUE(out.ok()) << out.failure().text();
  EXPECT_TRUE(out.value().verified) << out.value().proof;
  EXPECT_NE(out.value().proof.find("instead of 3000"), std::string::npos) << out.value().proof;
  EXPECT_NE(out.value().text.find("steps 400"), std::string::npos) << out.value().text;
}

// ---- published programs in $STENCIL_LIFT_INPUTS

struct Input {
  const char* path;
  const char* function;
  std::vector<std::string> flags;  // % stands for the directory
  const char* code;                // "": lifted and verified
};

TEST(LiftInputs, AreLiftedOrRefusedAsListed) {
  const char* directory = std::getenv("STENCIL_LIFT_INPUTS");
  if (directory == nullptr || *directory == '\0') GTEST_SKIP() << "no STENCIL_LIFT_INPUTS";
  if (!can_lift()) GTEST_SKIP() << "no libstencil_host.so";
  const std::vector<std::string> polybench = {"-I%/PolyBenchC-4.2.1/utilities"};
  std::vector<Input> inputs;
  for (const auto& [kernel, code] : {std::pair{"jacobi-1d", ""},
                                     {"jacobi-2d", ""},
                                     {"heat-3d", ""},
                                     {"fdtd-2d", ""},
                                     {"seidel-2d", "C010"},
                                     {"adi", "C010"}}) {
    static std::vector<std::string> paths;
    paths.reserve(16);
    paths.push_back(std::string("PolyBenchC-4.2.1/stencils/") + kernel + "/" + kernel + ".c");
    inputs.push_back({paths.back().c_str(), "", polybench, code});
  }
  for (const char* an5d :
       {"j2d5pt", "j2d9pt", "box2d1r", "star2d4r", "j3d27pt", "star3d2r", "gradient2d"}) {
    static std::vector<std::string> paths;
    paths.reserve(16);
    paths.push_back(std::string("AN5D-Artifact/") + an5d + ".c");
    inputs.push_back({paths.back().c_str(), "", {}, ""});
  }
  for (const auto& [kernel, code] : {std::pair{"accelerate", ""},
                                     {"advec_mom", ""},
                                     {"calc_dt", ""},
                                     {"field_summary", "C018"},
                                     {"flux_calc", ""},
                                     {"ideal_gas", ""},
                                     {"PdV", ""},
                                     {"reset_field", ""},
                                     {"revert", ""},
                                     {"viscosity", ""},
                                     {"advec_cell", "C013"}}) {
    static std::vector<std::string> paths;
    paths.reserve(16);
    paths.push_back(std::string("CloverLeaf_ref/kernels/") + kernel + "_kernel_c.c");
    inputs.push_back({paths.back().c_str(), "", {}, code});
  }
  inputs.push_back({"wave_2d_fd_perf/wave_2d_fd_perf/vc1.c", "", {}, ""});
  inputs.push_back({"wave_2d_fd_perf/wave_2d_fd_perf/vc12.c", "", {}, ""});
  inputs.push_back({"wave_2d_fd_perf/wave_2d_fd_perf/vc6.c", "", {}, ""});
  inputs.push_back({"wave_2d_fd_perf/wave_2d_fd_perf/vc13.c", "", {}, "C013"});
  int found = 0;
  for (const Input& input : inputs) {
    const std::string path = std::string(directory) + "/" + input.path;
    if (!std::filesystem::exists(path)) continue;
    ++found;
    LiftOptions options;
    options.function = input.function;
    for (std::string flag : input.flags) {
      if (const size_t at = flag.find('%'); at != std::string::npos) flag.replace(at, 1, directory);
      options.flags.push_back(flag);
    }
    const auto out = lift_source(path, options);
    EXPECT_EQ(out.ok() ? "" : out.failure().code, input.code)
        << path << "\n"
        << (out.ok() ? "" : out.failure().text());
    if (!out.ok()) continue;
    EXPECT_TRUE(out.value().verified) << path << ": " << out.value().proof;
  }
  EXPECT_GT(found, 0) << directory;
}

}  // namespace
}  // namespace stencil::api
