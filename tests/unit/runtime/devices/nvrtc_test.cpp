#include "runtime/devices/nvrtc.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stencil::runtime {
namespace {

constexpr const char* kSource =
    "extern \"C\" __global__ void scale(float* a) {\n"
    "  a[threadIdx.x] *= 2;\n"
    "}\n";

class NvrtcTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_.ok()) GTEST_SKIP() << nvrtc_.failure().message;
  }
  const Result<Nvrtc> nvrtc_ = Nvrtc::open(0);
};

TEST_F(NvrtcTest, CompilesToMachineCode) {
  const auto image = nvrtc_.value().compile({kSource, 90, "--fmad=false"});
  ASSERT_TRUE(image.ok()) << image.failure().message;
  EXPECT_EQ(image.value().substr(0, 4), "\177ELF");
  EXPECT_NE(image.value().find("scale"), std::string::npos);
}

TEST_F(NvrtcTest, ReportsTheLogAndTheNumberedSource) {
  const auto image = nvrtc_.value().compile({"int broken = missing;\n", 90, "--fmad=false"});
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.failure().code, "R042");
  for (const char* part : {"--gpu-architecture=sm_90 --std=c++17 -default-device --fmad=false",
                           "kernels.cu(", "error", "    1 | int broken = missing;"}) {
    EXPECT_NE(image.failure().message.find(part), std::string::npos) << image.failure().message;
  }
}

TEST_F(NvrtcTest, KnowsItsArchitectures) {
  const auto& known = nvrtc_.value().info().architectures;
  EXPECT_TRUE(std::is_sorted(known.begin(), known.end()));
  EXPECT_NE(std::find(known.begin(), known.end(), 90), known.end());
}

TEST_F(NvrtcTest, IsSkippedIfNewerThanTheDriver) {
  const auto old = Nvrtc::open(11080);
  ASSERT_FALSE(old.ok());
  EXPECT_EQ(old.failure().code, "R041");
  EXPECT_NE(old.failure().message.find("is newer than the driver, which supports CUDA 11.8"),
            std::string::npos)
      << old.failure().message;
}

}  // namespace
}  // namespace stencil::runtime
