#include "runtime/outputs.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "compiler/reference/interpreter.h"
#include "runtime/files.h"
#include "runtime/npy.h"
#include "tests/unit/runtime/programs.h"
#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::runtime {
namespace {

std::string names_in(const TemporaryDirectory& directory) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory.file(""))) {
    names.insert(entry.path().filename().string());
  }
  return fmt::format("{}", fmt::join(names, " "));
}

TEST(Outputs, LevelsShownAreThoseOfTheSelections) {
  const ir::Program program = program_of(kWave);
  EXPECT_EQ(levels_shown(program, {}), (std::vector<int>{0, 0}));
  EXPECT_EQ(levels_shown(program, {{"a.npy", {{0, 1}}, {}, {}}, {"b.npy", {{0}}, {}, {}}}),
            (std::vector<int>{2, 0}));
}

TEST(Outputs, AllOrNone) {
  const TemporaryDirectory directory;
  const ir::Program program = program_of(kWave);
  const reference::State state = initial_state(program, bind_params(program).value());
  const Output good{directory.file("a.npy"), {{0}}, {}, {}};
  const Output bad{directory.file("none/b.npy"), {{0}}, {}, {}};
  EXPECT_FALSE(write_outputs(program, state, {good, bad}).ok());
  EXPECT_EQ(directory.entries(), 0u);
  EXPECT_TRUE(write_outputs(program, state, {good}).ok());
}

// Each frame is that of its step on every device, and the run ends as it would have without.
TEST(Series, ShowsEveryStepThatIsDue) {
  for (const auto& [device, schedule] :
       {std::pair{"reference", "auto"}, std::pair{"host", "overlapped T=4 block=32 elements=1"},
        std::pair{"opencl", "overlapped T=3 block=32 elements=1"}}) {
    if (!choose_device(device).ok()) continue;
    const TemporaryDirectory directory;
    const ir::Program program = program_of(kWave);
    const Params params = bind_params(program).value();
    reference::State state = initial_state(program, params);
    Diagnostics diagnostics;
    const auto prepared = prepare(program, device, schedule, diagnostics);
    ASSERT_TRUE(prepared.ok());
    Series series(program,
                  {{directory.file("u.npy"), {{0, 1}}, {}, {}},
                   {directory.file("all.vti"), {{0}, {1}}, {}, {}},
                   {directory.file("u.png"), {{0}}, {}, {}}},
                  5, 0, 12);
    ASSERT_TRUE(series.write(state).ok());
    ASSERT_TRUE(execute(program, prepared.value(), state, 12, {}, {series.event()}).ok());
    EXPECT_EQ(names_in(directory),
              "all.pvd all_000000.vti all_000005.vti all_000010.vti u_000000.npy u_000000.png "
              "u_000005.npy u_000005.png u_000010.npy u_000010.png");
    reference::State expected = initial_state(program, params);
    for (const int64_t step : {5, 10}) {
      reference::advance(program, expected, 5);
      const Output frame{directory.file("expected.npy"), {{0, 1}}, {}, {}};
      ASSERT_TRUE(write_outputs(program, expected, {frame}).ok());
      EXPECT_EQ(read_file(directory.file(fmt::format("u_{:06}.npy", step))).value(),
                read_file(frame.path).value())
          << device << step;
    }
    reference::advance(program, expected, 2);
    EXPECT_EQ(state.step, 12);
    EXPECT_EQ(state.fields[0].levels, expected.fields[0].levels) << device;
  }
}

TEST(Series, CollectionsGoOnAfterARestart) {
  const TemporaryDirectory directory;
  const ir::Program program = program_of(kWave);
  reference::State state = initial_state(program, bind_params(program).value());
  const Output output{directory.file("a&b.vti"), {{0}}, {}, {}};
  const auto frame = [](int step) {
    return fmt::format("    <DataSet timestep=\"{}\" part=\"0\" file=\"a&amp;b_{:06}.vti\"/>\n",
                       step, step);
  };
  const auto collection = [&] { return read_file(directory.file("a&b.pvd")).value(); };
  Series first(program, {output}, 3, 0, 9);
  for (const int64_t step : {0, 3, 6}) {
    state.step = step;
    ASSERT_TRUE(first.write(state).ok());
  }
  EXPECT_NE(collection().find(frame(0) + frame(3) + frame(6) + "  </Coll"), std::string::npos);
  // From step 4 on: what came after belongs to another run.
  Series second(program, {output}, 3, 4, 1234567);
  Series third(program, {output}, 3, 4, 9);
  state.step = 9;
  ASSERT_TRUE(third.write(state).ok());
  EXPECT_NE(collection().find(frame(0) + frame(3) + frame(9) + "  </Coll"), std::string::npos);
  ASSERT_TRUE(second.write(state).ok());
  EXPECT_NE(names_in(directory).find("a&b_0000009.vti"), std::string::npos);
  // A new run begins a new collection.
  Series fresh(program, {output}, 3, 0, 9);
  state.step = 0;
  ASSERT_TRUE(fresh.write(state).ok());
  EXPECT_NE(collection().find("<Collection>\n" + frame(0) + "  </Coll"), std::string::npos);
}

TEST(Events, AFailureEndsTheRun) {
  const ir::Program program = program_of(kWave);
  reference::State state = initial_state(program, bind_params(program).value());
  Diagnostics diagnostics;
  const auto prepared = prepare(program, "reference", "auto", diagnostics);
  ASSERT_TRUE(prepared.ok());
  Event event;
  event.every = 2;
  event.action = [](const reference::State& at) -> Status {
    if (at.step == 4) return Failure{"R011", "no space", ""};
    return Done{};
  };
  const auto report = execute(program, prepared.value(), state, 9, {}, {event});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.failure().message, "no space");
  EXPECT_EQ(state.step, 4);
}

TEST(Events, AreDueByStepByTimeAndAtTheEnd) {
  const ir::Program program = program_of(kWave);
  reference::State state = initial_state(program, bind_params(program).value());
  state.step = 2;  // steps are those of the state, as after a restart
  Diagnostics diagnostics;
  const auto prepared = prepare(program, "reference", "auto", diagnostics);
  std::vector<int64_t> by_step, by_time, at_end;
  const auto note = [](std::vector<int64_t>& steps) {
    return [&steps](const reference::State& at) -> Status {
      steps.push_back(at.step);
      return Done{};
    };
  };
  const std::vector<Event> events = {{3, 0, true, {}, note(by_step)},
                                     {0, 1e-9, false, {}, note(by_time)},
                                     {0, 0, true, {}, note(at_end)}};
  ASSERT_TRUE(execute(program, prepared.value(), state, 7, {}, events).ok());
  EXPECT_EQ(by_step, (std::vector<int64_t>{3, 6, 9}));  // once at step 9
  ASSERT_FALSE(by_time.empty());
  EXPECT_EQ(by_time.front(), 3);
  EXPECT_EQ(at_end, (std::vector<int64_t>{9}));
  ASSERT_TRUE(execute(program, prepared.value(), state, 1, {}, events).ok());
  EXPECT_EQ(by_step.back(), 10);
}

}  // namespace
}  // namespace stencil::runtime
