// Progress of a long run, and Ctrl-C.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include "stencil/simulation.h"
#include "tools/stencilc/periodic.h"

namespace stencil::tool {

// While it lives, SIGINT (Ctrl-C), SIGTERM, SIGHUP or SIGXCPU ends the process as it would have
// without, but leaves no temporary files. From `note_first` on, when somebody asks, the first
// signal is only noted. A signal that was ignored on entry (nohup, `&` in a script) stays so.
class InterruptGuard {
 public:
  InterruptGuard();
  void note_first();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();
  // The number of the signal that came; 0: none.
  static int signal_number();
  static bool interrupted() { return signal_number() != 0; }
};

// A line on stderr that is rewritten in place; only if that is a terminal, and not in the first two
// seconds. Erased at the end.
class ProgressLine {
 public:
  explicit ProgressLine(double quiet_seconds = 2);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();
  // `seconds` since the start of what is in progress. What is wider than the terminal is cut off.
  void show(double seconds, const std::string& text);
  void erase();
  // Characters that fit.
  int width() const;
  bool on_terminal() const { return terminal_; }

 private:
  double quiet_seconds_;
  bool terminal_;
  bool shown_ = false;
  double last_ = -1;  // when it was shown
};

// What is being done while nothing can be counted, on a line like that one, with the seconds it has
// taken; from the first second on. Erased at the end.
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
  std::optional<Periodic> shows_;  // last, so that it ends first
};

// "[#####.....]  40/100 steps  1.23 GCells/s  12 s left" in at most `width` characters: the bar
// takes what the rest leaves, and goes first.
std::string describe(const Progress& progress, int width);

}  // namespace stencil::tool
