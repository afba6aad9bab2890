// The filter is a list of allowed system calls; all others fail with EPERM. An allow-list also
// blocks system calls that are unknown today. It omits fork(), execve(), socket(), open() and
// prctl(); kill() may only target the process itself. A process that cannot fork cannot leave
// anything behind, not even outside its process group.
#include "runtime/api/confine.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "compiler/support/numbers.h"

namespace stencil::api {

namespace {

#if defined(__x86_64__)
constexpr uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kMachine = 0;
#endif

constexpr rlim_t kMoreMemory = rlim_t{4} << 30;  // bytes, beyond what is mapped at the start

constexpr int kAllowed[] = {
    SYS_exit,
    SYS_exit_group,
    SYS_rt_sigreturn,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_sigaltstack,
    SYS_brk,
    SYS_mmap,
    SYS_munmap,
    SYS_mremap,
    SYS_mprotect,
    SYS_madvise,
    SYS_futex,
    SYS_sched_yield,
    SYS_getpid,
    SYS_gettid,
    SYS_clock_gettime,
    SYS_gettimeofday,
    SYS_getrandom,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_restart_syscall,
    SYS_getrusage,
    SYS_read,
    SYS_write,
    SYS_writev,
    SYS_lseek,
    SYS_fstat,
    SYS_newfstatat,
    SYS_close,
    SYS_sched_getaffinity,
};
// Allowed only with this process as the target.
constexpr int kToItself[] = {SYS_kill, SYS_tgkill};

void limit(decltype(RLIMIT_AS) what, rlim_t most) {
  rlimit now{};
  if (getrlimit(what, &now) != 0) return;
  if (now.rlim_max != RLIM_INFINITY) most = std::min(most, now.rlim_max);
  now = {most, most};
  setrlimit(what, &now);
}

rlim_t mapped_now() {
  std::string pages;
  std::ifstream("/proc/self/statm") >> pages;
  return static_cast<rlim_t>(parse_integer(pages, 0).value_or(0)) *
         static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

void only_descriptor(int& keep) {
  const int nowhere = open("/dev/null", O_RDWR);
  for (int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (nowhere >= 0) dup2(nowhere, standard);
  }
  constexpr int kKept = 3;
  if (keep != kKept) {
    dup2(keep, kKept);
    keep = kKept;
  }
#ifdef SYS_close_range
  if (syscall(SYS_close_range, kKept + 1, ~0U, 0) == 0) return;
#endif
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const int most = static_cast<int>(std::min<rlim_t>(files.rlim_cur, 1 << 20));
  for (int file = kKept + 1; file < most; ++file) close(file);
}

bool filter_calls() {
  using Step = sock_filter;
  const auto number = static_cast<uint32_t>(offsetof(seccomp_data, nr));
  const auto machine = static_cast<uint32_t>(offsetof(seccomp_data, arch));
  const auto first = static_cast<uint32_t>(offsetof(seccomp_data, args));  // its low half
  const Step allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const Step refuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  std::vector<Step> steps = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, machine),
                             BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 1, 0),
                             BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                             BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number)};
  for (int call : kAllowed) {
    steps.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 1));
    steps.push_back(allow);
  }
  for (int call : kToItself) {
    steps.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 4));
    steps.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, first));
    steps.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(getpid()), 0, 1));
    steps.push_back(allow);
    steps.push_back(refuse);
  }
  steps.push_back(refuse);
  const sock_fprog program{static_cast<unsigned short>(steps.size()), steps.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

}  // namespace

std::string confine(int& keep, int seconds) {
  if (kMachine == 0) return "the system call filter does not support this machine's architecture";
  setsid();
  for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  only_descriptor(keep);
  limit(RLIMIT_AS, mapped_now() + kMoreMemory);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NPROC, 0);  // does not bind root, but the filter does
  limit(RLIMIT_CPU, static_cast<rlim_t>(seconds) + 1);
  limit(RLIMIT_NOFILE, 4);
  if (filter_calls()) return "";
  return fmt::format("the system cannot confine a process (seccomp: {})", std::strerror(errno));
}

}  // namespace stencil::api
