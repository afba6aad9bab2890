// One thread plans: it explores the model, and chooses the next candidate when a compiler is free.
// On a GPU several threads compile. On a CPU the planner compiles, one candidate at a time, because
// it takes its time from the run. All have a low priority, except for the model's favourite on a
// CPU if a quickly compiled schedule leads until it is ready.
#include "runtime/tune/race_supply.h"

#include <algorithm>
#include <utility>

#include "compiler/support/threads.h"

namespace stencil::tune {

namespace {

constexpr int kMostCompilers = 16;
constexpr size_t kWaiting = 2;       // compiled candidates that wait for their trial
constexpr double kMuchFaster = 0.8;  // predicted, of the seconds of the leader

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
    if (candidate && on_cpu_) {
      const bool favourite =
          number == 1 && candidate->predicted < kMuchFaster * shortlist_->first()[0].predicted;
      if (!favourite) lower_priority();
    }
    lock.lock();
    if (!candidate) break;
    ++compiling_;
    lock.unlock();
    workers_.start([this, number, schedule = candidate->schedule] { compile(number, schedule); });
    lock.lock();
  }
  planned_ = true;
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
  auto built = std::make_unique<Build>(build(program_, schedule, device_));
  const std::lock_guard<std::mutex> lock(mutex_);
  --compiling_;
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
