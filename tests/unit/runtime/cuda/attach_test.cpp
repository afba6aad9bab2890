// Simulations in the user's device memory, on a fake CUDA driver.
#include <gtest/gtest.h>

#include <cstdio>

#include "runtime/devices/nvrtc.h"
#include "stencil/stencil.h"
#include "tests/unit/runtime/cuda/fake_driver.h"

namespace stencil {
namespace {

using runtime::cuda::FakeDriver;

// Rows of 22 points, which `auto` would pad.
constexpr const char* kProgram = R"(
grid G = [0..9, 0..21] steps 4;
field A : real on G;
field K : real on G constant;
stencil s : A[1..8, 1..20] = A[-1,0] + K[0,0];
init K[i,j] = 1;
)";
constexpr size_t kPoints = 10 * 22;

class CudaAttach : public testing::Test {
 protected:
  void SetUp() override {
    fake_ = runtime::cuda::fresh_fake_driver();
    ASSERT_NE(fake_, nullptr) << "another driver was found before the fake one";
    const auto nvrtc = runtime::Nvrtc::open(0);
    if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.failure().message;
  }

  static Kernel compile(const KernelOptions& options) {
    return Program::from_text(kProgram).or_throw().compile(options).or_throw();
  }
  void* stream() { return &stream_; }

  FakeDriver* fake_ = nullptr;
  int stream_ = 0;  // its address is a stream
  alignas(32) float a_[kPoints] = {};
};

TEST_F(CudaAttach, WorksInTheUsersArraysOnTheUsersStream) {
  const Kernel kernel = compile({.device = "cuda", .schedule = "direct block=32x4", .dense = true});
  EXPECT_TRUE(kernel.device().takes_pointers);
  // Arguments whose memory begins with a 7 are A and its copies.
  const float* newest = a_;
  fake_->run = [&](const std::string&, const auto&, void** parameters) {
    float* to = nullptr;
    for (int p = 0; p < 3; ++p) {
      auto* const array = *static_cast<float**>(parameters[p]);
      if (array[0] == 7 && array != newest) to = array;
    }
    ASSERT_NE(to, nullptr);
    for (size_t p = 1; p < kPoints; ++p) to[p] = newest[p] + 1;
    newest = to;
  };
  a_[0] = 7;  // marks A and its copy; no kernel writes it
  {
    Simulation simulation = kernel.attach_device({{"A", View(a_, {10, 22})}}, stream()).or_throw();
    EXPECT_EQ(fake_->allocated.size(), 2u) << "a copy of A, and K, which has no user array";
    const Report report = simulation.advance(3).or_throw();
    EXPECT_EQ(report.steps, 3);
    EXPECT_EQ(report.seconds, 0);
    EXPECT_EQ(a_[1], 3) << "an odd number of steps must also end in the user's array";
    newest = a_;
    simulation.advance(2).or_throw();
    EXPECT_EQ(a_[1], 5);
    EXPECT_EQ(simulation.step(), 5);
    EXPECT_EQ(fake_->copied.size(), 3u) << "one copy per call, and one back";
    EXPECT_EQ(fake_->used,
              (std::set<runtime::cuda::Stream>{static_cast<runtime::cuda::Stream>(stream())}));
    EXPECT_EQ(simulation.get<float>("A").failure().code, "R073");
    EXPECT_EQ(simulation.get<float>("K").or_throw()[5], 1);
  }
  EXPECT_TRUE(fake_->allocated.empty());
}

TEST_F(CudaAttach, QueuesWorkAndReportsFailuresInWait) {
  const Kernel kernel = compile({.device = "cuda", .schedule = "direct", .dense = true});
  Simulation simulation = kernel.attach_device({{"A", View(a_, {10, 22})}}, stream()).or_throw();
  fake_->finish_code = 700;
  EXPECT_TRUE(simulation.advance(2).ok());
  const Status waited = simulation.wait();
  ASSERT_FALSE(waited.ok());
  EXPECT_EQ(waited.failure().code, "R044");
}

TEST_F(CudaAttach, DownloadsRequestedFieldsOnce) {
  constexpr const char* kTwoFields = R"(
grid G = [0..9, 0..21] steps 9;
field U : real on G history 2;
field V : real on G;
stencil u : U[1..8, 1..20] = U@-1[0,0] + V[-1,0];
stencil v : V[1..8, 1..20] = U[0,1];
)";
  const Kernel kernel = Program::from_text(kTwoFields)
                            .or_throw()
                            .compile({.device = "cuda", .schedule = "direct rows=dense"})
                            .or_throw();
  Simulation simulation = kernel.start().or_throw();
  constexpr size_t kLevel = kPoints * sizeof(float);
  const auto downloaded = [&](const auto& action) {
    fake_->downloaded = 0;
    action();
    return fake_->downloaded / kLevel;
  };
  EXPECT_EQ(downloaded([&] { simulation.advance(3).or_throw(); }), 0u);
  EXPECT_EQ(downloaded([&] { simulation.statistics("V").or_throw(); }), 1u);
  EXPECT_EQ(downloaded([&] { simulation.get<float>("V").or_throw(); }), 0u) << "it is there";
  EXPECT_EQ(downloaded([&] { simulation.get<float>("U").or_throw(); }), 1u);
  EXPECT_EQ(downloaded([&] { simulation.get<float>("U@-1").or_throw(); }), 2u);
  EXPECT_EQ(downloaded([&] { simulation.set("V", View(a_, {10, 22})).or_throw(); }), 0u);
  simulation.advance(1).or_throw();
  const std::string file = testing::TempDir() + "stencil_attach_test.npy";
  EXPECT_EQ(downloaded([&] { simulation.write({{file, {"V"}}}).or_throw(); }), 1u);
  EXPECT_EQ(downloaded([&] {
              simulation.run({.outputs = {{file, {"U"}}}}).or_throw();
            }),
            1u)
      << "written fields only";
  EXPECT_EQ(downloaded([&] { simulation.set_param("none", 0).ok(); }), 0u);
  EXPECT_EQ(downloaded([&] { kernel.start(std::move(simulation)).or_throw(); }), 3u);
  std::remove(file.c_str());
}

TEST_F(CudaAttach, RefusesPaddedRows) {
  const Kernel padded =
      compile({.device = "cuda", .schedule = "direct rows=padded", .dense = true});
  const auto refused = padded.attach_device({{"A", View(a_, {10, 22})}}, stream());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.failure().code, "R045");
  EXPECT_EQ(refused.failure().message,
            "the schedule pads the rows of A, but the user's array has dense rows");
  EXPECT_TRUE(fake_->allocated.empty());
}

TEST_F(CudaAttach, RefusesMisalignedAddresses) {
  const Kernel kernel = compile({.device = "cuda", .dense = true});
  const auto refused = kernel.attach_device({{"A", View(a_ + 4, {10, 22})}}, stream());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.failure().code, "R073");
}

}  // namespace
}  // namespace stencil
