// `stencilc FILE.stn -o ...` and --emit: which files are written, and when none is.
#include <unistd.h>

#include "tests/e2e/tool.h"

namespace stencil {
namespace {

using Compile = Tool;

TEST_F(Compile, OutputFollowsTheExtension) {
  write("heat.stn", kHeat);
  EXPECT_EQ(stencilc("heat.stn -o heat.cu").status, 0);
  EXPECT_EQ(stencilc("heat.stn -o heat.cl").status, 0);
  EXPECT_EQ(stencilc("heat.stn -o heat.cpp").status, 0);
  EXPECT_EQ(files(), "heat.cl heat.cpp heat.cu heat.stn");
  EXPECT_NE(read(file("heat.cu")).find("__global__"), std::string::npos);
  EXPECT_NE(read(file("heat.cl")).find("__kernel"), std::string::npos);
  EXPECT_NE(read(file("heat.cpp")).find("heat_run"), std::string::npos);
}

TEST_F(Compile, QuotesTheCommandLine) {
  write("heat.stn", kHeat);
  ASSERT_EQ(stencilc("heat.stn -o heat.cu --schedule 'overlapped T=2'").status, 0);
  EXPECT_NE(read(file("heat.cu")).find("stencilc heat.stn -o heat.cu --schedule 'overlapped T=2'"),
            std::string::npos);
}

// Small and large GPUs get different tiles, and the compile line names the GPU.
TEST_F(Compile, SchedulesForTheNamedMachine) {
  write("heat.stn", kHeat);
  const auto line = [&](const std::string& machine, const std::string& start) {
    const std::string text = stencilc("heat.stn --emit cuda --machine " + machine).out;
    const size_t at = text.find(start);
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_NE(line("sm_86", "compile  ").find("-arch=sm_86"), std::string::npos);
  const std::string wide = "heat.stn -D N=4096 --emit cuda --machine ";
  const auto schedule = [&](const std::string& machine) {
    const std::string text = stencilc(wide + machine).out;
    const size_t at = text.find("schedule  ");
    return text.substr(at, text.find("\nextern", at) - at);
  };
  EXPECT_NE(schedule("sm_75"), schedule("sm_100"));
  EXPECT_EQ(stencilc("heat.stn --emit cpp --machine cpu").status, 0);
  EXPECT_EQ(stencilc("heat.stn --emit kernel-ir --machine sm_80").status, 0);
}

// An unused function would cause a warning in the user's compiler.
TEST_F(Compile, ChecksOnlyFloatingPointForNan) {
  const auto mentions = [&](const std::string& type) {
    write("sums.stn", "grid G = [0..9] steps 4;\nfield A : " + type +
                          " on G;\nstencil s : A on G = A[0] + 1;\n"
                          "reduce total = sum(A[0]) on G;\n");
    const std::string text = stencilc("sums.stn --emit cpp --main").out;
    const char* prints = type == "real" ? "print_value(" : "print_integer(";
    EXPECT_NE(text.find(prints), std::string::npos);
    return text.find("status_of_nan(") != std::string::npos;
  };
  EXPECT_TRUE(mentions("real"));
  EXPECT_FALSE(mentions("integer"));
}

TEST_F(Compile, ChoosesByMachineCode) {
  write("heat.stn", kHeat);
  const Outcome other = stencilc("heat.stn -o heat.cpp --compile");
  EXPECT_NE(other.status, 0);
  EXPECT_NE(other.err.find("NVRTC"), std::string::npos) << other.err;
  const Outcome named = stencilc("heat.stn -o heat.cu --compile --schedule direct");
  EXPECT_NE(named.status, 0);
  EXPECT_NE(named.err.find("--schedule"), std::string::npos) << named.err;
  EXPECT_NE(stencilc("heat.stn --emit ir --compile").status, 0);
  EXPECT_EQ(files(), "heat.stn");
  const Outcome made = stencilc("heat.stn -o heat.cu --compile");
  if (made.err.find("R041") != std::string::npos) GTEST_SKIP() << made.err;
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_NE(read(file("heat.cu")).find("heat.stn -o heat.cu --compile"), std::string::npos);
}

TEST_F(Compile, RefusesMeasurementsThatAreImpossible) {
  write("heat.stn", kHeat);
  write("open.stn",
        "param N : integer;\ngrid G = [0..N-1] steps 4;\nfield A : real on G;\n"
        "stencil s : A on G = A[0] + 1;\n");
  for (const auto& [arguments, part] : std::vector<std::pair<std::string, std::string>>{
           {"heat.stn -o heat.cpp --measure --compile", "--compile contradicts --measure"},
           {"heat.stn -o heat.cpp --measure --schedule direct", "--schedule names another"},
           {"heat.stn -o heat.cpp --measure --machine sm_90", "contradicts --machine sm_90"},
           {"heat.stn -o heat.cpp --measure --device cuda:9999", "R04"},
           {"heat.stn --emit ir --measure", "--emit ir takes no --measure"},
           {"heat.stn -o missing/heat.cpp --measure", "R011"},
           {"open.stn -o open.cpp --measure", "R04"}}) {
    const Outcome outcome = stencilc(arguments);
    EXPECT_NE(outcome.status, 0) << arguments;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(files(), "heat.stn open.stn");
}

TEST_F(Compile, WritesTheHeaderBesideTheOutputOrAsNamed) {
  write("heat.stn", kHeat);
  EXPECT_EQ(stencilc("heat.stn -o heat.cu --header").status, 0);
  EXPECT_EQ(files(), "heat.cu heat.stn heat_cuda.f90 heat_cuda.h");
  EXPECT_EQ(stencilc("-o heat.cpp --header api.hpp heat.stn").status, 0);
  EXPECT_EQ(files(), "api.f90 api.hpp heat.cpp heat.cu heat.stn heat_cuda.f90 heat_cuda.h");
  // The header is written beside that of heat.cu.
  EXPECT_EQ(stencilc("-o heat.cpp --header heat.stn").status, 0);
  EXPECT_EQ(files(),
            "api.f90 api.hpp heat.cpp heat.cu heat.f90 heat.h heat.stn heat_cuda.f90 heat_cuda.h");
  EXPECT_EQ(stencilc("-o heat.cpp --header api.hpp heat.stn").status, 0);
  EXPECT_NE(read(file("heat.cpp")).find("#include \"api.hpp\""), std::string::npos);
  // heat.stn is the program, not the header.
  EXPECT_EQ(stencilc("-o other.cpp --header heat.stn").status, 0);
  EXPECT_EQ(read(file("heat.stn")), kHeat);
}

TEST_F(Compile, WritesAllFilesOrNone) {
  write("heat.stn", kHeat);
  const Outcome outcome = stencilc("heat.stn -o missing/heat.cu --header heat.h");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("R011"), std::string::npos);
  EXPECT_EQ(files(), "heat.stn");
}

TEST_F(Compile, LeavesNoFileInAReadOnlyDirectory) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  write("heat.stn", kHeat);
  std::filesystem::permissions(
      file(""), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_EQ(stencilc("heat.stn -o heat.cu").status, 2);
  EXPECT_EQ(files(), "heat.stn");
}

TEST_F(Compile, RefusalsKeepAnOldFile) {
  write("heat.stn", kHeat);
  write("heat.cu", "old");
  const Outcome outcome = stencilc("heat.stn -o heat.cu --schedule 'overlapped T=64 block=8x8'");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("error L0"), std::string::npos);
  EXPECT_EQ(read(file("heat.cu")), "old");
}

TEST_F(Compile, EmitsEveryStageToStandardOutput) {
  write("heat.stn", kHeat);
  for (const char* stage : {"ast", "ir", "kernel-ir", "host-ir", "cuda", "opencl", "cpp"}) {
    const Outcome outcome = stencilc(std::string("heat.stn --emit ") + stage);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_GT(outcome.out.size(), 100u) << stage;
  }
  EXPECT_EQ(files(), "heat.stn");
  EXPECT_EQ(stencilc("heat.stn --emit ir -o heat.txt").out, "");
  EXPECT_EQ(files(), "heat.stn heat.txt");
}

TEST_F(Compile, IsDeterministic) {
  write("heat.stn", kHeat);
  for (const char* arguments :
       {"heat.stn --emit cuda --main", "heat.stn --emit cpp --open N", "heat.stn --emit ir",
        "heat.stn --emit kernel-ir", "explain heat.stn"}) {
    const Outcome first = stencilc(arguments), second = stencilc(arguments);
    EXPECT_EQ(first.status, 0) << arguments << first.err;
    EXPECT_EQ(first.out, second.out) << arguments;
  }
}

TEST_F(Compile, NamesFunctionsAfterTheFile) {
  write("3d-heat.stn", kHeat);
  EXPECT_NE(stencilc("3d-heat.stn --emit cuda").out.find("_3d_heat_run"), std::string::npos);
}

TEST_F(Compile, SizesMayBeFixedOrOpen) {
  write("heat.stn", kHeat);
  EXPECT_NE(stencilc("heat.stn --emit cpp -D N=77").out.find("= 77;"), std::string::npos);
  EXPECT_NE(stencilc("heat.stn --emit cpp --open N").out.find("int N"), std::string::npos);
}

TEST_F(Compile, FloatParamsMayBeFixed) {
  write("heat.stn", kHeat);
  EXPECT_NE(stencilc("heat.stn --emit cpp").out.find("float a"), std::string::npos);
  const Outcome fixed = stencilc("heat.stn --emit cpp --fix a -D a=0.125 --main");
  EXPECT_EQ(fixed.status, 0) << fixed.err;
  EXPECT_EQ(fixed.out.find("float a"), std::string::npos);
  EXPECT_NE(fixed.out.find("0.125f * "), std::string::npos);
}

// If a program has initial values, missing values of read-only fields are an error
// unless the user chooses a fill.
TEST_F(Compile, EmittedProgramsReportMissingInputs) {
  const std::string text =
      "grid G = [0..70] steps 5;\nfield A : real on G;\nfield c : real on G constant;\n"
      "stencil s : A[1..69] = A[0] + c[0] * A[1];\n";
  const std::string asks = "the program gives c no initial values: --random fills it";
  write("some.stn", text + "init A[i] = i;\n");
  write("all.stn", text + "init A[i] = i;\ninit c = 0;\n");
  write("none.stn", text);
  EXPECT_TRUE(holds(stencilc("some.stn --emit cpp --main").out, asks));
  EXPECT_FALSE(holds(stencilc("all.stn --emit cpp --main").out, asks));
  EXPECT_FALSE(holds(stencilc("none.stn --emit cpp --main").out, asks)) << "all are random";
  ASSERT_EQ(stencilc("some.stn -o some.cpp --main --schedule direct").status, 0);
  const std::string in = "cd '" + file("").string() + "' && ";
  ASSERT_EQ(std::system((in + "c++ -std=c++17 -O0 -o some some.cpp").c_str()), 0);
  EXPECT_NE(std::system((in + "./some --repeat 0 2>err.txt").c_str()), 0);
  EXPECT_TRUE(holds(read(file("err.txt")), asks));
  EXPECT_EQ(std::system((in + "./some --repeat 0 --random >out.txt").c_str()), 0);
  EXPECT_EQ(std::system((in + "./some --repeat 0 --zeros >out.txt").c_str()), 0);
}

// An emitted program accepts valid numbers only.
TEST_F(Compile, EmittedProgramsRefuseInvalidNumbers) {
  write("heat.stn", kHeat);
  ASSERT_EQ(stencilc("heat.stn -o heat.cpp --main --open N --schedule direct").status, 0);
  const std::string in = "cd '" + (root_ / "work").string() + "' && ";
  ASSERT_EQ(std::system((in + "c++ -std=c++17 -o heat heat.cpp 2>log").c_str()), 0);
  const auto status = [&](const std::string& words) {
    const int ended = std::system((in + "./heat " + words + " >log 2>&1").c_str());
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  };
  EXPECT_EQ(status("N=12 --steps 2 --repeat 1"), 0) << read(file("log"));
  EXPECT_NE(read(file("log")).find("copy bound"), std::string::npos);
  EXPECT_EQ(status("N=12 --steps 2 --repeat 0"), 0) << read(file("log"));
  EXPECT_EQ(read(file("log")).find("GB/s"), std::string::npos) << read(file("log"));
  EXPECT_NE(read(file("log")).find("check=passed"), std::string::npos) << read(file("log"));
  EXPECT_EQ(status("N=+12 --steps 2 --repeat 1 a=1e-3"), 0) << read(file("log"));
  for (const char* wrong : {"--steps 99999999999999999999",
                            "--steps 9223372036854775808",
                            "--steps -1",
                            "--steps ''",
                            "--steps ' 2'",
                            "--steps 2x",
                            "--steps",
                            "--repeat -1",
                            "N=2147483648",
                            "N=-2147483649",
                            "N=1e3",
                            "N=0x10",
                            "N=",
                            "N=-",
                            "a=1e300",
                            "a=1e-60",
                            "a=nan",
                            "a=inf",
                            "a=0x1p3",
                            "a=",
                            "a=' 1'",
                            "stop"}) {
    EXPECT_EQ(status("N=12 --repeat 1 " + std::string(wrong)), 2) << wrong << read(file("log"));
  }
}

}  // namespace
}  // namespace stencil
