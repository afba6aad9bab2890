// The exploration: its ranking, its omissions, and the choice that `auto` makes from it.
#include "compiler/schedule/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "compiler/kernel/passes.h"
#include "compiler/schedule/settings.h"
#include "compiler/support/work.h"
#include "tests/unit/load.h"

namespace stencil::schedule {
namespace {

using test::load;

struct Sample {
  const char* name;
  const char* text;
  ProgramOptions options;
};

ProgramOptions doubles() {
  ProgramOptions options;
  options.real = Scalar::F64;
  return options;
}

ProgramOptions fast() {
  ProgramOptions options;
  options.fp = FpMode::Fast;
  return options;
}

const char* const kExploredFlat = R"(
grid G = [0..255, 0..255] steps 12;
field A : real on G;
stencil s : A[1..254, 1..254] = 0.25 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1]);
)";
const char* const kExploredDeep = R"(
grid G = [0..63, 0..63, 0..63] steps 12;
field A : real on G;
stencil s : A[1..62, 1..62, 1..62] = A[0,0,0] + A[-1,0,0] + A[1,0,0] + A[0,-1,0] + A[0,1,0]
                                   + A[0,0,-1] + A[0,0,1];
)";

// One program for every case that families treat specially.
std::vector<Sample> samples() {
  return {
      {"line",
       "grid G = [0..99999] steps 12; field A : real on G;"
       "stencil s : A[1..99998] = A[-1] + A[1] - A[0];",
       {}},
      {"flat", kExploredFlat, {}},
      {"doubles", kExploredFlat, doubles()},
      {"fast", kExploredFlat, fast()},
      {"pieces",
       "grid G = [0..199, 0..299] steps 9; field A : real on G;"
       "stencil s : A { [1..198, 1..298] = 0.5 * (A[-1,0] + A[0,1]);"
       "  [0..0, 0..299] = A[1,0]; [199..199, 0..299] = 2; }",
       {}},
      {"deep", kExploredDeep, {}},
      {"deep and fast", kExploredDeep, fast()},
      {"four",
       "grid G = [0..19, 0..19, 0..19, 0..31] steps 5; field A : real on G boundary clamp;"
       "stencil s : A on G = A[-1,0,0,0] + A[0,1,0,0] + A[0,0,-1,0] + A[0,0,0,1];",
       {}},
      {"far",
       "grid G = [0..299, 0..299] steps 5; field A : real on G boundary periodic;"
       "stencil s : A on G = A[-7,0] + A[0,40] + A[3,-2];",
       {}},
      {"several",
       "grid G = [0..255, 0..255] steps 8; field A, B : real on G; field c : real on G constant;"
       "stencil f : A[1..254, 1..254] = B[-1,0] + c[0,0] * B[0,1];"
       "stencil g : B[1..254, 1..254] = A[1,0] - A[0,-1] / 3;",
       {}},
      {"levels",
       "grid G = [0..255, 0..255] steps 8; field U : real on G history 2;"
       "stencil f : U[1..254, 1..254] = U[1,0] + U[0,-1] - U@-1[0,0];",
       {}},
      {"integers",
       "grid G = [0..127, 0..127] steps 8; field L : integer on G boundary periodic;"
       "stencil f : L on G = select(L[0,1] + L[1,0] > 3, 1, L[0,0]);",
       {}},
  };
}

int64_t pruned(const Space& space) {
  int64_t count = 0;
  for (const Pruned& each : space.pruned) count += each.count;
  return count;
}

bool faster(const Candidate& a, const Candidate& b) {
  if (a.prediction.spills != b.prediction.spills) return b.prediction.spills;
  return a.prediction.seconds < b.prediction.seconds;
}

// Invariants of every explored space.
void check(Scheduler& scheduler, const Space& space) {
  const int rank = scheduler.program().grid().rank();
  EXPECT_FALSE(space.ranked.empty());
  EXPECT_TRUE(std::is_sorted(space.ranked.begin(), space.ranked.end(), faster));
  EXPECT_EQ(pruned(space) + static_cast<int64_t>(space.ranked.size()), space.looked_at);
  EXPECT_TRUE(std::is_sorted(space.pruned.begin(), space.pruned.end(),
                             [](const auto& a, const auto& b) { return a.count > b.count; }));
  std::set<std::string> lines, reasons;
  for (const Candidate& each : space.ranked) {
    const std::string line = print(each.schedule, rank);
    EXPECT_TRUE(lines.insert(line).second) << line << " is ranked twice";
    EXPECT_GT(each.prediction.seconds, 0) << line;
    EXPECT_LT(each.prediction.seconds, 1e6) << line;
    EXPECT_GE(each.prediction.blocks_per_multiprocessor, 1) << line;
    EXPECT_GT(each.prediction.waves, 0) << line;
    for (const double term : each.prediction.alone) EXPECT_GE(term, 0) << line;
    const auto again = predict(scheduler, each.schedule);
    ASSERT_TRUE(again) << line;
    EXPECT_EQ(again->prediction.seconds, each.prediction.seconds) << line;
  }
  for (const Pruned& each : space.pruned) {
    EXPECT_TRUE(reasons.insert(each.reason).second) << each.reason;
    EXPECT_GT(each.count, 0);
    EXPECT_FALSE(each.reason.empty());
    Diagnostics none;
    EXPECT_TRUE(scheduler.parse(each.example, none)) << each.example;
  }
}

// Checks that `how_many` schedules, from the best to the last, lower to valid kernels.
void check_kernels(Scheduler& scheduler, const Space& space, size_t how_many) {
  const size_t stride = std::max<size_t>(space.ranked.size() / how_many, 1);
  for (size_t i = 0; i < space.ranked.size(); i += stride) {
    const Schedule& schedule = space.ranked[i].schedule;
    SCOPED_TRACE(print(schedule, scheduler.program().grid().rank()));
    Diagnostics diagnostics;
    const auto module = scheduler.lower(schedule, diagnostics, Advice::None);
    ASSERT_TRUE(module) << render(Source("", ""), diagnostics);
    EXPECT_EQ(kernel::verify(*module), std::vector<std::string>{});
  }
}

TEST(Explore, QuickSpacesAreSoundAndAutoTakesTheBest) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    const ir::Program program = load(sample.text, sample.options);
    Scheduler scheduler(program);
    const Space space = explore(scheduler, Effort::Quick);
    check(scheduler, space);
    check_kernels(scheduler, space, 40);
    std::set<std::string> families;
    for (const Candidate& each : space.ranked) families.insert(each.schedule.family);
    EXPECT_TRUE(families.count("direct"));
    EXPECT_TRUE(families.count("overlapped") || sample.name == std::string("far"));
    // `auto` takes the best of the ranked schedules.
    EXPECT_EQ(choose(program), space.ranked.front().schedule);
    EXPECT_FALSE(space.ranked.front().prediction.spills);
    EXPECT_EQ(scheduler.choose().schedule, space.ranked.front().schedule);
    EXPECT_NE(scheduler.choose().why.find(fmt::format("of {} schedules", space.looked_at)),
              std::string::npos);
  }
}

// A timed search includes three rows per thread, and short chunks if one wave does not fill the
// machine.
TEST(Explore, TimedSearchesMoreThanQuick) {
  const auto is_taken = [](const Space& space, const auto& holds) {
    return std::any_of(space.ranked.begin(), space.ranked.end(),
                       [&](const Candidate& each) { return holds(each.schedule); });
  };
  const auto three_rows = [](const Schedule& s) { return s.elements[1] == 3; };
  const auto three_columns = [](const Schedule& s) { return s.elements[0] == 3; };
  for (const char* text : {kExploredFlat, kExploredDeep}) {
    const ir::Program program = load(text);
    Scheduler scheduler(program);
    const Space quick = explore(scheduler, Effort::Quick),
                timed = explore(scheduler, Effort::Timed);
    check(scheduler, timed);
    EXPECT_GT(timed.looked_at, quick.looked_at);
    EXPECT_LE(timed.ranked.front().prediction.seconds, quick.ranked.front().prediction.seconds);
    EXPECT_FALSE(is_taken(quick, three_rows));
    EXPECT_TRUE(is_taken(timed, three_rows));
    EXPECT_FALSE(is_taken(timed, three_columns));
    const auto short_chunks = [&](const Space& space) {
      return std::count_if(space.ranked.begin(), space.ranked.end(), [](const Candidate& each) {
        return each.schedule.chunk > 0 && each.schedule.chunk <= 32;
      });
    };
    EXPECT_GT(short_chunks(timed), 2 * short_chunks(quick));
  }
}

// A CPU core's caches hold many steps of a line.
TEST(Explore, TimeTilesOfACpuAreDeep) {
  const ir::Program program = load(R"(
grid G = [0..3999999] steps 1000;
field A : real on G;
stencil s : A[1..3999998] = 0.3 * (A[-1] + A[0] + A[1]);
)");
  EXPECT_GT(choose(program, nullptr, cpu()).time_tile, 16);
}

TEST(Explore, WholeIsNeverSlowerThanQuick) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    const ir::Program program = load(sample.text, sample.options);
    Scheduler scheduler(program);
    const Space quick = explore(scheduler, Effort::Quick),
                whole = explore(scheduler, Effort::Whole);
    check(scheduler, whole);
    check_kernels(scheduler, whole, 30);
    EXPECT_GT(whole.looked_at, quick.looked_at);
    EXPECT_LE(whole.ranked.front().prediction.seconds, quick.ranked.front().prediction.seconds);
  }
}

TEST(Explore, IsRepeatable) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    const ir::Program program = load(sample.text, sample.options), again = program;
    Scheduler first(program), second(again);
    const Space a = explore(first, Effort::Quick), b = explore(second, Effort::Quick);
    ASSERT_EQ(a.ranked.size(), b.ranked.size());
    for (size_t i = 0; i < a.ranked.size(); ++i) {
      EXPECT_EQ(a.ranked[i].schedule, b.ranked[i].schedule) << i;
    }
    EXPECT_EQ(a.looked_at, b.looked_at);
    // Earlier queries of the scheduler do not change the result.
    const Space c = explore(first, Effort::Quick);
    EXPECT_EQ(c.ranked.front().schedule, a.ranked.front().schedule);
    EXPECT_EQ(c.looked_at, a.looked_at);
  }
}

TEST(Explore, ServesEveryMachine) {
  for (const char* text : {kExploredFlat, kExploredDeep}) {
    const ir::Program program = load(text);
    for (const Machine& machine : machine_table()) {
      SCOPED_TRACE(machine.name);
      Scheduler scheduler(program, machine);
      const Space space = explore(scheduler, Effort::Quick);
      check(scheduler, space);
      check_kernels(scheduler, space, 10);
      for (const Candidate& each : space.ranked) {
        EXPECT_TRUE(takes_block(machine, each.schedule.block)) << print(each.schedule);
      }
      // On a CPU, `auto` takes the proposal of a family.
      if (machine.threads_are_loops) continue;
      EXPECT_EQ(scheduler.choose().schedule, space.ranked.front().schedule);
    }
  }
}

// The rings of two steps are too large for any block, so only T=1 remains. Threads of the CPU still
// share the planes of one step.
TEST(Explore, PlanesOfOneStepAreSharedOnACpu) {
  const ir::Program program = load(R"(
grid G = [0..519, 0..519, 0..519] steps 30;
field U : real on G history 2;
stencil s : U[4..515, 4..515, 4..515] = U[0,0,0] - U@-1[0,0,0]
    + sum(q in 1..4 : U[-q,0,0] + U[q,0,0] + U[0,-q,0] + U[0,q,0] + U[0,0,-q] + U[0,0,q]);
)");
  Scheduler scheduler(program, this_cpu(16));
  EXPECT_EQ(scheduler.choose().schedule.family, "planes");
}

TEST(Explore, ServesOpenSizes) {
  for (const char* text : {
           "param N : integer; grid G = [0..N-1, 0..N-1] steps 9; field A : real on G;"
           "stencil s : A[1..N-2, 1..N-2] = A[-1,0] + A[0,1];",
           "param N : integer; param M : integer; grid G = [0..N-1, 0..N+M, 0..63] steps 9;"
           "field A : real on G boundary mirror; stencil s : A on G = A[-1,0,0] + A[0,1,-1];",
       }) {
    const ir::Program program = load(text);
    Scheduler scheduler(program);
    const Space space = explore(scheduler, Effort::Quick);
    check(scheduler, space);
    check_kernels(scheduler, space, 40);
    EXPECT_EQ(choose(program), space.ranked.front().schedule);
  }
}

TEST(Explore, ServesTinyGrids) {
  for (const char* text : {
           "grid G = [0..0] steps 3; field A : real on G boundary clamp;"
           "stencil s : A on G = A[-1] + A[1];",
           "grid G = [0..1] steps 3; field A : real on G boundary periodic;"
           "stencil s : A on G = A[-1] + A[1];",
           "grid G = [0..0, 0..0] steps 3; field A : real on G boundary mirror;"
           "stencil s : A on G = A[-1,0] + A[0,1];",
           "grid G = [0..1, 0..1] steps 3; field A : real on G boundary clamp;"
           "stencil s : A on G = A[-1,0] + A[0,1];",
           "grid G = [0..0, 0..1, 0..0] steps 3; field A : real on G boundary clamp;"
           "stencil s : A on G = A[-1,0,0] + A[0,0,1];",
           "grid G = [0..4095, 0..0] steps 3; field A : real on G boundary clamp;"
           "stencil s : A on G = A[-1,0] + A[1,0];",
           "grid G = [0..0, 0..0, 0..0, 0..0] steps 3; field A : real on G boundary clamp;"
           "stencil s : A on G = A[-1,0,0,0] + A[0,0,1,0];",
       }) {
    SCOPED_TRACE(text);
    const ir::Program program = load(text);
    for (const Machine& machine : {gpu(), cpu()}) {
      Scheduler scheduler(program, machine);
      for (const Effort effort : {Effort::Quick, Effort::Whole}) {
        const Space space = explore(scheduler, effort);
        check(scheduler, space);
        check_kernels(scheduler, space, 5);
      }
    }
  }
}

// Kernels of papers are never chosen, even where the model expects them to be faster.
TEST(Explore, OnlyTheWholeSpaceOfGpusHasFamiliesOnRequest) {
  const ir::Program program = load(
      "grid G = [0..199, 0..199, 0..199, 0..199] steps 9; field A : real on G boundary periodic;"
      "stencil s : A on G = A[-1,0,0,0] + A[1,0,0,0] + A[0,-1,0,0] + A[0,0,1,0] + A[0,0,0,1];");
  for (const Machine& machine : {gpu(), cpu()}) {
    Scheduler scheduler(program, machine);
    const auto has_sweeps = [&](Effort effort) {
      const Space space = explore(scheduler, effort);
      return std::any_of(space.ranked.begin(), space.ranked.end(), [](const Candidate& each) {
        return find_family(each.schedule.family)->on_request;
      });
    };
    EXPECT_FALSE(has_sweeps(Effort::Quick));
    EXPECT_FALSE(has_sweeps(Effort::Timed));
    EXPECT_EQ(has_sweeps(Effort::Whole), !machine.threads_are_loops);
    EXPECT_FALSE(find_family(scheduler.choose().schedule.family)->on_request);
  }
}

// A function that reads distant values of another function from the same step cannot be tiled.
TEST(Explore, DistantReadsLeaveOnlySweeps) {
  const ir::Program program = load(
      "grid G = [0..4095, 0..4095] steps 9; field A, B : real on G boundary periodic;"
      "stencil f : A on G = B[0,2000] + B[-2000,0];"
      "stencil g : B on G = A[2000,0] + A[0,-2000];");
  Scheduler scheduler(program);
  for (const Effort effort : {Effort::Quick, Effort::Whole}) {
    const Space space = explore(scheduler, effort);
    check(scheduler, space);
    for (const Candidate& each : space.ranked) {
      const std::string& family = each.schedule.family;
      EXPECT_TRUE(family == "direct" || (family == "sweeps" && effort == Effort::Whole)) << family;
    }
  }
  Diagnostics passed_over;
  EXPECT_EQ(scheduler.choose(&passed_over).schedule.family, "direct");
  std::string reasons;
  for (const Diagnostic& reason : passed_over.items()) reasons += reason.message + "\n";
  for (const char* family : {"streaming", "overlapped"}) {
    EXPECT_NE(reasons.find(family), std::string::npos) << reasons;
  }
}

// The reason against each other family is given once, however often choose() is called.
TEST(Explore, ChooseGivesTheReasonAgainstOtherFamilies) {
  const ir::Program program = load(kExploredFlat);
  Scheduler scheduler(program);
  Diagnostics first, second;
  const std::string family = scheduler.choose(&first).schedule.family;
  scheduler.choose(&second);
  EXPECT_EQ(render(Source("", ""), first), render(Source("", ""), second));
  const Space space = explore(scheduler, Effort::Quick);
  for (const Family& other : family_table()) {
    const auto notes = std::count_if(
        first.items().begin(), first.items().end(), [&](const Diagnostic& diagnostic) {
          return diagnostic.message.starts_with(other.name + " not chosen: ");
        });
    EXPECT_EQ(notes, other.name == family || other.on_request ? 0 : 1) << other.name;
  }
}

TEST(Explore, NeighboursAreSymmetric) {
  const ir::Program program = load(kExploredDeep);
  Scheduler scheduler(program);
  for (const Family& family : family_table()) {
    const Schedule schedule = scheduler.proposal(family).schedule;
    const std::vector<Schedule> all = neighbours(schedule, 3);
    std::set<std::string> lines;
    for (const Schedule& each : all) {
      EXPECT_NE(each, schedule);
      EXPECT_EQ(each.family, schedule.family);
      EXPECT_TRUE(lines.insert(print(each)).second) << print(each);
    }
    size_t count = 0;
    for (const Setting& setting : family.settings) {
      for (const Choice& choice : choices(schedule, setting, 3)) {
        if (choice.schedule == schedule) continue;
        ++count;
        EXPECT_TRUE(lines.count(print(choice.schedule))) << choice.setting;
        // The neighbour relation is symmetric.
        const std::vector<Schedule> others = neighbours(choice.schedule, 3);
        const bool listed = std::any_of(others.begin(), others.end(),
                                        [&](const Schedule& each) { return each == schedule; });
        const std::vector<Choice> values = choices(schedule, setting, 3);
        const bool usual = std::any_of(values.begin(), values.end(), [&](const Choice& each) {
          return each.schedule == schedule;
        });
        EXPECT_EQ(listed, usual) << choice.setting;
      }
    }
    EXPECT_EQ(count, all.size());
  }
  // A schedule without a plan has no prediction.
  Schedule refused = scheduler.proposal(*find_family("overlapped")).schedule;
  refused.time_tile = kMaxTimeTile;
  EXPECT_FALSE(predict(scheduler, refused));
  EXPECT_FALSE(predict(scheduler, scheduler.proposal(*find_family("planes")).schedule));
}

TEST(Explore, BestOfTilesDifferInTheirTiles) {
  const ir::Program program = load(kExploredDeep);
  Scheduler scheduler(program);
  const Space space = explore(scheduler, Effort::Quick);
  const std::vector<Schedule> five = best_of_tiles(space, 5);
  ASSERT_EQ(five.size(), 5u);
  EXPECT_EQ(five.front(), space.ranked.front().schedule);
  std::set<std::string> tiles;
  size_t place = 0;
  for (const Schedule& schedule : five) {
    Schedule tile = scheduler.proposal(*find_family(schedule.family)).schedule;
    tile.time_tile = schedule.time_tile;
    tile.block = schedule.block;
    tile.elements = schedule.elements;
    EXPECT_TRUE(tiles.insert(print(tile)).second) << print(tile);
    while (place < space.ranked.size() && !(space.ranked[place].schedule == schedule)) ++place;
    EXPECT_LT(place, space.ranked.size()) << "in the order of the ranking";
  }
  EXPECT_TRUE(best_of_tiles(space, 0).empty());
  EXPECT_LE(best_of_tiles(space, 100000).size(), space.ranked.size());
}

// Alternates between a remaining candidate, one with another number of points per thread, and one
// with a smaller T.
TEST(Explore, FurtherTilesAreNewTiles) {
  const ir::Program program = load(kExploredDeep);
  Scheduler scheduler(program);
  const Space space = explore(scheduler, Effort::Timed);
  const std::vector<Schedule> five = best_of_tiles(space, 5), nine = best_of_tiles(space, 9);
  const std::vector<Schedule> further = further_tiles(space, five, 4);
  ASSERT_EQ(further.size(), 4u);
  EXPECT_EQ(further[0], nine[5]) << "the best remaining candidate";
  std::vector<Schedule> before = five;
  for (size_t t = 0; t < further.size(); ++t) {
    const Schedule& tile = further[t];
    const bool tried = std::any_of(before.begin(), before.end(), [&](const Schedule& other) {
      return tile.family == other.family &&
             (t % 3 == 1 ? tile.elements == other.elements : tile.time_tile >= other.time_tile);
    });
    EXPECT_FALSE(t % 3 != 0 && tried) << print(tile, 3);
    for (const Schedule& other : before) EXPECT_FALSE(tile == other) << print(tile, 3);
    before.push_back(tile);
  }
  EXPECT_TRUE(further_tiles(space, {}, 0).empty());
  EXPECT_TRUE(further_tiles({}, five, 4).empty());
}

// Facts from the compiler replace the model's expectations, kernel by kernel.
TEST(Explore, CompiledKernelsCorrectThePrediction) {
  const ir::Program program = load(R"(
grid G = [0..2047, 0..2047] steps 12;
field A : real on G;
field B : real on G;
stencil a : A[1..2046, 1..2046] = B[-1,0] + B[1,0];
stencil b : B[1..2046, 1..2046] = A[0,-1] * A[0,1] + A[0,0];
)");
  Scheduler scheduler(program);
  const Schedule schedule = scheduler.proposal(*find_family("direct")).schedule;
  const auto seconds = [&](const std::vector<CompiledKernel>& compiled) {
    return predict(scheduler, schedule, compiled)->prediction.seconds;
  };
  Diagnostics none;
  const auto work = scheduler.plan_once(schedule, none)->work();
  ASSERT_EQ(work->kernels.size(), 2u);
  std::vector<CompiledKernel> as_expected;
  for (const Work& kernel : work->kernels) {
    as_expected.push_back({static_cast<int>(kernel.registers), 0, kernel.shared_bytes});
  }
  const double before = predict(scheduler, schedule)->prediction.seconds;
  EXPECT_DOUBLE_EQ(seconds({}), before);
  EXPECT_NEAR(seconds(as_expected), before, 0.01 * before);

  std::vector<CompiledKernel> changed = as_expected;
  changed[1].registers = 200;
  const double hungry = seconds(changed);
  EXPECT_GT(hungry, before) << "fewer blocks at once";
  EXPECT_EQ(predict(scheduler, schedule, changed)->prediction.registers, 200);
  changed[0].registers = 200;
  EXPECT_GT(seconds(changed), hungry);
  EXPECT_DOUBLE_EQ(seconds({changed[0]}), seconds(changed)) << "one kernel represents all";
  changed = as_expected;
  changed[0].shared_bytes = 100 << 10;
  EXPECT_GT(seconds(changed), before);
  changed = as_expected;
  changed[1].issued = Issued{.all = 5000};
  const double busier = seconds(changed);
  changed[1].issued = Issued{.all = 50000};
  const double busy = seconds(changed);
  EXPECT_GT(busier, 1.3 * before);
  EXPECT_GT(busy, 1.3 * busier);
  EXPECT_GT(busy, 2 * before);
  EXPECT_NEAR(seconds({changed[1]}), before, 0.01 * before) << "of one of them";
  changed = as_expected;
  changed[0].local_bytes = 64;
  EXPECT_TRUE(predict(scheduler, schedule, changed)->prediction.spills);
  changed[0].local_bytes = 8;
  EXPECT_FALSE(predict(scheduler, schedule, changed)->prediction.spills);
}

// The cost of `auto` is bounded in operations: plans made, and work counted by them.
TEST(Explore, AutoIsCheap) {
  constexpr int64_t kMost = 100'000;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(STENCIL_SOURCE_DIR) + "/dsl-examples")) {
    if (entry.path().extension() != ".stn") continue;
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const ir::Program program = load(text);
    const int64_t before = support::work_done();
    choose(program);
    EXPECT_LE(support::work_done() - before, kMost) << entry.path();
  }
}

}  // namespace
}  // namespace stencil::schedule
