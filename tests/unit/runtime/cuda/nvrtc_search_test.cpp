// The choice of NVRTC if several are installed.
#include <gtest/gtest.h>
#include <stdlib.h>

#include "runtime/devices/kernel_cache.h"
#include "runtime/devices/nvrtc.h"
#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::runtime {
namespace {

class NvrtcSearch : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("CUDA_HOME", STENCIL_FAKE_NVRTC, 1);
    ::setenv("STENCIL_CACHE", directory_.file("cache").c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("CUDA_HOME");
    ::setenv("STENCIL_CACHE", "off", 1);
  }
  const TemporaryDirectory directory_;
};

// A CUDA 12 driver needs NVRTC 12 even if a newer one is installed.
TEST_F(NvrtcSearch, OlderDriversUseAnOlderNvrtc) {
  const auto nvrtc = Nvrtc::open(12080);
  ASSERT_TRUE(nvrtc.ok()) << nvrtc.failure().message;
  EXPECT_EQ(nvrtc.value().info().version, 12090);
  EXPECT_EQ(nvrtc.value().info().architectures, (std::vector<int>{80, 90, 100}));
  EXPECT_TRUE(nvrtc.value().info().file.starts_with(STENCIL_FAKE_NVRTC "/lib64/libnvrtc.so.12"))
      << nvrtc.value().info().file;
}

// The Python package names the directories of NVIDIA's wheels.
TEST_F(NvrtcSearch, ListedDirectoriesAreSearchedLast) {
  ::setenv("STENCIL_NVRTC_PATH", ":/no such directory:" STENCIL_FAKE_NVRTC "/lib64", 1);
  ::setenv("CUDA_HOME", "/no such directory", 1);
  const auto nvrtc = Nvrtc::open(12080);
  ::unsetenv("STENCIL_NVRTC_PATH");
  ASSERT_TRUE(nvrtc.ok()) << nvrtc.failure().message;
  EXPECT_TRUE(nvrtc.value().info().file.starts_with(STENCIL_FAKE_NVRTC))
      << nvrtc.value().info().file;
}

// The search result is cached, and compiled kernels are cached by kind and flags.
TEST_F(NvrtcSearch, SearchesAndKernelsAreCached) {
  const auto first = find_nvrtc(12080), second = find_nvrtc(12080);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first.value().file, second.value().file);
  EXPECT_EQ(first.value().identity, second.value().identity);
  EXPECT_EQ(first.value().version, second.value().version);
  EXPECT_EQ(first.value().architectures, second.value().architectures);
  const auto compile = [&](const NvrtcInfo& nvrtc, const std::string& flags, NvrtcOutput output) {
    return compile_cached(nvrtc, 12080, {"source", 90, flags, output}).value();
  };
  const auto machine_code = NvrtcOutput::MachineCode;
  const std::string image = compile(first.value(), "--fmad=false", machine_code);
  EXPECT_EQ(std::string(image.c_str()),
            "NVRTC 12.9 --gpu-architecture=sm_90 --std=c++17 -default-device --fmad=false");
  EXPECT_EQ(compile(first.value(), "--fmad=false", NvrtcOutput::Ptx),
            "PTX by NVRTC 12.9 --gpu-architecture=sm_90 --std=c++17 -default-device --fmad=false");
  EXPECT_NE(compile(first.value(), "", machine_code), image);
  EXPECT_EQ(compile(first.value(), "--fmad=false", machine_code), image);
  NvrtcInfo gone = first.value();  // a compiler that no longer exists
  gone.file = directory_.file("no such file");
  EXPECT_FALSE(compile_cached(gone, 12080, {"source", 90, "--fmad=false", machine_code}).ok());
}

}  // namespace
}  // namespace stencil::runtime
