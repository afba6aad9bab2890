// Candidates timed on devices of this machine. Tests check the report, never the speed.
#include "runtime/tune/timing.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "compiler/schedule/schedule.h"
#include "runtime/tune/tuned.h"
#include "tests/unit/runtime/programs.h"
#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::tune {
namespace {

using runtime::ChosenDevice;
using runtime::kDecay;
using runtime::kWave;
using runtime::program_of;

class TimingOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto chosen = runtime::choose_device(GetParam());
    if (!chosen.ok()) GTEST_SKIP() << chosen.failure().message;
    device_ = std::move(chosen).value();
    options_.threads = 2;
    options_.budget = 20;
  }

  // Parses the lines into candidates.
  std::vector<Candidate> candidates(const ir::Program& program,
                                    const std::vector<std::string>& lines) const {
    std::vector<Candidate> out;
    for (const std::string& line : lines) {
      Diagnostics diagnostics;
      const auto schedule = schedule::parse(line, program, diagnostics, device_.device.machine);
      EXPECT_TRUE(schedule) << render(Source("line", line), diagnostics);
      if (schedule) out.push_back({*schedule, 1e-6});
    }
    return out;
  }
  // The candidate with a block that every machine refuses.
  Candidate refused(const ir::Program& program, Candidate candidate) const {
    candidate.schedule = candidates(program, {"overlapped T=1"})[0].schedule;
    candidate.schedule.block = {1 << 20};
    return candidate;
  }
  Timings time(const ir::Program& program, const std::vector<Candidate>& all) const {
    auto timings =
        time_candidates(program, runtime::bind_params(program).value(), device_, all, options_);
    EXPECT_TRUE(timings.ok()) << timings.failure().message;
    return timings.ok() ? timings.value() : Timings{};
  }

  ChosenDevice device_;
  TimingOptions options_;
};

TEST_P(TimingOn, EveryCandidateIsTimedOrGivesAReason) {
  const ir::Program program = program_of(kDecay);
  std::vector<Candidate> all = candidates(program, {"overlapped T=2", "direct", "overlapped T=3"});
  all[0].predicted = 2e-6;
  all.insert(all.begin() + 1, refused(program, all[0]));
  const Timings timings = time(program, all);
  ASSERT_EQ(timings.candidates.size(), 4u);
  EXPECT_EQ(timings.end, End::Settled);
  EXPECT_EQ(timings.points, 20 * 23);
  EXPECT_GT(timings.elapsed, 0);
  EXPECT_EQ(timings.left_out, "");
  for (size_t c = 0; c < all.size(); ++c) {
    const Timed& timed = timings.candidates[c];
    SCOPED_TRACE(timed.line);
    EXPECT_EQ(timed.predicted, all[c].predicted);
    EXPECT_EQ(timed.error, "");
    if (c == 1) {
      EXPECT_TRUE(timed.refused.starts_with("L0")) << timed.refused;
      EXPECT_EQ(timed.runs, 0);
      EXPECT_EQ(timed.seconds, 0);
      continue;
    }
    EXPECT_EQ(timed.line, schedule::print(all[c].schedule, 2));
    EXPECT_EQ(timed.refused, "");
    EXPECT_GE(timed.runs, 1);
    EXPECT_GT(timed.seconds, 0);
    EXPECT_GE(timed.spread, 0);
    EXPECT_GT(timed.compiling, 0);
  }
  ASSERT_TRUE(timings.best);
  const Timed& best = timings.candidates[*timings.best];
  EXPECT_FALSE(best.dropped);
  EXPECT_GE(best.runs, 3);
  for (const Timed& timed : timings.candidates) {
    EXPECT_TRUE(timed.runs == 0 || timed.dropped || best.seconds <= timed.seconds);
  }
}

TEST_P(TimingOn, TimesTheFirstEvenWithoutABudget) {
  options_.budget = 0;
  const ir::Program program = program_of(kWave);
  std::vector<Candidate> all = candidates(program, {"direct", "direct", "overlapped T=2"});
  all[0] = refused(program, all[0]);
  const Timings timings = time(program, all);
  ASSERT_EQ(timings.candidates.size(), 3u);
  EXPECT_EQ(timings.end, End::Budget);
  EXPECT_EQ(timings.best, 1u);
  EXPECT_EQ(timings.candidates[1].runs, 1);
  EXPECT_EQ(timings.candidates[2].runs, 0);
  EXPECT_EQ(timings.candidates[2].refused, "");
}

// Further candidates may depend on the measurements.
TEST_P(TimingOn, FurtherCandidatesMayBeAdded) {
  const ir::Program program = program_of(kDecay);
  const std::vector<Candidate> all =
      candidates(program, {"direct", "overlapped T=2", "overlapped T=3"});
  size_t asked = 0;
  options_.next = [&](const Timings& timings) -> std::optional<Candidate> {
    EXPECT_EQ(timings.candidates.size(), std::min<size_t>(1 + asked, all.size()));
    if (++asked >= all.size()) return std::nullopt;
    return all[asked];
  };
  const Timings timings = time(program, {all[0]});
  EXPECT_EQ(timings.end, End::Settled);
  EXPECT_EQ(asked, all.size()) << "returning nothing ends the timing";
  ASSERT_EQ(timings.candidates.size(), all.size());
  for (size_t c = 0; c < all.size(); ++c) {
    EXPECT_EQ(timings.candidates[c].line, schedule::print(all[c].schedule, 2));
    EXPECT_GT(timings.candidates[c].seconds, 0);
  }
  EXPECT_TRUE(timings.best);
}

TEST_P(TimingOn, HasNoBestIfNothingRuns) {
  const ir::Program program = program_of(kWave);
  EXPECT_FALSE(time(program, {}).best);
  std::vector<Candidate> all = candidates(program, {"direct"});
  all[0] = refused(program, all[0]);
  const Timings timings = time(program, all);
  EXPECT_FALSE(timings.best);
  EXPECT_EQ(timings.end, End::Settled);
  EXPECT_NE(timings.candidates[0].refused, "");
}

// The stop condition holds after the first step. If it ended the timed run, the run would take no
// time. Four million points take measurable time on every device.
TEST_P(TimingOn, IgnoresTheStopCondition) {
  const ir::Program program = program_of(R"(
grid G = [0..1999, 0..1999] steps 1000;
field A : real on G;
stencil s : A on G = 0.5 * A[0,0];
reduce largest = max(A[0,0]) on [0..9, 0..9];
stop when largest < 100;
)");
  const Timings timings = time(program, candidates(program, {"direct"}));
  EXPECT_EQ(timings.left_out, "the stop condition");
  ASSERT_EQ(timings.best, 0u);
  EXPECT_GE(timings.candidates[0].runs, 3);
  EXPECT_GT(timings.candidates[0].seconds, 4e-6);
}

TEST_P(TimingOn, EndsOnRequest) {
  const ir::Program program = program_of(kWave);
  size_t calls = 0;
  options_.progress = [&](const TimingProgress& progress) {
    EXPECT_EQ(progress.of, 2u);
    EXPECT_EQ(progress.best != nullptr, progress.timed > 0);
    ++calls;
    return progress.timed == 0;
  };
  const Timings timings = time(program, candidates(program, {"direct", "overlapped T=2"}));
  EXPECT_GE(calls, 2u);
  EXPECT_EQ(timings.end, End::Interrupted);
  EXPECT_EQ(timings.candidates[0].runs + timings.candidates[1].runs, 1);
  EXPECT_TRUE(timings.best) << "finished timings count";
  options_.progress = [](const TimingProgress&) { return false; };
  EXPECT_FALSE(time(program, candidates(program, {"direct"})).best);
}

TEST_P(TimingOn, SizesComeFromTheParams) {
  ProgramOptions open;
  open.open = {"N"};
  const ir::Program program = program_of(kDecay, open);
  const auto all = candidates(program, {"direct"});
  const auto params = runtime::bind_params(program, {{"N", "33"}});
  ASSERT_TRUE(params.ok());
  const auto timings = time_candidates(program, params.value(), device_, all, options_);
  ASSERT_TRUE(timings.ok()) << timings.failure().message;
  EXPECT_EQ(timings.value().points, 33 * 36);
  const auto failing = runtime::bind_params(program, {{"N", "-5"}});
  const auto none = time_candidates(program, failing.value(), device_, all, options_);
  EXPECT_FALSE(none.ok());
}

// --- Stored measurements
// ----------------------------------------------------------------------

class KeptTimings : public TimingOn {
 protected:
  KeptTimings() { ::setenv("STENCIL_TUNED", file_.c_str(), 1); }
  ~KeptTimings() override { ::setenv("STENCIL_TUNED", "off", 1); }
  void SetUp() override {
    if (!has_database()) GTEST_SKIP() << database_settings().note;
    TimingOn::SetUp();
  }
  static Timings made_up(const std::string& line) {
    Timings timings;
    timings.candidates = {{.line = line, .seconds = 1e-6, .runs = 5},
                          {.line = "direct", .seconds = 2e-6, .runs = 5},
                          {.line = "direct block=1", .refused = "L015 it is"}};
    timings.best = 0;
    return timings;
  }

  runtime::TemporaryDirectory directory_;
  std::string file_ = directory_.file("tuned.db");
};

TEST_P(KeptTimings, AreUsedByAuto) {
  const ir::Program program = program_of(kDecay);
  const auto params = runtime::bind_params(program).value();
  EXPECT_FALSE(tuned_line(program, device_));
  ASSERT_TRUE(remember(program, params, device_, made_up("overlapped T=3")).value());
  EXPECT_EQ(Database(file_).all().value().size(), 2u) << "refused candidates are not stored";
  const auto found = tuned_line(program, device_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, "overlapped T=3");
  EXPECT_TRUE(found->origin.starts_with("tuned: measured at 20x23 on 2")) << found->origin;

  const auto prepared = [&](const std::string& line) {
    Diagnostics diagnostics;
    auto made =
        runtime::prepare(program, GetParam(), line, diagnostics, false, {},
                         [&](const ChosenDevice& device) { return tuned_line(program, device); });
    EXPECT_TRUE(made.ok());
    EXPECT_FALSE(diagnostics.has_errors());
    return std::move(made).value();
  };
  const auto automatic = prepared("auto");
  EXPECT_EQ(automatic.schedule->family, "overlapped");
  EXPECT_EQ(automatic.schedule->time_tile, 3);
  EXPECT_EQ(automatic.origin, found->origin);
  const auto given = prepared("direct");
  EXPECT_EQ(given.schedule->family, "direct");
  EXPECT_EQ(given.origin, "");
  // The measurement is used neither for another program nor for the same one in double precision.
  EXPECT_FALSE(tuned_line(program_of(kWave), device_));
  ProgramOptions twice;
  twice.real = Scalar::F64;
  EXPECT_FALSE(tuned_line(program_of(kDecay, twice), device_));
  // Without the database.
  ::setenv("STENCIL_TUNED", "off", 1);
  EXPECT_FALSE(tuned_line(program, device_));
  EXPECT_FALSE(remember(program, params, device_, made_up("direct")).value());
}

// A line from an older version or a foreign file that this version refuses.
TEST_P(KeptTimings, RefusedLinesAreIgnored) {
  const ir::Program program = program_of(kDecay);
  const auto params = runtime::bind_params(program).value();
  const std::pair<const char*, bool> lines[] = {{"overlapped T=3 block=70000", true},
                                                {"direct direct", true},
                                                {"no family", false},
                                                {"auto", false},
                                                {"\n", false}};
  for (const auto& [line, known] : lines) {
    SCOPED_TRACE(line);
    Timings alone = made_up(line);
    alone.candidates.resize(1);
    ASSERT_TRUE(remember(program, params, device_, alone).value());
    EXPECT_EQ(tuned_line(program, device_).has_value(), known);
    Diagnostics diagnostics;
    const auto made =
        runtime::prepare(program, GetParam(), "auto", diagnostics, false, {},
                         [&](const ChosenDevice& device) { return tuned_line(program, device); });
    ASSERT_TRUE(made.ok());
    EXPECT_EQ(made.value().origin, "");
    EXPECT_FALSE(diagnostics.has_errors());
    EXPECT_TRUE(Database(file_).clear().ok());
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, TimingOn, testing::Values("host", "opencl"));
INSTANTIATE_TEST_SUITE_P(Devices, KeptTimings, testing::Values("host", "opencl"));

TEST(Timing, TheReferenceDeviceCannotBeTimed) {
  const ir::Program program = program_of(kWave);
  const auto timings =
      time_candidates(program, runtime::bind_params(program).value(),
                      runtime::choose_device("reference").value(), {{schedule::Schedule{}, 0}});
  ASSERT_FALSE(timings.ok());
  EXPECT_EQ(timings.failure().code, "R045");
}

}  // namespace
}  // namespace stencil::tune
