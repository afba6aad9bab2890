// Random programs, formatted: formatting twice changes nothing, and tokens and comments stay. The
// text is also disturbed first: blanks, line breaks and comments are put between its tokens.
#include <gtest/gtest.h>

#include "compiler/syntax/format.h"
#include "compiler/syntax/parse.h"
#include "compiler/syntax/token.h"
#include "tests/property/generator.h"

namespace stencil {
namespace {

constexpr uint64_t kPrograms = 1500;

// The program with other blanks and line breaks, and with comments.
std::string disturbed(const std::string& text, uint64_t seed) {
  uint64_t state = seed;
  const auto choose = [&](uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  };
  std::string out;
  size_t last = 0;
  for (Token token = token_at(text, 0); token.kind != TokenKind::End;
       token = token_at(text, token.span.end)) {
    // Tokens that touch may be parts of one number, such as 1e-6.
    if (token.span.begin > last) {
      const char* const kBetween[] = {" ",      "  ",        "\n",      "\n   ",         "\t",
                                      "\n\n\n", " /* c */ ", " // c\n", "\n      // c\n"};
      out += choose(3) > 0 ? text.substr(last, token.span.begin - last) : kBetween[choose(9)];
    }
    out += text.substr(token.span.begin, token.span.end - token.span.begin);
    last = token.span.end;
  }
  return out;
}

void expect_stable(const std::string& text) {
  const Source source("random.stn", text);
  Diagnostics diagnostics;
  const auto once = format(source, diagnostics);
  ASSERT_TRUE(once.has_value()) << render(source, diagnostics);
  EXPECT_TRUE(same_tokens(text, *once)) << *once;
  const auto twice = format(Source("formatted.stn", *once), diagnostics);
  ASSERT_TRUE(twice.has_value()) << *once;
  EXPECT_EQ(*twice, *once);
}

TEST(Formatted, RandomProgramsAreStable) {
  for (uint64_t seed = 1; seed <= kPrograms && !testing::Test::HasFailure(); ++seed) {
    const std::string text = property::random_program(seed).text;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    expect_stable(text);
    expect_stable(disturbed(text, seed));
  }
}

}  // namespace
}  // namespace stencil
