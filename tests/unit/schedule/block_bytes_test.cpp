// On CPUs one thread executes a block, with the block's arrays on its stack. Each family chooses or
// accepts only schedules whose arrays fit there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/schedule/family.h"
#include "tests/unit/load.h"

namespace stencil::schedule {
namespace {

// The largest number of bytes that a block of the module's kernels keeps. If `line` is refused,
// returns nullopt and appends the code to `codes`.
std::optional<int64_t> most_bytes(const ir::Program& program, const std::string& line,
                                  std::string& codes) {
  Diagnostics diagnostics;
  const auto schedule = parse(line, program, diagnostics, cpu());
  const auto module =
      schedule ? lower(program, *schedule, diagnostics, cpu(), Advice::None) : std::nullopt;
  for (const Diagnostic& refusal : diagnostics.items()) codes += refusal.code + " ";
  if (!module) return std::nullopt;
  int64_t most = 0;
  for (const kernel::Kernel& kernel : module->kernels) {
    most = std::max(most, kernel::block_bytes(kernel, module->constants));
  }
  return most;
}

void expect_fit(const ir::Program& program, const std::string& line) {
  std::string codes;
  const auto bytes = most_bytes(program, line, codes);
  EXPECT_EQ(bytes.has_value(), codes.empty()) << line;
  EXPECT_LE(bytes.value_or(0), cpu().block_bytes) << line;
}

// `fields` fields that read themselves up to `reach` points away along
// every axis, and the next field.
std::string star(int rank, const std::string& type, int fields, int reach) {
  std::string box, declared, functions;
  for (int d = 0; d < rank; ++d) box += d == 0 ? "0..99" : ", 0..99";
  for (int f = 0; f < fields; ++f) {
    const std::string name = "F" + std::to_string(f), next = "F" + std::to_string((f + 1) % fields);
    declared += "field " + name + " : " + type + " on G boundary clamp;\n";
    functions += "stencil s" + name + " : " + name + " on G = 0";
    for (int arm = 0; arm < 2 * rank; ++arm) {
      functions += " + " + (arm / 2 == 1 ? next : name);
      for (int d = 0; d < rank; ++d) {
        const int offset = d != arm / 2 ? 0 : arm % 2 == 0 ? reach : -reach;
        functions += (d == 0 ? "[" : ",") + std::to_string(offset);
      }
      functions += "]";
    }
    functions += ";\n";
  }
  return "grid G = [" + box + "] steps 9;\n" + declared + functions;
}

TEST(BlockBytes, OfExamplesFitACpu) {
  const std::string directory = std::string(STENCIL_SOURCE_DIR) + "/dsl-examples";
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".stn") continue;
    SCOPED_TRACE(entry.path().filename().string());
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const ir::Program program = test::load(text.str());
    for (const FamilyInfo& family : families()) expect_fit(program, family.name);
  }
}

TEST(BlockBytes, OfDefaultsFitACpu) {
  for (const int rank : {1, 2, 3, 4}) {
    for (const std::string type : {"float", "double"}) {
      for (const int fields : {1, 2, 3, 5}) {
        for (const int reach : {1, 3, 4, 5, 6, 7}) {
          const ir::Program program = test::load(star(rank, type, fields, reach));
          SCOPED_TRACE(star(rank, type, fields, reach));
          for (const FamilyInfo& family : families()) expect_fit(program, family.name);
        }
      }
    }
  }
}

// The default streaming tiles for GPUs would take 3 MB here.
TEST(BlockBytes, StreamingFindsATileForWideHalos) {
  std::string codes;
  EXPECT_TRUE(most_bytes(test::load(star(3, "float", 1, 6)), "streaming", codes).has_value());
  EXPECT_EQ(codes, "");
}

// A tile that fits the shared memory and registers of a GPU may be too large here, and vice versa.
TEST(BlockBytes, ThatExceedTheStackAreRefused) {
  const ir::Program program = test::load(star(3, "float", 1, 6));
  for (const std::string line :
       {"streaming T=1 block=32x32 elements=1x1", "streaming T=1 block=16x64 elements=2x1"}) {
    std::string codes;
    EXPECT_FALSE(most_bytes(program, line, codes).has_value()) << line;
    EXPECT_EQ(codes, "L015 ") << line;
  }
  const ir::Program flat = test::load(
      "grid G = [0..9999, 0..9999] steps 9; field A, B, C : double on G;"
      "stencil a : A on G = B[0,0]; stencil b : B on G = C[0,0]; stencil c : C on G = A[0,0];");
  for (const int side : {32, 64, 86, 87, 128}) {
    expect_fit(flat, "overlapped T=1 block=512x" + std::to_string(side));
  }
}

}  // namespace
}  // namespace stencil::schedule
