// The child writes its result into a pipe: one byte for success or failure, then the text.
#include "runtime/host/c/bounded.h"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace stencil::host {

namespace {

using Clock = std::chrono::steady_clock;

constexpr char kDone = 'd', kFailed = 'f', kEnd = 'e';

void write_all(int pipe, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t put = write(pipe, data, size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) _exit(1);
    data += put;
    size -= static_cast<size_t>(put);
  }
}

void limit_memory() {
  constexpr rlim_t kBeyond = rlim_t{4} << 30;
  unsigned long pages = 0;
  // The first number in the file is the number of pages in use.
  if (FILE* file = std::fopen("/proc/self/statm", "re")) {
    char text[64];
    const size_t length = std::fread(text, 1, sizeof text, file);
    std::fclose(file);
    std::from_chars(text, text + length, pages);  // if there is no number, pages stays 0
  }
  const rlim_t most = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + kBeyond;
  rlimit limit{};
  if (pages == 0 || getrlimit(RLIMIT_AS, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? most : std::min(most, limit.rlim_max);
  setrlimit(RLIMIT_AS, &limit);
  limit = {0, 0};  // the parent reports a crash of Clang, so no core file is needed
  setrlimit(RLIMIT_CORE, &limit);
}

[[noreturn]] void child(const std::function<Compiled()>& work, pid_t parent, int pipe) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  for (int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE}) std::signal(signal, SIG_DFL);
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null >= 0) dup2(null, 2);  // hides the stack trace that LLVM prints when it aborts
  limit_memory();
  Compiled out;
  try {
    out = work();
  } catch (const std::exception& error) {
    out = {false, error.what()};
  }
  write_all(pipe, out.ok ? &kDone : &kFailed, 1);
  write_all(pipe, out.text.data(), out.text.size());
  write_all(pipe, &kEnd, 1);
  _exit(0);
}

// Reads the complete output of the child. Returns false on a timeout.
bool heard(int pipe, Clock::time_point end, std::string& out) {
  char buffer[1 << 16];
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    pollfd wait{pipe, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return false;
    const ssize_t got = read(pipe, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    out.append(buffer, static_cast<size_t>(got));
  }
}

}  // namespace

Compiled in_bounded_child(const std::function<Compiled()>& work, int seconds) {
  initialise();  // must precede the fork, so that the child inherits no locked mutex of LLVM
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0)
    return {false, "Clang cannot be started: no pipe can be created"};
  const pid_t parent = getpid();
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  const pid_t made = fork();
  if (made == 0) child(work, parent, ends[1]);
  close(ends[1]);
  if (made < 0) {
    close(ends[0]);
    return {false, "Clang cannot be started: no process can be created"};
  }
  std::string answer;
  const bool in_time = heard(ends[0], end, answer);
  close(ends[0]);
  if (!in_time) kill(made, SIGKILL);
  int status = 0;
  while (waitpid(made, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time)
    return {false, "Clang takes more than " + std::to_string(seconds) + " seconds for the file"};
  if (answer.size() < 2 || answer.back() != kEnd) {
    const std::string how =
        WIFSIGNALED(status) ? std::string(" with the signal ") + strsignal(WTERMSIG(status)) : "";
    return {false,
            "Clang crashed" + how + ": the file needs too much memory, or triggers a bug in Clang"};
  }
  return {answer[0] == kDone, answer.substr(1, answer.size() - 2)};
}

}  // namespace stencil::host
