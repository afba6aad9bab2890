// The in-process host compiler and its device. Without the library these tests are skipped; the
// reason that the device then gives is tested on every machine.
#include "runtime/devices/host_library.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <regex>

#include "compiler/schedule/schedule.h"
#include "runtime/devices/host_device.h"
#include "runtime/devices/shared_library.h"
#include "tests/unit/runtime/programs.h"

namespace stencil::runtime {
namespace {

class HostCompiler : public testing::Test {
 protected:
  void SetUp() override {
    const auto& found = HostLibrary::open();
    if (!found.ok()) GTEST_SKIP() << found.failure().message;
    library_ = &found.value();
  }

  // Compiles, loads and runs `k` for `blocks` blocks.
  void run(const std::string& source, std::vector<void*> arguments, int64_t blocks,
           FpMode fp = FpMode::Strict) {
    const auto object = library_->compile(source, fp);
    ASSERT_TRUE(object.ok()) << object.failure().message;
    const auto kernels = library_->load(object.value());
    ASSERT_TRUE(kernels.ok()) << kernels.failure().message;
    const StencilHostKernel kernel = library_->interface().find(kernels.value().get(), "k");
    ASSERT_NE(kernel, nullptr);
    ASSERT_EQ(library_->interface().run(kernel, arguments.data(), blocks), 0);
  }

  const HostLibrary* library_ = nullptr;
};

TEST(SharedLibrary, IsSearchedInTheDirectoriesOfAllSystems) {
  const std::vector<std::string> places = places_of("libx.so", "STENCIL_NO_SUCH_VARIABLE");
  for (const char* directory : {"/lib/libx.so", "/lib64/libx.so"}) {
    EXPECT_TRUE(std::any_of(places.begin(), places.end(), [&](const std::string& one) {
      return one.ends_with(directory);
    })) << directory;
  }
  EXPECT_EQ(places.back(), "libx.so");  // the dynamic linker's search path
}

constexpr const char* kHead =
    "extern \"C\" float sinf(float);\n"
    "extern \"C\" void k(void* const* arguments, long begin, long end) {\n"
    "  float* x = (float*)arguments[0];\n";

TEST_F(HostCompiler, RunsEveryBlockOnce) {
  std::vector<float> x(100000);
  std::iota(x.begin(), x.end(), 0.0f);
  run(std::string(kHead) + "  for (long b = begin; b < end; ++b) x[b] += 1;\n}\n", {x.data()},
      static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i], static_cast<float>(i) + 1);
}

TEST_F(HostCompiler, DoesNotWriteToStderr) {
  std::vector<float> x(4);
  testing::internal::CaptureStderr();
  run(std::string(kHead) + "  for (long b = begin; b < end && b >= b; ++b) x[b] = 1;\n}\n",
      {x.data()}, static_cast<int64_t>(x.size()));
  EXPECT_FALSE(library_->compile("no program", FpMode::Strict).ok());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(HostCompiler, CallsMathFunctionsOfTheProcess) {
  // Constant arguments: a compiler that evaluates such a call itself may round differently.
  std::vector<float> x(64);
  std::string body;
  for (size_t i = 0; i < x.size(); ++i) {
    body += "  x[" + std::to_string(i) + "] = sinf(" + std::to_string(i) + ".37f);\n";
  }
  run(kHead + body + "}\n", {x.data()}, 1);
  for (size_t i = 0; i < x.size(); ++i) {
    const volatile float argument = std::strtof((std::to_string(i) + ".37").c_str(), nullptr);
    EXPECT_EQ(x[i], sinf(argument)) << i;
  }
}

TEST_F(HostCompiler, ContractsProductsOnlyIfValuesMayChange) {
  const std::string source = std::string(kHead) + "  x[3] = x[0] * x[1] + x[2];\n}\n";
  const float a = 1 + 0x1p-12f, c = -(1 + 0x1p-11f);
  std::vector<float> x = {a, a, c, 0};
  run(source, {x.data()}, 1);
  EXPECT_EQ(x[3], 0.0f);
}

TEST_F(HostCompiler, ReportsCompilerMessages) {
  const auto object = library_->compile("int f() { return undeclared; }\n", FpMode::Strict);
  ASSERT_FALSE(object.ok());
  EXPECT_EQ(object.failure().code, "R042");
  EXPECT_NE(object.failure().message.find("use of undeclared identifier 'undeclared'"),
            std::string::npos)
      << object.failure().message;
  EXPECT_NE(object.failure().message.find("    1 | int f()"), std::string::npos);
}

TEST_F(HostCompiler, RefusesDamagedObjectsAndUnknownFunctions) {
  EXPECT_EQ(library_->load("not an object").failure().code, "R042");
  const auto object = library_->compile(
      "extern \"C\" int getpid();\n"
      "extern \"C\" void k(void* const*, long, long) { getpid(); }\n",
      FpMode::Strict);
  ASSERT_TRUE(object.ok()) << object.failure().message;
  const auto kernels = library_->load(object.value());
  ASSERT_TRUE(kernels.ok());
  EXPECT_EQ(library_->interface().find(kernels.value().get(), "k"), nullptr);
}

TEST_F(HostCompiler, TargetNamesVersionAndCpuFeatures) {
  EXPECT_NE(library_->target().find("19."), std::string::npos) << library_->target();
  EXPECT_NE(library_->target().find("+sse2"), std::string::npos) << library_->target();
}

kernel::Module module_of(const ir::Program& program, const std::string& line) {
  Diagnostics diagnostics;
  const auto schedule = schedule::parse(line, program, diagnostics, schedule::cpu());
  EXPECT_TRUE(schedule) << render(Source("", ""), diagnostics);
  auto module = schedule::lower(program, *schedule, diagnostics, schedule::cpu());
  EXPECT_TRUE(module) << render(Source("", ""), diagnostics);
  return std::move(*module);
}

// Whether the optimised IR adds floats in vectors.
bool adds_vectors(const HostLibrary& library, const std::string& source) {
  const auto text = library.intermediate(source, FpMode::Strict);
  EXPECT_TRUE(text.ok()) << text.failure().message;
  return std::regex_search(text.value(), std::regex("fadd <(4|8|16) x float>"));
}

TEST_F(HostCompiler, VectorizesTheInnermostLoop) {
  const ir::Program program = program_of(
      "param N : integer;\n"
      "grid G = [0..N-1, 0..N-1] steps 9;\n"
      "field A : real on G;\n"
      "stencil jacobi : A[1..N-2, 1..N-2] =\n"
      "  0.2 * (A[0,0] + A[-1,0] + A[1,0] + A[0,-1] + A[0,1]);\n");
  for (const char* line : {"direct", "overlapped", "planes", "planes T=3 block=200 chunk=10"}) {
    EXPECT_TRUE(adds_vectors(*library_, host_source(module_of(program, line)))) << line;
  }
  const std::string chain = "  for (long b = begin + 1; b < end; ++b) x[b] += x[b - 1];\n}\n";
  EXPECT_FALSE(adds_vectors(*library_, kHead + chain)) << "each sum depends on the previous one";
}

// Rules in y and z are uniform along a row, so points adjacent in x are adjacent in memory.
TEST_F(HostCompiler, VectorizesRowsAtEdges) {
  for (const char* rule : {"constant 0", "clamp", "mirror"}) {
    const ir::Program program = program_of(
        "grid G = [0..99, 0..99, 0..99] steps 9;\n"
        "field A : real on G boundary " +
        std::string(rule) +
        ";\n"
        "stencil star : A on G = 0.2 * (A[-3,0,0] + A[3,0,0] + A[0,-3,0] + A[0,3,0] + A[0,0,-3]\n"
        "  + A[0,0,3]);\n");
    for (const char* line : {"planes T=1", "planes T=2"}) {
      const auto text =
          library_->intermediate(host_source(module_of(program, line)), FpMode::Strict);
      ASSERT_TRUE(text.ok()) << text.failure().message;
      EXPECT_EQ(text.value().find("@llvm.masked.gather"), std::string::npos) << rule << " " << line;
    }
  }
}

TEST_F(HostCompiler, RefusesBlocksLargerThanTheStack) {
  const ir::Program program = program_of(kDecay);
  kernel::Module module = module_of(program, "direct");
  kernel::Buffer buffer;
  buffer.name = "large";
  buffer.type = Scalar::F32;
  buffer.space = kernel::Space::Shared;
  buffer.extents = {kernel::integer(1 << 20)};
  module.kernels[0].buffers.push_back(buffer);
  const auto loaded = host_device().load({program, &module}, "");
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.failure().code, "R043");
}

}  // namespace
}  // namespace stencil::runtime
