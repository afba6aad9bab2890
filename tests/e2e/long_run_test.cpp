// Series, checkpoints and interruption of `stencilc run`.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <regex>
#include <thread>

#include "tests/e2e/tool.h"

namespace stencil {
namespace {

using namespace std::chrono_literals;

class LongRun : public Tool {
 protected:
  // Starts stencilc as a process that keeps running; `before` is a shell command.
  pid_t start(const std::string& arguments, const std::string& before = "true") const {
    const std::string command = "cd '" + (root_ / "work").string() + "' && " + before +
                                " && exec '" STENCIL_BINARY "' " + arguments + " >'" +
                                (root_ / "out").string() + "' 2>'" + (root_ / "err").string() +
                                "' </dev/null";
    const pid_t child = ::fork();
    if (child == 0) {
      restore_signals();
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
    return child;
  }
  // The exit status, or 128 + the signal that ended the process.
  Outcome wait(pid_t child) const {
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return {code, read(root_ / "out"), read(root_ / "err")};
  }
  // Waits until the condition holds; returns false after ten seconds.
  static bool await(const std::function<bool()>& condition) {
    for (int i = 0; i < 1000; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  }
  // Whether the process ends within a minute, far less than the runs below take. Kills it
  // otherwise.
  static bool ends(pid_t child) {
    for (int i = 0; i < 6000; ++i) {
      siginfo_t ended{};
      if (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) != 0)
        return false;
      if (ended.si_pid == child) return true;
      std::this_thread::sleep_for(10ms);
    }
    ::kill(child, SIGKILL);
    return false;
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(file(name)); }
};

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

// Averages with a constant edge: runs for ever without overflow.
const char* const kLong = R"(
param N : integer = 40;
grid G = [0..N-1, 0..N-1] steps 1000000000;
field A : real on G history 2;
stencil s : A[1..N-2, 1..N-2] = 0.2 * (A[-1,0] + A[1,0] + A[0,-1] + A@-1[0,1]) + 0.2 * A[0,0];
init A[i,j] = select(i == 0, 100.0, 0.5 * j);
reduce total = sum(A[0,0]) on G every 7;
stop when total < 0;
)";

TEST_F(LongRun, SeriesAreNumberedByStepAndHaveACollection) {
  write("heat.stn", kHeat);
  const std::string run = "run heat.stn --device host --schedule 'overlapped T=4 block=16x8' ";
  Outcome outcome = stencilc(run + "--out A=a.npy --out all.vti --every 3 --steps 7");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(files(),
            "a.npy a_000000.npy a_000003.npy a_000006.npy all.pvd all.vti all_000000.vti "
            "all_000003.vti all_000006.vti heat.stn");
  for (const int step : {0, 3, 6, 7}) {
    const std::string name = step == 7 ? "a.npy" : fmt::format("a_{:06}.npy", step);
    outcome = stencilc(
        fmt::format("run heat.stn --device reference --out A=expected.npy --steps {}", step));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(read(file(name)), read(file("expected.npy"))) << step;
  }
  expect_contains(read(file("all.pvd")), "timestep=\"6\" part=\"0\" file=\"all_000006.vti\"");
  expect_contains(read(file("all.vti")), "Name=\"A\"");
}

TEST_F(LongRun, SeriesOfPicturesCanShareTheirColours) {
  write("heat.stn", kHeat);
  const std::string run = "run heat.stn --device reference --every 3 ";
  ASSERT_EQ(stencilc(run + "--out A=own.png").status, 0);
  ASSERT_EQ(stencilc(run + "--out A=fixed.png --range=-10:200").status, 0);
  EXPECT_EQ(read(file("own_000003.png")).substr(1, 3), "PNG");
  EXPECT_NE(read(file("own_000003.png")), read(file("fixed_000003.png")));
}

TEST_F(LongRun, SeveralFieldsShareOneVtiFile) {
  write("wave.stn", kWave3d);
  ASSERT_EQ(stencilc("run wave.stn --device reference --out U=w.vti --out U@-1=./w.vti").status, 0);
  const std::string text = read(file("w.vti"));
  expect_contains(text, "Name=\"U\"");
  expect_contains(text, "Name=\"U@-1\"");
  expect_contains(text, "WholeExtent=\"0 13 0 12 0 11\"");
  EXPECT_EQ(text.find("Name=\"c\""), std::string::npos);
  const Outcome twice = stencilc("run wave.stn --out U=w.vti --out w.vti");
  EXPECT_EQ(twice.status, 2);
  expect_contains(twice.err, "U013");
  write("cube.stn",
        "grid G = [0..4, 0..4, 0..4, 0..4] steps 1;\nfield A : real on G;\n"
        "stencil s : A on G = A[0,0,0,0];\n");
  const Outcome cube = stencilc("run cube.stn --out cube.vti");
  EXPECT_EQ(cube.status, 2);
  expect_contains(cube.err, "R031");
  EXPECT_FALSE(exists("cube.vti"));
}

// The full cycle: Ctrl-C, writing of the requested files, and the
// rest of the run on another device.
TEST_F(LongRun, InterruptedRunsWriteTheirFilesAndResume) {
  write("long.stn", kLong);
  for (const auto& [signal, status] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143},
                                       std::pair{SIGHUP, 129}, std::pair{SIGXCPU, 152}}) {
    const pid_t child = start(
        "run long.stn --device reference --out A=a.npy --checkpoint c.ckpt "
        "--checkpoint-every 0.05s");
    ASSERT_TRUE(await([&] { return exists("c.ckpt"); }));
    ::kill(child, signal);
    const Outcome outcome = wait(child);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    std::smatch match;
    ASSERT_TRUE(std::regex_search(outcome.out, match, std::regex("interrupted at step ([0-9]+)")))
        << outcome.out;
    const int64_t step = std::stoll(match[1]);
    expect_contains(outcome.out, fmt::format("saved     step {} in c.ckpt", step));
    EXPECT_EQ(files(), "a.npy c.ckpt long.stn");

    const std::string end = fmt::format("run long.stn --steps {} --out A", step + 17);
    const Outcome whole = stencilc(end + "=whole.npy --device reference");
    ASSERT_EQ(whole.status, 0) << whole.err;
    const Outcome rest = stencilc(
        end + "=rest.npy --restart c.ckpt --device host --schedule 'overlapped T=3 block=16x8'");
    ASSERT_EQ(rest.status, 0) << rest.err;
    EXPECT_EQ(read(file("rest.npy")), read(file("whole.npy")));
    EXPECT_NE(reductions(rest.out), "");
    EXPECT_EQ(reductions(rest.out), reductions(whole.out));
    expect_contains(rest.out, fmt::format("steps     17, after {} of the checkpoint", step));
    for (const char* name : {"a.npy", "c.ckpt", "rest.npy", "whole.npy"}) {
      std::filesystem::remove(file(name));
    }
  }
}

// nohup ignores SIGHUP, and shells ignore SIGINT in background jobs of scripts.
TEST_F(LongRun, SignalsIgnoredOnEntryStayIgnored) {
  write("long.stn", kLong);
  for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGXCPU}) {
    const pid_t child = start(
        "run long.stn --steps 100000 -D N=20 --device reference --checkpoint c.ckpt "
        "--checkpoint-every 1000",
        fmt::format("trap '' {}", signal));
    ASSERT_TRUE(await([&] { return exists("c.ckpt"); }));
    ::kill(child, signal);
    ::kill(child, signal);
    EXPECT_EQ(wait(child).status, 0) << signal;
    std::filesystem::remove(file("c.ckpt"));
  }
}

// A run whose output is not read still finishes.
TEST_F(LongRun, ClosedPipesDoNotEndTheRun) {
  write("heat.stn", "param unused : real = 1;\n" + std::string(kHeat));
  const std::string run = "'" STENCIL_BINARY "' run heat.stn --device reference --out A=a.npy";
  // The reader has exited before the run begins to write.
  const std::string in = "cd '" + (root_ / "work").string() + "' && { sleep 1; " + run;
  EXPECT_EQ(std::system((in + " 2>&1; echo $? >status; } | true").c_str()), 0);
  EXPECT_TRUE(exists("a.npy"));
  EXPECT_EQ(read(file("status")), "141\n");
}

// Another process truncates an input while it is read.
TEST_F(LongRun, TruncatedInputsAreErrors) {
  constexpr int kSide = 4000;
  write("big.stn", fmt::format("grid G = [0..{0}, 0..{0}] steps 0;\nfield A : real on G;\n"
                               "stencil s : A on G = A[0,0];\ninit A[i,j] = 0;\n",
                               kSide - 1));
  ASSERT_EQ(stencilc("run big.stn --device reference --out A=full.npy").status, 0);
  ASSERT_EQ(stencilc("run big.stn --device reference --checkpoint full.ckpt").status, 0);
  int seen = 0;
  for (const char* name : {"npy", "ckpt"}) {
    for (int round = 0; round < 12; ++round) {
      const std::string copy = std::string("cut.") + name;
      std::filesystem::copy_file(file(std::string("full.") + name), file(copy),
                                 std::filesystem::copy_options::overwrite_existing);
      const pid_t child = start("run big.stn --device reference " +
                                (copy == "cut.npy" ? "--in A=" + copy : "--restart " + copy));
      std::this_thread::sleep_for(std::chrono::milliseconds(10 + 12 * round));
      std::filesystem::resize_file(file(copy), 4096);
      const Outcome outcome = wait(child);
      EXPECT_TRUE(outcome.status == 0 || outcome.status == 2) << outcome.status << outcome.err;
      if (outcome.status == 2) expect_contains(outcome.err, copy);
      seen += outcome.err.find("truncated while it was read") != std::string::npos;
    }
  }
  RecordProperty("truncated_while_read", seen);
}

// PoCL ends the process when memory runs out.
TEST_F(LongRun, LibrariesThatEndTheProcessAreNamed) {
  write("heat.stn", kHeat);
  if (stencilc("run heat.stn --device opencl").status != 0) GTEST_SKIP() << "no OpenCL";
  bool named = false;
  for (int limit = 200'000; limit <= 500'000; limit += limit < 350'000 ? 5'000 : 50'000) {
    const Outcome outcome =
        wait(start("run heat.stn --device opencl", fmt::format("ulimit -v {}", limit)));
    // If the thread-local data of a library does not fit into memory, the dynamic linker prints
    // this message and ends the process. It offers no hook.
    const bool linker = outcome.status == 127 &&
                        outcome.err.starts_with("cannot allocate memory for thread-local data");
    EXPECT_TRUE(outcome.status == 0 || outcome.status == 2 || outcome.status == 3 || linker)
        << limit << ": " << outcome.status << "\n"
        << outcome.err;
    named |= outcome.err.find("R044: the OpenCL implementation (") != std::string::npos;
  }
  EXPECT_TRUE(named);
}

TEST_F(LongRun, TooSmallStacksAreReported) {
  write("heat.stn", kHeat);
  if (stencilc("run heat.stn --device host").status != 0) GTEST_SKIP() << "no host device";
  for (const auto& [kilobytes, code] : {std::pair{16, "R046"}, std::pair{80, "R044"}}) {
    const Outcome outcome =
        wait(start("run heat.stn --device host",
                   fmt::format("export STENCIL_CACHE=off; ulimit -s {}", kilobytes)));
    EXPECT_EQ(outcome.status, 3);
    expect_contains(outcome.err, code);
    expect_contains(outcome.err, "stack overflow");
    expect_contains(outcome.err, "ulimit -s 8192");
  }
}

// The compiler takes seconds for this kernel; there is nothing to save yet.
TEST_F(LongRun, SignalsDuringCompilationEndTheRunAtOnce) {
  write("wide.stn",
        "grid G = [0..99, 0..99] steps 9; field A : real on G boundary mirror;"
        "stencil s : A on G = sum(a in -8..8, b in -8..8 : A[a,b]);");
  const pid_t child =
      start("run wide.stn --device host --schedule 'planes T=6 block=1024' --out A=a.npy");
  std::this_thread::sleep_for(500ms);
  ::kill(child, SIGTERM);
  EXPECT_EQ(wait(child).status, 128 + SIGTERM);
  EXPECT_EQ(files(), "wide.stn");
}

// Before the first steps are done there is nothing to save. They may take long: OpenCL compiles a
// kernel when it is launched, and one step of the interpreter may take minutes.
TEST_F(LongRun, ASignalDuringTheFirstStepsEndsItAtOnce) {
  write("wide.stn",
        "grid G = [0..99, 0..99] steps 9; field A : real on G boundary mirror;"
        "stencil s : A on G = sum(a in -12..12, b in -12..12 : A[a,b] * A[b,a]);");
  write("large.stn",
        "grid G = [0..5999, 0..5999] steps 9; field A : real on G;"
        "stencil s : A[20..5980, 20..5980] = sum(a in -12..12, b in -12..12 : A[a,b]);");
  std::vector<std::string> runs = {"run large.stn --device reference --out A=a.npy"};
  if (holds(stencilc("devices").out, "opencl      yes")) {
    runs.push_back("run wide.stn --device opencl --out A=a.npy");
  }
  for (const std::string& arguments : runs) {
    const pid_t child = start(arguments, "export POCL_KERNEL_CACHE=0 STENCIL_THREADS=1");
    std::this_thread::sleep_for(2s);
    ::kill(child, SIGTERM);
    EXPECT_TRUE(ends(child)) << arguments;
    EXPECT_EQ(wait(child).status, 128 + SIGTERM) << arguments;
    EXPECT_EQ(files(), "large.stn wide.stn");
  }
}

// A signal ends `verify` both while it compiles and while the reference interpreter runs. It prints
// its results so far.
TEST_F(LongRun, ASignalEndsAVerificationAtOnce) {
  write("wide.stn",
        "grid G = [0..199, 0..199] steps 9; field A : real on G boundary mirror;"
        "stencil s : A on G = sum(a in -30..30, b in -30..30 : A[a,b]);");
  write("large.stn",
        "param N : integer = 3000; grid G = [0..N, 0..N] steps 9; field A : real on G;"
        "stencil s : A[9..N-9, 9..N-9] = sum(a in -9..9, b in -9..9 : A[a,b]);");
  for (const std::string arguments :
       {"verify wide.stn --device host --schedule direct",
        "verify large.stn --device host --schedule direct -D N=3000 --steps 3"}) {
    const pid_t child = start(arguments);
    std::this_thread::sleep_for(1s);
    ::kill(child, SIGTERM);
    EXPECT_TRUE(ends(child)) << arguments;
    const Outcome outcome = wait(child);
    EXPECT_EQ(outcome.status, 128 + SIGTERM);
    expect_contains(outcome.out, "interrupted: 0 agree with the reference, 0 refused, 0 wrong; ");
    expect_contains(outcome.out, "\n0 of ");
  }
}

// The run waits for the reader of a full pipe; a second signal must end it.
TEST_F(LongRun, SecondSignalEndsTheRunWithoutTemporaryFiles) {
  write("heat.stn", kHeat);
  ASSERT_EQ(::mkfifo(file("pipe.npy").c_str(), 0600), 0);
  const int reader = ::open(file("pipe.npy").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GT(::fcntl(reader, F_SETPIPE_SZ, 4096), 0);
  const pid_t child = start("run heat.stn --device reference --out A=a.npy --out A@-0=pipe.npy");
  ASSERT_TRUE(await([&] { return files().find("a.npy.tmp-") != std::string::npos; }));
  ::kill(child, SIGINT);
  std::this_thread::sleep_for(200ms);
  EXPECT_EQ(::waitpid(child, nullptr, WNOHANG), 0);
  ::kill(child, SIGINT);
  EXPECT_EQ(wait(child).status, 128 + SIGINT);
  EXPECT_EQ(files(), "heat.stn pipe.npy");
  ::close(reader);
}

TEST_F(LongRun, KilledRunsResumeFromTheLastCheckpoint) {
  write("long.stn", kLong);
  for (int round = 0; round < 5; ++round) {
    const pid_t child = start(
        "run long.stn -D N=200 --device reference --checkpoint c.ckpt "
        "--checkpoint-every 1");
    ASSERT_TRUE(await([&] { return exists("c.ckpt"); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(17 * round));
    ::kill(child, SIGKILL);
    EXPECT_EQ(wait(child).status, 128 + SIGKILL);
    const Outcome rest = stencilc(
        "run long.stn -D N=200 --steps 2000 --restart c.ckpt --device reference --out A=rest.npy");
    ASSERT_EQ(rest.status, 0) << rest.err;
    if (round == 0) {
      ASSERT_EQ(stencilc("run long.stn -D N=200 --steps 2000 --device reference --out A=whole.npy")
                    .status,
                0);
    }
    EXPECT_EQ(read(file("rest.npy")), read(file("whole.npy")));
    std::filesystem::remove(file("c.ckpt"));
  }
}

TEST_F(LongRun, UnsuitableCheckpointsAreRefused) {
  write("long.stn", kLong);
  const std::string run = "run long.stn --device reference ";
  ASSERT_EQ(stencilc(run + "--steps 9 --checkpoint c.ckpt").status, 0);
  EXPECT_EQ(stencilc(run + "--steps 9 --restart c.ckpt").status, 0);
  const std::string good = read(file("c.ckpt"));
  write("cut.ckpt", good.substr(0, good.size() / 2));
  std::string damaged = good;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  write("bad.ckpt", damaged);
  for (const auto& [arguments, code] :
       {std::pair{"--steps 20 --restart missing.ckpt", "R010"},
        std::pair{"--steps 20 --restart long.stn", "R060"},
        std::pair{"--steps 20 --restart cut.ckpt", "R060"},
        std::pair{"--steps 20 --restart bad.ckpt", "R060"},
        std::pair{"--steps 20 --real double --restart c.ckpt", "R062"},
        std::pair{"--steps 20 -D N=41 --restart c.ckpt", "R063"},
        std::pair{"--steps 8 --restart c.ckpt", "R064"},
        std::pair{"--steps 20 --restart /dev/zero", "R010"},
        std::pair{"--steps 20 --restart ''", "U004"},
        std::pair{"--steps 8 --checkpoint ''", "U004"},
        std::pair{"--steps 8 --checkpoint missing/c.ckpt", "R011"},
        std::pair{"--steps 8 --checkpoint long.stn", "U013"},
        std::pair{"--steps 8 --checkpoint a.npy --out A=./a.npy", "U013"},
        std::pair{"--steps 8 --save-code a.cpp --save-code ./a.cpp", "U013"},
        std::pair{"--steps 8 --save-code a.cpp --checkpoint a.cpp", "U013"}}) {
    const Outcome outcome = stencilc(run + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    expect_contains(outcome.err, code);
  }
  EXPECT_EQ(files(), "bad.ckpt c.ckpt cut.ckpt long.stn");
}

TEST_F(LongRun, FullDiskErrorsStateTheNeededSpace) {
  write("heat.stn", kHeat);
  ASSERT_EQ(
      stencilc("run heat.stn -D N=10 --device reference --out A=a.npy --checkpoint c.ckpt").status,
      0);
  const std::string array = read(file("a.npy")), checkpoint = read(file("c.ckpt"));
  for (const char* file_option : {"--out A=a.npy", "--out a.vti", "--checkpoint c.ckpt",
                                  "--out A=a.npy --every 2", "--out A=b.npy --out A@-0=a.npy"}) {
    const Outcome outcome = wait(start(
        "run heat.stn -D N=100 --device reference " + std::string(file_option), "ulimit -f 8"));
    EXPECT_EQ(outcome.status, 2) << file_option << outcome.err;
    expect_contains(outcome.err, "R011");
    EXPECT_TRUE(std::regex_search(outcome.err, std::regex("\\([0-9]{5} bytes needed\\)")))
        << outcome.err;
    EXPECT_EQ(files(), "a.npy c.ckpt heat.stn") << file_option;
  }
  EXPECT_EQ(read(file("a.npy")), array);
  EXPECT_EQ(read(file("c.ckpt")), checkpoint);
}

// The disk of the series is full, the disk of the checkpoint is not.
TEST_F(LongRun, FailedSeriesLeaveACheckpoint) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  write("heat.stn", kHeat);
  const std::string run = "run heat.stn --device reference --out A=a.npy ";
  ASSERT_EQ(stencilc(run).status, 0);
  const std::string whole = read(file("a.npy"));
  std::filesystem::create_symlink("/dev/full", file("b_000004.npy"));
  const std::string series = "run heat.stn --device reference --out A=b.npy --every 2 ";
  const Outcome failed = stencilc(series + "--checkpoint c.ckpt");
  EXPECT_EQ(failed.status, 2);
  expect_contains(failed.err, "error R011: cannot write 'b_000004.npy': No space left on device");
  expect_contains(failed.err, "'c.ckpt' holds step 4: continue from it with --restart");
  EXPECT_FALSE(exists("b.npy"));
  const Outcome rest = stencilc(run + "--restart c.ckpt");
  EXPECT_EQ(rest.status, 0) << rest.err;
  expect_contains(rest.out, "steps     2, after 4 of the checkpoint");
  EXPECT_EQ(read(file("a.npy")), whole);
}

TEST_F(LongRun, ARestartAtTheLastStepSaysSo) {
  write("heat.stn", kHeat);
  const std::string run = "run heat.stn --device reference --steps 3 ";
  ASSERT_EQ(stencilc(run + "--checkpoint c.ckpt").status, 0);
  const Outcome rest = stencilc(run + "--restart c.ckpt --out A=a.npy");
  EXPECT_EQ(rest.status, 0) << rest.err;
  expect_contains(rest.out, "steps     0, after 3 of the checkpoint: nothing is left to do");
  expect_contains(rest.out, "wrote     a.npy\n");
  const Outcome more = stencilc("run heat.stn --device reference --steps 4 --restart c.ckpt");
  EXPECT_EQ(more.out.find("nothing is left"), std::string::npos) << more.out;
}

TEST_F(LongRun, TheSummaryListsFiles) {
  write("heat.stn", kHeat);
  const std::string run = "run heat.stn --device reference --steps 3 ";
  expect_contains(stencilc(run + "--out A=a.npy --every 2").out, "wrote     a.npy, a_*.npy\n");
  expect_contains(stencilc(run + "--out a.vti,every=2").out, "wrote     a.vti, a_*.vti, a.pvd\n");
  expect_contains(stencilc(run + "--out a.nc --every 2").out, "wrote     a.nc\n");
  EXPECT_EQ(stencilc(run).out.find("wrote"), std::string::npos);
}

TEST_F(LongRun, ReadOnlyDirectoriesAreReportedBeforeTheRun) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  write("heat.stn", kHeat);
  std::filesystem::create_directory(file("closed"));
  std::filesystem::permissions(
      file("closed"), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  for (const char* option : {"--out A=closed/a.vti", "--checkpoint closed/c.ckpt"}) {
    const Outcome outcome = stencilc("run heat.stn " + std::string(option));
    EXPECT_EQ(outcome.status, 2);
    expect_contains(outcome.err, "R011");
  }
}

// A pseudo-terminal that runs a program, and the program's output.
struct Terminal {
  static constexpr int kColumns = 76;
  int descriptor = -1;
  pid_t child = -1;
  std::string shown;

  explicit Terminal(const std::vector<std::string>& words) {
    winsize size{24, kColumns, 0, 0};
    child = ::forkpty(&descriptor, nullptr, nullptr, &size);
    if (child != 0) return;
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execv(STENCIL_BINARY, arguments.data());
    ::_exit(127);
  }
  // Reads until `enough` holds, at most 20 seconds.
  void read_until(const std::function<bool()>& enough) {
    pollfd input{descriptor, POLLIN, 0};
    for (int i = 0; i < 200 && !enough(); ++i) {
      char buffer[4096];
      if (::poll(&input, 1, 100) != 1) continue;
      const ssize_t got = ::read(descriptor, buffer, sizeof buffer);
      if (got <= 0) break;
      shown.append(buffer, static_cast<size_t>(got));
    }
  }
  int end() {
    ::kill(child, SIGTERM);
    int status = 0;
    pollfd input{descriptor, POLLIN, 0};
    while (::waitpid(child, &status, WNOHANG) == 0) {
      char buffer[4096];  // an unread terminal would block its writer
      if (::poll(&input, 1, 100) == 1 && ::read(descriptor, buffer, sizeof buffer) <= 0) break;
    }
    ::close(descriptor);
    return status;
  }
};

TEST_F(LongRun, ProgressFitsTheTerminal) {
  write("long.stn", kLong);
  Terminal terminal({"stencilc", "run", file("long.stn"), "--device", "reference"});
  ASSERT_GE(terminal.child, 0);
  const std::string& shown = terminal.shown;
  terminal.read_until(
      [&] { return std::count(shown.begin(), shown.end(), '\r') > 3 || shown.size() > 100000; });
  terminal.end();
  const size_t first = shown.find("\r[");
  ASSERT_NE(first, std::string::npos) << shown;
  const std::string line = shown.substr(first + 1, shown.find('\x1b', first) - first - 1);
  for (const char* part : {"[", "/1000000000 steps", " GCells/s", " left"}) {
    expect_contains(line, part);
  }
  EXPECT_LT(line.size(), static_cast<size_t>(Terminal::kColumns)) << line;
}

// The initial values and the compilation take seconds.
TEST_F(LongRun, ProgressShowsPreparation) {
  write("slow.stn",
        "grid G = [0..7999, 0..7999] steps 1;\nfield A : double on G;\n"
        "stencil s : A on G = A[0,0];\n"
        "init A[i,j] = sum(k in 1..30: sin(0.001 * k * i) * cos(0.002 * k * j));\n");
  Terminal terminal({"stencilc", "run", file("slow.stn"), "--device", "reference"});
  ASSERT_GE(terminal.child, 0);
  const std::string& shown = terminal.shown;
  terminal.read_until([&] { return shown.find("computing") != std::string::npos; });
  terminal.end();
  expect_contains(shown, "\rcomputing initial values of slow  1 s\x1b[K");
}

TEST_F(LongRun, OutputsOfReductionsPointToHistory) {
  write("total.stn",
        "grid G = [0..3] steps 2;\nfield A : real on G;\nstencil s : A on G = A[0] + 1;\n"
        "reduce total = sum(A[0]) on G;\n");
  const Outcome outcome = stencilc("run total.stn --device reference --out total=t.csv");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(holds(outcome.err, "U020: no field 'total'")) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "write its values to a history (--history X.csv)")) << outcome.err;
}

// Two reductions in one history; one is evaluated more often than the other.
const char* const kHistory = R"(
grid G = [0..39, 0..39] steps 30;
field A : real on G;
stencil heat : A[1..38, 1..38] = 0.2 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1] + A[0,0]);
init A[i,j] = select(i == 0, 100.0, 0.1 * j);
reduce total = sum(A[0,0]) on G every 2;
reduce hot = sum(select(A[0,0] > 1, 1, 0)) on G every 3;
)";

std::string steps_of(const std::string& history) {
  std::istringstream lines(history);
  std::string steps;
  for (std::string line; std::getline(lines, line);) steps += line.substr(0, line.find(',')) + " ";
  return steps;
}

TEST_F(LongRun, HistoriesHaveARowPerEvaluation) {
  write("heat.stn", kHistory);
  const Outcome outcome = stencilc("run heat.stn --device reference --history h.csv");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string history = read(file("h.csv"));
  EXPECT_EQ(history.substr(0, history.find('\n')), "step,total,hot");
  EXPECT_EQ(steps_of(history), "step 2 3 4 6 8 9 10 12 14 15 16 18 20 21 22 24 26 27 28 30 ");
  std::istringstream lines(history);
  std::string line;
  for (int i = 0; i < 4; ++i) {
    std::getline(lines, line);
    const bool both = i == 0;
    if (i == 1 || i == 3) {
      EXPECT_EQ(line.back(), ',') << line;
    }
    if (i == 2) {
      EXPECT_EQ(line.substr(0, 3), "3,,") << line;
    }
    EXPECT_EQ(both, line.find("step") == 0);
  }
  // The last row equals the printed values exactly.
  const std::string last = history.substr(history.rfind("\n30,") + 4);
  const double total = std::stod(last);
  expect_contains(outcome.out, fmt::format("total = {:.9g}", total));
  EXPECT_EQ(static_cast<double>(static_cast<float>(total)), total);  // representable as float

  for (const char* way : {"--device host --schedule 'overlapped T=4 block=16x8'", "--device host",
                          "--device reference --every 5 --out A=a.npy"}) {
    const Outcome other = stencilc(std::string("run heat.stn --history other.csv ") + way);
    ASSERT_EQ(other.status, 0) << way << other.err;
    EXPECT_EQ(read(file("other.csv")), history) << way;
  }
}

TEST_F(LongRun, HistoriesContinueFromACheckpoint) {
  write("heat.stn", kHistory);
  const std::string run = "run heat.stn --device reference ";
  ASSERT_EQ(stencilc(run + "--history whole.csv").status, 0);
  const std::string whole = read(file("whole.csv"));
  // Steps after the checkpoint at 12 are repeated up to 16, but their rows are not duplicated.
  ASSERT_EQ(stencilc(run + "--steps 12 --history h.csv --checkpoint c.ckpt").status, 0);
  ASSERT_EQ(stencilc(run + "--steps 16 --history h.csv --restart c.ckpt").status, 0);
  EXPECT_EQ(steps_of(read(file("h.csv"))), "step 2 3 4 6 8 9 10 12 14 15 16 ");
  write("h.csv", read(file("h.csv")) + "18,12");  // an incomplete row
  ASSERT_EQ(stencilc(run + "--history h.csv --restart c.ckpt").status, 0);
  EXPECT_EQ(read(file("h.csv")), whole);
  // A new run replaces the history; the history of another program is refused.
  ASSERT_EQ(stencilc(run + "--steps 4 --history h.csv").status, 0);
  EXPECT_EQ(steps_of(read(file("h.csv"))), "step 2 3 4 ");
  write("h.csv", "step,other\n2,1\n");
  const Outcome other = stencilc(run + "--history h.csv --restart c.ckpt");
  EXPECT_EQ(other.status, 2);
  expect_contains(other.err, "R037");
  EXPECT_EQ(read(file("h.csv")), "step,other\n2,1\n");
}

TEST_F(LongRun, KilledRunsContinueTheirHistory) {
  write("long.stn", kLong);
  const std::string run = "run long.stn -D N=60 --device reference --history ";
  ASSERT_EQ(stencilc(run + "whole.csv --steps 20000").status, 0);
  for (int round = 0; round < 3; ++round) {
    const pid_t child = start(run + "h.csv --checkpoint c.ckpt --checkpoint-every 10");
    ASSERT_TRUE(await([&] { return exists("c.ckpt"); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(23 * round));
    ::kill(child, SIGKILL);
    EXPECT_EQ(wait(child).status, 128 + SIGKILL);
    const Outcome rest = stencilc(run + "h.csv --steps 20000 --restart c.ckpt");
    ASSERT_EQ(rest.status, 0) << rest.err;
    EXPECT_EQ(read(file("h.csv")), read(file("whole.csv")));
    std::filesystem::remove(file("c.ckpt"));
  }
}

// If the disk has no room for a row, the run ends with a checkpoint. The row
// is written when the run resumes.
TEST_F(LongRun, HistoriesContinueAfterAFullDisk) {
  write("long.stn", kLong);
  const std::string run = "run long.stn -D N=4 --steps 2000 --device reference --history ";
  ASSERT_EQ(stencilc(run + "whole.csv").status, 0);
  const Outcome full =
      wait(start(run + "h.csv --checkpoint c.ckpt", "ulimit -f 4"));  // blocks of 512 bytes
  EXPECT_EQ(full.status, 2) << full.err;
  expect_contains(full.err, "R011: cannot write 'h.csv'");
  expect_contains(full.err, "continue from it with --restart");
  EXPECT_NE(read(file("h.csv")).back(), '\n');
  ASSERT_EQ(stencilc(run + "h.csv --restart c.ckpt").status, 0);
  EXPECT_EQ(read(file("h.csv")), read(file("whole.csv")));
}

TEST_F(LongRun, InvalidHistoriesAreRefused) {
  write("heat.stn", kHistory);
  write("none.stn", kHeat);
  for (const auto& [arguments, code] :
       {std::pair{"heat.stn --history h.txt", "U021"},
        std::pair{"none.stn --history h.csv", "R037"}, std::pair{"heat.stn --history ''", "U004"},
        std::pair{"heat.stn --history no/h.csv", "R011"},
        std::pair{"heat.stn --history h.csv --checkpoint h.csv", "U013"}}) {
    const Outcome outcome = stencilc(std::string("run --device reference ") + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    expect_contains(outcome.err, code);
    EXPECT_EQ(files(), "heat.stn none.stn");
  }
}

}  // namespace
}  // namespace stencil
