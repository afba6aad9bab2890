// Progress of a long run, and Ctrl-C.
#pragma once

#include <string>

#include "runtime/run.h"

namespace stencil::tool {

// While it lives, the first Ctrl-C sets a flag instead of ending the process; the second ends it.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();
  static bool interrupted();
};

// A line on stderr that is rewritten in place; only if that is a terminal, and not in the first two
// seconds. Erased at the end.
class ProgressLine {
 public:
  explicit ProgressLine(double quiet_seconds = 2);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();
  // `seconds` since the start of what is in progress.
  void show(double seconds, const std::string& text);
  void erase();

 private:
  double quiet_seconds_;
  bool terminal_;
  bool shown_ = false;
};

// "[#####.....]  40/100 steps  1.23 GCells/s  12 s left".
std::string describe(const runtime::Progress& progress);

}  // namespace stencil::tool
