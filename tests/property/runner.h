// Random programs, every schedule family of each, in batches on one device.
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
  double time_limit = 0;           // seconds; 0: none
  bool progress = false;           // a line after every batch
  bool coverage = false;
  bool shrink = false;  // the first failures
  bool complete =
      false;  // fails if something is never drawn, or takes long to lower when it is huge
  bool one_mode = false;              // of floating point, for each program
  bool lower_only = false;            // runs nothing
  std::vector<std::string> families;  // those that run; all if there are none
  int cut = 12;                       // percent of the cases that run cut into parts as well
  int boxed = 12;                     // likewise in boxes
  bool parts = false;                 // all of them, and nothing else
  bool boxes = false;                 // likewise
  int gpus = 1;                       // for their parts
  RunBatch run = run_on_host;
  std::string device = "host";
};

// What a run keeps does not grow with the number of programs, but for failures, of which it bears
// few.
class Runner {
 public:
  explicit Runner(const Settings& settings) : settings_(settings) {}
  int run();  // the exit status

 private:
  double seconds() const;
  void fail(const std::string& label, const std::string& what, const std::string& text);
  void add_program(uint64_t seed);
  void lower_huge(const Recipe& recipe);
  void add_case(Recipe recipe, ir::Program program, const std::string& family, Random& random);
  void add_cut_case(const Recipe& recipe, const std::string& family, int steps, bool boxes);
  void flush();
  void run_batch(std::vector<Case>& cases);
  void print_progress() const;
  bool judge_coverage() const;

  const Settings& settings_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int programs_ = 0, cases_ = 0, failed_ = 0;
  int refused_ = 0;          // by their schedule
  int limited_ = 0;          // by the device
  int cut_ = 0, boxed_ = 0;  // of the cases
  Coverage coverage_;
  // The cases of the next batches: those of `fast` are compiled with other flags.
  std::vector<Case> reproducible_, fast_;
};

}  // namespace stencil::property
