// Records of instruction counts, which need no device.
#include "tools/bench/counts.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::bench {
namespace {

constexpr const char* kLine = R"(
param N : integer = 10;
grid G = [0..N-1] steps 100;
field A : real on G;
stencil s : A[1..N-2] = 0.5 * (A[-1] + A[1]);
)";

class CountedJobs : public testing::Test {
 protected:
  CountedJobs() {
    std::ofstream(directory_.file("line.stn")) << kLine;
    settings_.root = directory_.file("");
  }
  std::vector<Record> count(const std::string& suite, const std::vector<Record>& earlier = {}) {
    auto jobs = read_suite(suite);
    EXPECT_TRUE(jobs.ok()) << jobs.failure().message;
    return count_jobs(
        jobs.value(), settings_,
        [&](const std::vector<Record>& records) { seen_ = records.size(); }, earlier);
  }

  runtime::TemporaryDirectory directory_;
  Settings settings_;
  size_t seen_ = 0;
};

TEST_F(CountedJobs, RecordsHaveCountersByName) {
  const auto records = count(
      R"([{"program": "line.stn", "steps": 4, "define": {"N": 1000}, "reals": ["float", "double"],
           "schedules": ["direct elements=1", "overlapped T={2,4}"]}])");
  ASSERT_EQ(records.size(), 6u);
  EXPECT_EQ(seen_, 6u);
  const Json& counts = records[0]["counts"];
  EXPECT_EQ(records[0]["kind"], "counts");
  EXPECT_EQ(counts["loads32"], 2 * 998);
  EXPECT_EQ(counts["global_loads"], 2 * 998);
  EXPECT_EQ(counts["stores32"], 998);
  EXPECT_EQ(counts["loads64"], 0);
  EXPECT_EQ(counts["points"], 1000);
  EXPECT_EQ(counts["steps"], 1);
  EXPECT_EQ(counts["data_dependent"], false);
  ASSERT_EQ(counts["kernels"].size(), 1u);
  EXPECT_EQ(counts["kernels"][0]["global_loads"], 2 * 998);
  EXPECT_TRUE(counts["kernels"][0].contains("kernel"));
  for (const char* key : {"global_stores",
                          "stores64",
                          "load_requests",
                          "store_requests",
                          "load_sectors",
                          "store_sectors",
                          "load_lines",
                          "shared_loads",
                          "shared_stores",
                          "shared_load_wavefronts",
                          "shared_store_wavefronts",
                          "divergent_branches",
                          "branches",
                          "barriers",
                          "shuffles",
                          "flops",
                          "operations",
                          "shared_bytes",
                          "threads",
                          "blocks",
                          "sampled"}) {
    EXPECT_TRUE(counts.contains(key)) << key;
    EXPECT_TRUE(counts["kernels"][0].contains(key)) << key;
  }
  EXPECT_EQ(records[2]["counts"]["steps"], 4);
  EXPECT_EQ(records[3]["counts"]["loads64"], 2 * 998);
}

TEST_F(CountedJobs, RefusalsAndErrorsAreRecorded) {
  const auto records = count(
      R"([{"program": "line.stn", "steps": 4, "schedules": ["planes T=2", "overlaped"]},
          {"program": "none.stn", "steps": 4, "schedules": ["direct"]}])");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_TRUE(records[0].contains("refused"));
  EXPECT_TRUE(records[1].contains("error"));
  EXPECT_TRUE(records[2].contains("error"));
  for (const Record& record : records) EXPECT_FALSE(record.contains("counts"));
}

TEST_F(CountedJobs, EarlierRecordsAreKept) {
  const char* suite =
      R"([{"program": "line.stn", "steps": 4, "schedules": ["direct", "overlapped T=2"]}])";
  auto records = count(suite);
  records[0]["counts"] = "as before";
  records.pop_back();
  const auto again = count(suite, records);
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[0]["counts"], "as before");
  EXPECT_EQ(again[1]["counts"]["steps"], 2);
  settings_.budget = 1e-9;
  EXPECT_TRUE(count(suite)[1].contains("left_out"));
}

}  // namespace
}  // namespace stencil::bench
