#include "runtime/tune/search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "compiler/schedule/family.h"

namespace stencil::tune {

using schedule::Schedule;

namespace {

double octaves(int a, int b) {
  return std::abs(std::log2(std::max(a, 1)) - std::log2(std::max(b, 1)));
}

double distance(const schedule::Setting& setting, const Schedule& a, const Schedule& b) {
  constexpr double kWord = 0.5;
  if (setting.shape) {
    double out = 0;
    for (size_t axis = 0; axis < kMaxRank; ++axis) {
      out += octaves((a.*setting.shape)[axis], (b.*setting.shape)[axis]);
    }
    return out;
  }
  const int of_a = setting.get(a), of_b = setting.get(b);
  if (of_a == of_b) return 0;
  if (setting.is_word()) return kWord;
  const bool is_automatic = setting.automatic && (of_a == 0 || of_b == 0);
  return is_automatic ? setting.from_automatic : setting.octave * octaves(of_a, of_b);
}

}  // namespace

double distance(const Schedule& a, const Schedule& b) {
  constexpr double kFamily = 1;
  const schedule::Family& family = *schedule::find_family(a.family);
  const schedule::Family& other = *schedule::find_family(b.family);
  double out = a.family == b.family ? 0 : kFamily;
  for (const schedule::Setting& setting : family.settings) {
    if (other.has(setting.name)) out += distance(setting, a, b);
  }
  return out;
}

Search::Search(schedule::Scheduler& scheduler, const schedule::Space& space)
    : scheduler_(scheduler), space_(space) {
  // Take the best of each kind, because model errors concern whole families or time tiles.
  constexpr int kOfFamily = 300, kOfKind = 60;
  std::map<std::string, int> of_family;
  std::map<std::pair<std::string, int>, int> of_kind;
  for (const schedule::Candidate& candidate : space.ranked) {
    if (candidate.prediction.spills) continue;
    const std::string& family = candidate.schedule.family;
    const bool among_best = of_family[family]++ < kOfFamily;
    const bool of_its_kind = of_kind[{family, candidate.schedule.time_tile}]++ < kOfKind;
    if (among_best || of_its_kind) pool_.push_back(candidate);
  }
}

Candidate Search::give(const schedule::Candidate& candidate) {
  given_.push_back(candidate.schedule);
  lines_.insert(schedule::print(candidate.schedule, scheduler_.program().grid().rank()));
  return {candidate.schedule, candidate.prediction.seconds};
}

bool Search::is_given(const schedule::Candidate& candidate) const {
  return lines_.count(schedule::print(candidate.schedule, scheduler_.program().grid().rank())) > 0;
}

std::optional<Candidate> Search::give(const Schedule& schedule) {
  const auto candidate = schedule::predict(scheduler_, schedule);
  return candidate && !is_given(*candidate) ? std::optional(give(*candidate)) : std::nullopt;
}

std::vector<Candidate> Search::first(size_t most) {
  std::vector<Candidate> out;
  const auto add = [&](const schedule::Candidate& candidate) {
    if (out.size() < most && !is_given(candidate)) out.push_back(give(candidate));
  };
  const auto automatic = schedule::predict(scheduler_, scheduler_.choose().schedule);
  if (automatic) add(*automatic);
  if (space_.ranked.empty()) return out;
  add(space_.ranked.front());
  constexpr double kPossible = 1.5;  // times the seconds of the best
  // CPU threads progress unequally: other programs use some cores, or two threads share a core.
  // With one block per thread, all wait for the slowest; the model assumes equal progress.
  constexpr double kSeveral = 2.5;  // blocks per thread
  const auto has_several = [](const schedule::Candidate& candidate) {
    return candidate.prediction.waves >= kSeveral;
  };
  const bool may_wait =
      scheduler_.machine().threads_are_loops && automatic && !has_several(*automatic);
  const auto several = std::find_if(space_.ranked.begin(), space_.ranked.end(), has_several);
  if (may_wait && several != space_.ranked.end() &&
      several->prediction.seconds < kPossible * space_.ranked.front().prediction.seconds) {
    add(*several);
  }
  std::set<std::string> families;
  std::set<std::pair<std::string, int>> kinds;
  for (const schedule::Candidate& candidate : space_.ranked) {
    const std::string& family = candidate.schedule.family;
    const double least = space_.ranked.front().prediction.seconds;
    const bool is_first = families.insert(family).second;
    const bool possible =
        !candidate.prediction.spills && candidate.prediction.seconds < kPossible * least;
    const bool best_of_kind =
        possible && kinds.insert({family, candidate.schedule.time_tile}).second;
    if (is_first || best_of_kind) add(candidate);
  }
  return out;
}

// The predicted seconds, corrected by the mean error of similar schedules, which is weighted by
// similarity. Without similar schedules the prediction is unchanged.
double Search::corrected(const schedule::Candidate& candidate) const {
  constexpr double kTrust = 0.1;  // weight of the uncorrected model
  double sum = 0, weights = kTrust;
  for (const Known& known : known_) {
    if (known.schedule.family != candidate.schedule.family) continue;
    const double weight = std::exp(-distance(known.schedule, candidate.schedule));
    sum += weight * known.error;
    weights += weight;
  }
  return candidate.prediction.seconds * std::exp(sum / weights);
}

void Search::add_neighbours(const Schedule& of) {
  const int rank = scheduler_.program().grid().rank();
  if (!has_neighbours_.insert(schedule::print(of, rank)).second) return;
  for (const Schedule& next : schedule::neighbours(of, rank)) {
    const auto candidate = schedule::predict(scheduler_, next);
    if (candidate && !candidate->prediction.spills) pool_.push_back(*candidate);
  }
}

double Search::learn(const Timings& timings) {
  constexpr double kUnderWay = 0.15;  // assumed log(measured / predicted) of untimed candidates
  known_.clear();
  double least = 0;
  size_t fastest = 0;
  for (size_t i = 0; i < timings.candidates.size(); ++i) {
    const Timed& timed = timings.candidates[i];
    const bool under_way = timed.runs == 0 && timed.refused.empty() && timed.error.empty();
    if (under_way) known_.push_back({given_[i], kUnderWay});
    if (timed.seconds <= 0) continue;
    known_.push_back({given_[i], std::log(timed.seconds / timed.predicted)});
    if (timed.dropped || (least > 0 && timed.seconds >= least)) continue;
    least = timed.seconds;
    fastest = i;
  }
  if (least > 0) add_neighbours(given_[fastest]);
  return least;
}

std::optional<Candidate> Search::next(const Timings& timings) {
  constexpr double kPossible = 1.5;  // times the seconds of the fastest
  const double least = learn(timings);
  std::erase_if(pool_, [&](const auto& candidate) { return is_given(candidate); });
  const schedule::Candidate* best = nullptr;
  double seconds = 0;
  for (const schedule::Candidate& candidate : pool_) {
    const double expected = corrected(candidate);
    if (best && expected >= seconds) continue;
    best = &candidate;
    seconds = expected;
  }
  if (!best || (least > 0 && seconds > kPossible * least)) return std::nullopt;
  return give(*best);
}

}  // namespace stencil::tune
