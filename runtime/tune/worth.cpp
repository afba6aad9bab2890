// docs/design/model.md derives the constants. They are chosen conservatively: without timing, a run
// just uses the model.
#include "runtime/tune/worth.h"

#include <algorithm>

#include "runtime/tune/candidate_timer.h"

namespace stencil::tune {

namespace {

constexpr double kRunsOfEach = 5;         // per candidate, until all but the best are dropped
constexpr double kTilesBefore = 2;        // per candidate, before its timed runs
constexpr double kFilled = 5e8;           // bytes per second and thread for generating values
constexpr double kCopied = 1e9;           // bytes per second and thread for copying to a device
constexpr int kThreads = 8;               // maximum number of threads for either
constexpr double kCopiedWithin = 2e11;    // bytes per second within a GPU
constexpr double kPart = 0.1;             // of a run
constexpr double kPartOfMore = 0.02;      // of a run, for all following candidates
constexpr double kShort = 1;              // seconds up to which waiting may double
constexpr double kLongestPatience = 30;   // seconds
constexpr double kSessionOverFields = 2;  // slots for the next levels

// Seconds to compile the first `first` candidates in parallel.
double compiling_of(const Contest& contest, size_t first) {
  double sum = 0, longest = 0;
  for (size_t c = 0; c < std::min(first, contest.compilations.size()); ++c) {
    sum += contest.compilations[c];
    longest = std::max(longest, contest.compilations[c]);
  }
  return std::max(longest, sum / std::max(contest.compilers, 1));
}

// Seconds to compile all candidates. Following candidates wait for the earlier ones, and each
// counts as much as the longest known compilation.
double compiling_of(const Contest& contest) {
  double longest = 0;
  for (const double seconds : contest.compilations) longest = std::max(longest, seconds);
  const double batches = static_cast<double>(contest.follow) / std::max(contest.compilers, 1);
  const double following = contest.follow > 0 ? longest * std::max(batches, 1.0) : 0;
  return compiling_of(contest, contest.compilations.size()) + following;
}

double timing_of(const Contest& contest) {
  const size_t all = contest.candidates + contest.follow;
  const auto candidates = static_cast<double>(all);
  const double timed_run = std::max(timed_run_seconds(contest.on_cpu), contest.tile);
  const auto bytes = static_cast<double>(contest.bytes);
  // If the fields of all candidates do not fit at the same time, each timed run copies its fields
  // again: on a GPU from a session that stays open, if there is room for two sessions; otherwise
  // from the host.
  const size_t at_once = sessions_at_once(contest.bytes, contest.on_cpu);
  const double copies = candidates * (all <= at_once ? 1 : kRunsOfEach);
  const bool within = !contest.on_cpu && at_once > 1;
  const double threads = std::clamp(contest.threads, 1, kThreads);
  const double from_host = bytes / (kCopied * threads);
  return warm_up_seconds() + candidates * (kRunsOfEach * timed_run + kTilesBefore * contest.tile) +
         bytes / (kFilled * threads) +
         (within ? from_host + copies * bytes / kCopiedWithin : copies * from_host);
}

}  // namespace

double waiting_of(const Contest& contest) {
  return compiling_of(contest, contest.compiled);
}

double cost_of(const Contest& contest) {
  return timing_of(contest) + compiling_of(contest) - waiting_of(contest);
}

double budget_of(const Contest& contest, double run_seconds) {
  const double patience = std::min(kPart * run_seconds, kLongestPatience);
  return std::max(2 * (timing_of(contest) + compiling_of(contest)), patience);
}

bool is_worth(const Contest& contest, double run_seconds) {
  const double waiting = waiting_of(contest);
  const double worth = std::max(kPart * run_seconds, std::clamp(kShort, waiting, 2 * waiting));
  return contest.candidates > 1 && cost_of(contest) <= worth;
}

size_t more_worth(const Contest& contest, size_t most, double run_seconds) {
  const double cost = cost_of(contest);
  Contest longer = contest;
  for (size_t more = most; more > 0; --more) {
    longer.follow = contest.follow + more;
    if (cost_of(longer) <= cost + kPartOfMore * run_seconds) return more;
  }
  return 0;
}

bool has_room(const Contest& contest, int64_t free_bytes) {
  constexpr double kSpare = 1.25;
  const size_t all = contest.candidates + contest.follow;
  const size_t sessions = contest.on_cpu ? std::min(all, sessions_at_once(contest.bytes, true)) : 0;
  const double states = 1 + kSessionOverFields * static_cast<double>(sessions);
  return kSpare * states * static_cast<double>(contest.bytes) <= static_cast<double>(free_bytes);
}

}  // namespace stencil::tune
