// A signal handler may only call async-signal-safe functions such as write() and unlink(). It runs
// on its own stack, because a stack overflow may be the cause.
//
// LLVM in an OpenCL implementation replaces our SIGABRT handler and does not return to it. So the
// program defines its own abort(), which shared libraries also use.
#include "tools/stencilc/death.h"

#include <signal.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "runtime/devices/foreign_call.h"
#include "stencil/files.h"
#include "tools/stencilc/console.h"

namespace stencil::tool {

namespace {

constexpr int kDeadly[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
constexpr size_t kStackBytes = 64 << 10;
alignas(16) char handler_stack[kStackBytes];

void say(const char* text) {
  const ssize_t ignored = ::write(STDERR_FILENO, text, std::strlen(text));
  (void)ignored;
}

void begin(const char* code) {
  say("stencilc: error ");
  say(code);
  say(": ");
}

const char* name_of(int number) {
  switch (number) {
    case SIGABRT:
      return "SIGABRT";
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGILL:
      return "SIGILL";
    default:
      return "SIGFPE";
  }
}

// Whether the fault is a stack overflow: an unmapped address near the stack pointer.
bool stack_ran_out(int number, const siginfo_t* information, const void* context) {
  constexpr uintptr_t kReach = 1 << 20;
  if (number != SIGSEGV && number != SIGBUS) return false;
  if (information == nullptr || context == nullptr) return false;
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  const auto pointer = static_cast<uintptr_t>(registers.gregs[REG_RSP]);
#elif defined(__aarch64__)
  const auto pointer = static_cast<uintptr_t>(registers.sp);
#else
  (void)registers;
  return false;
#endif
  const auto address = reinterpret_cast<uintptr_t>(information->si_addr);
  return address + kReach > pointer && address < pointer + kReach;
}

// Whether the stack limit is below the usual one.
bool stack_is_limited() {
  constexpr rlim_t kUsual = 8 << 20;
  struct rlimit limit {};
  return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < kUsual;
}

void on_fault(int number, siginfo_t* information, void* context) {
  remove_temporary_files();
  const bool stack = stack_ran_out(number, information, context);
  if (const runtime::ForeignFunction* function = runtime::foreign_call()) {
    begin("R044");
    say(function->library);
    say(" ended the process in ");
    say(function->name);
    say(" (");
    say(name_of(number));
    say(stack ? ", stack overflow)\n      = hint: raise the stack limit (ulimit -s 8192), or use "
                "another --device\n"
              : ")\n      = hint: memory may have run out: smaller sizes (-D), a higher ulimit -v, "
                "or another --device\n");
    _exit(kDeviceAtFault);
  }
  if (stack && stack_is_limited()) {
    begin("R046");
    say("stack overflow\n      = hint: raise the stack limit: ulimit -s 8192\n");
    _exit(kDeviceAtFault);
  }
  begin("K003");
  say("internal error: ");
  say(name_of(number));
  say(stack ? ", stack overflow" : "");
  say("; please report it with the program and the command\n");
  signal(number, SIG_DFL);
  raise(number);
}

}  // namespace

}  // namespace stencil::tool

extern "C" __attribute__((noreturn, visibility("default"))) void abort() noexcept {
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGABRT);
  pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
  raise(SIGABRT);  // lets other handlers clean up
  stencil::tool::on_fault(SIGABRT, nullptr, nullptr);
  _exit(128 + SIGABRT);
}

namespace stencil::tool {

void announce_death() {
  stack_t stack{};
  stack.ss_sp = handler_stack;
  stack.ss_size = kStackBytes;
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_ONSTACK | SA_SIGINFO;
  for (const int number : kDeadly) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    // Keeps the handler of a sanitizer.
    if (before.sa_handler == SIG_DFL) sigaction(number, &action, nullptr);
  }
}

}  // namespace stencil::tool
