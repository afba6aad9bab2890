// One thread plans: it explores the model, and chooses the next candidate when a compiler is free.
// On a GPU several threads compile. On a CPU the planner compiles, one candidate at a time, because
// it takes its time from the run. All have a low priority, except for the model's favourite on a
// CPU if a quickly compiled schedule leads until it is ready.
#include "runtime/tune/race_supply.h"

#include <time.h>

#include <algorithm>
#include <utility>

#include "compiler/support/threads.h"
#include "runtime/tune/compilation.h"

namespace stencil::tune {

namespace {

constexpr int kMostCompilers = 16;
constexpr size_t kWaiting = 2;       // compiled candidates that wait for their trial
constexpr double kHurries = 1.5;     // times the expected seconds of a compilation
constexpr double kMuchFaster = 0.8;  // predicted, of the seconds of the leader

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

int compilers_of(bool on_cpu) {
  return on_cpu ? 0 : std::clamp(wanted_threads() - 1, 1, kMostCompilers);
}

}  // namespace

RaceSupply::RaceSupply(const ir::Program& program, const runtime::ChosenDevice& device,
                       const schedule::Schedule& first)
    : program_(program),
      device_(device),
      first_(first),
      on_cpu_(device.device.machine.threads_are_loops),
      compilers_(compilers_of(on_cpu_)),
      workers_(compilers_),
      planner_(1) {
  planner_.start([this] { plan(); });
}

RaceSupply::~RaceSupply() {
  close();
}

void RaceSupply::close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

std::optional<RaceSupply::Compiled> RaceSupply::take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (ready_.empty()) return std::nullopt;
  Compiled out = std::move(ready_.front());
  ready_.pop_front();
  changed_.notify_all();
  return out;
}

bool RaceSupply::is_exhausted() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return ready_.empty() && compiling_ == 0 && (planned_ || closed_);
}

double RaceSupply::predicted_of_first() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return timings_.candidates.empty() ? 0 : timings_.candidates.front().predicted;
}

double RaceSupply::longest_compilation() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return longest_;
}

void RaceSupply::note(size_t number, double seconds, double spread, bool dropped) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (number >= timings_.candidates.size()) return;
  Timed& timed = timings_.candidates[number];
  timed.seconds = seconds;
  timed.spread = spread;
  timed.dropped = dropped;
  ++timed.runs;
}

void RaceSupply::note_refused(size_t number, const std::string& why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  timings_.candidates[number].refused = why;
}

// The planner's thread. Candidates beyond the list wait until few are being compiled, because their
// choice depends on results.
void RaceSupply::plan() {
  if (!on_cpu_) lower_priority();
  shortlist_.emplace(program_, device_.device.machine);
  const bool known = shortlist_->begin_with(first_);
  if (known) shortlist_->begin_with_further_tiles();
  const int rank = program_.grid().rank();
  std::unique_lock<std::mutex> lock(mutex_);
  if (known) {
    for (const Candidate& candidate : shortlist_->first()) {
      Timed& timed = timings_.candidates.emplace_back();
      timed.line = schedule::print(candidate.schedule, rank);
      timed.predicted = candidate.predicted;
    }
  }
  while (known && !closed_) {
    const size_t room = static_cast<size_t>(std::max(compilers_, 1));
    changed_.wait(lock, [&] {
      return closed_ || (compiling_ < room && ready_.size() < std::max(room, kWaiting));
    });
    if (closed_) break;
    const size_t number = listed_;
    lock.unlock();
    const auto candidate = choose();
    const double leader = shortlist_->first()[0].predicted;
    const bool is_favourite =
        candidate && number == 1 && candidate->predicted < kMuchFaster * leader;
    const bool goes_on = candidate && (!on_cpu_ || may_compile(*candidate, is_favourite));
    lock.lock();
    if (!goes_on) break;
    ++compiling_;
    lock.unlock();
    workers_.start([this, number, schedule = candidate->schedule] { compile(number, schedule); });
    lock.lock();
  }
  planned_ = true;
}

// Waits until the race grants the time of the compilation; false if it is closed.
bool RaceSupply::may_compile(const Candidate& candidate, bool is_favourite) {
  if (!is_favourite) lower_priority();
  const auto seconds = compilation_of(program_, candidate.schedule, device_.device.machine);
  std::unique_lock<std::mutex> lock(mutex_);
  if (!seconds) return !closed_;  // refused: building it says why
  request_ = Request{*seconds, candidate.predicted};
  changed_.wait(lock, [this] { return closed_ || !request_; });
  if (is_favourite) {
    hurrying_ = this_thread();
    hurries_since_ = std::chrono::steady_clock::now();
    may_hurry_ = kHurries * *seconds;
  }
  return !closed_;
}

// A compilation that takes longer than expected loses its priority.
std::optional<RaceSupply::Request> RaceSupply::request() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::chrono::duration<double> hurried = std::chrono::steady_clock::now() - hurries_since_;
  if (hurrying_ && hurried.count() > may_hurry_) {
    lower_priority(*hurrying_);
    hurrying_.reset();
  }
  return request_;
}

void RaceSupply::grant() {
  const std::lock_guard<std::mutex> lock(mutex_);
  request_.reset();
  changed_.notify_all();
}

double RaceSupply::take_compiled() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(compiled_, 0);
}

std::optional<Candidate> RaceSupply::choose() {
  const size_t number = listed_++;
  if (number < shortlist_->first().size()) return shortlist_->first()[number];
  Timings known;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    known = timings_;
  }
  const auto next = shortlist_->next(known);
  if (!next) return std::nullopt;
  const std::lock_guard<std::mutex> lock(mutex_);
  Timed& timed = timings_.candidates.emplace_back();
  timed.line = schedule::print(next->schedule, program_.grid().rank());
  timed.predicted = next->predicted;
  return next;
}

void RaceSupply::compile(size_t number, schedule::Schedule schedule) {
  if (!on_cpu_) lower_priority();
  const double before = thread_seconds();
  auto built = std::make_unique<Build>(build(program_, schedule, device_));
  const std::lock_guard<std::mutex> lock(mutex_);
  --compiling_;
  hurrying_.reset();
  if (on_cpu_) compiled_ += thread_seconds() - before;
  longest_ = std::max(longest_, built->seconds);
  Timed& timed = timings_.candidates[number];
  timed.compiling = built->seconds;
  timed.refused = built->refused;
  if (timed.refused.empty() && !closed_) {
    ready_.push_back({number, std::move(schedule), timed.predicted, std::move(built)});
  }
  changed_.notify_all();
}

}  // namespace stencil::tune
