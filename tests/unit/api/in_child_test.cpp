// The child process that runs a user's C code can compute and nothing else.
#include "runtime/api/in_child.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/api/lift_sample.h"

namespace stencil::api {
namespace {

using Kind = ChildEnd::Kind;

class InChild : public testing::Test {
 protected:
  void SetUp() override {
    if (run_in_child([] {}, 5).kind == Kind::Unconfined) GTEST_SKIP() << "no seccomp";
  }
  SharedMemory shared_{64};
};

TEST_F(InChild, WritesToSharedMemoryReachTheParent) {
  char* at = shared_.data();
  const ChildEnd end = run_in_child([at] { at[0] = 7; }, 5);
  EXPECT_TRUE(end.returned()) << end.text;
  EXPECT_EQ(at[0], 7);
}

TEST_F(InChild, ExitingIsAFailureWithAnyStatus) {
  for (int status : {0, 1, 83}) {
    const ChildEnd end = run_in_child([status] { _exit(status); }, 5);
    EXPECT_EQ(end.kind, Kind::Died) << status;
    EXPECT_NE(end.text.find("status " + std::to_string(status)), std::string::npos) << end.text;
  }
}

TEST_F(InChild, SignalsAreReportedByNumber) {
  EXPECT_NE(run_in_child([] { std::raise(SIGSEGV); }, 5).text.find("signal 11"), std::string::npos);
  EXPECT_NE(run_in_child([] { std::abort(); }, 5).text.find("signal 6"), std::string::npos);
}

TEST_F(InChild, TheParentEnforcesTheTimeLimit) {
  const auto begin = std::chrono::steady_clock::now();
  const auto forever = [] {
    alarm(0);
    for (;;) usleep(1000);
  };
  const auto stopped = [] { std::raise(SIGSTOP); };
  EXPECT_EQ(run_in_child(forever, 1).kind, Kind::Late);
  EXPECT_EQ(run_in_child(stopped, 1).kind, Kind::Late);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST_F(InChild, SystemCallsAreRefused) {
  const auto path =
      std::filesystem::temp_directory_path() / ("stencil_in_child_" + std::to_string(getpid()));
  const std::string name = path.string();
  char* refused = shared_.data();
  const pid_t parent = getpid();
  const ChildEnd end = run_in_child(
      [&] {
        refused[0] = fork() < 0;
        refused[1] = open(name.c_str(), O_CREAT | O_WRONLY, 0644) < 0;
        refused[2] = open("/dev/null", O_RDONLY) < 0;
        refused[3] = kill(parent, 0) < 0;
        refused[4] = socket(AF_INET, SOCK_STREAM, 0) < 0;
        char* const arguments[] = {nullptr};
        execv("/bin/true", arguments);
        refused[5] = 1;
        refused[6] = unlink("/etc/hostname") < 0;
        refused[7] = setsid() < 0;
      },
      5);
  EXPECT_TRUE(end.returned()) << end.text;
  for (int k = 0; k < 8; ++k) EXPECT_EQ(refused[k], 1) << k;
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(InChild, MemoryIsLimited) {
  char* refused = shared_.data();
  const ChildEnd end =
      run_in_child([&] { refused[0] = std::malloc(size_t{1} << 40) == nullptr; }, 5);
  EXPECT_TRUE(end.returned()) << end.text;
  EXPECT_EQ(refused[0], 1);
}

// A macro may put statements after the call. These run as well.
constexpr const char* kWritesAFile = R"(
#include <fcntl.h>
#include <unistd.h>
void f(int n, double* a, double* b) { for (int i = 1; i < n - 1; i++) b[i] = a[i - 1]; }
static void more(void) { close(open("FILE", O_CREAT | O_WRONLY, 0644)); }
#define f(...) f(__VA_ARGS__); more()
)";

TEST_F(InChild, OnlyCommandsThatRunProgramsRunTheCFile) {
  if (!can_lift()) GTEST_SKIP() << "no libstencil_host.so";
  const auto directory =
      std::filesystem::temp_directory_path() / ("stencil_runs_c_" + std::to_string(getpid()));
  std::filesystem::create_directories(directory);
  const auto written = directory / "written";
  std::string text = kWritesAFile;
  text.replace(text.find("FILE"), 4, written.string());
  const auto file = directory / "f.c";
  std::ofstream(file) << text;
  const auto log = directory / "log";
  for (const std::string command : {"check", "explain", "lift"}) {
    const int status = std::system((std::string(STENCIL_BINARY) + " " + command + " " +
                                    file.string() + " --function f >" + log.string() + " 2>&1")
                                       .c_str());
    std::stringstream said;
    said << std::ifstream(log).rdbuf();
    EXPECT_EQ(status, 0) << said.str();
    const bool runs = command == "lift";
    EXPECT_EQ(
        said.str().find("not verified: this command does not run the C file") == std::string::npos,
        runs)
        << said.str();
    EXPECT_FALSE(std::filesystem::exists(written)) << command;
  }
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace stencil::api
