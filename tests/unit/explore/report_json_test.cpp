// Reports as JSON and CSV, parsed back.
#include "tools/stencilc/explore/report_json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/unit/explore/sample.h"

namespace stencil::explore {
namespace {

using nlohmann::json;

// Splits CSV into cells as RFC 4180 defines.
std::vector<std::vector<std::string>> cells_of(const std::string& csv) {
  std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
  bool quoted = false;
  for (size_t i = 0; i < csv.size(); ++i) {
    const char c = csv[i];
    if (quoted && c == '"' && i + 1 < csv.size() && csv[i + 1] == '"') {
      rows.back().back() += csv[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      rows.back().emplace_back();
    } else if (!quoted && c == '\n') {
      if (i + 1 < csv.size()) rows.emplace_back(1);
    } else if (quoted || c != '\r') {
      rows.back().back() += c;
    }
  }
  return rows;
}

TEST(ReportJsonTest, HasTheReport) {
  const Report report = jacobi_sample();
  const json out = json::parse(json_of(report));
  EXPECT_EQ(out["program"], "jacobi3d");
  EXPECT_EQ(out["source"], report.source);
  EXPECT_EQ(out["machine"]["bytes_per_second"], 4.2e12);
  EXPECT_EQ(out["extents"], json({512, 512, 512}));
  EXPECT_EQ(out["points"], 512 * 512 * 512);
  EXPECT_EQ(out["looked_at"], 1312);
  EXPECT_EQ(out["kendall_tau"], *kendall_tau(report));
  ASSERT_EQ(out["candidates"].size(), report.candidates.size());
  for (size_t i = 0; i < report.candidates.size(); ++i) {
    const Candidate& c = report.candidates[i];
    const json& o = out["candidates"][i];
    EXPECT_EQ(o["rank"], i + 1);
    EXPECT_EQ(o["schedule"], c.schedule);
    EXPECT_EQ(o["predicted"], c.predicted);
    EXPECT_EQ(o["limit"], schedule::name(c.limit));
    EXPECT_EQ(o["chosen"], c.chosen);
    ASSERT_EQ(o["terms"].size(), c.terms.size());
    EXPECT_EQ(o["terms"][0]["seconds"], c.terms[0].seconds);
    EXPECT_EQ(o["terms"][0]["overlaps"], true);
    EXPECT_EQ(o["terms"].back()["overlaps"], false);
    EXPECT_EQ(o["counts"][0]["count"], c.counts[0].count);
    EXPECT_EQ(o["elements"], c.elements);
    EXPECT_EQ(o["words_loaded"], c.words_loaded);
    EXPECT_EQ(o["measured"].is_null(), !c.measured);
    EXPECT_EQ(o["compiled_registers"].is_null(), !c.compiled_registers);
  }
  EXPECT_EQ(out["pruned"][0]["count"], 611);
  EXPECT_EQ(out["winner"]["halo"].size(), 5u);
  EXPECT_EQ(out["winner"]["halo"][0]["margin"][2]["low"], 4);
  EXPECT_EQ(out["winner"]["stages"][3]["lag"], 7);
  EXPECT_EQ(out["neighbours"][0]["time_tile"], 2);
}

TEST(ReportJsonTest, HasTheCurvesOverTheTimeTile) {
  const Report report = jacobi_sample();
  for (const auto& out : {json::parse(json_of(report)), json::parse(page_data(report))}) {
    EXPECT_EQ(out["flops"], 8);
    EXPECT_EQ(out["by_time_tile"].size(), report.by_time_tile.size());
    ASSERT_EQ(out["by_elements"].size(), report.by_elements.size());
    for (size_t i = 0; i < report.by_elements.size(); ++i) {
      const Candidate& c = report.by_elements[i].predicted;
      const json& o = out["by_elements"][i];
      EXPECT_EQ(o["time_tile"], c.time_tile);
      EXPECT_EQ(o["elements"], c.elements);
      EXPECT_EQ(o["schedule"], c.schedule);
      EXPECT_NEAR(o["predicted_gflops"], 8 * c.predicted, 1e-3 * c.predicted);
      EXPECT_NEAR(o["words_loaded"], c.words_loaded, 1e-3 * c.words_loaded);
      EXPECT_NEAR(o["words_shared"], c.shared_bytes_moved / 4, 1e-3 * c.shared_bytes_moved);
      EXPECT_NEAR(o["instructions"], c.instructions, 1e-3 * c.instructions);
      EXPECT_NEAR(o["redundancy"], c.redundancy, 1e-3 * c.redundancy);
      const auto& measured = report.by_elements[i].measured;
      ASSERT_EQ(o["measured"].is_null(), !measured);
      ASSERT_EQ(o["timed"].is_null(), !measured);
      if (!measured) continue;
      EXPECT_EQ(o["timed"], report.by_elements[i].timed);
      EXPECT_NEAR(o["measured_gflops"], 8 * *measured, 1e-3 * *measured);
    }
  }
}

TEST(ReportJsonTest, HasTheMachineCode) {
  Report report = jacobi_sample();
  report.candidates[1].code = {{"jacobi_stream", "", {{"in all", 120}, {"shuffles", 8}}, 93.5, 100},
                               {"jacobi_rest", "no loop", {}, 0, 50}};
  const json out = json::parse(json_of(report));
  EXPECT_EQ(out["candidates"][0]["code"], json::array());
  const json& code = out["candidates"][1]["code"];
  ASSERT_EQ(code.size(), 2u);
  EXPECT_EQ(code[0]["kernel"], "jacobi_stream");
  EXPECT_TRUE(code[0]["unmatched"].is_null());
  EXPECT_EQ(code[0]["issued"][1]["name"], "shuffles");
  EXPECT_EQ(code[0]["issued"][1]["count"], 8);
  EXPECT_EQ(code[0]["issued_slots"], 93.5);
  EXPECT_EQ(code[0]["counted_slots"], 100);
  EXPECT_EQ(code[1]["unmatched"], "no loop");
  EXPECT_TRUE(code[1]["issued"].empty());
  EXPECT_TRUE(code[1]["issued_slots"].is_null());
}

TEST(ReportJsonTest, HasTheNoteOnTheMachine) {
  Report report = jacobi_sample();
  EXPECT_EQ(json::parse(json_of(report))["note"], "");
  report.note = "for NVIDIA H200 (sm_90): no device of this computer runs cuda";
  EXPECT_EQ(json::parse(json_of(report))["note"], report.note);
}

TEST(ReportJsonTest, MissingValuesAreNull) {
  const json out = json::parse(json_of(empty_sample()));
  EXPECT_TRUE(out["winner"].is_null());
  EXPECT_TRUE(out["kendall_tau"].is_null());
  EXPECT_TRUE(out["candidates"].empty());
  Report report = jacobi_sample();
  report.candidates[0].headroom = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(json::parse(json_of(report))["candidates"][0]["headroom"].is_null());
}

TEST(ReportJsonTest, InvalidUtf8IsReplaced) {
  const Report report = hostile_sample();
  const json out = json::parse(json_of(report));
  const std::string program = out["program"];
  EXPECT_NE(program.find("\xef\xbf\xbd"), program.npos);
  EXPECT_EQ(program.find('\xff'), program.npos);
}

TEST(ReportJsonTest, ThePageGetsNoMarkupAndNoSources) {
  const std::string data = page_data(hostile_sample());
  EXPECT_EQ(data.find_first_of("<>&"), data.npos);
  const json out = json::parse(data);
  const std::string program = out["program"];
  EXPECT_NE(program.find("</script><img src=x onerror="), program.npos);
  EXPECT_NE(program.find("\\xff <U+202E>"), program.npos) << program;
  EXPECT_FALSE(out.contains("source"));
  EXPECT_FALSE(out["winner"].contains("source"));
}

TEST(ReportCsvTest, HasARowPerCandidate) {
  const Report report = jacobi_sample();
  const auto rows = cells_of(csv_of(report));
  ASSERT_EQ(rows.size(), report.candidates.size() + 1);
  const auto column = [&](const std::string& name) {
    const auto found = std::find(rows[0].begin(), rows[0].end(), name);
    EXPECT_NE(found, rows[0].end()) << name;
    return static_cast<size_t>(found - rows[0].begin());
  };
  for (size_t i = 0; i < report.candidates.size(); ++i) {
    const Candidate& c = report.candidates[i];
    const auto& row = rows[i + 1];
    ASSERT_EQ(row.size(), rows[0].size());
    EXPECT_EQ(row[column("rank")], std::to_string(i + 1));
    EXPECT_EQ(row[column("schedule")], c.schedule);
    EXPECT_EQ(std::stod(row[column("predicted")]), c.predicted);
    EXPECT_EQ(row[column("measured")].empty(), !c.measured);
    EXPECT_EQ(row[column("limit")], schedule::name(c.limit));
    EXPECT_EQ(std::stod(row[column("memory seconds")]), c.terms[0].seconds);
    EXPECT_EQ(std::stod(row[column("shared loads count")]), c.counts[2].count);
    EXPECT_EQ(row[column("elements")], std::to_string(c.elements));
    EXPECT_EQ(std::stod(row[column("words_loaded")]), c.words_loaded);
    EXPECT_EQ(row[column("spill_bytes")], c.spill_bytes ? std::to_string(*c.spill_bytes) : "");
  }
}

TEST(ReportCsvTest, QuotesSpecialCharacters) {
  Report report = jacobi_sample();
  report.candidates[0].reason = "memory, \"they say\",\nand cache";
  const auto rows = cells_of(csv_of(report));
  ASSERT_EQ(rows.size(), report.candidates.size() + 1);
  EXPECT_EQ(rows[1][9], report.candidates[0].reason);
}

}  // namespace
}  // namespace stencil::explore
