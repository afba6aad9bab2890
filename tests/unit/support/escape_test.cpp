// Escaping of user text for output.
#include "compiler/support/escape.h"

#include <gtest/gtest.h>

namespace stencil {
namespace {

TEST(Visible, EscapesControlCharacters) {
  EXPECT_EQ(visible("plain text, é and 漢\tafter a tab"), "plain text, é and 漢\tafter a tab");
  EXPECT_EQ(visible("a\rb\nc\x1b[31m\x7f"), "a\\rb\\nc\\x1b[31m\\x7f");
  EXPECT_EQ(visible(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(visible("\xC2\x85 \xE2\x80\xA8 \xE2\x80\xAE"), "<U+0085> <U+2028> <U+202E>");
  EXPECT_EQ(visible("\xff \xC3 \xC0\x80 \xED\xA0\x80"), "\\xff \\xc3 \\xc0\\x80 \\xed\\xa0\\x80");
}

TEST(Visible, CountsOneColumnPerCharacter) {
  EXPECT_EQ(columns(visible("é漢\r")), 4u);
}

TEST(CommentLine, CannotContinueOnTheNextLine) {
  EXPECT_EQ(comment_line("path C:\\"), "path C:\\ //");
  EXPECT_EQ(comment_line("path C:\\ \t "), "path C:\\ //");
  EXPECT_EQ(comment_line("what?\?/"), "what? ?/");
  EXPECT_EQ(comment_line("??\?/"), "?? ?/");
  EXPECT_EQ(comment_line("a\\b"), "a\\b");
  EXPECT_EQ(comment_line("a\rb"), "a\\rb");
}

TEST(StringLiteral, EscapesQuotes) {
  EXPECT_EQ(string_literal("a \"b\" \\ c"), R"("a \"b\" \\ c")");
  EXPECT_EQ(string_literal("a?\?/\n\t1"), R"("a\?\?/\\n\0111")");
  EXPECT_EQ(string_literal("é1"), R"("\303\2511")");
}

TEST(XmlAttribute, EscapesQuotes) {
  EXPECT_EQ(xml_attribute("a<b>&\"\n"), "a&lt;b>&amp;&quot;&#10;");
}

TEST(OnOneLine, CollapsesBlanks) {
  EXPECT_EQ(on_one_line("  N\r\n   > 3 \t"), "N > 3");
}

}  // namespace
}  // namespace stencil
