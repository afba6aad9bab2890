// Reports on the terminal.
#include "tools/stencilc/explore/report_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "compiler/support/layout.h"
#include "tests/unit/explore/sample.h"

namespace stencil::explore {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

TEST(ReportTableTest, ShowsTheWinnerAndItsLimit) {
  const std::string text = text_of(jacobi_sample());
  EXPECT_TRUE(has(text, "machine   sm_90 (NVIDIA H200)\n")) << text;
  EXPECT_TRUE(has(text, "size      512 x 512 x 512 points, 100 steps, float, --fp=contract\n"));
  EXPECT_TRUE(has(text, "space     1312 schedules considered, 9 ranked, in 4.23 s\n"));
  EXPECT_TRUE(has(text, "\nRanking, in GCells/s\n  rank  schedule  ")) << text;
  EXPECT_TRUE(has(text, "\n  3 *   streaming T=4 block=16x16x1 "));
  EXPECT_TRUE(has(text, "  1213      1076  latency: latency would take"));
  EXPECT_TRUE(has(text, fmt::format("Kendall's tau {:.2f} over 8 schedules.\n",
                                    *kendall_tau(jacobi_sample()))));
  EXPECT_TRUE(has(text, "  the tile is smaller than its halo                 402  planes T=9"));
  EXPECT_TRUE(has(text, "\n  5       1104  instructions\n"));
  EXPECT_TRUE(has(text, "\nTo run the winner\n  stencilc run dsl-examples/jacobi3d.stn "));
}

TEST(ReportTableTest, ShowsTheMachineCode) {
  Report report = jacobi_sample();
  EXPECT_FALSE(has(text_of(report), "Machine code"));
  report.candidates[1].code = {{"jacobi_stream", "", {{"in all", 120}, {"shuffles", 8}}, 93.5, 100},
                               {"jacobi_rest", "no loop", {}, 0, 50}};
  const std::string text = text_of(report);
  EXPECT_TRUE(has(text, "\nMachine code, per iteration of a kernel's main loop\n")) << text;
  EXPECT_TRUE(has(text, "\n  2     jacobi_stream           120   93.5      100  8.00 shuffles\n"))
      << text;
  EXPECT_TRUE(
      has(text, "\n  2     jacobi_rest               -      -     50.0  not known: no loop\n"));
  EXPECT_FALSE(has(text_of(report, 1), "Machine code")) << "only for the rows shown";
}

TEST(ReportTableTest, LinesFitExceptTheCommand) {
  Report whole_lines = jacobi_sample();
  for (Candidate& c : whole_lines.candidates) c.brief.clear();
  for (const Report& report : {whole_lines, large_sample(200), empty_sample()}) {
    std::istringstream lines(text_of(report, 50));
    for (std::string line; std::getline(lines, line);) {
      if (has(line, "stencilc run")) continue;
      EXPECT_LE(line.size(), kLineWidth) << line;
    }
  }
}

TEST(ReportTableTest, ShowsTheChosenScheduleAtAnyRank) {
  Report report = large_sample(100);
  report.candidates[0].chosen = false;
  report.candidates[70].chosen = true;
  const std::string text = text_of(report, 5);
  EXPECT_TRUE(has(text, "\n  5     "));
  EXPECT_FALSE(has(text, "\n  6     "));
  EXPECT_TRUE(has(text, "\n  71 *  ")) << text;
}

TEST(ReportTableTest, OmitsMissingParts) {
  Report report = large_sample(5);
  for (Candidate& c : report.candidates) c.measured.reset();
  report.device.clear();
  const std::string text = text_of(report);
  EXPECT_TRUE(has(text, "Ranking, in GCells/s (nothing was measured)\n"));
  EXPECT_FALSE(has(text, "  measured"));
  EXPECT_FALSE(has(text, "Kendall"));
  EXPECT_FALSE(has(text, "device"));
  EXPECT_TRUE(has(text_of(empty_sample()), "No schedule fits this program and machine.\n"));
}

TEST(ReportTableTest, EscapesInvisibleCharacters) {
  const std::string text = text_of(hostile_sample());
  EXPECT_EQ(text.find('\xff'), text.npos);
  EXPECT_TRUE(has(text, "<U+202E>"));
}

}  // namespace
}  // namespace stencil::explore
