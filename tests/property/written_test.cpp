// Programs written from their IR: analysing the text gives an equal program, before and after
// lowering, so that the interpreter computes the same bits.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "compiler/driver/frontend.h"
#include "compiler/ir/lower/passes.h"
#include "compiler/ir/write.h"
#include "compiler/syntax/parse.h"
#include "tests/property/generator.h"
#include "tests/unit/ir/canonical.h"

namespace stencil {
namespace {

constexpr uint64_t kPrograms = 400;

std::optional<ir::Program> mathematics(const Source& source, const ProgramOptions& options,
                                       Diagnostics& diagnostics) {
  const auto tree = parse(source, diagnostics);
  return tree ? analyze_mathematics(*tree, source, options, diagnostics) : std::nullopt;
}

// False if the program has errors.
bool expect_round_trip(const std::string& text, const ProgramOptions& options) {
  const Source source("program.stn", text);
  Diagnostics diagnostics;
  const auto program = mathematics(source, options, diagnostics);
  if (!program) return false;
  Diagnostics refused;
  const auto written = ir::write(*program, refused);
  EXPECT_TRUE(written) << render(source, refused);
  if (!written) return true;
  ProgramOptions same = options;
  same.definitions.clear();  // the text has the values
  same.open.clear();
  same.steps.reset();
  const Source again("written.stn", *written);
  Diagnostics errors;
  const auto found = mathematics(again, same, errors);
  EXPECT_TRUE(found) << render(again, errors) << *written;
  if (!found) return true;
  EXPECT_EQ(test::canonical_text(*found), test::canonical_text(*program)) << *written;
  Diagnostics unused;
  EXPECT_EQ(test::canonical_text(ir::lower(*found, unused)),
            test::canonical_text(ir::lower(*program, unused)));
  return true;
}

TEST(Written, RandomProgramsRoundTrip) {
  for (uint64_t seed = 1; seed <= kPrograms && !testing::Test::HasFailure(); ++seed) {
    const property::GeneratedProgram generated = property::random_program(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + generated.text);
    ProgramOptions options;
    if (generated.sizes_known) {
      for (const auto& [name, value] : generated.integers) {
        options.definitions[name] = std::to_string(value);
      }
    }
    EXPECT_TRUE(expect_round_trip(generated.text, options));
  }
}

TEST(Written, ProgramsOfTheRepositoryRoundTrip) {
  int found = 0;
  for (const char* folder : {"dsl-examples", "tests/golden/cases", "tests/fuzz/corpus"}) {
    const auto all = std::filesystem::recursive_directory_iterator(
        std::filesystem::path(STENCIL_SOURCE_DIR) / folder);
    for (const auto& entry : all) {
      if (entry.path().extension() != ".stn") continue;
      SCOPED_TRACE(entry.path().string());
      std::ifstream file(entry.path());
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      found += expect_round_trip(text, {}) ? 1 : 0;
    }
  }
  EXPECT_GE(found, 80);
}

}  // namespace
}  // namespace stencil
