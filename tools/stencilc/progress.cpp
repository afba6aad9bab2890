// Progress on a terminal. Nothing is shown where stderr is a file or a pipe, and nothing in the
// first two seconds, so that short runs and scripts see only results.
//
// SIGINT: the handler may only set a flag. SA_RESETHAND puts the default action back, so that a
// second Ctrl-C ends a process that is not getting to the end of its time tile.
#include "tools/stencilc/progress.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>

namespace stencil::tool {

namespace {

std::atomic<bool> was_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_interrupt(int) {
  was_interrupted = true;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
}

InterruptGuard::~InterruptGuard() {
  signal(SIGINT, SIG_DFL);
}

bool InterruptGuard::interrupted() {
  return was_interrupted;
}

ProgressLine::ProgressLine(double quiet_seconds)
    : quiet_seconds_(quiet_seconds), terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  erase();
}

void ProgressLine::show(double seconds, const std::string& text) {
  if (!terminal_ || seconds < quiet_seconds_) return;
  std::fprintf(stderr, "\r%s\033[K", text.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::erase() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

std::string describe(const runtime::Progress& progress) {
  constexpr int kWidth = 24;
  const double share = static_cast<double>(progress.done) / static_cast<double>(progress.total);
  const int filled = std::clamp(static_cast<int>(share * kWidth), 0, kWidth);
  const double left = share > 0 ? progress.seconds * (1 - share) / share : 0;
  const double rate = progress.seconds > 0 ? progress.updates / progress.seconds * 1e-9 : 0;
  return fmt::format("[{}{}] {}/{} steps  {:.3g} GCells/s  {:.0f} s left", std::string(filled, '#'),
                     std::string(kWidth - filled, '.'), progress.done, progress.total, rate, left);
}

}  // namespace stencil::tool
