// The rounds: admission, timed runs, elimination and end. candidate_timer.cpp executes a timed run;
// judgement.cpp decides when a candidate is beaten.
#include "runtime/tune/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <limits>

#include "compiler/support/try.h"
#include "compiler/support/workers.h"
#include "runtime/tune/candidate_timer.h"

namespace stencil::tune {

namespace {

constexpr size_t kEnough = 5;       // runs after which a candidate waits for pending ones
constexpr size_t kMost = 25;        // runs after which results no longer improve
constexpr size_t kToJudge = 3;      // runs of the last remaining candidate
constexpr size_t kOfNewcomers = 2;  // runs before the next few are compiled
constexpr double kAdmission = 0.8;  // part of the budget during which candidates are admitted
constexpr auto kPoll = std::chrono::milliseconds(20);

using RoundsClock = std::chrono::steady_clock;

class Rounds {
 public:
  Rounds(const ir::Program& program, const runtime::Params& params,
         const runtime::ChosenDevice& device, const std::vector<Candidate>& candidates,
         const TimingOptions& options)
      : program_(program),
        device_(device),
        candidates_(candidates.begin(), candidates.end()),
        more_(options.next),
        options_(options),
        exclusive_(device.device.machine.threads_are_loops || !device.device.compile),
        // One thread launches kernels.
        threads_(std::max(1, exclusive_ ? options.threads : options.threads - 1)),
        side_by_side_(static_cast<size_t>(std::min(threads_, options.side_by_side))),
        timer_(program_, params, device),
        workers_(threads_) {}

  Result<Timings> run();

 private:
  struct Pending {
    size_t number;
    std::future<std::unique_ptr<Build>> build;
    bool ready() const {
      return build.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    }
  };

  double elapsed() const {
    return std::chrono::duration<double>(RoundsClock::now() - begin_).count();
  }
  bool spent(double part) const { return timed_ > 0 && elapsed() >= part * options_.budget; }
  bool to_come() const { return !pending_.empty() || requested_ < candidates_.size() || more_; }
  bool ended() const { return end_.has_value(); }
  Timed& of(const Contender& contender) { return out_.candidates[contender.number]; }

  bool proceed();
  void add(const Candidate& candidate);
  bool ask();
  void request(size_t pending);
  void admit_ready();
  void admit(size_t number, std::unique_ptr<Build> build);
  void admit();
  bool needs_run() const;
  void time_round();
  void time_run(Contender& contender);
  void note_runs(const Contender& contender);
  const Contender* leader() const;
  void judge();
  bool settled() const;
  void finish();

  const ir::Program& program_;
  const runtime::ChosenDevice& device_;
  std::deque<Candidate> candidates_;  // compilers refer to them
  bool more_;                         // options.next may return more
  const TimingOptions& options_;
  const bool exclusive_;  // no compilation during timing
  const int threads_;
  const size_t side_by_side_;  // limit for candidates that depend on results
  const RoundsClock::time_point begin_ = RoundsClock::now();

  Timings out_;
  std::optional<End> end_;
  CandidateTimer timer_;
  std::vector<std::unique_ptr<Contender>> in_;
  std::vector<Pending> pending_;  // in candidate order
  size_t requested_ = 0;          // candidates passed to the workers
  size_t compiled_ = 0, timed_ = 0;
  int round_ = 0;
  Workers workers_;  // last member: its jobs refer to the others
};

// --- Compiling

void Rounds::add(const Candidate& candidate) {
  Timed& timed = out_.candidates.emplace_back();
  timed.line = schedule::print(candidate.schedule, program_.grid().rank());
  timed.predicted = candidate.predicted;
}

// Requests another candidate; false if there is none.
bool Rounds::ask() {
  const auto next = more_ ? options_.next(out_) : std::nullopt;
  more_ = next.has_value();
  if (!next) return false;
  candidates_.push_back(*next);
  add(*next);
  return true;
}

// Starts builds until `pending` are in progress or finished. Candidates that ask() chooses by the
// results so far are requested only while fewer than side_by_side_ builds are pending.
void Rounds::request(size_t pending) {
  while (pending_.size() < pending) {
    const bool listed = requested_ < candidates_.size();
    if (!listed && (pending_.size() >= side_by_side_ || !ask())) return;
    const size_t number = requested_++;
    const schedule::Schedule& schedule = candidates_[number].schedule;
    pending_.push_back({number, workers_.start([this, &schedule] {
                          return std::make_unique<Build>(build(program_, schedule, device_));
                        })});
  }
}

void Rounds::admit(size_t number, std::unique_ptr<Build> build) {
  ++compiled_;
  Timed& timed = out_.candidates[number];
  auto contender = std::make_unique<Contender>();
  contender->number = number;
  contender->build = std::move(build);
  timed.refused = contender->build->refused;
  if (timed.refused.empty()) {
    const Status loaded = timer_.load(*contender);
    if (!loaded.ok()) timed.refused = loaded.failure().code + " " + loaded.failure().message;
  }
  timed.compiling = contender->build->seconds;
  if (!timed.refused.empty()) return;
  for (const runtime::KernelResources& kernel : contender->build->loaded->resources()) {
    timed.registers = std::max(timed.registers, kernel.registers);
    timed.local_bytes = std::max(timed.local_bytes, kernel.local_bytes);
    timed.shared_bytes = std::max(timed.shared_bytes, kernel.shared_bytes);
  }
  in_.push_back(std::move(contender));
}

void Rounds::admit_ready() {
  for (size_t p = 0; p < pending_.size();) {
    if (!pending_[p].ready()) {
      ++p;
      continue;
    }
    const size_t number = pending_[p].number;
    auto build = pending_[p].build.get();
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(p));
    admit(number, std::move(build));
  }
}

bool Rounds::needs_run() const {
  const size_t enough = exclusive_ ? kOfNewcomers : kEnough;
  return std::any_of(in_.begin(), in_.end(),
                     [&](const auto& contender) { return contender->runs.size() < enough; });
}

// Admits compiled candidates. Waits if there is nothing to time: for all of a batch if timing must
// not be disturbed, otherwise for the next one.
void Rounds::admit() {
  const bool wait = !needs_run();
  const auto ahead = options_.budget > 0 ? static_cast<size_t>(2 * threads_) : 1;
  if (!exclusive_ || wait) request(ahead);
  while (!pending_.empty() && !ended() && proceed()) {
    const auto ready = std::count_if(pending_.begin(), pending_.end(),
                                     [](const Pending& pending) { return pending.ready(); });
    const bool all = static_cast<size_t>(ready) == pending_.size();
    if (exclusive_ ? all : ready > 0 || !wait || spent(kAdmission)) break;
    pending_.front().build.wait_for(kPoll);
  }
  if (!ended()) admit_ready();
}

// --- Rounds

bool Rounds::proceed() {
  if (ended()) return false;
  if (!options_.progress) return true;
  const Contender* first = leader();
  const auto left = std::count_if(in_.begin(), in_.end(),
                                  [](const auto& contender) { return !contender->runs.empty(); });
  const bool goes_on =
      options_.progress({compiled_, timed_, candidates_.size(), static_cast<size_t>(left),
                         elapsed(), first ? &out_.candidates[first->number] : nullptr});
  if (!goes_on) end_ = End::Interrupted;
  return goes_on;
}

const Contender* Rounds::leader() const {
  const Contender* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& contender : in_) {
    if (contender->runs.empty() || median(contender->runs) >= least) continue;
    best = contender.get();
    least = median(contender->runs);
  }
  return best;
}

void Rounds::note_runs(const Contender& contender) {
  Timed& timed = of(contender);
  timed.seconds = median(contender.runs);
  timed.spread = spread(contender.runs);
  timed.runs = static_cast<int>(contender.runs.size());
}

void Rounds::time_run(Contender& contender) {
  const auto seconds = timer_.time_run(contender, in_);
  if (seconds.ok()) {
    timed_ += contender.runs.empty() ? 1 : 0;
    contender.runs.push_back({round_, seconds.value()});
    return note_runs(contender);
  }
  const Failure& failure = seconds.failure();
  Timed& timed = of(contender);
  (failure.code == "R043" ? timed.refused : timed.error) = failure.code + " " + failure.message;
  // After a kernel error a process can no longer use the GPU.
  const bool lost = failure.code != "R043" && !contender.build->loaded->copy_seconds(1 << 20).ok();
  if (lost && !exclusive_) end_ = End::Lost;
}

// One timed run for every remaining candidate; while others are pending, only for the leader and
// those with few runs. Every other round runs in reverse order, so that a steadily falling clock
// favours none.
void Rounds::time_round() {
  ++round_;
  const Contender* first = leader();
  std::vector<Contender*> order;
  for (const auto& contender : in_) {
    const bool waits = to_come() && contender->runs.size() >= kEnough;
    if (!waits || contender.get() == first) order.push_back(contender.get());
  }
  if (round_ % 2 == 0) std::reverse(order.begin(), order.end());
  for (Contender* contender : order) {
    if (spent(1) || !proceed()) break;
    time_run(*contender);
  }
  std::erase_if(in_, [&](const auto& contender) {
    const Timed& timed = of(*contender);
    return !timed.refused.empty() || !timed.error.empty();
  });
}

void Rounds::judge() {
  const Contender* first = leader();
  if (!first) return;
  std::erase_if(in_, [&](const auto& contender) {
    const bool beaten = contender.get() != first && beats(first->runs, contender->runs);
    if (beaten) of(*contender).dropped = true;
    return beaten;
  });
}

bool Rounds::settled() const {
  if (to_come()) return false;
  if (in_.empty()) return true;
  const Contender* first = leader();
  if (in_.size() == 1) return first && first->runs.size() >= kToJudge;
  return std::all_of(in_.begin(), in_.end(), [&](const auto& contender) {
    const size_t runs = contender->runs.size();
    return runs >= kMost || (runs >= kEnough && equals(first->runs, contender->runs));
  });
}

void Rounds::finish() {
  for (size_t c = 0; c < out_.candidates.size(); ++c) {
    const Timed& timed = out_.candidates[c];
    const bool counts = timed.runs > 0 && !timed.dropped && timed.error.empty();
    if (!counts) continue;
    if (!out_.best || timed.seconds < out_.candidates[*out_.best].seconds) out_.best = c;
  }
  const bool unreached =
      std::any_of(out_.candidates.begin(), out_.candidates.end(), [](const Timed& timed) {
        return timed.runs == 0 && timed.refused.empty() && timed.error.empty();
      });
  out_.end = end_.value_or(End::Settled);
  if (unreached && out_.end == End::Settled) out_.end = End::Budget;
  out_.elapsed = elapsed();
}

Result<Timings> Rounds::run() {
  TRY(timer_.prepare());
  out_.points = timer_.points();
  for (const Candidate& candidate : candidates_) add(candidate);
  while (proceed()) {
    if (spent(1)) {
      end_ = End::Budget;
      break;
    }
    if (spent(kAdmission)) {
      requested_ = candidates_.size();
      more_ = false;
      pending_.clear();
    }
    admit();
    if (ended() || settled()) break;
    time_round();
    judge();
  }
  finish();
  return std::move(out_);
}

}  // namespace

Result<Timings> time_candidates(const ir::Program& program, const runtime::Params& params,
                                const runtime::ChosenDevice& device,
                                const std::vector<Candidate>& candidates,
                                const TimingOptions& options) {
  if (!device.device.runs_kernels) {
    return Failure{"R045",
                   fmt::format("the device '{}' interprets programs: there is no schedule to time",
                               device.device.name),
                   ""};
  }
  ir::Program timed = program;
  timed.run.until.reset();
  auto timings = Rounds(timed, params, device, candidates, options).run();
  if (timings.ok() && program.run.until) timings.value().left_out = "the stop condition";
  return timings;
}

}  // namespace stencil::tune
