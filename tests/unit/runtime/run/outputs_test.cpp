#include "runtime/run/outputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <set>

#include "compiler/reference/interpreter.h"
#include "runtime/io/files.h"
#include "runtime/io/npy_fields.h"
#include "runtime/run/checkpoint.h"
#include "runtime/verify/compare.h"
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

TEST(Outputs, LevelsShownFollowTheSelections) {
  const ir::Program program = program_of(kWave);
  EXPECT_EQ(levels_shown(program, {}), (std::vector<int>{0, 0}));
  EXPECT_EQ(levels_shown(program, {{"a.npy", {{0, 1}}, {}, {}}, {"b.npy", {{0}}, {}, {}}}),
            (std::vector<int>{2, 0}));
}

TEST(Outputs, AreWrittenAllOrNone) {
  const TemporaryDirectory directory;
  const ir::Program program = program_of(kWave);
  const reference::State state = initial_state(program, bind_params(program).value());
  const Output good{directory.file("a.npy"), {{0}}, {}, {}};
  const Output bad{directory.file("none/b.npy"), {{0}}, {}, {}};
  StateSource fields(state);
  EXPECT_FALSE(write_outputs(program, fields, {good, bad}).ok());
  EXPECT_EQ(directory.entries(), 0u);
  EXPECT_TRUE(write_outputs(program, fields, {good}).ok());
}

// Each frame shows its step on every device, and frames do not change the final state.
TEST(Series, WritesEveryDueStep) {
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
    StateSource begin(state);
    ASSERT_TRUE(series.write(begin).ok());
    ASSERT_TRUE(execute(program, prepared.value(), state, 12, {}, {series.event()}).ok());
    EXPECT_EQ(names_in(directory),
              "all.pvd all_000000.vti all_000005.vti all_000010.vti u_000000.npy u_000000.png "
              "u_000005.npy u_000005.png u_000010.npy u_000010.png");
    reference::State expected = initial_state(program, params);
    StateSource frames(expected);
    for (const int64_t step : {5, 10}) {
      reference::advance(program, expected, 5);
      const Output frame{directory.file("expected.npy"), {{0, 1}}, {}, {}};
      ASSERT_TRUE(write_outputs(program, frames, {frame}).ok());
      EXPECT_EQ(read_file(directory.file(fmt::format("u_{:06}.npy", step))).value(),
                read_file(frame.path).value())
          << device << step;
    }
    reference::advance(program, expected, 2);
    EXPECT_EQ(state.step, 12);
    EXPECT_EQ(state.fields[0].levels, expected.fields[0].levels) << device;
  }
}

TEST(Series, CollectionsContinueAfterARestart) {
  const TemporaryDirectory directory;
  const ir::Program program = program_of(kWave);
  reference::State state = initial_state(program, bind_params(program).value());
  const Output output{directory.file("a&b.vti"), {{0}}, {}, {}};
  const auto frame = [](int step) {
    return fmt::format("    <DataSet timestep=\"{}\" part=\"0\" file=\"a&amp;b_{:06}.vti\"/>\n",
                       step, step);
  };
  const auto collection = [&] { return read_file(directory.file("a&b.pvd")).value(); };
  StateSource fields(state);
  Series first(program, {output}, 3, 0, 9);
  for (const int64_t step : {0, 3, 6}) {
    state.step = step;
    ASSERT_TRUE(first.write(fields).ok());
  }
  EXPECT_NE(collection().find(frame(0) + frame(3) + frame(6) + "  </Coll"), std::string::npos);
  // Resumed at step 4: later frames belong to another run.
  Series second(program, {output}, 3, 4, 1234567);
  Series third(program, {output}, 3, 4, 9);
  state.step = 9;
  ASSERT_TRUE(third.write(fields).ok());
  EXPECT_NE(collection().find(frame(0) + frame(3) + frame(9) + "  </Coll"), std::string::npos);
  ASSERT_TRUE(second.write(fields).ok());
  EXPECT_NE(names_in(directory).find("a&b_0000009.vti"), std::string::npos);
  // A new run starts a new collection.
  Series fresh(program, {output}, 3, 0, 9);
  state.step = 0;
  ASSERT_TRUE(fresh.write(fields).ok());
  EXPECT_NE(collection().find("<Collection>\n" + frame(0) + "  </Coll"), std::string::npos);
}

TEST(Events, FailuresEndTheRun) {
  const ir::Program program = program_of(kWave);
  reference::State state = initial_state(program, bind_params(program).value());
  Diagnostics diagnostics;
  const auto prepared = prepare(program, "reference", "auto", diagnostics);
  ASSERT_TRUE(prepared.ok());
  Event event;
  event.every = 2;
  event.action = [](FieldSource& at) -> Status {
    if (at.state().step == 4) return Failure{"R011", "no space", ""};
    return Done{};
  };
  const auto report = execute(program, prepared.value(), state, 9, {}, {event});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.failure().message, "no space");
  EXPECT_EQ(state.step, 4);
}

// The failure of a run of kWave on `device`. Checkpoints go to `path` every `every` steps and at
// the end. Another event fails after 4 steps, or at the end.
Failure failure_with_checkpoint(const std::string& device, const std::string& path, int64_t every,
                                bool at_end) {
  const ir::Program program = program_of(kWave);
  reference::State state = initial_state(program, bind_params(program).value());
  Diagnostics diagnostics;
  const auto prepared = prepare(program, device, "auto", diagnostics);
  if (!prepared.ok()) return prepared.failure();
  Event event;
  event.every = at_end ? 0 : 2;
  event.at_end = at_end;
  event.action = [&](FieldSource& at) -> Status {
    if (at.state().step == 4 || at_end) return Failure{"R011", "no space", ""};
    return Done{};
  };
  const std::vector<Event> events = {event, checkpoint_event(path, program, every, 0)};
  const auto report = execute(program, prepared.value(), state, 9, {}, events);
  EXPECT_FALSE(report.ok());
  return report.ok() ? Failure{} : report.failure();
}

// If a file cannot be written, the computed state is saved in a checkpoint.
TEST(Events, FailuresLeaveACheckpoint) {
  const TemporaryDirectory directory;
  const ir::Program program = program_of(kWave);
  const reference::State fresh = initial_state(program, bind_params(program).value());
  for (const char* device : {"reference", "host", "opencl"}) {
    for (const bool at_end : {false, true}) {
      const std::string path = directory.file(fmt::format("{}{}.ckpt", device, at_end));
      const Failure failure = failure_with_checkpoint(device, path, 0, at_end);
      if (failure.code == "R041") continue;
      const int64_t steps = at_end ? 9 : 4;
      EXPECT_EQ(failure.message, "no space") << device;
      EXPECT_EQ(failure.hint,
                fmt::format("'{}' holds step {}: continue from it with --restart", path, steps));
      reference::State expected = fresh, state = fresh;
      reference::advance(program, expected, steps);
      ASSERT_TRUE(read_checkpoint(path, program, state).ok()) << device;
      EXPECT_EQ(state.step, steps);
      EXPECT_FALSE(compare(program, expected, state)) << device;
    }
  }
}

// While this object is `on`, no file can grow beyond a few bytes.
class FullDisk {
 public:
  FullDisk() : handler_(::signal(SIGXFSZ, SIG_IGN)) { ::getrlimit(RLIMIT_FSIZE, &before_); }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  void on() const {
    const rlimit small{100, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }

 private:
  sighandler_t handler_;
  rlimit before_{};
};

// The disk is full from step 4 on; the last checkpoint was after step 3.
TEST(Events, FailuresNameAnEarlierCheckpoint) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("c.ckpt");
  const ir::Program program = program_of(kWave);
  const reference::State fresh = initial_state(program, bind_params(program).value());
  Diagnostics diagnostics;
  const auto prepared = prepare(program, "reference", "auto", diagnostics);
  ASSERT_TRUE(prepared.ok());
  const std::string there = fmt::format("'{}' holds step 3: continue from it with --restart", path);
  for (const bool fails : {true, false}) {
    reference::State state = fresh;
    Failure failure;
    {
      const FullDisk disk;
      Event event;
      event.every = 4;
      event.action = [&](FieldSource&) -> Status {
        disk.on();
        if (fails) return Failure{"R011", "no space", "make room"};
        return Done{};
      };
      const auto report = execute(program, prepared.value(), state, 9, {},
                                  {event, checkpoint_event(path, program, 3, 0)});
      ASSERT_FALSE(report.ok());
      failure = report.failure();
    }
    if (fails) {
      EXPECT_EQ(failure.message, "no space");
      const std::string before = "make room; the checkpoint also failed: cannot write '" + path;
      EXPECT_EQ(failure.hint.substr(0, before.size()), before);
      EXPECT_EQ(failure.hint.substr(failure.hint.size() - there.size()), there);
    } else {  // the checkpoint of step 6 fails
      EXPECT_EQ(state.step, 6);
      EXPECT_EQ(failure.message.find("cannot write '" + path), 0u) << failure.message;
      EXPECT_EQ(failure.hint, there);
    }
    reference::State saved = fresh;
    ASSERT_TRUE(read_checkpoint(path, program, saved).ok());
    EXPECT_EQ(saved.step, 3);
  }
}

TEST(Events, AreDueByStepByTimeAndAtTheEnd) {
  const ir::Program program = program_of(kWave);
  reference::State state = initial_state(program, bind_params(program).value());
  state.step = 2;  // counted from the state's step, as after a restart
  Diagnostics diagnostics;
  const auto prepared = prepare(program, "reference", "auto", diagnostics);
  std::vector<int64_t> by_step, by_time, at_end;
  const auto note = [](std::vector<int64_t>& steps) {
    return [&steps](FieldSource& at) -> Status {
      steps.push_back(at.state().step);
      return Done{};
    };
  };
  const std::vector<Event> events = {
      {3, 0, true, note(by_step)}, {0, 1e-9, false, note(by_time)}, {0, 0, true, note(at_end)}};
  ASSERT_TRUE(execute(program, prepared.value(), state, 7, {}, events).ok());
  EXPECT_EQ(by_step, (std::vector<int64_t>{3, 6, 9}));  // only once at step 9
  ASSERT_FALSE(by_time.empty());
  EXPECT_EQ(by_time.front(), 3);
  EXPECT_EQ(at_end, (std::vector<int64_t>{9}));
  ASSERT_TRUE(execute(program, prepared.value(), state, 1, {}, events).ok());
  EXPECT_EQ(by_step.back(), 10);
}

}  // namespace
}  // namespace stencil::runtime
