// A job at full size is compared with `direct`, the simplest schedule, on the same device, because
// a CPU would take minutes. `direct` itself is compared with the interpreter at the small size,
// once per program, type and mode. With --check-only, every schedule is compared with the
// interpreter at the small size.
//
// While the device measures, other threads compile the next jobs. If the device is the CPU, or
// compiling needs the device, a few jobs are compiled and then measured.
#include "tools/bench/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "compiler/driver/frontend.h"
#include "compiler/reference/interpreter.h"
#include "compiler/schedule/family.h"
#include "compiler/support/try.h"
#include "runtime/io/files.h"
#include "runtime/verify/compare.h"

namespace stencil::bench {

using reference::State;
using runtime::LoadedProgram;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string text_of(const Failure& failure) {
  return failure.code.empty() ? failure.message : failure.code + " " + failure.message;
}

// --- What is run

std::string path_of(const std::string& root, const std::string& source) {
  return (std::filesystem::path(root) / source).lexically_normal().string();
}

// The rank of a program's grid; 3 for a program with errors, which the build reports.
int rank_of(const std::string& file, const Json& define) {
  const auto text = runtime::read_file(file);
  if (!text.ok()) return 3;
  ProgramOptions options;
  for (const auto& item : define.items()) options.definitions[item.key()] = item.value().dump();
  Diagnostics diagnostics;
  const auto program = load_program(Source(file, text.value()), options, diagnostics);
  return program ? program->grid().rank() : 3;
}

// Reduces the sizes in `define` for the interpreter: different for different params, and not
// multiples of a block.
Json small_sizes(const Json& define, int rank) {
  int64_t largest = rank == 1 ? 5003 : rank == 2 ? 203 : 53;
  Json out = define;
  for (auto& item : out.items()) {
    if (!item.value().is_number_integer() || item.value().get<int64_t>() <= largest) continue;
    item.value() = largest;
    largest -= 4;
  }
  return out;
}

// `fast` is compared with the program's operations in their written order.
FpMode reference_mode(FpMode fp) {
  return fp == FpMode::Fast ? FpMode::Strict : fp;
}

BuildRequest small_request_of(const std::string& root, const BenchJob& job) {
  BuildRequest request = request_of(root, job);
  request.define =
      job.check ? *job.check : small_sizes(job.define, rank_of(request.file, job.define));
  return request;
}

BuildRequest plain(BuildRequest request) {
  request.name = schedule::family_table().back().name;
  request.fp = reference_mode(request.fp);
  request.schedule = request.name;
  return request;
}

// Everything that results depend on, except the number of steps.
std::string key_of(const BuildRequest& request) {
  return fmt::format("{} {} {} {} {}", request.file, name(request.real), name(request.fp),
                     request.define.dump(), request.schedule);
}

// --- Records

}  // namespace

BuildRequest request_of(const std::string& root, const BenchJob& job) {
  return {path_of(root, job.source), job.name, job.define, job.real, job.fp, job.schedule};
}

double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double scale = std::pow(10, 5 - std::floor(std::log10(std::fabs(value))));
  return std::round(value * scale) / scale;
}

Record record_of(const BenchJob& job, std::string_view kind) {
  Record record{{"name", job.name},       {"program", job.program}, {"source", job.source},
                {"real", name(job.real)}, {"fp", name(job.fp)},     {"schedule", job.schedule}};
  if (job.naive) record["naive"] = true;
  record["kind"] = kind;
  record["define"] = job.define;
  record["steps"] = job.steps;
  if (kind == "time") record["repeat"] = job.repeat;
  return record;
}

namespace {

// Whether both belong to the same job of a suite. Steps and params of a record may differ from the
// request, so the name, which contains the position in the suite, identifies the job.
bool same_job(const Record& record, const Record& wanted) {
  for (const char* key : {"name", "source", "real", "fp", "schedule", "kind"}) {
    if (!record.contains(key) || record[key] != wanted[key]) return false;
  }
  return true;
}

}  // namespace

std::optional<Record> earlier_record(const std::vector<Record>& earlier, const Record& wanted) {
  const auto known = std::find_if(earlier.begin(), earlier.end(), [&](const Record& record) {
    return !record.contains("left_out") && same_job(record, wanted);
  });
  return known == earlier.end() ? std::nullopt : std::optional<Record>(*known);
}

namespace {

// Records the settings, the compile time, and the maximum of each resource over all kernels.
void note_kernels(const Build& build, Record& record) {
  record["settings"] = schedule::print(*build.schedule, build.program->grid().rank());
  if (!build.chosen.empty()) record["chosen"] = build.chosen;
  record["jit_s"] = rounded(build.seconds);
  for (const runtime::KernelResources& kernel : build.loaded->resources()) {
    const auto most = [&](const char* key, int64_t value) {
      record[key] = std::max<int64_t>(record.value(key, int64_t{0}), value);
    };
    most("registers", kernel.registers);
    most("local_bytes", kernel.local_bytes);
    most("shared_bytes", kernel.shared_bytes);
  }
}

// Whether the build is loaded; if not, records the reason.
bool usable(const Build& build, const std::string& what, Record& record) {
  if (build.loaded) return true;
  const bool refused = !build.refused.empty();
  record[refused ? "refused" : "error"] = what + (refused ? build.refused : build.error);
  return false;
}

// --- Runs

struct Run {
  int64_t steps;   // done
  double seconds;  // by the device's clock, if any
};

// Starts from random values, in which every bit matters for comparisons.
Result<std::unique_ptr<runtime::Session>> started(const Build& build, State& state) {
  tune::fill(*build.program, state);
  return build.loaded->start(state);
}

// Continues from the session's current step.
Result<Run> advance(runtime::Session& session, int64_t steps) {
  const auto begin = Clock::now();
  const auto done = session.advance(steps);
  const double seconds = seconds_since(begin);
  if (!done.ok()) return done.failure();
  return Run{done.value(), session.seconds().value_or(seconds)};
}

// Runs from initial values to results in the state.
Result<Run> run_once(const Build& build, State& state, int64_t steps) {
  auto session = TRY(started(build, state));
  const auto run = advance(*session, steps);
  if (!run.ok()) return run.failure();
  TRY(session->finish());
  return run;
}

// Two time tiles plus one step, or more so that a reduction is due.
int64_t suitable_steps(const kernel::Plan& plan, int64_t steps) {
  constexpr int64_t kLongest = 200;
  int64_t wanted = 2 * plan.time_tile + 1;
  for (const kernel::Reduction& reduction : plan.reductions) {
    wanted = std::max(wanted, std::min<int64_t>(reduction.every + 1, kLongest));
  }
  return std::min(wanted, steps);
}

// Same bits, unless operations may be reordered or maths libraries differ.
runtime::Tolerance tolerance(const ir::Program& program) {
  if (program.fp != FpMode::Fast && !runtime::uses_transcendentals(program)) return {};
  double part = 1e-10;
  for (const ir::Field& field : program.fields) {
    for (const auto& component : field.components) {
      if (component.type == Scalar::F32) part = std::max(part, 1e-4);
      if (component.type == Scalar::F16 || component.type == Scalar::BF16) part = 0.02;
    }
  }
  return {0, part};
}

std::string text_of(const runtime::Difference& difference) {
  return fmt::format("{} value{} differ{}, the first is {}: expected {}, found {}",
                     difference.count, difference.count == 1 ? "" : "s",
                     difference.count == 1 ? "s" : "", difference.where, difference.expected,
                     difference.actual);
}

double points_of(const ir::Program& program, const State& state) {
  const auto box = reference::concrete(program.grid(), state.integer_params);
  const auto points = box ? reference::count_points(*box) : std::nullopt;
  return static_cast<double>(points.value_or(0));
}

}  // namespace

Runner::Runner(const runtime::ChosenDevice& device, const Settings& settings,
               std::vector<BenchJob> jobs)
    : device_(device),
      settings_(settings),
      jobs_(std::move(jobs)),
      exclusive_(device.device.machine.threads_are_loops || !device.device.compile),
      builder_(device, settings.threads) {}

// --- Compiling ahead

// A build that several jobs use.
Builder::Pending Runner::shared(const BuildRequest& request) {
  const std::string key = key_of(request);
  const auto known = shared_.find(key);
  if (known != shared_.end()) return known->second;
  return shared_.emplace(key, builder_.request(request)).first->second;
}

Runner::Builds Runner::request_builds(const BenchJob& job) {
  const BuildRequest small = small_request_of(settings_.root, job);
  if (settings_.check_only) return {builder_.request(small), {}, {}};
  const BuildRequest full = request_of(settings_.root, job);
  Builds builds;
  if (job.schedule != "auto") builds.own = builder_.request(full);
  if (job.verify_steps == 0) return builds;
  builds.reference = shared(plain(full));
  builds.small_reference = shared(plain(small));
  return builds;
}

// Requests the builds of all jobs before `until`.
void Runner::request_builds(size_t until) {
  while (builds_.size() < std::min(until, jobs_.size())) {
    const size_t j = builds_.size();
    builds_.push_back(earlier_[j] ? Builds{} : request_builds(jobs_[j]));
  }
}

// --- Checks

// The interpreter's result for the build's program.
const Runner::Expected& Runner::interpreted(const Build& build, const std::string& key,
                                            int64_t steps) {
  const std::string full_key = fmt::format("{} steps of {}", steps, key);
  if (interpreted_.key == full_key) return interpreted_;
  interpreted_ = {full_key, std::nullopt, ""};
  auto state = reference::allocate(*build.program, build.params.integers, build.params.reals,
                                   interpreted_.problem);
  if (!state) return interpreted_;
  tune::fill(*build.program, *state);
  reference::advance(*build.program, *state, steps);
  interpreted_.state = std::move(state);
  return interpreted_;
}

// The result of `direct`, in memory that the next call reuses.
const Runner::Expected& Runner::reference_result(Build& build, const std::string& key,
                                                 int64_t steps) {
  const std::string full_key = fmt::format("{} steps of {}", steps, key);
  if (reference_.key == full_key) return reference_;
  reference_ = {full_key, std::nullopt, ""};
  auto state = expected_memory_.lay_out(*build.program, build.params);
  if (!state.ok()) {
    reference_.problem = text_of(state.failure());
    return reference_;
  }
  const auto run = run_once(build, state.value(), steps);
  if (run.ok()) {
    reference_.state = std::move(state).value();
  } else {
    reference_.problem = text_of(run.failure());
    lost_ = lost_ || device_lost(build);
  }
  return reference_;
}

// "" if the build's result equals the interpreter's.
std::string Runner::differs_from_interpreter(Build& build, const BuildRequest& request,
                                             int64_t steps) {
  auto state = own_memory_.lay_out(*build.program, build.params);
  if (!state.ok()) {
    return fmt::format("{} with the params of the check, {}: choose others in \"check\"",
                       text_of(state.failure()), request.define.dump());
  }
  BuildRequest program = request;
  program.schedule.clear();  // not used by the interpreter
  const Expected& expected = interpreted(build, key_of(program), steps);
  if (!expected.state) return expected.problem;
  const auto run = run_once(build, state.value(), steps);
  if (!run.ok()) {
    lost_ = lost_ || device_lost(build);
    return text_of(run.failure());
  }
  const auto difference =
      runtime::compare(*build.program, *expected.state, state.value(), tolerance(*build.program));
  return difference ? text_of(*difference) : "";
}

// After a kernel error (an invalid address) a process can no longer use the GPU.
bool Runner::device_lost(const Build& build) const {
  return !build.loaded->copy_seconds(1 << 20).ok();
}

// Compares a run at full size with `direct`; the run also warms up the device. False if timing is
// not possible.
bool Runner::check(const BenchJob& job, const Builds& builds, Build& own, State& state,
                   Record& record) {
  const BuildRequest full = plain(request_of(settings_.root, job));
  const BuildRequest small = plain(small_request_of(settings_.root, job));
  Build& reference = *builds.reference.get();
  Build& small_reference = *builds.small_reference.get();
  for (Build* build : {&reference, &small_reference}) {
    load(*build, device_);
    if (!usable(*build, "direct: ", record)) return false;
  }
  const std::string small_key = fmt::format("{} steps of {}", job.check_steps, key_of(small));
  if (!small_verdicts_.count(small_key)) {
    small_verdicts_[small_key] = differs_from_interpreter(small_reference, small, job.check_steps);
    // The small state has used the job's memory.
    auto again = own_memory_.lay_out(*own.program, own.params);
    if (again.ok()) state = std::move(again).value();
  }
  if (const std::string& problem = small_verdicts_[small_key]; !problem.empty()) {
    record["error"] = "direct, against the interpreter: " + problem;
    return false;
  }
  const int64_t steps = job.verify_steps.value_or(suitable_steps(own.module->plan, job.steps));
  record["check_steps"] = steps;
  record["checked_against"] = fmt::format("direct, {}", name(full.fp));
  const Expected& expected = reference_result(reference, key_of(full), steps);
  if (!expected.state) {
    record["error"] = "direct: " + expected.problem;
    return false;
  }
  const auto run = run_once(own, state, steps);
  if (!run.ok()) {
    record["error"] = text_of(run.failure());
    lost_ = lost_ || device_lost(own);
    return false;
  }
  const auto difference =
      runtime::compare(*own.program, *expected.state, state, tolerance(*own.program));
  record["check"] = difference ? text_of(*difference) : "passed";
  return !difference;
}

// --- Measuring

// The bandwidth of a copy within the device, and the bound on the rate that follows: each step
// reads and writes every field that the program writes.
void Runner::measure_copies(const Build& own, const State& state, Record& record) {
  int64_t largest = int64_t{256} << 20;
  double traffic = 0;  // bytes
  for (const kernel::Array& array : own.module->plan.arrays) {
    const int64_t bytes = state.fields[array.field].size_in_bytes(array.component);
    largest = std::max(largest, bytes);
    if (array.written) traffic += 2.0 * static_cast<double>(bytes);
  }
  if (!copies_.count(largest)) {
    const auto seconds = own.loaded->copy_seconds(largest);
    copies_[largest] = seconds.ok() ? seconds.value() : 0;
  }
  if (copies_[largest] <= 0 || traffic == 0) return;
  const double bytes_per_second = 2.0 * static_cast<double>(largest) / copies_[largest];
  const double points = points_of(*own.program, state);
  record["copy_gbs"] = rounded(1e-9 * bytes_per_second);
  record["copy_gcells"] = rounded(1e-9 * bytes_per_second * points / traffic);
}

// On a GPU each run continues where the previous one ended, unless the program has a stop
// condition. So gigabytes are uploaded only once, and the time of a step does not depend on the
// values as long as these are finite. On a CPU steps are slower once values become subnormal, so
// each run starts anew.
void Runner::time(const BenchJob& job, Build& own, State& state, Record& record) {
  measure_copies(own, state, record);
  const bool afresh = device_.device.machine.threads_are_loops || own.program->run.until;
  const int warm_up = job.verify_steps == 0 ? 1 : 0;  // otherwise the check was the warm-up
  std::vector<double> seconds;
  int64_t steps = 0;
  const auto fails = [&](const Failure& failure) {
    record["error"] = text_of(failure);
    lost_ = lost_ || device_lost(own);
  };
  std::unique_ptr<runtime::Session> session;
  for (int run = -warm_up; run < job.repeat; ++run) {
    if (!session || afresh) {
      session.reset();
      tune::fill_as_begun(*own.program, state, !device_.device.machine.threads_are_loops);
      auto next = own.loaded->start(state);
      if (!next.ok()) return fails(next.failure());
      session = std::move(next).value();
    }
    const auto timed = advance(*session, job.steps);
    if (!timed.ok()) return fails(timed.failure());
    steps = timed.value().steps;
    if (run >= 0) seconds.push_back(timed.value().seconds);
  }
  for (const double each : seconds) record["runs_ms"].push_back(rounded(1e3 * each));
  std::sort(seconds.begin(), seconds.end());
  const size_t middle = seconds.size() / 2;
  const double median =
      seconds.size() % 2 ? seconds[middle] : 0.5 * (seconds[middle - 1] + seconds[middle]);
  record["steps"] = steps;  // fewer than requested if the stop condition held
  record["time_ms"] = rounded(1e3 * median);
  const double updates = points_of(*own.program, state) * static_cast<double>(steps);
  record["gcells"] = median > 0 ? rounded(1e-9 * updates / median) : 0;
}

std::shared_ptr<Build> Runner::own_build(const BenchJob& job, const Builds& builds) {
  if (builds.own.valid()) return builds.own.get();
  BuildRequest request = request_of(settings_.root, job);
  request.alone = true;
  request.run_steps = job.run_steps;
  return std::make_shared<Build>(compile(request, device_));
}

void Runner::run_job(const BenchJob& job, const Builds& builds, Record& record) {
  const std::shared_ptr<Build> built = own_build(job, builds);
  Build& own = *built;
  load(own, device_);
  if (!usable(own, "", record)) return;
  note_kernels(own, record);
  if (settings_.check_only) {
    const BuildRequest small = small_request_of(settings_.root, job);
    const int64_t steps = std::min(
        job.check_steps, job.verify_steps.value_or(0) > 0 ? *job.verify_steps : job.check_steps);
    record["define"] = small.define;
    record["steps"] = steps;
    record["checked_against"] = "the reference interpreter";
    const std::string problem = differs_from_interpreter(own, small, steps);
    record["check"] = problem.empty() ? "passed" : problem;
    return;
  }
  auto state = own_memory_.lay_out(*own.program, own.params);
  if (!state.ok()) {
    record["error"] = text_of(state.failure());
    return;
  }
  const bool unchecked = job.verify_steps == 0;
  if (unchecked) record["check_steps"] = 0;
  if (unchecked || check(job, builds, own, state.value(), record)) {
    time(job, own, state.value(), record);
  }
}

std::vector<Record> Runner::run(const std::function<void(const std::vector<Record>&)>& done,
                                const std::vector<Record>& earlier) {
  const auto begin = Clock::now();
  const std::string_view kind = settings_.check_only ? "check" : "time";
  earlier_.clear();
  for (const BenchJob& job : jobs_) {
    earlier_.push_back(earlier_record(earlier, record_of(job, kind)));
  }
  const auto ahead = static_cast<size_t>(2 * settings_.threads);
  std::vector<Record> records;
  for (size_t j = 0; j < jobs_.size(); ++j) {
    if (earlier_[j]) {
      records.push_back(*earlier_[j]);
      if (j + 1 == jobs_.size()) done(records);
      continue;
    }
    Record& record = records.emplace_back(record_of(jobs_[j], kind));
    const bool late = settings_.budget > 0 && seconds_since(begin) > settings_.budget;
    if (late || lost_) {
      record["left_out"] = late ? "the budget is used up" : "the device no longer responds";
      if (j + 1 == jobs_.size()) done(records);
      continue;
    }
    if (!exclusive_) request_builds(j + 1 + ahead);
    if (exclusive_ && builds_.size() <= j) {
      request_builds(j + ahead);
      builder_.wait();
    }
    const auto job_begin = Clock::now();
    run_job(jobs_[j], builds_[j], record);
    record["wall_s"] = rounded(seconds_since(job_begin));
    builds_[j] = {};
    done(records);
  }
  return records;
}

}  // namespace stencil::bench
