#include "compiler/support/layout.h"

#include <gtest/gtest.h>

#include <sstream>

namespace stencil {
namespace {

TEST(Wrapped, BreaksAtBlanks) {
  EXPECT_EQ(wrapped("a short line"), "a short line\n");
  EXPECT_EQ(wrapped(""), "\n");
  EXPECT_EQ(wrapped("one two three", "", "  ", 7), "one two\n  three\n");
  EXPECT_EQ(wrapped("one two three", "x: ", "   ", 10), "x: one two\n   three\n");
  EXPECT_EQ(wrapped("one  two", "", "", 5), "one\ntwo\n");
  EXPECT_EQ(wrapped("a word_without_room b", "", "", 6), "a\nword_without_room\nb\n");
}

TEST(Table, SeparatesColumnsByTwoBlanks) {
  EXPECT_EQ(table({{"a", "bb", "c"}, {"aaa", "b", ""}}), "a    bb  c\naaa  b\n");
  EXPECT_EQ(table({{"name", "n"}, {"x", "100"}}, {.indent = "  ", .texts = 1}),
            "  name    n\n  x     100\n");
  EXPECT_EQ(table({{"n", "what"}, {"10", "x y"}}, {.texts = 0, .text_last = true}),
            " n  what\n10  x y\n");
}

TEST(Table, WrapsTheWidestText) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "word ";
  text.pop_back();
  const std::string printed = table(
      {{"first", "second", "third"}, {"one", text, "3"}, {"two", "b", "4"}}, {.indent = "  "});
  std::istringstream lines(printed);
  std::string line;
  size_t words = 0, count = 0;
  while (std::getline(lines, line)) {
    EXPECT_LE(line.size(), kLineWidth) << line;
    for (size_t at = line.find("word"); at != line.npos; at = line.find("word", at + 1)) ++words;
    ++count;
  }
  EXPECT_EQ(words, 40u);
  EXPECT_GT(count, 3u);
  EXPECT_NE(printed.find("\n  two"), std::string::npos) << printed;
}

TEST(Table, DoesNotBreakWordsAndNumbers) {
  const std::string word(120, 'x');
  EXPECT_NE(table({{"a", word + " b"}}).find(word), std::string::npos);
}

}  // namespace
}  // namespace stencil
