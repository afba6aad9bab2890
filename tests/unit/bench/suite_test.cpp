#include "tools/bench/suite.h"

#include <gtest/gtest.h>

namespace stencil::bench {
namespace {

using Lines = std::vector<std::string>;

TEST(Expand, ListsAlternativesInShellOrder) {
  EXPECT_EQ(expand("direct").value(), (Lines{"direct"}));
  EXPECT_EQ(expand("T={2,4} b={1,2}").value(), (Lines{"T=2 b=1", "T=2 b=2", "T=4 b=1", "T=4 b=2"}));
  EXPECT_EQ(
      expand("{direct,{streaming,overlapped} T={1,2}}").value(),
      (Lines{"direct", "streaming T=1", "streaming T=2", "overlapped T=1", "overlapped T=2"}));
  EXPECT_EQ(expand("a{,b}").value(), (Lines{"a", "ab"}));
}

TEST(Expand, RequiresMatchingBraces) {
  for (const char* text : {"T={2,4", "T=2}", "{a,{b}", "{a} }"}) {
    const auto lines = expand(text);
    ASSERT_FALSE(lines.ok()) << text;
    EXPECT_EQ(lines.failure().code, "U030");
  }
}

TEST(Expand, RefusesTooDeepOrTooManyAlternatives) {
  const std::string deep = std::string(30000, '{') + "a" + std::string(30000, '}');
  ASSERT_FALSE(expand(deep).ok());
  EXPECT_EQ(expand(deep).failure().code, "U030");
  std::string many;
  for (int i = 0; i < 40; ++i) many += "{a,b}";
  ASSERT_FALSE(expand(many).ok());
  EXPECT_EQ(expand(many).failure().code, "U030");
}

TEST(ReadSuite, TakesTheProductOfAllLists) {
  const auto jobs = read_suite(R"([{"programs": ["x/a.stn", "b.stn"], "reals": ["float", "double"],
    "fps": ["strict", "fast"], "sizes": [{"N": 8}, {"N": 9}], "steps": 5,
    "schedules": ["direct", "overlapped T={1,2}"]}])");
  ASSERT_TRUE(jobs.ok()) << jobs.failure().message;
  ASSERT_EQ(jobs.value().size(), 2u * 2 * 2 * 2 * 3);
  const BenchJob& first = jobs.value()[0];
  const BenchJob& last = jobs.value().back();
  EXPECT_EQ(first.name, "a_0000");
  EXPECT_EQ(first.source, "x/a.stn");
  EXPECT_EQ(first.real, Scalar::F32);
  EXPECT_EQ(first.fp, FpMode::Strict);
  EXPECT_EQ(first.define.dump(), R"({"N":8})");
  EXPECT_EQ(jobs.value()[1].schedule, "overlapped T=1") << "schedules vary fastest";
  EXPECT_EQ(last.program, "b");
  EXPECT_EQ(last.real, Scalar::F64);
  EXPECT_EQ(last.fp, FpMode::Fast);
  EXPECT_EQ(last.define.dump(), R"({"N":9})");
  EXPECT_EQ(last.schedule, "overlapped T=2");
}

TEST(ReadSuite, EntriesBeatDefaultsInEitherForm) {
  const auto jobs =
      read_suite(R"({"defaults": {"steps": 7, "reals": ["float", "double"], "repeat": 2},
    "entries": [{"program": "a.stn", "schedules": ["direct"]},
                {"program": "a.stn", "schedules": ["direct"], "real": "double", "repeat": 9,
                 "verify_steps": 0, "check": {"N": 3}, "check_steps": 4, "run_steps": 50}]})");
  ASSERT_TRUE(jobs.ok()) << jobs.failure().message;
  ASSERT_EQ(jobs.value().size(), 3u);
  EXPECT_EQ(jobs.value()[1].repeat, 2);
  EXPECT_EQ(jobs.value()[1].steps, 7);
  EXPECT_EQ(jobs.value()[1].check_steps, 7);
  EXPECT_FALSE(jobs.value()[1].verify_steps);
  EXPECT_FALSE(jobs.value()[1].check);
  const BenchJob& own = jobs.value()[2];
  EXPECT_EQ(own.real, Scalar::F64);
  EXPECT_EQ(own.repeat, 9);
  EXPECT_EQ(own.run_steps, 50);
  EXPECT_EQ(jobs.value()[1].run_steps, INT64_MAX);
  EXPECT_EQ(own.verify_steps, 0);
  EXPECT_EQ(own.check_steps, 4);
  EXPECT_EQ(own.check->dump(), R"({"N":3})");
}

TEST(ReadSuite, MarksNaiveSchedulesAndDropsDuplicateLines) {
  const auto jobs = read_suite(R"([{"program": "a.stn", "steps": 1, "schedules": ["direct"],
    "streaming": ["streaming", {"schedule": "direct", "naive": true}]}])");
  ASSERT_TRUE(jobs.ok()) << jobs.failure().message;
  ASSERT_EQ(jobs.value().size(), 2u);
  EXPECT_TRUE(jobs.value()[0].naive);
  EXPECT_FALSE(jobs.value()[1].naive);
}

TEST(ReadSuite, LocatesErrors) {
  const std::pair<const char*, const char*> cases[] = {
      {"{", "the suite is not JSON"},
      {"3", "the suite has no list of entries"},
      {"[3]", "entry 1: not an object"},
      {R"([{"program": "a", "steps": 1, "schedules": ["direct"]}, {"steps": 1, "schedules": ["d"]}])",
       "entry 2: there is no \"program\""},
      {R"([{"program": 3, "steps": 1, "schedules": ["direct"]}])", "\"program\" is not a string"},
      {R"([{"program": "a", "schedules": ["direct"]}])", "there is no \"steps\""},
      {R"([{"program": "a", "steps": -1, "schedules": ["direct"]}])",
       "\"steps\" is not a whole number from 0"},
      {R"([{"program": "a", "steps": 1, "repeat": 0, "schedules": ["direct"]}])",
       "\"repeat\" is not a whole number from 1"},
      {R"([{"program": "a", "steps": 1}])", "there are no \"schedules\""},
      {R"([{"program": "a", "steps": 1, "schedules": "direct"}])", "\"schedules\" is not a list"},
      {R"([{"program": "a", "steps": 1, "schedules": [{"naive": true}]}])",
       "\"schedules\" is not a list of lines"},
      {R"([{"program": "a", "steps": 1, "schedules": ["T={1"]}])", "'{' without '}'"},
      {R"([{"program": "a", "steps": 1, "real": "half", "schedules": ["direct"]}])",
       "\"real\" is not float or double"},
      {R"([{"program": "a", "steps": 1, "fp": "exact", "schedules": ["direct"]}])",
       "\"fp\" is not strict, contract or fast"},
      {R"([{"program": "a", "steps": 1, "define": 3, "schedules": ["direct"]}])",
       "\"define\" is not an object"},
      {R"([{"program": "a", "steps": 1, "verify_step": 3, "schedules": ["direct"]}])",
       "unknown key \"verify_step\""},
      {R"([{"program": "a", "steps": 1, "schedules": [{"schedule": "direct", "naiv": true}]}])",
       "unknown key \"naiv\""},
      {R"({"default": {}, "entries": []})", "unknown key \"default\""},
      {R"([{"program": "a", "steps": 18446744073709551615, "schedules": ["direct"]}])",
       "\"steps\" is not a whole number from 0"},
      {R"([{"program": "a", "steps": 1, "repeat": 1001, "schedules": ["direct"]}])",
       "\"repeat\" is not a whole number from 1 to 1000"}};
  for (const auto& [text, expected] : cases) {
    const auto jobs = read_suite(text);
    ASSERT_FALSE(jobs.ok()) << text;
    EXPECT_EQ(jobs.failure().code, "U030");
    EXPECT_NE(jobs.failure().message.find(expected), std::string::npos) << jobs.failure().message;
  }
}

}  // namespace
}  // namespace stencil::bench
