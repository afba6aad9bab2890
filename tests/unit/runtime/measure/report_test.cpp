#include "runtime/measure/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace stencil::measure {
namespace {

Report sample() {
  Report report;
  report.device = "cuda";
  report.description = "a GPU";
  report.machine = schedule::gpu();
  report.hertz = 2e9;
  report.figures = {
      {"memory_copy_bandwidth", "copy of memory", "B/s", 3.9e12, 4.2e12, "bytes_per_second"},
      {"barrier", "barrier of 256 threads", "s", 12e-9, {}, "", 24.0},
      {"double_cost", "float per double", "", 2}};
  report.curves = {
      {"barrier_by_warps", "A barrier, by warps", "warps", "cycles", {{1, 20}, {2, 22}}}};
  report.left_out = {{"shuffles", "there are none"}};
  return report;
}

TEST(MeasureReport, NumbersHavePrefixes) {
  EXPECT_EQ(readable(3.9e12, "B/s"), "3.9 TB/s");
  EXPECT_EQ(readable(12e-9, "s"), "12 ns");
  EXPECT_EQ(readable(0.5e-9, "s"), "0.5 ns");
  EXPECT_EQ(readable(48 << 20, "B"), "48 MiB");
  EXPECT_EQ(readable(0, "s"), "0 s");
  EXPECT_EQ(readable(2, ""), "2");
}

TEST(MeasureReport, PrintsFiguresBesideTheTable) {
  const std::string text = print(sample());
  EXPECT_NE(text.find("cuda: a GPU\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find("copy of memory          3.9 TB/s       -  4.2 TB/s   0.93  bytes_per_second\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("barrier of 256 threads     12 ns    24.0         -      -"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("A barrier, by warps\n  warps  cycles\n      1      20\n      2      22\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Left out\n  shuffles: there are none\n"), std::string::npos) << text;
}

TEST(MeasureReport, OmitsCyclesWithoutAClock) {
  Report report = sample();
  report.hertz = 0;
  report.curves = {};
  EXPECT_EQ(print(report).find("cycles"), std::string::npos) << print(report);
}

TEST(MeasureReport, JsonHasEverything) {
  const auto json = nlohmann::json::parse(to_json({sample(), sample()}));
  ASSERT_EQ(json.at("devices").size(), 2u);
  const auto& device = json.at("devices")[0];
  EXPECT_EQ(device.at("device"), "cuda");
  EXPECT_EQ(device.at("hertz"), 2e9);
  EXPECT_EQ(device.at("machine").at("bytes_per_second"), schedule::gpu().bytes_per_second);
  const auto& figures = device.at("figures");
  EXPECT_EQ(figures.size(), 3u);
  EXPECT_EQ(figures.at("memory_copy_bandwidth").at("value"), 3.9e12);
  EXPECT_EQ(figures.at("memory_copy_bandwidth").at("machine"), 4.2e12);
  EXPECT_EQ(figures.at("memory_copy_bandwidth").at("member"), "bytes_per_second");
  EXPECT_EQ(figures.at("barrier").at("cycles"), 24.0);
  EXPECT_FALSE(figures.at("barrier").contains("machine"));
  EXPECT_EQ(device.at("curves").at("barrier_by_warps").at("points")[1][1], 22.0);
  EXPECT_EQ(device.at("left_out").at("shuffles"), "there are none");
}

TEST(MeasureReport, JsonAcceptsNonFiniteAndNonUtf8Values) {
  Report report = sample();
  report.description = "\xff of a vendor";
  report.figures[0].value = std::numeric_limits<double>::infinity();
  report.figures[1].value = std::nan("");
  const auto json = nlohmann::json::parse(to_json({report}));
  EXPECT_TRUE(json["devices"][0]["figures"]["memory_copy_bandwidth"]["value"].is_null());
  EXPECT_TRUE(json["devices"][0]["figures"]["barrier"]["value"].is_null());
  EXPECT_EQ(nlohmann::json::parse(to_json({})).at("devices").size(), 0u);
}

}  // namespace
}  // namespace stencil::measure
