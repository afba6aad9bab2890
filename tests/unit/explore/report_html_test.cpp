// The page as text: it is useful without JavaScript, and no text of a program becomes markup.
#include "tools/stencilc/explore/report_html.h"

#include <gtest/gtest.h>

#include "tests/unit/explore/sample.h"
#include "tools/stencilc/explore/page.h"

namespace stencil::explore {
namespace {

size_t count(std::string_view text, std::string_view part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

TEST(HtmlTextTest, IsNeverMarkup) {
  EXPECT_EQ(html_text("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(html_text("one\r\ntwo\n\tthree\n"), "one\ntwo\n\tthree\n");
  EXPECT_EQ(html_text(""), "");
  EXPECT_EQ(html_text("\xff\x1b[0m\xe2\x80\xae"), "\\xff\\x1b[0m&lt;U+202E&gt;");
  EXPECT_EQ(html_text("\xc3\xa9"), "\xc3\xa9");
}

TEST(ReportHtmlTest, ShowsTheWinnerAndTheTableWithoutScripts) {
  const std::string page = html_of(jacobi_sample());
  EXPECT_EQ(count(page, "<title>jacobi3d "), 1u);
  EXPECT_EQ(count(page, "<h1>jacobi3d</h1>"), 1u);
  EXPECT_EQ(count(page, "<dd>1213 <small>GCells/s</small></dd>"), 1u);
  EXPECT_EQ(count(page, "<dd>1076 <small>GCells/s, \u221211%</small></dd>"), 1u);
  EXPECT_EQ(count(page, "512 \u00d7 512 \u00d7 512 points"), 1u);
  EXPECT_EQ(count(page, "--schedule &quot;streaming T=4 block=16x16x1"), 1u);
  EXPECT_EQ(count(page, "<tr class=\"candidate"), 9u);
  EXPECT_EQ(count(page, "<tr class=\"candidate chosen\">"), 1u);
  EXPECT_EQ(count(page, "jacobi_tile(const float* __restrict__ A0"), 1u);  // only once
  EXPECT_EQ(count(page, "// jacobi3d.stn: 7-point Jacobi on a cube"), 1u);
  EXPECT_EQ(
      count(page, "<td>A</td><td><em>loaded</em></td><td class=\"number\">\u22124 \u2026 +4</td>"),
      1u);
  EXPECT_EQ(count(page, "<th scope=\"row\">the tile is smaller than its halo</th>"), 1u);
  EXPECT_EQ(count(page, "{{"), 0u);
}

TEST(ReportHtmlTest, ShowsTheNoteOnTheMachine) {
  Report report = jacobi_sample();
  report.note = "for <NVIDIA H200> (sm_90): no device runs cuda";
  EXPECT_EQ(count(html_of(report), "<p class=\"note\">for &lt;NVIDIA H200&gt; (sm_90): no device"),
            1u);
  EXPECT_EQ(count(html_of(jacobi_sample()), "<p class=\"note\"></p>\n<section"), 0u);
}

TEST(ReportHtmlTest, ShowsFiftyCandidatesOfThousands) {
  const std::string page = html_of(large_sample(3000));
  EXPECT_EQ(count(page, "<tr class=\"candidate"), 50u);
  EXPECT_EQ(count(page, "\"rank\":3000,"), 1u);
}

// Looks for anything that makes a browser fetch. The SVG namespace is only a name.
TEST(ReportHtmlTest, FetchesNothing) {
  std::string page = html_of(jacobi_sample());
  for (const char* part :
       {"src=", "href=", "url(", "@import", "fetch(", "XMLHttpRequest", "import("}) {
    EXPECT_EQ(count(page, part), 0u) << part;
  }
  EXPECT_EQ(count(page, "://"), count(page, "http://www.w3.org/2000/svg"));
  EXPECT_EQ(count(page, "default-src 'none'"), 1u);
}

TEST(ReportHtmlTest, ScriptsBuildNoMarkup) {
  for (const char* part :
       {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "</"}) {
    EXPECT_EQ(count(page_script(), part), 0u) << part;
  }
}

TEST(ReportHtmlTest, ThePageHasAColourAndAShapeForEveryLimit) {
  for (size_t i = 0; i < schedule::kLimits; ++i) {
    const std::string name = schedule::name(static_cast<Limit>(i));
    EXPECT_EQ(count(page_style(), "[data-limit=\"" + name + "\"]"), 1u) << name;
    EXPECT_GE(count(page_script(), '"' + name + '"'), 1u) << name;
  }
}

TEST(ReportHtmlTest, TextsOfAProgramAreEscaped) {
  const std::string page = html_of(hostile_sample());
  const std::string calm = html_of(jacobi_sample());
  for (const char* part : {"<script", "</script", "</code", "</pre", "<!--", "<!", "<img"}) {
    EXPECT_EQ(count(page, part), count(calm, part)) << part;
  }
  EXPECT_EQ(count(page, "<img"), 0u);
  EXPECT_GT(count(page, "&lt;img src=x onerror=&quot;"), 10u);
  EXPECT_GT(count(page, "{{rows}}"), 10u);  // placeholders inside inserted values are not expanded
}

TEST(ReportHtmlTest, SaysThatNoScheduleFits) {
  const std::string page = html_of(empty_sample());
  EXPECT_EQ(count(page, "No schedule fits this program and machine."), 1u);
  EXPECT_EQ(count(page, "<tr class=\"candidate"), 0u);
  EXPECT_EQ(count(page, "id=\"kernel-source\""), 0u);
}

}  // namespace
}  // namespace stencil::explore
