// The original of a lifted program is C that nobody has checked. It runs in a child, whose end says
// nothing about ours: a signal, exit() or a loop without end is a message.
#include "runtime/api/in_child.h"

#include <csignal>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace stencil::api {

SharedMemory::SharedMemory(size_t bytes) : bytes_(bytes) {
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<char*>(mapped);
}
SharedMemory::~SharedMemory() {
  munmap(data_, bytes_);
}

std::string run_in_child(const std::function<void()>& work, int seconds) {
  constexpr int kCameBack = 83;  // unlike what exit() of the original says by itself
  const pid_t child = fork();
  if (child < 0) return "no process can be started";
  if (child == 0) {
    for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGINT, SIGTERM}) {
      std::signal(signal, SIG_DFL);
    }
    const int nowhere = open("/dev/null", O_WRONLY);  // what it prints is no message of ours
    if (nowhere >= 0) {
      dup2(nowhere, STDOUT_FILENO);
      dup2(nowhere, STDERR_FILENO);
    }
    alarm(static_cast<unsigned>(seconds));
    work();
    _exit(kCameBack);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kCameBack) return "";
  if (WIFEXITED(status))
    return fmt::format("it ends the process with the status {}", WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGALRM) return fmt::format("it takes more than {} seconds", seconds);
  return fmt::format("it ends with the signal {} ({})", WTERMSIG(status),
                     strsignal(WTERMSIG(status)));
}

}  // namespace stencil::api
