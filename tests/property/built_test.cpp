// Random programs, written as text and rebuilt with the C++ builder, have the same trees and the
// same stencil IR as the generated text.
#include <gtest/gtest.h>

#include "compiler/builder/access.h"
#include "compiler/sema/analyze.h"
#include "compiler/syntax/parse.h"
#include "compiler/syntax/write.h"
#include "tests/property/generator.h"
#include "tests/unit/builder/dump.h"
#include "tests/unit/builder/replay.h"

namespace stencil {
namespace {

constexpr uint64_t kPrograms = 4000;

TEST(Built, RandomProgramsRoundTrip) {
  for (uint64_t seed = 1; seed <= kPrograms && !testing::Test::HasFailure(); ++seed) {
    const property::GeneratedProgram generated = property::random_program(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + generated.text);
    const Source source("random.stn", generated.text);
    Diagnostics diagnostics;
    const auto parsed = parse(source, diagnostics);
    ASSERT_TRUE(parsed.has_value()) << render(source, diagnostics);

    const Source written("written.stn", write(*parsed).text);
    const auto again = parse(written, diagnostics);
    ASSERT_TRUE(again.has_value()) << render(written, diagnostics);
    EXPECT_EQ(print(*again), print(*parsed));

    ProgramOptions options;
    options.name = "random";
    if (generated.sizes_known) {
      for (const auto& [name, value] : generated.integers) {
        options.definitions[name] = std::to_string(value);
      }
    }
    const auto expected = analyze(*parsed, source, options, diagnostics);
    ASSERT_TRUE(expected.has_value()) << render(source, diagnostics);
    const BuildResult built = test::replay(*parsed, "random", {.definitions = options.definitions});
    ASSERT_TRUE(built.ok()) << built.report();
    const auto found =
        analyze(syntax_of(*built.program), source_of(*built.program), options, diagnostics);
    ASSERT_TRUE(found.has_value()) << render(*built.program, diagnostics);
    EXPECT_EQ(test::dump(*found), test::dump(*expected));
  }
}

}  // namespace
}  // namespace stencil
