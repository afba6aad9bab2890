// Several programs on several devices at the same time in one process. Under ThreadSanitizer this
// also shows that no state is shared without a lock.
#include <thread>

#include "tests/unit/api/programs.h"

namespace stencil::api {
namespace {

// Parses, compiles and runs a program; returns the resulting field.
std::vector<float> run(const char* text, const std::string& device, double a) {
  const Kernel kernel = program_of(text).compile({.device = device}).or_throw();
  Simulation simulation = kernel.start({{"a", a}}).or_throw();
  simulation.advance(3).or_throw();
  simulation.advance(4).or_throw();
  return simulation.get<float>("A").or_throw();
}

TEST(Threads, UseProgramsAndDevicesAtTheSameTime) {
  std::vector<std::thread> threads;
  for (const char* device : {"reference", "host", "opencl"}) {
    if (!choose_device(device).ok()) continue;
    for (const double a : {0.05, 0.2}) {
      threads.emplace_back([=] {
        const auto expected = run(kHeat, "reference", a);
        EXPECT_EQ(run(kHeat, device, a), expected) << device;
      });
    }
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Threads, ShareOneKernel) {
  for (const char* device : {"reference", "host", "opencl"}) {
    if (!choose_device(device).ok()) continue;
    const Kernel kernel = program_of(kHeat).compile({.device = device}).or_throw();
    std::vector<std::thread> threads;
    for (const double a : {0.05, 0.1, 0.2, 0.4}) {
      threads.emplace_back([=, &kernel] {
        Simulation simulation = kernel.start({{"a", a}}).or_throw();
        for (int step = 0; step < 20; ++step) simulation.advance(1).or_throw();
        Simulation expected = program_of(kHeat)
                                  .compile({.device = "reference"})
                                  .or_throw()
                                  .start({{"a", a}})
                                  .or_throw();
        expected.advance(20).or_throw();
        EXPECT_EQ(simulation.get<float>("A").or_throw(), expected.get<float>("A").or_throw())
            << device << ", a = " << a;
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace stencil::api
