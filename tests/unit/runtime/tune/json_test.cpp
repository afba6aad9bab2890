// Entries written as JSON and read back.
#include <gtest/gtest.h>

#include "runtime/io/files.h"
#include "tests/unit/runtime/temporary_directory.h"
#include "tests/unit/runtime/tune/entries.h"

namespace stencil::tune {
namespace {

std::string replaced_in(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

TEST(TunedJson, RoundTrips) {
  Entry odd = entry_at({100, 200}, "overlapped T=4", 1.0 / 3);
  odd.name = "a \"name\"\n\\";
  const std::vector<Entry> entries = {odd, entry_at({1 << 30}, "direct", 1e-300)};
  const auto read = from_json(to_json(entries));
  ASSERT_TRUE(read.ok()) << read.failure().message;
  EXPECT_EQ(read.value(), entries);
  EXPECT_TRUE(from_json(to_json({})).value().empty());
  // Invalid UTF-8 is replaced, because JSON does not permit it.
  odd.name = "\xff";
  EXPECT_TRUE(from_json(to_json({odd})).ok());
}

TEST(TunedJson, LocatesErrors) {
  const std::string good = to_json({entry_at({10}, "a", 1), entry_at({100, 200}, "b", 0.5)});
  const auto message = [&](const std::string& from, const std::string& to) {
    const auto read = from_json(replaced_in(good, from, to));
    EXPECT_FALSE(read.ok()) << to;
    if (read.ok()) return std::string();
    EXPECT_EQ(read.failure().code, "R091");
    return read.failure().message + read.failure().hint;
  };
  const auto says = [](const std::string& text, const std::string& part) {
    return text.find(part) != text.npos ? testing::AssertionSuccess()
                                        : testing::AssertionFailure() << text;
  };
  EXPECT_TRUE(says(message("[100,200]", "[100,,200]"), "line 3, column"));
  EXPECT_TRUE(says(message("]}\n", ""), "line 4, column 1"));
  EXPECT_TRUE(says(message("[100,200]", "[100,0]"), "entries[1]: sizes has an extent below 1"));
  EXPECT_TRUE(says(message("[100,200]", "[1.5]"), "entries[1]: \"sizes\" is not a list of whole"));
  EXPECT_TRUE(
      says(message("[100,200]", "[18446744073709551615]"), "\"sizes\" is not a list of whole"));
  EXPECT_TRUE(
      says(message("\"seconds\":0.5", "\"seconds\":-1"), "entries[1]: seconds is not above 0"));
  EXPECT_TRUE(says(message("\"seconds\":0.5", "\"seconds\":null"), "\"seconds\" is not a number"));
  EXPECT_TRUE(says(message("\"seconds\":0.5,", ""), "entries[1]: there is no \"seconds\""));
  EXPECT_TRUE(
      says(message("\"runs\":5", "\"runs\":5.5"), "entries[0]: \"runs\" is not a whole number"));
  EXPECT_TRUE(
      says(message("\"runs\":5", "\"runs\":5,\"wen\":1"), "entries[0]: unknown key \"wen\""));
  EXPECT_TRUE(
      says(message("\"schedule\":\"a\"", "\"schedule\":7"), "\"schedule\" is not a string"));
  EXPECT_TRUE(says(message("stencilc tuned", "other"), "there is no \"format\""));
  EXPECT_TRUE(says(message("\"version\": 1", "\"version\": 2"),
                   "\"version\" is 2, but this stencilc knows 1"));
  for (const char* text :
       {"", "[]", "null", "7", "{}", "{\"format\": \"stencilc tuned\"}", "\xff\xfe",
        "{\"format\": \"stencilc tuned\", \"version\": 1, \"entries\": {}}",
        "{\"format\": \"stencilc tuned\", \"version\": 1, \"entries\": [7]}"}) {
    EXPECT_FALSE(from_json(text).ok()) << text;
  }
  EXPECT_FALSE(from_json(std::string(100000, '[')).ok()) << "deeply nested";
}

}  // namespace
}  // namespace stencil::tune
