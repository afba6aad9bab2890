// The order in which schedules are timed, with made-up times.
#include "runtime/tune/search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "compiler/schedule/family.h"
#include "tests/unit/load.h"

namespace stencil::tune {
namespace {

using schedule::Schedule;

class SearchTest : public testing::Test {
 protected:
  // The ratio of a candidate's measured to its predicted time; 0: refused.
  using Slowness = std::function<double(const Schedule&)>;

  std::string line(const Schedule& schedule) const { return schedule::print(schedule, 2); }
  void note(const Candidate& candidate, const Slowness& slowness) {
    Timed& timed = timings_.candidates.emplace_back();
    timed.line = line(candidate.schedule);
    timed.predicted = candidate.predicted;
    const double times = slowness(candidate.schedule);
    if (times == 0) timed.refused = "L015 made up";
    timed.seconds = times * candidate.predicted;
    timed.runs = times > 0 ? 3 : 0;
  }
  // The first candidates, and up to `more` others.
  std::vector<Schedule> search(const Slowness& slowness, int more) {
    Search search(scheduler_, space_);
    timings_ = {};
    std::vector<Schedule> out;
    for (const Candidate& candidate : search.first()) {
      note(candidate, slowness);
      out.push_back(candidate.schedule);
    }
    first_ = out.size();
    for (int i = 0; i < more; ++i) {
      const auto next = search.next(timings_);
      if (!next) break;
      note(*next, slowness);
      out.push_back(next->schedule);
    }
    return out;
  }

  const ir::Program program_ = test::load(R"(
grid G = [0..1023, 0..1023] steps 100;
field A : real on G;
stencil s : A[1..1022, 1..1022] = 0.25 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1]);
)");
  schedule::Scheduler scheduler_{program_};
  const schedule::Space space_ = schedule::explore(scheduler_, schedule::Effort::Whole);
  Timings timings_;
  size_t first_ = 0;
};

double as_predicted(const Schedule&) {
  return 1;
}

// For sixteen threads the model prefers one block per thread. Schedules with several blocks per
// thread are tried as well.
TEST(SearchOnCpu, StartsWithSeveralBlocksPerThread) {
  const ir::Program program = test::load(R"(
grid G = [0..1023, 0..1023] steps 100;
field A : real on G;
stencil s : A[1..1022, 1..1022] = 0.25 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1]);
)");
  schedule::Scheduler scheduler(program, schedule::this_cpu(16));
  const schedule::Space space = schedule::explore(scheduler, schedule::Effort::Quick);
  const auto waves = [&](const Schedule& schedule) {
    return schedule::predict(scheduler, schedule)->prediction.waves;
  };
  const std::vector<Candidate> first = Search(scheduler, space).first(3);
  ASSERT_EQ(first.size(), 3u);
  ASSERT_LT(waves(first[0].schedule), 2.5) << schedule::print(first[0].schedule, 2);
  EXPECT_TRUE(waves(first[1].schedule) >= 2.5 || waves(first[2].schedule) >= 2.5)
      << schedule::print(first[1].schedule, 2) << "\n"
      << schedule::print(first[2].schedule, 2);
}

TEST_F(SearchTest, StartsWithAutoAndTheBestOfEachFamilyAndTimeTile) {
  const std::vector<Schedule> all = search(as_predicted, 0);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(line(all[0]), line(scheduler_.choose().schedule));
  std::set<std::string> families, ranked;
  std::set<int> tiles;
  for (const Schedule& schedule : all) {
    families.insert(schedule.family);
    if (schedule.family == "streaming") tiles.insert(schedule.time_tile);
  }
  for (const schedule::Candidate& each : space_.ranked) ranked.insert(each.schedule.family);
  EXPECT_EQ(families, ranked);
  EXPECT_GE(tiles.size(), 3u);
}

TEST_F(SearchTest, NeverRepeatsASchedule) {
  std::set<std::string> lines;
  const std::vector<Schedule> all = search(as_predicted, 60);
  for (const Schedule& schedule : all) {
    EXPECT_TRUE(lines.insert(line(schedule)).second) << line(schedule);
  }
  EXPECT_EQ(all.size(), first_ + 60);
}

// If the model is right, its order is followed.
TEST_F(SearchTest, TheBestPredictedComeNext) {
  const std::vector<Schedule> all = search(as_predicted, 10);
  ASSERT_EQ(all.size(), first_ + 10);
  double last = 0;
  for (size_t i = first_; i < all.size(); ++i) {
    const double now = timings_.candidates[i].predicted;
    EXPECT_GE(now, 0.999 * last) << line(all[i]);
    last = now;
  }
}

// If the model is wrong about deep time tiles, measurements correct it.
TEST_F(SearchTest, MeasurementsCorrectTheModel) {
  const int deep = space_.ranked.front().schedule.time_tile;
  ASSERT_GE(deep, 4);
  const auto slow = [&](const Schedule& schedule) {
    return schedule.time_tile >= deep - 1 ? 4.0 : 1.0;
  };
  const std::vector<Schedule> all = search(slow, 12);
  ASSERT_EQ(all.size(), first_ + 12);
  int shallow = 0;
  for (size_t i = first_; i < all.size(); ++i) shallow += all[i].time_tile < deep - 1;
  EXPECT_GE(shallow, 9);
}

// Schedules one setting away from the fastest, which need not be in the explored space.
TEST_F(SearchTest, TriesNeighboursOfTheFastest) {
  std::set<std::string> ranked;
  for (const schedule::Candidate& each : space_.ranked) ranked.insert(line(each.schedule));
  const std::string fastest = line(space_.ranked.front().schedule);
  const std::vector<Schedule> all =
      search([&](const Schedule& schedule) { return line(schedule) == fastest ? 0.5 : 1.0; }, 3000);
  bool beyond = false;
  for (size_t i = first_; i < all.size(); ++i) {
    if (ranked.count(line(all[i])) > 0) continue;
    beyond = true;
    bool near = false;
    for (const Schedule& next : schedule::neighbours(space_.ranked.front().schedule, 2)) {
      near |= line(next) == line(all[i]);
    }
    EXPECT_TRUE(near) << line(all[i]);
  }
  EXPECT_TRUE(beyond);
}

// Candidates similar to those still being compiled are postponed,
// even if the model ranks them next.
TEST_F(SearchTest, PostponesSchedulesSimilarToPendingOnes) {
  constexpr size_t kNext = 4;
  const schedule::Candidate& front = space_.ranked.front();
  Search search(scheduler_, space_);
  ASSERT_TRUE(search.give(front.schedule));
  EXPECT_FALSE(search.give(front.schedule)) << "twice";
  timings_.candidates = {{.line = line(front.schedule)}};
  double nearest = 0, chosen = 0;
  for (size_t i = 1; i <= kNext; ++i) {
    const auto next = search.next(timings_);
    ASSERT_TRUE(next);
    timings_.candidates.push_back({.line = line(next->schedule)});
    chosen += distance(front.schedule, next->schedule);
    nearest += distance(front.schedule, space_.ranked[i].schedule);
  }
  EXPECT_GT(chosen, nearest);
}

TEST_F(SearchTest, EndsIfNothingCanBeFaster) {
  // One family is a hundred times as fast as predicted, and similar to no other.
  const std::vector<Schedule> all = search(
      [](const Schedule& schedule) { return schedule.family == "direct" ? 0.001 : 1.0; }, 10000);
  EXPECT_LT(all.size(), 2000u);
  for (size_t i = first_; i < all.size(); ++i) EXPECT_EQ(all[i].family, "direct");
}

TEST_F(SearchTest, ContinuesIfEverythingIsRefused) {
  const std::vector<Schedule> all = search([](const Schedule&) { return 0.0; }, 20);
  EXPECT_EQ(all.size(), first_ + 20);
}

TEST(SearchDistance, CountsOctavesAndWords) {
  Schedule a = schedule::find_family("streaming")->blank();
  a.time_tile = 4;
  a.block = {32, 2};
  EXPECT_EQ(distance(a, a), 0);
  Schedule b = a;
  b.time_tile = 8;
  EXPECT_DOUBLE_EQ(distance(a, b), 1);
  EXPECT_DOUBLE_EQ(distance(b, a), 1);
  b.block = {32, 8};
  EXPECT_DOUBLE_EQ(distance(a, b), 3);
  Schedule c = a;
  c.of<schedule::StreamingSettings>().loads = schedule::Loads::Bulk;
  EXPECT_GT(distance(a, c), 0);
  EXPECT_LT(distance(a, c), 1);
  c = a;
  c.of<schedule::StreamingSettings>().occupancy = 8;
  EXPECT_GT(distance(a, c), 0);
  EXPECT_LT(distance(a, c), 1);
}

}  // namespace
}  // namespace stencil::tune
