// Measures and checks the jobs of a suite on a device, one after the other.
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
  std::string root = ".";   // base directory of program paths
  bool check_only = false;  // only run small sizes, compared with the interpreter
  int threads = 1;          // for compiling
  double budget = 0;        // seconds after which no job is started; 0: unlimited
};

// The result of a job, as in the results file.
//
//   of the job   name, program, source, real, fp, schedule, naive, kind ("time", "check" or
//                "counts"), define, steps, check_steps, repeat
//   compiled     settings (the full schedule line), chosen (origin of the "auto" choice), jit_s,
//                registers, local_bytes, shared_bytes
//   measured     gcells, time_ms (the median), runs_ms, copy_gbs, copy_gcells
//   checked      check ("passed", or the difference), checked_against
//   or           refused, error, left_out: as text
//   always       wall_s, without what was compiled ahead
using Record = Json;

// The members of the job, in a record of the given kind.
Record record_of(const BenchJob& job, std::string_view kind);
// The earlier record of the job, unless the job was left out; nullopt if there is none.
std::optional<Record> earlier_record(const std::vector<Record>& earlier, const Record& wanted);
// The request for the job's full size.
BuildRequest request_of(const std::string& root, const BenchJob& job);
// Rounds to the digits that a measurement has.
double rounded(double value);

class Runner {
 public:
  // `device` must outlive it.
  Runner(const runtime::ChosenDevice& device, const Settings& settings, std::vector<BenchJob> jobs);

  // Runs the jobs and calls `done` with all records so far after each. Skips jobs with a record in
  // `earlier` (results of the same suite on the same device), unless they were left out.
  std::vector<Record> run(const std::function<void(const std::vector<Record>&)>& done,
                          const std::vector<Record>& earlier = {});

 private:
  // The builds of a job; references only if a timed run is checked. `own` is not set if "auto" may
  // time schedules, which must wait for the job's turn on the device.
  struct Builds {
    Builder::Pending own, reference, small_reference;
  };
  // Reference results of the latest request.
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
  bool exclusive_;  // no compilation while the device measures
  Builder builder_;
  std::vector<std::optional<Record>> earlier_;      // by job
  std::vector<Builds> builds_;                      // for the jobs requested so far
  std::map<std::string, Builder::Pending> shared_;  // reference builds, by request
  std::map<std::string, std::string> small_verdicts_;
  std::map<int64_t, double> copies_;  // bytes -> seconds
  tune::FieldMemory own_memory_, expected_memory_;
  Expected interpreted_, reference_;
  bool lost_ = false;
};

}  // namespace stencil::bench
