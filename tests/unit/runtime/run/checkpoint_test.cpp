#include "runtime/run/checkpoint.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

#include "compiler/reference/interpreter.h"
#include "runtime/io/files.h"
#include "runtime/verify/compare.h"
#include "tests/unit/runtime/programs.h"
#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::runtime {
namespace {

// Every kind of state: history, a structure with storage types, constants, a field on a subgrid,
// reductions of both kinds, a stop condition on values of different ages, and time.
const char* const kEverything = R"(
param N : integer = 30;
param a : real = 0.25;
grid G = [0..N-1, 0..N+3] steps 40;
subgrid inside of G = [1..N-2, 2..N];
type Fluid = { rho : half, u : vector 2 of real };
field S : Fluid on G;
field U : real on G history 3;
field W : double on inside boundary clamp;
field K : integer on G constant;
init S[i,j] = { rho = 1.0 + 0.01 * i, u = { 0.1 * j, -0.1 * i } };
init U[i,j] = select(i == 10, 1.0, 0.01 * j);
init W[i,j] = 0.125 * i;
init K[i,j] = (i + j) % 3;
stencil wave : U[1..N-2, 1..N+2] =
    1.5 * U[0,0] - 0.5 * U@-2[0,0] + a * (U[-1,0] + U[1,0] - 2 * U[0,0]) * K[0,0] + 0.001 * time;
stencil smooth : W on inside = 0.5 * W[0,1] + 0.25 * W[-1,0] + 0.1 * U[0,0];
stencil flow : S[1..N-2, 1..N+2] =
    { rho = 0.5 * S[0,0].rho + 0.25 * S[-1,0].rho,
      u = { S[0,1].u[0] * 0.5, 0.5 * S[0,0].u[1] + U[0,0] } };
reduce energy = sum(U[0,0] * U[0,0]) on G every 7;
reduce count = sum(K[0,0] + 1) on G every 5;
stop when energy > 5000 and count > 0;
)";

ir::Program open_program(const char* text = kEverything, ProgramOptions options = {}) {
  options.fp = FpMode::Strict;
  return program_of(text, options);
}

Result<RunReport> run(const ir::Program& program, const std::string& device,
                      const std::string& schedule, reference::State& state, int64_t steps,
                      const std::vector<Event>& events = {}) {
  Diagnostics diagnostics;
  const auto prepared = prepare(program, device, schedule, diagnostics);
  if (!prepared.ok()) return prepared.failure();
  return execute(program, prepared.value(), state, steps, {}, events);
}

// The failure of reading, or "".
std::string reading(const std::string& path, const ir::Program& program, reference::State& state) {
  const Status read = read_checkpoint(path, program, state);
  return read.ok() ? "" : read.failure().code + ": " + read.failure().message;
}

class Checkpoint : public testing::Test {
 protected:
  std::string path() const { return directory_.file("run.ckpt"); }
  // The state after `steps` steps; also writes a checkpoint of it.
  reference::State saved(const ir::Program& program, int64_t steps) const {
    reference::State state = initial_state(program, bind_params(program).value());
    reference::advance(program, state, steps);
    StateSource fields(state);
    EXPECT_TRUE(write_checkpoint(path(), program, fields).ok());
    return state;
  }
  TemporaryDirectory directory_;
};

TEST_F(Checkpoint, HoldsTheWholeState) {
  const ir::Program program = open_program();
  const reference::State state = saved(program, 13);
  reference::State back = initial_state(program, bind_params(program).value());
  ASSERT_EQ(reading(path(), program, back), "");
  EXPECT_EQ(back.step, 13);
  EXPECT_EQ(back.stopped, state.stopped);
  for (size_t f = 0; f < state.fields.size(); ++f) {
    EXPECT_EQ(back.fields[f].levels, state.fields[f].levels) << f;
  }
  ASSERT_EQ(back.reductions.size(), 2u);
  EXPECT_EQ(back.reductions[0].real, state.reductions[0].real);
  EXPECT_EQ(back.reductions[0].evaluations, 1);
  EXPECT_EQ(back.reductions[1].integer, state.reductions[1].integer);
  EXPECT_EQ(back.reductions[1].evaluations, 2);
}

TEST_F(Checkpoint, OfAStoppedRunIsStopped) {
  const ir::Program program = program_of(kConverging);
  const reference::State state = saved(program, 1000);
  ASSERT_TRUE(state.stopped);
  for (const char* device : {"reference", "host", "opencl"}) {
    reference::State back = initial_state(program, bind_params(program).value());
    ASSERT_EQ(reading(path(), program, back), "");
    if (!choose_device(device).ok()) continue;
    const auto report = run(program, device, "auto", back, 10);
    ASSERT_TRUE(report.ok()) << report.failure().message;
    EXPECT_EQ(report.value().steps, 0) << device;
    EXPECT_TRUE(report.value().stopped) << device;
    EXPECT_FALSE(compare(program, state, back)) << device;
  }
}

struct Leg {
  const char* device;
  const char* schedule;
};

// Interrupts a run after 13 steps on one device and resumes it on another.
class Restart : public testing::TestWithParam<std::pair<Leg, Leg>> {};

TEST_P(Restart, GivesTheBitsOfAnUninterruptedRun) {
  const auto& [first, second] = GetParam();
  for (const Leg& leg : {first, second}) {
    const auto chosen = choose_device(leg.device);
    if (!chosen.ok()) GTEST_SKIP() << chosen.failure().message;
  }
  const TemporaryDirectory directory;
  const std::string path = directory.file("run.ckpt");
  const ir::Program program = open_program();
  reference::State expected = initial_state(program, bind_params(program).value());
  reference::State state = expected;
  reference::advance(program, expected, 40);
  ASSERT_TRUE(expected.stopped);  // and only after the interruption at step 13
  ASSERT_GT(expected.step, 13);
  const auto before = run(program, first.device, first.schedule, state, 13,
                          {checkpoint_event(path, program, 0, 0)});
  ASSERT_TRUE(before.ok()) << before.failure().message;
  ASSERT_EQ(before.value().steps, 13);
  reference::State back = initial_state(program, bind_params(program).value());
  ASSERT_EQ(reading(path, program, back), "");
  const auto after = run(program, second.device, second.schedule, back, 40 - 13);
  ASSERT_TRUE(after.ok()) << after.failure().message;
  EXPECT_EQ(back.step, expected.step);
  EXPECT_TRUE(after.value().stopped);
  const auto difference = compare(program, expected, back);
  EXPECT_FALSE(difference) << difference->where;
}

constexpr Leg kReference{"reference", "auto"}, kDirect{"host", "direct"},
    kHost{"host", "overlapped T=4 block=32x4 elements=1x4"},
    kOpenCl{"opencl", "overlapped T=3 block=16x4 elements=1x2"},
    kStreaming{"opencl", "streaming T=2 block=32x1 elements=2x1"};
INSTANTIATE_TEST_SUITE_P(All, Restart,
                         testing::Values(std::pair{kReference, kHost}, std::pair{kHost, kReference},
                                         std::pair{kHost, kOpenCl}, std::pair{kOpenCl, kDirect},
                                         std::pair{kOpenCl, kStreaming},
                                         std::pair{kStreaming, kHost}));

// The checkpoint is written in the middle of a run. Copying the fields from the device must not
// change the run.
TEST(Restart, FromACheckpointInTheMiddle) {
  for (const Leg& leg : {kHost, kOpenCl}) {
    if (!choose_device(leg.device).ok()) continue;
    const TemporaryDirectory directory;
    const std::string path = directory.file("run.ckpt");
    const ir::Program program = open_program();
    reference::State expected = initial_state(program, bind_params(program).value());
    reference::State state = expected;
    reference::advance(program, expected, 17);
    Event event = checkpoint_event(path, program, 11, 0);
    event.at_end = false;
    ASSERT_TRUE(run(program, leg.device, leg.schedule, state, 17, {event}).ok());
    EXPECT_FALSE(compare(program, expected, state)) << leg.device;
    reference::State back = initial_state(program, bind_params(program).value());
    ASSERT_EQ(reading(path, program, back), "");
    EXPECT_EQ(back.step, 11);
    reference::advance(program, back, 6);
    EXPECT_FALSE(compare(program, expected, back)) << leg.device;
  }
}

TEST_F(Checkpoint, OfAnotherProgramIsRefusedByName) {
  const ir::Program program = open_program();
  saved(program, 3);
  const auto refusal = [&](const ir::Program& other) {
    reference::State state = initial_state(other, bind_params(other).value());
    const reference::State untouched = state;
    std::string text = reading(path(), other, state);
    EXPECT_FALSE(compare(other, untouched, state));
    EXPECT_EQ(state.step, 0);
    const size_t name = text.find(path());
    return name == std::string::npos ? text : text.replace(name, path().size(), "FILE");
  };
  ProgramOptions options;
  options.real = Scalar::F64;
  EXPECT_EQ(
      refusal(open_program(kEverything, options)),
      "R062: 'FILE' was written by another program: it has --real float, but this run has double");
  EXPECT_EQ(
      refusal(program_of(kEverything)),
      "R062: 'FILE' was written by another program: it has --fp strict, but this run has contract");
  options = {};
  options.definitions = {{"N", "31"}};
  EXPECT_EQ(refusal(open_program(kEverything, options)),
            "R063: 'FILE' was written with N = 30, but this run has 31");
  options.definitions = {{"a", "0.3"}};
  EXPECT_EQ(refusal(open_program(kEverything, options)),
            "R063: 'FILE' was written with a = 0.25, but this run has 0.3");
  EXPECT_EQ(refusal(open_program(kWave)),
            "R062: 'FILE' was written by another program: it has the field 'S' instead of 'U'");
  std::string text = kEverything;
  text.replace(text.find("history 3"), 9, "history 4");
  EXPECT_EQ(refusal(open_program(text.c_str())),
            "R062: 'FILE' was written by another program: 'U' has 3 levels in the file, but 4 in "
            "this program");
  text = kEverything;
  text.replace(text.find("0.001 * time"), 12, "0.002 * time");
  EXPECT_EQ(refusal(open_program(text.c_str())),
            "R062: 'FILE' was written by another program: it has other statements");
  const auto taken = [&] {
    reference::State state = initial_state(program, bind_params(program).value());
    return reading(path(), open_program(text.c_str()), state);
  };
  text = kEverything;
  text.replace(text.find("steps 40"), 8, "steps 90");
  EXPECT_EQ(taken(), "");
  // Positions of points do not matter unless a function uses them.
  text = kEverything;
  text.replace(text.find("steps 40"), 8, "steps 40 origin 3 spacing [a, 0.5]");
  EXPECT_EQ(taken(), "");
  text.replace(text.find("0.125 * i"), 9, "0.125 * position(i)");
  EXPECT_EQ(refusal(open_program(text.c_str())),
            "R062: 'FILE' was written by another program: it has other statements");
}

TEST_F(Checkpoint, DamageIsDetectedAndLeavesTheStateUnchanged) {
  const ir::Program program = program_of(kWave);
  saved(program, 3);
  const std::string good = read_file(path()).value();
  reference::State state = initial_state(program, bind_params(program).value());
  const reference::State untouched = state;
  const auto after = [&](const std::string& bytes) {
    EXPECT_TRUE(write_file_atomically(path(), bytes).ok());
    const std::string text = reading(path(), program, state);
    EXPECT_FALSE(compare(program, untouched, state));
    EXPECT_EQ(state.step, 0);
    return text.substr(0, 4) + text.substr(std::min(text.size(), text.rfind(':')));
  };
  EXPECT_EQ(after(""), "R060: it does not start with the signature of a checkpoint");
  EXPECT_EQ(after("no checkpoint, but longer than its preamble"),
            "R060: it does not start with the signature of a checkpoint");
  EXPECT_EQ(after(good.substr(0, 20)), "R060: it is truncated");
  EXPECT_EQ(after(good.substr(0, good.size() - 1)),
            fmt::format("R060: it has {} of {} bytes", good.size() - 1, good.size()));
  std::string bad = good;
  ++bad[8];  // the version number
  EXPECT_EQ(after(bad).substr(0, 4), "R061");
  bad = good;
  bad[40] = static_cast<char>(bad[40] ^ 1);
  EXPECT_EQ(after(bad), "R060: the checksum of its header is wrong");
  bad = good;
  bad.back() = static_cast<char>(bad.back() ^ 1);
  EXPECT_EQ(after(bad), "R060: the checksum of c is wrong");
  // Every byte matters except the padding between arrays.
  size_t silent = 0;
  for (size_t i = 0; i < good.size(); ++i) {
    bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x40);
    std::ofstream(path(), std::ios::binary) << bad;
    reference::State copy = untouched;
    if (read_checkpoint(path(), program, copy).ok()) ++silent;
  }
  EXPECT_LE(silent, 3u * 63);
}

TEST_F(Checkpoint, AFullDiskKeepsTheOldCheckpoint) {
  const ir::Program program = program_of(kWave);
  const reference::State state = saved(program, 3);
  const std::string good = read_file(path()).value();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{100, before.rlim_max};
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  StateSource fields(state);
  const Status written = write_checkpoint(path(), program, fields);
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.failure().code, "R011");
  EXPECT_NE(written.failure().message.find(path()), std::string::npos);
  EXPECT_NE(written.failure().message.find(fmt::format("{} bytes needed", good.size())),
            std::string::npos);
  EXPECT_EQ(read_file(path()).value(), good);
  EXPECT_EQ(directory_.entries(), 1u);
}

// Whenever the writer is killed, the file is a complete checkpoint of some step.
TEST_F(Checkpoint, SurvivesAKilledWriter) {
  ProgramOptions options;
  options.definitions = {{"N", "600"}};
  const ir::Program program = program_of(kDecay, options);
  reference::State state = saved(program, 0);
  for (int round = 0; round < 8; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      reference::State own = state;
      StateSource fields(own);
      while (write_checkpoint(path(), program, fields).ok()) ++own.step;
      ::_exit(1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + 13 * round));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    ASSERT_EQ(reading(path(), program, state), "");
  }
  EXPECT_GT(state.step, 0);
}

}  // namespace
}  // namespace stencil::runtime
