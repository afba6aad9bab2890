// Progress on a terminal. Nothing is shown if stderr is a file or a pipe, nor in the first two
// seconds, so short runs and scripts only see results.
//
// Signals: the handler only sets a flag for the first one. For the second it restores the default
// action, removes temporary files, and raises the signal again.
#include "tools/stencilc/progress.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>

#include "stencil/files.h"

namespace stencil::tool {

namespace {

std::atomic<int> first_signal{0};
std::atomic<bool> first_is_noted{false};
static_assert(std::atomic<int>::is_always_lock_free);

// Signals that ask a process to end. SIGXCPU reports the CPU time limit and is repeated every
// second until the hard limit, so a second one does not count.
constexpr int kInterrupts[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};

void on_signal(int number) {
  int none = 0;
  const bool noted = first_is_noted && first_signal.compare_exchange_strong(none, number);
  if (noted || (first_is_noted && number == SIGXCPU)) return;
  remove_temporary_files();
  signal(number, SIG_DFL);
  raise(number);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int number : kInterrupts) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    const bool ignored = before.sa_handler == SIG_IGN;  // as set by nohup, or `&` in a script
    if (!ignored) sigaction(number, &action, nullptr);
  }
}

void InterruptGuard::note_first() {
  first_is_noted = true;
}

InterruptGuard::~InterruptGuard() {
  first_is_noted = false;
  for (const int number : kInterrupts) {
    struct sigaction now {};
    sigaction(number, nullptr, &now);
    if (now.sa_handler == on_signal) signal(number, SIG_DFL);
  }
}

int InterruptGuard::signal_number() {
  return first_signal;
}

ProgressLine::ProgressLine(double quiet_seconds)
    : quiet_seconds_(quiet_seconds), terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  erase();
}

void ProgressLine::show(double seconds, const std::string& text) {
  constexpr double kPause = 0.1;  // runs with short chunks call often
  if (!terminal_ || seconds < quiet_seconds_ || (shown_ && seconds < last_ + kPause)) return;
  last_ = seconds;
  std::fprintf(stderr, "\r%.*s\033[K", width(), text.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::erase() {
  if (shown_) std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

int ProgressLine::width() const {
  struct winsize size {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return (known ? size.ws_col : 80) - 1;  // a character in the last column would start a new line
}

namespace {

// "12 s", "3:05 min", "2:03:05 h".
std::string print_duration(double seconds) {
  const auto whole = static_cast<int64_t>(std::min(seconds, 1e9) + 0.5);
  if (whole < 100) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02} h", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace

Activity::Activity() : line_(0) {
  using namespace std::chrono_literals;
  if (line_.on_terminal()) shows_.emplace(1s, [this] { show(); });
}

void Activity::now(const std::string& what) {
  const std::lock_guard<std::mutex> held(mutex_);
  what_ = what;
}

void Activity::show() {
  const std::lock_guard<std::mutex> held(mutex_);
  if (what_.empty()) return;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
  const std::string seconds = "  " + print_duration(taken.count());
  const int room = line_.width() - static_cast<int>(seconds.size());
  line_.show(taken.count(), what_.substr(0, static_cast<size_t>(std::max(room, 0))) + seconds);
}

namespace {

// "[#####.....] " and the text in at most `width` characters. The bar gets the remaining space, and
// is dropped if that is too small.
std::string with_bar(double share, const std::string& text, int width) {
  constexpr int kWidest = 24, kNarrowest = 4, kBrackets = 3;  // includes the space after it
  const int bar = std::min(kWidest, width - kBrackets - static_cast<int>(text.size()));
  if (bar < kNarrowest) return text;
  const int filled = std::clamp(static_cast<int>(share * bar), 0, bar);
  return fmt::format("[{}{}] {}", std::string(filled, '#'), std::string(bar - filled, '.'), text);
}

}  // namespace

std::string describe_verification(int64_t done, int64_t planned, double seconds,
                                  std::optional<double> budget, const std::string& next,
                                  int width) {
  double share = planned > 0 ? static_cast<double>(done) / static_cast<double>(planned) : 0;
  std::string text = fmt::format("{} of {} cases  {}", done, planned, print_duration(seconds));
  if (budget) {
    share = std::max(share, seconds / std::max(*budget, 1e-9));
    text += " of " + print_duration(*budget);
  }
  constexpr int kBar = 15;  // with brackets; the text about the next case is cut before the bar
  const int room = width - kBar - static_cast<int>(text.size()) - 2;
  if (room > 0) text += "  " + next.substr(0, static_cast<size_t>(room));
  return with_bar(share, text, width);
}

std::string describe(const Progress& progress, int width, const std::string& schedule) {
  const double share = static_cast<double>(progress.done) / static_cast<double>(progress.total);
  const double left = share > 0 ? progress.elapsed * (1 - share) / share : 0;
  const double rate = progress.seconds > 0 ? progress.updates / progress.seconds * 1e-9 : 0;
  std::string text = fmt::format("{}/{} steps  {:.3g} GCells/s  {} left", progress.done,
                                 progress.total, rate, print_duration(left));
  constexpr int kBar = 12;  // with brackets
  const int room = width - kBar - static_cast<int>(text.size()) - 2;
  if (!schedule.empty() && static_cast<int>(schedule.size()) <= room) text += "  " + schedule;
  return with_bar(share, text, width);
}

}  // namespace stencil::tool
