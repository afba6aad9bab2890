// Steps in a CUDA graph that the user captures, on a fake CUDA driver. The driver refuses calls
// that a capture does not allow, and notes them.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/devices/nvrtc.h"
#include "stencil/stencil.h"
#include "tests/unit/runtime/cuda/fake_driver.h"

namespace stencil {
namespace {

using runtime::cuda::FakeDriver;

constexpr const char* kSmooth = R"(
grid F = [0..8, 0..8] steps 4;
field u, f : real on F;
stencil smooth : u[1..7, 1..7] = 0.25 * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1]) + f[0,0];
)";
constexpr const char* kRestrict = R"(
grid F = [0..8, 0..8] steps 4;
grid C of F by 2;
field u : real on F constant;
field c : real on C;
stencil down : c on C = u[0,0];
)";
constexpr size_t kFine = 81, kCoarse = 25;

class CudaCapture : public testing::Test {
 protected:
  void SetUp() override {
    fake_ = runtime::cuda::fresh_fake_driver();
    ASSERT_NE(fake_, nullptr) << "another driver was found before the fake one";
    const auto nvrtc = runtime::Nvrtc::open(0);
    if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.failure().message;
  }

  static Kernel compile(const char* text) {
    return Program::from_text(text)
        .or_throw()
        .compile({.device = "cuda", .schedule = "direct", .dense = true})
        .or_throw();
  }
  static Simulation attach(const char* text, const Arrays& arrays) {
    return compile(text).attach_device(arrays, stream()).or_throw();
  }
  static void* stream() {
    static int place = 0;  // its address is a stream
    return &place;
  }

  // The user's calls.
  static runtime::cuda::Stream queue() { return static_cast<runtime::cuda::Stream>(stream()); }
  static void begin_capture() {
    ASSERT_EQ(runtime::cuda::driver().cuStreamBeginCapture(queue(), 2), 0);
  }
  static runtime::cuda::GraphExec end_capture() {
    const auto& cu = runtime::cuda::driver();
    runtime::cuda::Graph graph = nullptr;
    runtime::cuda::GraphExec instance = nullptr;
    EXPECT_EQ(cu.cuStreamEndCapture(queue(), &graph), 0);
    EXPECT_EQ(cu.cuGraphInstantiate(&instance, graph, 0), 0);
    cu.cuGraphDestroy(graph);
    return instance;
  }
  static void launch(runtime::cuda::GraphExec graph) {
    EXPECT_EQ(runtime::cuda::driver().cuGraphLaunch(graph, queue()), 0);
  }

  // Whether a captured call of 3 steps is refused with this message, before it queues anything.
  void expect_refused(const char* text, const Arrays& arrays, const std::string& message,
                      int64_t steps_before = 0) {
    Simulation simulation = attach(text, arrays);
    if (steps_before > 0) simulation.advance(steps_before).or_throw();
    begin_capture();
    const auto taken = simulation.advance(3);
    EXPECT_TRUE(fake_->capture->empty()) << message;
    runtime::cuda::driver().cuGraphExecDestroy(end_capture());
    ASSERT_FALSE(taken.ok()) << message;
    EXPECT_EQ(taken.failure().code, "R047");
    EXPECT_EQ(taken.failure().message, message);
    EXPECT_EQ(fake_->forbidden, std::vector<std::string>());
  }

  FakeDriver* fake_ = nullptr;
  alignas(32) float u_[kFine] = {};
  alignas(32) float f_[kFine] = {};
  alignas(32) float c_[kCoarse] = {};
  alignas(32) float kept_[kCoarse] = {};
};

// The kernels of the two programs, with simpler values: 1 is added to every interior point.
void smooth_or_restrict(const std::string& kernel, const auto&, void** parameters) {
  const auto array = [&](int p) { return *static_cast<float**>(parameters[p]); };
  if (kernel.find("smooth") != std::string::npos) {
    for (size_t p = 10; p < 71; ++p) array(2)[p] = array(0)[p] + 1;
  } else {
    for (size_t p = 0; p < kCoarse; ++p) array(1)[p] = array(0)[p / 5 * 18 + p % 5 * 2];
  }
}

TEST_F(CudaCapture, RepeatsStepsOfSeveralProgramsOnSharedArrays) {
  fake_->run = smooth_or_restrict<runtime::cuda::LaunchConfig>;
  fake_->parameters = [](const std::string& kernel) {
    return kernel.find("smooth") != std::string::npos ? 3 : 2;
  };
  Simulation smoother = attach(kSmooth, {{"u", View(u_, {9, 9})}, {"f", View(f_, {9, 9})}});
  Simulation restriction = attach(kRestrict, {{"u", View(u_, {9, 9})}, {"c", View(c_, {5, 5})}});
  begin_capture();
  const Report report = smoother.advance(3).or_throw();
  restriction.advance(1).or_throw();
  runtime::cuda::driver().cuMemcpyDtoDAsync(reinterpret_cast<runtime::cuda::Address>(kept_),
                                            reinterpret_cast<runtime::cuda::Address>(c_), sizeof c_,
                                            queue());
  const auto graph = end_capture();
  EXPECT_EQ(fake_->forbidden, std::vector<std::string>());
  EXPECT_EQ(report.steps, 3);
  EXPECT_EQ(smoother.step(), 0) << "a captured call takes no steps";
  EXPECT_TRUE(fake_->launched.empty());
  EXPECT_EQ(u_[40], 0);
  for (int launches = 1; launches <= 3; ++launches) {
    launch(graph);
    EXPECT_EQ(u_[40], 3 * launches) << "an odd number of steps must end in the user's array";
    EXPECT_EQ(c_[12], 3 * launches);
    EXPECT_EQ(kept_[12], 3 * launches);
    EXPECT_EQ(kept_[0], 0) << "no function writes this point";
  }
  EXPECT_EQ(fake_->launched.size(), 12u);
  // The user's changes between launches count, also at points that no function writes.
  u_[40] = 100;
  u_[0] = 7;
  launch(graph);
  EXPECT_EQ(kept_[12], 103);
  EXPECT_EQ(kept_[0], 7);
  smoother.advance(2).or_throw();
  smoother.wait().or_throw();
  EXPECT_EQ(u_[40], 105);
  EXPECT_EQ(smoother.step(), 2);
  runtime::cuda::driver().cuGraphExecDestroy(graph);
}

constexpr const char* kOwnField = R"(
grid G = [0..8, 0..8] steps 9;
field U : real on G;
field V : real on G history 2;
stencil s : V on G = V@-1[0,0] + 1;
stencil t : U on G = V[0,0];
)";

void count_up(const std::string& kernel, const auto&, void** parameters) {
  const auto array = [&](int p) { return *static_cast<float**>(parameters[p]); };
  const bool first = kernel.back() == 's';
  for (size_t p = 0; p < kFine; ++p) {
    if (first) array(1)[p] = array(2)[p] + static_cast<float>(p);
    if (!first) array(1)[p] = array(0)[p];
  }
}

// Levels of the library's own fields are where each launch of the graph expects them.
TEST_F(CudaCapture, KeepsTheLevelsOfOtherFieldsInPlace) {
  fake_->run = count_up<runtime::cuda::LaunchConfig>;
  fake_->parameters = [](const std::string& kernel) { return kernel.back() == 's' ? 3 : 2; };
  Simulation plain = attach(kOwnField, {{"U", View(f_, {9, 9})}});
  Simulation captured = attach(kOwnField, {{"U", View(u_, {9, 9})}});
  begin_capture();
  captured.advance(1).or_throw();
  const auto graph = end_capture();
  EXPECT_EQ(fake_->forbidden, std::vector<std::string>());
  for (int launches = 1; launches <= 6; ++launches) {
    plain.advance(1).or_throw();
    launch(graph);
    EXPECT_TRUE(std::equal(u_, u_ + kFine, f_)) << launches;
    EXPECT_EQ(captured.get<float>("V").or_throw(), plain.get<float>("V").or_throw()) << launches;
    EXPECT_EQ(captured.get<float>("V@-1").or_throw(), plain.get<float>("V@-1").or_throw());
  }
  EXPECT_EQ(u_[80], 3 * 80);
  runtime::cuda::driver().cuGraphExecDestroy(graph);
}

TEST_F(CudaCapture, RefusesWhatTheHostHasToDo) {
  const Arrays u = {{"u", View(u_, {9, 9})}};
  expect_refused(
      R"(
grid F = [0..8, 0..8] steps 4;
field u : real on F;
stencil s : u on F = 0.5 * u[0,0];
reduce norm = max(abs(u[0,0])) on F;
)",
      u,
      "a CUDA graph cannot contain reduction 'norm': the host counts its evaluations and "
      "reads its values");
  expect_refused(R"(
grid F = [0..8, 0..8] steps 4;
field u : real on F;
reduce norm = max(abs(u[0,0])) on F;
stencil s : u on F = 0.5 * u[0,0];
stop when norm < 1;
)",
                 u,
                 "a CUDA graph cannot contain the stop condition of 'program': the host reads its "
                 "result");
  expect_refused(R"(
grid F = [0..8, 0..8] steps 4;
field u : real on F;
stencil s : u on F = u[0,0] + time;
)",
                 u,
                 "a CUDA graph cannot contain kernel 'program_s': it reads the number of the step, "
                 "which a graph repeats");
}

constexpr const char* kWithStart = R"(
grid F = [0..8, 0..8] steps 4;
field u, k : real on F;
stencil fill : k on F = 2;
stencil s : u on F = u[0,0] + k[0,0];
start { fill; }
step { s; }
)";

TEST_F(CudaCapture, TakesTheStartBefore) {
  const Arrays u = {{"u", View(u_, {9, 9})}};
  expect_refused(kWithStart, u,
                 "a CUDA graph cannot contain the 'start' block: it runs once, and a graph repeats "
                 "its work");
  Simulation simulation = attach(kWithStart, u);
  simulation.advance(1).or_throw();
  fake_->launched.clear();
  begin_capture();
  EXPECT_TRUE(simulation.advance(2).ok());
  EXPECT_EQ(fake_->capture->size(), 2u) << "no start";
  runtime::cuda::driver().cuGraphExecDestroy(end_capture());
}

// Values that only kernels read need no host.
TEST_F(CudaCapture, ContainsReductionsThatTheStepReads) {
  Simulation simulation = attach(R"(
grid F = [0..8, 0..8] steps 4;
field u : real on F;
reduce total = sum(u[0,0]) on F initial 1;
stencil s : u on F = u[0,0] / total;
step { total; s; }
)",
                                 {{"u", View(u_, {9, 9})}});
  begin_capture();
  EXPECT_TRUE(simulation.advance(2).ok());
  EXPECT_GE(fake_->capture->size(), 4u);
  runtime::cuda::driver().cuGraphExecDestroy(end_capture());
  EXPECT_EQ(fake_->forbidden, std::vector<std::string>());
  EXPECT_EQ(simulation.reduction("total").or_throw().evaluations, 0);
}

// Calls that would invalidate the capture are refused before they reach the driver.
TEST_F(CudaCapture, RefusesToWaitAndToAllocate) {
  const Kernel kernel = compile(kOwnField);
  const Arrays arrays = {{"U", View(u_, {9, 9})}};
  Simulation simulation = kernel.attach_device(arrays, stream()).or_throw();
  simulation.advance(1).or_throw();
  begin_capture();
  EXPECT_TRUE(simulation.advance(1).ok());
  const auto expect = [&](const auto& result, const std::string& message) {
    ASSERT_FALSE(result.ok()) << message;
    EXPECT_EQ(result.failure().code, "R047");
    EXPECT_EQ(result.failure().message, message);
  };
  expect(simulation.wait(), "the call would wait for steps while its stream is being captured");
  expect(simulation.get<float>("V"),
         "the call would wait for steps while its stream is being captured");
  expect(kernel.attach_device(arrays, stream()),
         "the call would allocate memory while its stream is being captured");
  EXPECT_EQ(fake_->forbidden, std::vector<std::string>());
  // With a callback there is nothing to report: the steps are not taken now.
  int calls = 0;
  EXPECT_TRUE(simulation.advance(1000, [&](const Progress&) { return ++calls > 0; }).ok());
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(fake_->forbidden, std::vector<std::string>());
  runtime::cuda::driver().cuGraphExecDestroy(end_capture());
  EXPECT_TRUE(simulation.wait().ok());
}

// A graph uses the memory of the session, which set() would replace.
TEST_F(CudaCapture, ComesAfterValuesOfTheHost) {
  constexpr const char* kScaled = R"(
param w : real = 2;
grid F = [0..8, 0..8] steps 4;
field u, k : real on F;
stencil s : u on F = w * u[0,0] + k[0,0];
init k[i,j] = 1;
)";
  const Kernel kernel = compile(kScaled);
  Simulation simulation = kernel.attach_device({{"u", View(u_, {9, 9})}}, stream()).or_throw();
  simulation.set("k", View(f_, {9, 9})).or_throw();
  simulation.set_param("w", 3).or_throw();
  begin_capture();
  const auto closed = simulation.advance(1);
  runtime::cuda::driver().cuGraphExecDestroy(end_capture());
  ASSERT_FALSE(closed.ok());
  EXPECT_EQ(closed.failure().code, "R047");
  EXPECT_EQ(fake_->forbidden, std::vector<std::string>());

  simulation.wait().or_throw();
  begin_capture();
  EXPECT_TRUE(simulation.advance(1).ok());
  runtime::cuda::driver().cuGraphExecDestroy(end_capture());
  EXPECT_EQ(fake_->forbidden, std::vector<std::string>());
  const auto memory = fake_->allocated;
  for (const Status& refused :
       {simulation.set("k", View(f_, {9, 9})), simulation.set_param("w", 4)}) {
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.failure().code, "R047");
    EXPECT_EQ(refused.failure().message,
              "values cannot be set: a CUDA graph uses the memory of the simulation");
  }
  EXPECT_EQ(fake_->allocated, memory);
  EXPECT_EQ(simulation.get<float>("k").or_throw()[5], 0);
}

}  // namespace
}  // namespace stencil
