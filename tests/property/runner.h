// Random programs with every schedule family, in batches on one device.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "compiler/support/threads.h"
#include "tests/property/coverage.h"
#include "tests/property/random.h"

namespace stencil::property {

struct Settings {
  int programs = 100;
  uint64_t first_seed = 1;
  int batch = 20;                  // programs per batch
  int threads = wanted_threads();  // of the host
  double time_limit = 0;           // seconds; 0: no limit
  bool progress = false;           // prints a line after every batch
  bool coverage = false;
  bool shrink = false;      // of the first failures
  bool complete = false;    // fails if a construct is never drawn, or if huge sizes lower slowly
  bool one_mode = false;    // one floating-point mode per program
  bool alternate = false;   // one floating-point mode per family of a program
  bool lower_only = false;  // runs nothing
  std::vector<std::string> families;  // families to run; empty: all
  int cut = 12;                       // percent of the cases that also run cut into subdomains
  int boxed = 12;                     // percent of the cases that also run in boxes
  int relayed = 6;          // percent of the cases that also run with several schedules in turn
  bool subdomains = false;  // only cut cases, and all of them
  bool boxes = false;       // only boxed cases, and all of them
  bool relays = false;      // only cases with several schedules in turn, and all of them
  int gpus = 1;             // over which subdomains are spread
  RunBatch run = run_on_host;
  std::string device = "host";
};

// Memory use does not grow with the number of programs, except for
// failures, whose number is limited.
class Runner {
 public:
  explicit Runner(const Settings& settings) : settings_(settings) {}
  int run();  // returns the exit status

 private:
  double seconds() const;
  void fail(const std::string& label, const std::string& what, const std::string& text);
  void add_program(uint64_t seed);
  void lower_huge(const Recipe& recipe);
  void add_case(Recipe recipe, ir::Program program, const std::string& family, Random& random);
  void add_cut_case(const Recipe& recipe, const std::string& family, int steps, bool boxes);
  void add_relay(Recipe recipe, int steps);
  void flush();
  void run_batch(std::vector<Case>& cases);
  void print_progress() const;
  bool judge_coverage() const;

  const Settings& settings_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int programs_ = 0, cases_ = 0, failed_ = 0;
  int refused_ = 0;                        // by the schedule
  int limited_ = 0;                        // by the device
  int cut_ = 0, boxed_ = 0, relayed_ = 0;  // of the cases
  Coverage coverage_;
  // The cases of the next batches. Those of `fast` are compiled with other flags.
  std::vector<Case> reproducible_, fast_;
};

}  // namespace stencil::property
