#include "tools/bench/table.h"

#include <gtest/gtest.h>

#include <sstream>

namespace stencil::bench {
namespace {

Json timed(const char* schedule, double gcells) {
  return Json{{"program", "heat"},   {"real", "float"},      {"fp", "strict"},
              {"kind", "time"},      {"schedule", schedule}, {"define", Json{{"N", 64}, {"M", 64}}},
              {"steps", 10},         {"check", "passed"},    {"gcells", gcells},
              {"copy_gcells", 50.0}, {"registers", 40}};
}

TEST(Table, ListsTheFastestFirstWithItsSpeedup) {
  Json file{{"device", "cuda"},
            {"machine", "Fake A"},
            {"results", Json::array({timed("direct elements=1x1", 25), timed("direct", 40),
                                     timed("overlapped T=1", 50), timed("overlapped T=4", 100)})}};
  file["results"][3]["spill_bytes"] = 8;  // as in files of earlier runs
  const auto text = table_of({file});
  ASSERT_TRUE(text.ok()) << text.failure().message;
  EXPECT_EQ(text.value(),
            R"(device cuda, machine Fake A
heat N=M=64 float strict
     steps  GCells/s  x copy  registers  local  shared  jit s  schedule
  *     10     100.0    2.00         40      8       -      -  overlapped T=4
        10      50.0    1.00         40      -       -      -  overlapped T=1
        10      40.0    0.80         40      -       -      -  direct
        10      25.0    0.50         40      -       -      -  direct elements=1x1

program                    best   T=1  best/T=1  naive  best/naive  x copy
heat N=M=64 float strict  100.0  50.0      2.00   25.0        4.00    2.00
4 passed, 0 failed, 0 refused, 0 left out
)");
}

// Long names, machines, schedules and messages.
TEST(Table, WrapsLongTexts) {
  std::string schedule =
      "streaming T=3 block=16x16x1 elements=4x2x1 chunk=auto prefetch=2 "
      "unroll=auto occupancy=auto loads=async form=gather interior=tested";
  Json slow = timed("direct", 20), refused = timed("streaming", 1), failed = slow;
  Json fast = timed(schedule.c_str(), 123456.7);
  std::string why;
  for (int i = 0; i < 30; ++i) why += "reason ";
  for (Json* record : {&slow, &refused, &failed, &fast}) {
    (*record)["program"] = "a_program_with_a_long_name";
    (*record)["define"] = Json{{"N", 16384}, {"M", 8192}, {"parameter", 0.125}};
  }
  refused.erase("gcells");
  refused["refused"] = why;
  failed["error"] = why;
  const Json results = Json::array({slow, refused, failed, fast});
  const auto text = table_of({Json{{"machine", why}, {"results", results}}});
  ASSERT_TRUE(text.ok());
  std::istringstream lines(text.value());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_NE(text.value().find("interior=tested"), std::string::npos) << text.value();
}

TEST(Table, ComparesWithTheScheduleMarkedNaive) {
  Json marked = timed("overlapped T=2", 80);
  marked["naive"] = true;
  const auto text =
      table_of({Json{{"results", Json::array({marked, timed("direct elements=1", 20)})}}});
  EXPECT_NE(text.value().find("80.0        1.00"), std::string::npos) << text.value();
}

TEST(Table, ListsFailedRunsWithTheirReason) {
  Json different = timed("direct", 900), refused = timed("streaming", 900),
       late = timed("overlapped", 900), failed = timed("overlapped T=9", 900);
  for (Json* ended : {&refused, &late, &failed}) ended->erase("gcells");
  different["check"] = "3 values differ";
  refused["refused"] = "L010 no\nmore";
  late["left_out"] = "the budget is used up";
  failed["error"] = "R044 lost\nmore";
  const auto text = table_of({Json::array({different, refused, late, failed})});
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(text.value(), R"(FAILED heat N=M=64 float strict 'direct': check: 3 values differ
refused heat N=M=64 float strict 'streaming': L010 no
left out heat N=M=64 float strict 'overlapped': the budget is used up
FAILED heat N=M=64 float strict 'overlapped T=9': R044 lost
0 passed, 2 failed, 1 refused, 1 left out
)");
}

TEST(Table, RefusesFilesWithoutResults) {
  for (const char* text : {"3", "{}", R"({"results": 3})", R"([3])"}) {
    const auto table = table_of({Json::parse(text)});
    ASSERT_FALSE(table.ok()) << text;
    EXPECT_EQ(table.failure().code, "U031");
  }
}

}  // namespace
}  // namespace stencil::bench
