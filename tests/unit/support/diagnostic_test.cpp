// Rendered diagnostics, to the letter.
#include "compiler/support/diagnostic.h"

#include <gtest/gtest.h>

namespace stencil {
namespace {

Span span_of(const Source& source, const std::string& part) {
  const size_t at = source.text().find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return {static_cast<uint32_t>(at), static_cast<uint32_t>(at + part.size())};
}

std::string rendered(const Source& source, Span span) {
  Diagnostic d;
  d.code = "S031";
  d.span = span;
  d.message = "wrong";
  return render(source, d);
}

TEST(Render, ShowsEveryPartInOrder) {
  const Source source("heat.stn", "field A : real on G;\nstencil s : A[0] = B[-1];\n");
  Diagnostics diagnostics;
  Diagnostic& d = diagnostics.error("S004", span_of(source, "B[-1]"), "unknown field 'B'");
  d.expected = "the name of a field";
  d.found = "'B'";
  d.hint = "did you mean 'A'?";
  d.related.push_back({span_of(source, "A : real"), "'A' is declared here"});
  EXPECT_EQ(render(source, diagnostics),
            "heat.stn:2:20: error S004: unknown field 'B'\n"
            "    2 | stencil s : A[0] = B[-1];\n"
            "      |                    ^~~~~\n"
            "      = expected: the name of a field\n"
            "      = found: 'B'\n"
            "      = heat.stn:1:7: 'A' is declared here\n"
            "      = hint: did you mean 'A'?\n");
}

TEST(Render, ShowsTwentyErrors) {
  const Source source("f.stn", "abc");
  Diagnostics diagnostics;
  for (int i = 0; i < 20; ++i) diagnostics.error("S004", {}, "wrong " + std::to_string(i));
  EXPECT_EQ(render(source, diagnostics).find("not shown"), std::string::npos);
  diagnostics.error("S004", {}, "wrong 20");
  diagnostics.warning("S101", {}, "odd");
  const std::string rendered = render(source, diagnostics);
  EXPECT_NE(rendered.find("wrong 19\n"), std::string::npos);
  EXPECT_EQ(rendered.find("wrong 20"), std::string::npos);
  EXPECT_TRUE(rendered.ends_with("f.stn: warning S101: odd\nf.stn: 1 more error is not shown\n"));
  diagnostics.error("S004", {}, "wrong 21");
  EXPECT_TRUE(render(source, diagnostics).ends_with("f.stn: 2 more errors are not shown\n"));
}

TEST(Render, OmitsMissingParts) {
  const Source source("f.stn", "abc");
  EXPECT_EQ(rendered(source, {}), "f.stn: error S031: wrong\n");
  EXPECT_EQ(rendered(Source("", ""), {}), "error S031: wrong\n");
  Diagnostic note;
  note.severity = Severity::Note;
  note.message = "so it is";
  EXPECT_EQ(render(source, note), "f.stn: note: so it is\n");
  Diagnostics warned;
  warned.warning("S101", {0, 1}, "unused");
  EXPECT_EQ(render(source, warned), "f.stn:1:1: warning S101: unused\n    1 | abc\n      | ^\n");
}

TEST(Render, TabsKeepTheCaretUnderItsText) {
  const Source source("f.stn", "\tA\t= B;");
  EXPECT_EQ(rendered(source, span_of(source, "B")),
            "f.stn:1:6: error S031: wrong\n    1 | \tA\t= B;\n      | \t \t  ^\n");
}

TEST(Render, ControlCharactersAreEscapedAndTheCaretStaysInPlace) {
  const Source source("a\x1b[31m.stn", "/* \x1b[2K\xC3\xA9 */ B");
  EXPECT_EQ(rendered(source, span_of(source, "B")),
            "a\\x1b[31m.stn:1:14: error S031: wrong\n"
            "    1 | /* \\x1b[2K\xC3\xA9 */ B\n"
            "      |                ^\n");
}

TEST(Render, SpansOverSeveralLinesAreMarkedOnTheFirst) {
  const Source source("f.stn", "x = (1 +\n     2);\n");
  EXPECT_EQ(rendered(source, span_of(source, "(1 +\n     2)")),
            "f.stn:1:5: error S031: wrong\n    1 | x = (1 +\n      |     ^~~~\n");
}

TEST(Render, TheEndOfTheTextHasAPosition) {
  const Source source("f.stn", "grid G");
  EXPECT_EQ(rendered(source, {6, 7}),
            "f.stn:1:7: error S031: wrong\n    1 | grid G\n      |       ^\n");
  const Source ended("f.stn", "grid G\n");
  EXPECT_EQ(rendered(ended, {7, 8}), "f.stn:2:1: error S031: wrong\n    2 | \n      | ^\n");
}

TEST(Render, LongLinesAreShownInPart) {
  const Source source("f.stn", std::string(300, 'a') + "HERE" + std::string(300, 'b'));
  EXPECT_EQ(rendered(source, span_of(source, "HERE")),
            "f.stn:1:301: error S031: wrong\n    1 | ..." + std::string(80, 'a') + "HERE" +
                std::string(76, 'b') + "...\n      | " + std::string(83, ' ') + "^~~~\n");
  // At the start of the line nothing is cut on the left.
  EXPECT_EQ(rendered(source, {0, 2}),
            "f.stn:1:1: error S031: wrong\n    1 | " + std::string(160, 'a') + "...\n      | ^~\n");
}

TEST(Diagnostics, SortsByPositionAndIsStable) {
  Diagnostics diagnostics;
  diagnostics.error("S003", {9, 10}, "c");
  diagnostics.error("S001", {4, 5}, "a");
  diagnostics.warning("S002", {4, 5}, "b");
  diagnostics.error("S000", {}, "placeless");
  diagnostics.sort_by_place();
  std::string order;
  for (const Diagnostic& d : diagnostics.items()) order += d.code + " ";
  EXPECT_EQ(order, "S000 S001 S002 S003 ");
}

TEST(Diagnostics, ContinuationLinesAreIndented) {
  Diagnostics diagnostics;
  diagnostics.error("R010", {}, "cannot read 'a\nstencilc: error R011: b'");
  EXPECT_EQ(render(Source("stencilc", ""), diagnostics),
            "stencilc: error R010: cannot read 'a\n  stencilc: error R011: b'\n");
}

TEST(Diagnostics, WarningsAreNotErrors) {
  Diagnostics diagnostics;
  EXPECT_FALSE(diagnostics.has_errors());
  diagnostics.warning("S101", {}, "w");
  EXPECT_FALSE(diagnostics.has_errors());
  diagnostics.error("S001", {}, "e");
  EXPECT_TRUE(diagnostics.has_errors());
}

TEST(NearestName, FindsTypos) {
  const std::vector<std::string> names = {"direct", "overlapped", "N", "boundary"};
  EXPECT_EQ(nearest_name("overlaped", names), "overlapped");  // a missing letter
  EXPECT_EQ(nearest_name("directt", names), "direct");        // an extra letter
  EXPECT_EQ(nearest_name("bundory", names), "boundary");      // two typos in seven letters
  EXPECT_EQ(nearest_name("direct", names), "direct");
  EXPECT_EQ(nearest_name("n", names), "N");
  EXPECT_EQ(nearest_name("chekc", {"cache", "check"}), "check");  // two letters swapped
  EXPECT_EQ(nearest_name("hcekc", {"check"}), "");                // twice, in five letters
}

TEST(NearestName, IgnoresDistantNames) {
  EXPECT_EQ(nearest_name("hexagonal", {"direct", "overlapped"}), "");
  EXPECT_EQ(nearest_name("direct", {}), "");
  EXPECT_EQ(nearest_name("ab", {"xy"}), "");
  EXPECT_EQ(nearest_name("a", {"alphabetical"}), "");
}

TEST(NearestName, PrefersTheCloserThenTheEarlier) {
  EXPECT_EQ(nearest_name("steps", {"stops", "step"}), "stops");
  EXPECT_EQ(nearest_name("stepsize", {"stepsise_x", "stepsise"}), "stepsise");
}

}  // namespace
}  // namespace stencil
