// Progress display and interruption of long runs.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include "stencil/simulation.h"
#include "tools/stencilc/periodic.h"

namespace stencil::tool {

// While this object lives, SIGINT (Ctrl-C), SIGTERM, SIGHUP and SIGXCPU remove temporary files
// before they end the process. After note_first(), the first signal is only recorded. A signal that
// was ignored on entry (nohup, `&` in a script) stays ignored.
class InterruptGuard {
 public:
  InterruptGuard();
  void note_first();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();
  // The signal received; 0: none.
  static int signal_number();
  static bool interrupted() { return signal_number() != 0; }
};

// A status line on stderr that is rewritten in place; only on a terminal, and not in the first
// `quiet_seconds`. The destructor erases it.
class ProgressLine {
 public:
  explicit ProgressLine(double quiet_seconds = 2);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();
  // `seconds`: since the start of the activity. Text wider than the terminal is cut off.
  void show(double seconds, const std::string& text);
  void erase();
  // Available width in characters.
  int width() const;
  bool on_terminal() const { return terminal_; }

 private:
  double quiet_seconds_;
  bool terminal_;
  bool shown_ = false;
  double last_ = -1;  // time of the last update
};

// A status line with the current activity and its duration, for work without a count; shown from
// the first second on. The destructor erases it.
class Activity {
 public:
  Activity();
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;
  void now(const std::string& what);

 private:
  void show();
  ProgressLine line_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::string what_;
  std::optional<Periodic> shows_;  // last member, so that it ends first
};

// "[#####.....] 38 of 412 cases  12 s of 30 s  host, planes T=4" in at most `width` characters. The
// bar shows the share of the cases or of the budget, whichever is larger.
std::string describe_verification(int64_t done, int64_t planned, double seconds,
                                  std::optional<double> budget, const std::string& next, int width);

// "[#####.....]  40/100 steps  1.23 GCells/s  12 s left" in at most `width` characters. The bar
// gets the remaining space, and is dropped if that is too small. `schedule`: follows the text if
// there is room.
std::string describe(const Progress& progress, int width, const std::string& schedule = "");

}  // namespace stencil::tool
