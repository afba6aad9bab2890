// Instrumentation of passes: the time that each takes (--time-passes), the text of its result
// (--print-after PASS), and, in debug builds, a check of its result.
//
// Every pass runs through run_pass(). Times and texts go to the PassLog that is active on the
// thread; without an active log nothing is recorded. Passes therefore need no parameter for the
// log, as in LLVM.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stencil {

class PassLog {
 public:
  // `print_after`: names of passes, or "all".
  explicit PassLog(std::vector<std::string> print_after = {})
      : print_after_(std::move(print_after)) {}

  // The log of this thread; nullptr if there is none.
  static PassLog* active();
  // Makes a log the active one of this thread for the life of the object.
  class Scope {
   public:
    explicit Scope(PassLog& log);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    PassLog* outer_;
  };

  bool prints(std::string_view pass) const;
  void add_time(std::string_view pass, double seconds);
  void add_text(std::string_view pass, const std::string& text);

  // A table of seconds and runs, a pass per line, in the order of the first runs.
  std::string times() const;
  // What was printed: a heading "-- after PASS" before each text.
  const std::string& texts() const { return texts_; }
  // The names in print_after that match no pass that ran.
  std::vector<std::string> unknown() const;
  // The names of the passes that ran.
  std::vector<std::string> names() const;

 private:
  struct Entry {
    std::string pass;
    double seconds = 0;
    int runs = 0;
  };
  std::vector<std::string> print_after_;
  std::vector<Entry> entries_;
  std::string texts_;
};

// Prints the violations to stderr and aborts, if there are any: a pass broke its own invariants.
// Debug builds call it after every pass.
void require_sound(std::string_view pass, const std::vector<std::string>& violations);

// The result of run(), which is the pass `name`. `print(result)` is its text, `verify(result)` its
// violations.
template <class Run, class Print, class Verify>
auto run_pass(std::string_view name, const Run& run, const Print& print,
              [[maybe_unused]] const Verify& verify) {
  PassLog* const log = PassLog::active();
  const auto begin = std::chrono::steady_clock::now();
  auto result = run();
  if (log != nullptr) {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    log->add_time(name, taken.count());
    if (log->prints(name)) log->add_text(name, print(result));
  }
#ifndef NDEBUG
  require_sound(name, verify(result));
#endif
  return result;
}

}  // namespace stencil
