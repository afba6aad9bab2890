// The session compares seconds per step of samples: pieces of a run of several milliseconds, in
// whole time tiles. The leader is judged by its latest samples, a candidate by the samples of its
// trial. The first tiles of a trial do not count, because they load code and fill caches.
#include "runtime/tune/racing_program.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "compiler/support/try.h"

namespace stencil::tune {

using runtime::LoadedProgram;
using runtime::Session;

namespace {

constexpr size_t kToBegin = 3;  // samples of a leader before a trial
constexpr size_t kKept = 5;     // samples of a leader

using RunClock = std::chrono::steady_clock;

double seconds_from(RunClock::time_point begin) {
  return std::chrono::duration<double>(RunClock::now() - begin).count();
}

class RacingSession : public Session {
 public:
  RacingSession(Race& race, std::shared_ptr<Runner> runner, std::unique_ptr<Session> session,
                reference::State& state)
      : race_(race),
        state_(state),
        runner_(std::move(runner)),
        session_(std::move(session)),
        takes_part_(race.enter()),
        samples_(race.sample_seconds()),
        of_trial_(race.sample_seconds()) {}
  ~RacingSession() override {
    session_.reset();
    if (takes_part_) race_.leave();
  }

  Result<int64_t> advance(int64_t steps) override;
  Status fetch(const std::vector<int>& levels) override { return session_->fetch(levels); }
  Result<bool> read(const runtime::BoxOfField& what, std::byte* to) override {
    return session_->read(what, to);
  }
  Result<std::optional<runtime::NonFiniteCount>> count_non_finite(
      const runtime::BoxOfField& what) override {
    return session_->count_non_finite(what);
  }
  Status finish() override { return session_->finish(); }
  Status wait() override { return session_->wait(); }
  std::optional<double> seconds() const override { return seconds_; }

 private:
  struct Trial {
    std::shared_ptr<Runner> runner;
    int64_t steps = 0;
    double seconds = 0;
    bool warm = false;   // it has taken its first tiles
    bool fails = false;  // they were too slow
  };

  bool races() const { return takes_part_ && !race_.is_over(); }
  int64_t piece_of(int64_t left) const;
  Result<int64_t> take(int64_t steps);
  Result<std::unique_ptr<Session>> hand_over(const Runner& to);
  Status consider();
  void begin_trial();
  void judge_trial();
  void end_trial(bool wins);

  Race& race_;
  reference::State& state_;
  std::shared_ptr<Runner> runner_;  // of session_
  std::unique_ptr<Session> session_;
  const bool takes_part_;
  double seconds_ = 0;  // of the last advance()
  Samples samples_;     // of the leader
  Samples of_trial_;    // of the candidate
  std::optional<Trial> trial_;
};

// Whole tiles that take a sample's time; all steps if there is no race.
int64_t RacingSession::piece_of(int64_t left) const {
  if (!races()) return left;
  const int64_t unit = unit_of(runner_->module->plan);
  const bool cold = trial_ ? !trial_->warm : samples_.size() == 0;
  const Samples& known = trial_ && of_trial_.size() > 0 ? of_trial_ : samples_;
  if (cold || known.size() == 0) return std::min(left, unit);
  return std::min(left, steps_for(race_.sample_seconds(), known.middle(), unit));
}

Result<int64_t> RacingSession::take(int64_t steps) {
  const auto begin = RunClock::now();
  const auto done = TRY(session_->advance(steps));
  const double seconds = session_->seconds().value_or(seconds_from(begin));
  seconds_ += seconds;
  if (!races()) return done;
  if (!trial_) {
    samples_.add(done, seconds);
    samples_.keep_latest(kKept);
    race_.led(done, seconds, samples_);
    return done;
  }
  if (trial_->warm) {
    of_trial_.add(done, seconds);
  } else if (done > 0 && seconds >= race_.sample_seconds()) {
    trial_->fails = loses_at_once(seconds / static_cast<double>(done), samples_);
  }
  trial_->warm = true;
  trial_->steps += done;
  trial_->seconds += seconds;
  return done;
}

Result<int64_t> RacingSession::advance(int64_t steps) {
  seconds_ = 0;
  int64_t taken = 0;
  while (taken < steps) {
    const int64_t piece = piece_of(steps - taken);
    const auto done = TRY(take(piece));
    taken += done;
    if (done < piece) break;  // the stop condition holds
    if (races()) TRY(consider());
  }
  return taken;
}

Result<std::unique_ptr<Session>> RacingSession::hand_over(const Runner& to) {
  const auto begin = RunClock::now();
  auto session = to.loaded->take_over(state_, *session_);
  const double seconds = seconds_from(begin);
  seconds_ += seconds;
  if (trial_) trial_->seconds += seconds;
  if (session.ok()) race_.note_hand_over(seconds);
  return session;
}

Status RacingSession::consider() {
  if (trial_) {
    judge_trial();
  } else if (samples_.size() >= kToBegin) {
    begin_trial();
  }
  return Done{};
}

void RacingSession::begin_trial() {
  const auto next = race_.next(samples_);
  if (!next) return;
  trial_ = Trial{next};
  auto session = hand_over(*next);
  if (!session.ok()) {
    race_.note_refused(*next, session.failure());
    trial_.reset();
    return;
  }
  session_ = std::move(session).value();
  runner_ = next;
  of_trial_.clear();
}

void RacingSession::judge_trial() {
  if (trial_->fails) return end_trial(false);
  if (const auto wins = verdict(of_trial_, samples_, race_.on_cpu())) end_trial(*wins);
}

// If the leader cannot take the fields back, the candidate keeps them.
void RacingSession::end_trial(bool wins) {
  const auto leader = race_.leader();
  bool stays = wins;
  if (!wins) {
    auto session = hand_over(*leader);
    stays = !session.ok();
    if (!stays) session_ = std::move(session).value();
  }
  race_.tried(trial_->runner, of_trial_, trial_->steps, trial_->seconds, samples_, wins);
  if (stays) {
    if (!wins) race_.keep_anyway(trial_->runner);
    samples_ = of_trial_;
  } else {
    runner_ = leader;
  }
  trial_.reset();
}

}  // namespace

RacingProgram::RacingProgram(const ir::Program& program, RacedRun run, schedule::Schedule schedule,
                             std::shared_ptr<const kernel::Module> module,
                             std::unique_ptr<LoadedProgram> first)
    : race_(std::make_unique<Race>(
          program, std::move(run),
          Runner{0, std::move(schedule), std::move(module), std::move(first)})) {}

RacingProgram::~RacingProgram() = default;

RaceReport RacingProgram::report() const {
  return race_->report();
}

Result<std::string> RacingProgram::code(runtime::CodeKind kind) const {
  return race_->first().loaded->code(kind);
}

std::vector<runtime::KernelResources> RacingProgram::resources() const {
  return race_->first().loaded->resources();
}

Result<double> RacingProgram::copy_seconds(int64_t bytes) const {
  return race_->first().loaded->copy_seconds(bytes);
}

Result<std::unique_ptr<Session>> RacingProgram::start(reference::State& state) const {
  auto runner = race_->leader();
  auto session = TRY(runner->loaded->start(state));
  return std::unique_ptr<Session>(
      std::make_unique<RacingSession>(*race_, std::move(runner), std::move(session), state));
}

// The kernels of attached sessions keep their schedule.
Result<std::unique_ptr<Session>> RacingProgram::attach(reference::State& state,
                                                       const runtime::DeviceArrays& arrays) const {
  return race_->first().loaded->attach(state, arrays);
}

}  // namespace stencil::tune
