// Uses the device's clock if it has one (Session::seconds), otherwise the host's.
#include "runtime/measure/timer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "compiler/support/try.h"

namespace stencil::measure {

namespace {

// A run of one kernel.
class Run {
 public:
  // Prepares memory and launches the kernel for the first time.
  static Result<std::unique_ptr<Run>> start(const runtime::LoadedProgram& program,
                                            const kernel::Module& module, const Work& work);

  Result<double> seconds(int64_t launches);

 private:
  Run(const Work& work, int steps) : state_(state_of(work)), steps_(steps) {}

  reference::State state_;
  const int steps_;  // per launch
  std::unique_ptr<runtime::Session> session_;
};

Result<std::unique_ptr<Run>> Run::start(const runtime::LoadedProgram& program,
                                        const kernel::Module& module, const Work& work) {
  std::unique_ptr<Run> run(new Run(work, steps_of_launch(module)));
  auto session = TRY(program.start(run->state_));
  run->session_ = std::move(session);
  if (run->steps_ > 1) {
    TRY(run->session_->advance(1));
  }
  TRY(run->seconds(1));
  return run;
}

Result<double> Run::seconds(int64_t launches) {
  const auto begin = std::chrono::steady_clock::now();
  TRY(session_->advance(launches * steps_));
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  return session_->seconds().value_or(passed.count());
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Number of launches that fill the duration of a sample.
Result<int64_t> launches_of_sample(Run& run, const Effort& effort) {
  constexpr int64_t kMost = 1 << 20;
  int64_t launches = 1;
  while (true) {
    const auto seconds = TRY(run.seconds(launches));
    if (seconds >= effort.seconds || launches >= kMost) return launches;
    const double missing = 1.2 * effort.seconds / std::max(seconds, 1e-9);
    const double times = std::clamp(missing, 2.0, 16.0);
    launches =
        std::min(kMost, static_cast<int64_t>(std::ceil(times * static_cast<double>(launches))));
  }
}

const ir::Program& no_program() {
  static const ir::Program program;
  return program;
}

}  // namespace

void Subject::compile(const runtime::ChosenDevice& device) {
  if (device.device.compile == nullptr) return;
  machine_code_ = device.device.compile({no_program(), &module_}, device.selector);
}

Status Subject::load(const runtime::ChosenDevice& device) {
  if (program_) return Done{};
  if (machine_code_ && !machine_code_->ok()) return machine_code_->failure();
  const std::string* code = machine_code_ ? &machine_code_->value() : nullptr;
  auto loaded = TRY(device.device.load({no_program(), &module_, code}, device.selector));
  program_ = std::move(loaded);
  return Done{};
}

Result<double> Subject::seconds(const Work& work, const Effort& effort) const {
  const auto run = TRY(Run::start(*program_, module_, work));
  const auto launches = TRY(launches_of_sample(*run, effort));
  std::vector<double> samples;
  for (int s = 0; s < effort.samples; ++s) {
    const auto seconds = TRY(run->seconds(launches));
    samples.push_back(seconds / static_cast<double>(launches));
  }
  return median(samples);
}

Result<double> Subject::seconds_between(const Work& work, int launches,
                                        const Effort& effort) const {
  Work at_once = work;
  at_once.passes = work.passes * launches;
  const auto many = TRY(Run::start(*program_, module_, work));
  const auto one = TRY(Run::start(*program_, module_, at_once));
  std::vector<double> differences;
  double passed = 0;
  while (passed < effort.seconds * effort.samples ||
         static_cast<int>(differences.size()) < effort.samples) {
    const auto apart = TRY(many->seconds(launches));
    const auto together = TRY(one->seconds(1));
    passed += apart + together;
    differences.push_back((apart - together) / (launches - 1));
  }
  return std::max(0.0, median(differences));
}

}  // namespace stencil::measure
