// Where the constants come from is in docs/model.md. They are meant to be on the safe side: a run
// that is not timed for only goes by the model.
#include "runtime/tune/worth.h"

#include <algorithm>

#include "runtime/tune/turns.h"

namespace stencil::tune {

namespace {

constexpr double kOfCharacter = 6e-5;     // seconds of a compiler
constexpr double kTurnsOfEach = 5;        // that count, before all but the best are out
constexpr double kTilesBefore = 2;        // of each, which do not count
constexpr double kFilled = 1e9;           // bytes per second of random values
constexpr double kCopied = 2e9;           // bytes per second to a device
constexpr double kPart = 0.1;             // of a run
constexpr double kPartOfMore = 0.02;      // of a run, for all that follow
constexpr double kPatience = 30;          // seconds
constexpr double kSessionOverFields = 2;  // slots where the next levels are computed

// For all but the first ones.
double compiling_of(const Contest& contest, size_t but = 0) {
  double sum = 0, longest = 0;
  for (size_t c = but; c < contest.compilations.size(); ++c) {
    sum += contest.compilations[c];
    longest = std::max(longest, contest.compilations[c]);
  }
  return std::max(longest, sum / std::max(contest.compilers, 1));
}

double timing_of(const Contest& contest) {
  const auto candidates = static_cast<double>(contest.candidates);
  const double turn = std::max(turn_seconds(contest.on_cpu), contest.tile);
  const auto bytes = static_cast<double>(contest.bytes);
  // Those that have no room beside each other are copied again for each turn.
  const bool fit = contest.candidates <= sessions_at_once(contest.bytes, contest.on_cpu);
  const double copies = candidates * (fit ? 1 : kTurnsOfEach);
  return warm_up_seconds() + candidates * (kTurnsOfEach * turn + kTilesBefore * contest.tile) +
         bytes / kFilled + copies * bytes / kCopied;
}

}  // namespace

double compilation_of(size_t characters) {
  return kOfCharacter * static_cast<double>(characters);
}

double cost_of(const Contest& contest) {
  return timing_of(contest) + compiling_of(contest, contest.compiled);
}

double budget_of(const Contest& contest, double run_seconds) {
  const double patience = std::min(kPart * run_seconds, kPatience);
  return std::max(2 * (timing_of(contest) + compiling_of(contest)), patience);
}

bool is_worth(const Contest& contest, double run_seconds) {
  return contest.candidates > 1 && cost_of(contest) <= kPart * run_seconds;
}

Contest with_more(Contest contest, size_t more) {
  const auto longest = std::max_element(contest.compilations.begin(), contest.compilations.end());
  const double seconds = longest == contest.compilations.end() ? 0 : *longest;
  contest.candidates += more;
  contest.compilations.insert(contest.compilations.end(), more, seconds);
  return contest;
}

size_t more_worth(const Contest& contest, size_t most, double run_seconds) {
  const double cost = cost_of(contest);
  size_t more = most;
  while (more > 0 && cost_of(with_more(contest, more)) > cost + kPartOfMore * run_seconds) --more;
  return more;
}

bool has_room(const Contest& contest, int64_t free_bytes) {
  constexpr double kSpare = 1.25;
  const size_t sessions =
      contest.on_cpu ? std::min(contest.candidates, sessions_at_once(contest.bytes, true)) : 0;
  const double states = 1 + kSessionOverFields * static_cast<double>(sessions);
  return kSpare * states * static_cast<double>(contest.bytes) <= static_cast<double>(free_bytes);
}

}  // namespace stencil::tune
