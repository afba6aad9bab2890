#include "compiler/support/source.h"

#include <gtest/gtest.h>

namespace stencil {
namespace {

TEST(Source, PositionsCountLinesAndBytesFromOne) {
  const Source source("f.stn", "ab\n\ncd");
  const auto at = [&](uint32_t offset) {
    const Source::Position p = source.position(offset);
    return std::pair(p.line, p.column);
  };
  EXPECT_EQ(at(0), std::pair(1, 1));
  EXPECT_EQ(at(2), std::pair(1, 3));  // the newline belongs to its line
  EXPECT_EQ(at(3), std::pair(2, 1));
  EXPECT_EQ(at(4), std::pair(3, 1));
  EXPECT_EQ(at(6), std::pair(3, 3));  // the end of the text
}

TEST(Source, LinesExcludeTheirEndings) {
  const Source source("f.stn", "one\r\ntwo\n\nlast");
  EXPECT_EQ(source.line(1), "one");
  EXPECT_EQ(source.line(2), "two");
  EXPECT_EQ(source.line(3), "");
  EXPECT_EQ(source.line(4), "last");
  EXPECT_EQ(source.line(0), "");
  EXPECT_EQ(source.line(5), "");
}

TEST(Source, CarriageReturnsEndLines) {
  const Source source("f.stn", "one\rtwo\r\nthree\n\rlast\r");
  EXPECT_EQ(source.line(1), "one");
  EXPECT_EQ(source.line(2), "two");
  EXPECT_EQ(source.line(3), "three");
  EXPECT_EQ(source.line(4), "");
  EXPECT_EQ(source.line(5), "last");
  EXPECT_EQ(source.line(6), "");
  EXPECT_EQ(source.position(4).line, 2);
  EXPECT_EQ(source.position(9).line, 3);
  EXPECT_EQ(source.position(9).column, 1);
}

TEST(Source, AnEmptyTextHasOneEmptyLine) {
  const Source source("f.stn", "");
  EXPECT_EQ(source.position(0).line, 1);
  EXPECT_EQ(source.line(1), "");
  EXPECT_EQ(source.line(2), "");
}

TEST(Source, TextOfASpanStaysInside) {
  const Source source("f.stn", "abcdef");
  EXPECT_EQ(source.text(Span{1, 3}), "bc");
  EXPECT_EQ(source.text(Span{4, 99}), "ef");
  EXPECT_EQ(source.text(Span{50, 99}), "");
}

TEST(Span, JoinCoversBothAndIgnoresEmptySpans) {
  EXPECT_EQ(join({2, 4}, {7, 9}), (Span{2, 9}));
  EXPECT_EQ(join({7, 9}, {2, 4}), (Span{2, 9}));
  EXPECT_EQ(join({2, 9}, {3, 4}), (Span{2, 9}));
  EXPECT_EQ(join({}, {2, 4}), (Span{2, 4}));
  EXPECT_EQ(join({2, 4}, {}), (Span{2, 4}));
  EXPECT_FALSE(join({}, {}).valid());
  EXPECT_FALSE((Span{3, 3}).valid());
}

}  // namespace
}  // namespace stencil
