// Measuring and checking the jobs of a suite on a device, one after the other.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/tune/field_memory.h"
#include "tools/bench/build.h"

namespace stencil::bench {

struct Settings {
  std::string root = ".";   // where paths of programs begin
  bool check_only = false;  // run the small sizes alone, compared with the interpreter
  int threads = 1;          // that compile
  double budget = 0;        // seconds after which nothing more is started; 0: no limit
};

// What came of a job, as the results file has it.
//
//   of the job   name, program, source, real, fp, schedule, naive, kind ("time", "check",
//   "counts"), define,
//                steps, check_steps, repeat
//   compiled     settings (the whole schedule line), chosen (how "auto" came to it), jit_s,
//   registers, local_bytes, shared_bytes measured     gcells, time_ms (the median), runs_ms,
//   copy_gbs, copy_gcells checked      check ("passed" or what differs), checked_against or
//   refused, error, left_out: in words always       wall_s, of the job without what was compiled
//   ahead
using Record = Json;

// The parts of the job, of a record of a kind.
Record record_of(const BenchJob& job, std::string_view kind);
// The record that a job had before, unless it was left out; nothing if there is none.
std::optional<Record> earlier_record(const std::vector<Record>& earlier, const Record& wanted);
// What a job compiles at its full size.
BuildRequest request_of(const std::string& root, const BenchJob& job);
// As many digits as a measurement has.
double rounded(double value);

class Runner {
 public:
  // `device` must outlive it.
  Runner(const runtime::ChosenDevice& device, const Settings& settings, std::vector<BenchJob> jobs);

  // Runs the jobs, and calls `done` with the records so far after each. A job is not run again that
  // has a record in `earlier`, results of the same suite on the same device, unless it was left
  // out.
  std::vector<Record> run(const std::function<void(const std::vector<Record>&)>& done,
                          const std::vector<Record>& earlier = {});

 private:
  // What a job needs; references only where a timed run is checked. Not `own` where "auto" may have
  // to time schedules: that waits for the job's turn on the device.
  struct Builds {
    Builder::Pending own, reference, small_reference;
  };
  // Results to compare with, of the latest request.
  struct Expected {
    std::string key;
    std::optional<reference::State> state;
    std::string problem;
  };

  void request_builds(size_t until);
  Builds request_builds(const BenchJob& job);
  Builder::Pending shared(const BuildRequest& request);
  std::shared_ptr<Build> own_build(const BenchJob& job, const Builds& builds);
  void run_job(const BenchJob& job, const Builds& builds, Record& record);
  bool check(const BenchJob& job, const Builds& builds, Build& own, reference::State& state,
             Record& record);
  void time(const BenchJob& job, Build& own, reference::State& state, Record& record);
  void measure_copies(const Build& own, const reference::State& state, Record& record);
  const Expected& interpreted(const Build& build, const std::string& key, int64_t steps);
  const Expected& reference_result(Build& build, const std::string& key, int64_t steps);
  std::string differs_from_interpreter(Build& build, const BuildRequest& request, int64_t steps);
  bool device_lost(const Build& build) const;

  const runtime::ChosenDevice& device_;
  Settings settings_;
  std::vector<BenchJob> jobs_;
  bool exclusive_;  // nothing is compiled while the device measures
  Builder builder_;
  std::vector<std::optional<Record>> earlier_;      // by job
  std::vector<Builds> builds_;                      // of the jobs requested so far
  std::map<std::string, Builder::Pending> shared_;  // builds of references, by request
  std::map<std::string, std::string> small_verdicts_;
  std::map<int64_t, double> copies_;  // bytes -> seconds
  tune::FieldMemory own_memory_, expected_memory_;
  Expected interpreted_, reference_;
  bool lost_ = false;
};

}  // namespace stencil::bench
