// The original of a lifted program is unchecked C, so it runs in a child process: a crash does not
// end this process. The child confirms completion with a random token, because the original could
// exit with any status.
//
// The parent measures the time limit. The original could disable a timer in the child, such as
// alarm(), and could stop its own process.
#include "runtime/api/in_child.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/api/confine.h"

namespace stencil::api {

SharedMemory::SharedMemory(size_t bytes) : bytes_(bytes) {
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<char*>(mapped);
}
SharedMemory::~SharedMemory() {
  munmap(data_, bytes_);
}

namespace {

constexpr size_t kTokenBytes = 16;
using Token = std::array<char, kTokenBytes>;
constexpr char kUnconfined = 'U';  // first byte of an error text, where a token would have 'T'

[[noreturn]] void child(const std::function<void()>& work, int seconds, pid_t parent, int pipe,
                        const Token& token) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // the parent ended before the line above
  if (const std::string why = confine(pipe, seconds); !why.empty()) {
    const std::string text = kUnconfined + why;
    if (write(pipe, text.data(), text.size()) < 0) _exit(1);
    _exit(1);
  }
  work();
  if (write(pipe, token.data(), token.size()) < 0) _exit(1);
  _exit(0);
}

// Reads what the child writes until the child closes the pipe or has written a token, or until the
// timeout expires.
std::string heard(int pipe, std::chrono::steady_clock::time_point end) {
  std::string out;
  while (out.size() < kTokenBytes || out[0] == kUnconfined) {
    // Rounded up, so that the wait never ends before `end`; such a wait would not count as a
    // timeout.
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now())
            .count();
    if (left <= 0 || out.size() > 1000) break;
    pollfd wait{pipe, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(left));
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    if (ready < 0) break;
    char buffer[256];
    const ssize_t got = read(pipe, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    out.append(buffer, static_cast<size_t>(got));
  }
  return out;
}

}  // namespace

ChildEnd run_in_child(const std::function<void()>& work, int seconds) {
  using Kind = ChildEnd::Kind;
  Token token{};
  int ends[2] = {-1, -1};
  if (getrandom(token.data(), token.size(), 0) != static_cast<ssize_t>(token.size()) ||
      pipe2(ends, O_CLOEXEC) != 0) {
    return {Kind::Unconfined, "no process can be started"};
  }
  token[0] = 'T';
  const pid_t parent = getpid();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  const pid_t made = fork();
  if (made == 0) child(work, seconds, parent, ends[1], token);
  close(ends[1]);
  if (made < 0) {
    close(ends[0]);
    return {Kind::Unconfined, "no process can be started"};
  }
  const std::string answer = heard(ends[0], end);
  close(ends[0]);
  const bool late = std::chrono::steady_clock::now() >= end;
  const bool done =
      answer.size() == kTokenBytes && std::memcmp(answer.data(), token.data(), kTokenBytes) == 0;
  // If the child exits by itself, the pipe closes first, so wait up to 0.5 s for its status.
  // Otherwise kill it with its process group, whatever its state.
  int status = 0;
  pid_t ended = 0;
  for (int moment = 0; moment < 500 && !late && !done; ++moment) {
    ended = waitpid(made, &status, WNOHANG);
    if (ended == made || (ended < 0 && errno != EINTR)) break;
    usleep(1000);
  }
  if (ended == 0) {
    kill(-made, SIGKILL);
    kill(made, SIGKILL);  // it may not have created its group yet
    while (waitpid(made, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (done) return {};
  if (!answer.empty() && answer[0] == kUnconfined) return {Kind::Unconfined, answer.substr(1)};
  if (late) return {Kind::Late, fmt::format("it takes more than {} seconds", seconds)};
  if (WIFSIGNALED(status)) {
    return {Kind::Died, fmt::format("it ends with the signal {} ({})", WTERMSIG(status),
                                    strsignal(WTERMSIG(status)))};
  }
  return {Kind::Died, fmt::format("it ends the process with the status {}", WEXITSTATUS(status))};
}

}  // namespace stencil::api
