// The machine that is assumed if none is named: the device that `run` would choose, else a default
// that the output names. No expectation depends on the devices of the computer.
#include <regex>

#include "tests/e2e/tool.h"

namespace stencil {
namespace {

class AssumedMachine : public Tool {
 protected:
  AssumedMachine() { write("heat.stn", kHeat); }
  bool has(const std::string& device) const {
    return std::regex_search(stencilc("devices").out, std::regex("\n" + device + " +yes"));
  }
  // An emitted file without the lines that depend on the command.
  std::string emitted(const std::string& arguments) const {
    const Outcome outcome = stencilc("heat.stn " + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return std::regex_replace(outcome.out, std::regex("// made by [^\n]*\n"), "");
  }
  ~AssumedMachine() { ::unsetenv("STENCIL_HOST_LIBRARY"); }
};

TEST_F(AssumedMachine, IsTheDeviceThatRunTakes) {
  const std::string run = stencilc("run heat.stn").out;
  std::smatch device;
  ASSERT_TRUE(std::regex_search(run, device, std::regex("device +([a-z]+)"))) << run;
  if (device[1] == "reference") GTEST_SKIP() << "no device runs kernels";
  const std::string named = " --device " + device[1].str();
  EXPECT_EQ(stencilc("explain heat.stn").out, stencilc("explain heat.stn" + named).out);
  const auto heading = [&](const std::string& options) {
    const std::string out = stencilc("explore heat.stn --rows 1" + options).out;
    return out.substr(0, out.find("space "));
  };
  EXPECT_EQ(heading(""), heading(named));
}

TEST_F(AssumedMachine, IsThisComputerForFilesThatItCanRun) {
  if (has("host")) {
    const std::string here = emitted("--emit cpp");
    EXPECT_EQ(here, emitted("--emit cpp --machine this"));
    EXPECT_EQ(here, emitted("--emit cpp"));
    EXPECT_TRUE(holds(here, "// machine   the CPU where this file was made, ")) << here;
  }
  if (has("opencl")) {
    EXPECT_EQ(emitted("--emit opencl"), emitted("--emit opencl --device opencl"));
  }
  EXPECT_TRUE(holds(emitted("--emit cpp --machine cpu"), "// machine   cpu (a CPU)\n"));
}

TEST_F(AssumedMachine, IsADefaultThatIsNamedOtherwise) {
  EXPECT_TRUE(stencilc("explain heat.stn --target hip")
                  .out.starts_with("for AMD Instinct MI210 (gfx90a): no device of this computer "
                                   "runs hip; --machine names another\n\nProgram heat\n"));
  EXPECT_TRUE(holds(emitted("--emit hip"),
                    "// machine   gfx90a (AMD Instinct MI210), the default for hip; "
                    "--machine names another\n"));
  EXPECT_TRUE(stencilc("explore heat.stn --rows 1 --target hip")
                  .out.starts_with("for AMD Instinct MI210 (gfx90a): "));
  EXPECT_TRUE(
      stencilc("explain heat.stn --target hip --machine gfx90a").out.starts_with("Program heat\n"));
  if (!has("cuda")) {
    EXPECT_TRUE(stencilc("explain heat.stn --target cuda")
                    .out.starts_with("for NVIDIA H200 (sm_90): no device of this computer"));
  }
}

// A device whose library cannot be opened is absent.
TEST_F(AssumedMachine, DoesNotNeedTheHostLibrary) {
  write("no_library", "");
  ::setenv("STENCIL_HOST_LIBRARY", file("no_library").c_str(), 1);
  EXPECT_TRUE(stencilc("explain heat.stn --target cpp")
                  .out.starts_with("for a CPU (cpu): no device of this computer runs cpp; "));
  EXPECT_TRUE(holds(emitted("--emit cpp"), "// machine   cpu (a CPU), the default for cpp; "));
  EXPECT_EQ(stencilc("explain heat.stn --target cpp --machine this").status, 3);
}

TEST_F(AssumedMachine, NeedsNoTargetIfItIsNamed) {
  EXPECT_TRUE(holds(stencilc("explain heat.stn --machine cpu").out, " cpu (a CPU)\n"));
  EXPECT_TRUE(holds(stencilc("explain heat.stn --machine gfx942").out, " gfx942 (AMD "));
  EXPECT_TRUE(holds(stencilc("explore heat.stn --rows 1 --machine cpu").out,
                    "\n  stencilc heat.stn --emit cpp --machine cpu --schedule \""));
}

}  // namespace
}  // namespace stencil
