#include "runtime/tune/race.h"

#include <algorithm>

#include "compiler/support/try.h"
#include "runtime/tune/judgement.h"

namespace stencil::tune {

namespace {

constexpr double kSample = 0.004, kSampleOnCpu = 0.02;  // seconds
constexpr size_t kOfTrial = 3;                          // samples of a candidate
constexpr double kLosesAtOnce = 3;         // times the leader's seconds, in its first tiles
constexpr double kLoses[] = {1.15, 1.05};  // times the leader's seconds, after one and two samples
constexpr double kLeast = 0.005, kLeastOnCpu = 0.02;  // relative difference that counts
constexpr double kFastest = 1.1, kSlowest = 1.5;      // limits of a candidate's expected slowness
constexpr double kHandOver = 0.002;                   // seconds, until one was measured
constexpr double kCompilation = 1;                    // seconds, until one was measured
constexpr double kInTime = 1.5;  // compilations that must fit into the time left

}  // namespace

void Samples::add(int64_t steps, double seconds) {
  steps_ += static_cast<double>(steps);
  seconds_ += seconds;
  if (seconds_ < least_ || steps_ == 0) return;
  values_.push_back(seconds_ / steps_);
  steps_ = seconds_ = 0;
}

void Samples::keep_latest(size_t most) {
  const size_t surplus = values_.size() - std::min(most, values_.size());
  values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(surplus));
}

double Samples::middle() const {
  return median(values_);
}

double Samples::spread() const {
  std::vector<double> distances = values_;
  for (double& value : distances) value = std::fabs(value - middle());
  return median(std::move(distances));
}

bool loses_at_once(double seconds_per_step, const Samples& leader) {
  return seconds_per_step > kLosesAtOnce * leader.middle();
}

std::optional<bool> verdict(const Samples& candidate, const Samples& leader, bool on_cpu) {
  const size_t samples = candidate.size();
  if (samples == 0) return std::nullopt;
  if (samples < kOfTrial) {
    const bool loses = candidate.latest() > kLoses[samples - 1] * leader.middle();
    return loses ? std::optional(false) : std::nullopt;
  }
  const double noise = std::max(
      {leader.spread(), candidate.spread(), (on_cpu ? kLeastOnCpu : kLeast) * leader.middle()});
  return candidate.middle() < leader.middle() - noise;
}

Race::Race(const ir::Program& program, RacedRun run, Runner first)
    : program_(program),
      run_(std::move(run)),
      on_cpu_(run_.device.device.machine.threads_are_loops),
      budget_(run_.expected, on_cpu_),
      first_(std::make_shared<Runner>(std::move(first))),
      hand_over_(kHandOver),
      leader_(first_) {
  report_.schedule = leader_->schedule;
}

bool Race::enter() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_raced_ || report_.over) return false;
  is_raced_ = true;
  if (!supply_) supply_.emplace(program_, run_.device, leader_->schedule);
  return true;
}

void Race::leave() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_raced_ = false;
  keep_result();
}

// Needs the mutex.
void Race::keep_result() {
  if (report_.tried == kept_ || !run_.keep) return;
  kept_ = report_.tried;
  const double seconds =
      report_.over ? run_.expected : static_cast<double>(steps_) * report_.seconds;
  run_.keep(
      {schedule::print(report_.schedule, program_.grid().rank()), report_.tried + 1, seconds});
}

std::shared_ptr<Runner> Race::leader() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return leader_;
}

RaceReport Race::report() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return report_;
}

double Race::sample_seconds() const {
  return on_cpu_ ? kSampleOnCpu : kSample;
}

double Race::left(double seconds_per_step) const {
  return static_cast<double>(std::max<int64_t>(run_.steps - steps_, 0)) * seconds_per_step;
}

void Race::led(int64_t steps, double seconds, const Samples& samples) {
  steps_ += steps;
  if (samples.size() == 0) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  report_.seconds = samples.middle();
  budget_.led(seconds, report_.gain);
  report_.saved = budget_.saved();
}

std::shared_ptr<Runner> Race::next(const Samples& leader) {
  const double left = this->left(leader.middle());
  budget_.compiled(supply_->take_compiled());
  if (const auto request = supply_->request()) {
    const double gain = 1 - request->predicted / (supply_->predicted_of_first() / report_.gain);
    if (budget_.allows_with_gain(request->compiling, left, gain)) {
      supply_->grant();
    } else if (!budget_.repays(request->compiling, left)) {
      supply_->close();
    }
  }
  if (!waiting_) waiting_ = supply_->take();
  if (!waiting_) {
    const double compiling = std::max(supply_->longest_compilation(), kCompilation);
    if (!budget_.repays(2 * hand_over_, left - kInTime * compiling)) supply_->close();
    if (supply_->is_exhausted() || !budget_.repays(2 * hand_over_, left)) end();
    return nullptr;
  }
  if (!budget_.allows(cost_of(*waiting_, leader), left)) {
    if (!budget_.repays(2 * hand_over_, left)) end();
    return nullptr;
  }
  auto runner = load(*waiting_);
  waiting_.reset();
  return runner;
}

void Race::note_hand_over(double seconds) {
  hand_over_ = hand_overs_ == 0 ? seconds : 0.5 * (hand_over_ + seconds);
  ++hand_overs_;
}

void Race::note_refused(const Runner& runner, const Failure& failure) {
  supply_->note_refused(runner.number, words_of(failure));
  const std::lock_guard<std::mutex> lock(mutex_);
  ++report_.refused;
}

void Race::tried(const std::shared_ptr<Runner>& runner, const Samples& samples, int64_t steps,
                 double seconds, const Samples& leader, bool wins) {
  steps_ += steps;
  supply_->note(leader_->number, leader.middle(), leader.spread(), wins);
  if (samples.size() > 0) {
    supply_->note(runner->number, samples.middle(), samples.spread(), !wins);
  }
  budget_.tried(static_cast<double>(steps), seconds, leader.middle());
  budget_.judged(wins);
  const std::lock_guard<std::mutex> lock(mutex_);
  ++report_.tried;
  report_.lost = budget_.lost();
  if (!wins) return;
  ++report_.changes;
  report_.gain *= leader.middle() / samples.middle();
  leader_ = runner;
  report_.schedule = runner->schedule;
  report_.seconds = samples.middle();
}

void Race::keep_anyway(const std::shared_ptr<Runner>& runner) {
  const std::lock_guard<std::mutex> lock(mutex_);
  leader_ = runner;
  report_.schedule = runner->schedule;
}

void Race::end() {
  if (is_over_) return;
  is_over_ = true;
  if (supply_) supply_->close();
  waiting_.reset();
  const std::lock_guard<std::mutex> lock(mutex_);
  report_.over = true;
  keep_result();
}

// With the error of the model for the first schedule.
double Race::cost_of(const RaceSupply::Compiled& candidate, const Samples& leader) {
  const double of_first = supply_->predicted_of_first();
  const double first = leader.middle() * report_.gain;
  const double predicted = of_first > 0 ? candidate.predicted / of_first * first : leader.middle();
  const double slower = std::clamp(predicted / leader.middle(), kFastest, kSlowest) - 1;
  const double tile = static_cast<double>(unit_of(candidate.build->module->plan)) * predicted;
  const double trial = tile + kOfTrial * std::max(sample_seconds(), tile);
  return 2 * hand_over_ + slower * trial;
}

std::shared_ptr<Runner> Race::load(RaceSupply::Compiled& candidate) {
  auto runner = std::make_shared<Runner>();
  runner->number = candidate.number;
  runner->module = candidate.build->module;
  const Status loaded = tune::load(program_, *candidate.build, run_.device);
  if (!loaded.ok()) {
    note_refused(*runner, loaded.failure());
    return nullptr;
  }
  runner->loaded = std::move(candidate.build->loaded);
  runner->schedule = candidate.schedule;
  return runner;
}

}  // namespace stencil::tune
