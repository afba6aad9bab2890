// On a GPU the list starts with the tiles that NVRTC compiles even without timing. On a CPU the
// model is less accurate, and families and time tiles differ more, so it starts with the best of
// each.
#include "runtime/tune/shortlist.h"

#include <algorithm>
#include <utility>

#include "runtime/tune/compiled_choice.h"

namespace stencil::tune {

using schedule::Schedule;

namespace {

constexpr size_t kFirstOnCpu = 5;     // initial candidates, chosen without any results
constexpr size_t kFollowOnCpu = 3;    // after the initial ones, in any run that is long enough
constexpr size_t kMostCompared = 16;  // total in a long run
constexpr size_t kFurtherTiles = 4;   // on a GPU, if compilers would be idle

// Twice as many points along x, where vectors are: the model is least accurate about their benefit.
Schedule with_more_points(Schedule tile) {
  tile.elements[0] *= 2;
  return tile;
}

}  // namespace

Shortlist::Shortlist(const ir::Program& program, const schedule::Machine& machine)
    : scheduler_(program, machine), on_cpu_(machine.threads_are_loops) {
  const schedule::Space quick = schedule::explore(scheduler_, schedule::Effort::Quick);
  Search search(scheduler_, quick);
  if (on_cpu_) {
    first_ = search.first(kFirstOnCpu);
  } else {
    for (const Schedule& tile : schedule::best_of_tiles(quick, kTilesCompared)) {
      if (const auto candidate = search.give(tile)) first_.push_back(*candidate);
    }
  }
  goes_on_ = quick.ranked.size() > first_.size();
}

bool Shortlist::begin_with(const Schedule& schedule) {
  const auto predicted = schedule::predict(scheduler_, schedule);
  if (!predicted) return false;
  const int rank = scheduler_.program().grid().rank();
  const std::string line = schedule::print(schedule, rank);
  std::erase_if(first_, [&](const Candidate& candidate) {
    return schedule::print(candidate.schedule, rank) == line;
  });
  first_.insert(first_.begin(), {schedule, predicted->prediction.seconds});
  return true;
}

void Shortlist::begin_with_further_tiles() {
  if (on_cpu_ || !goes_on_) return;
  further();
  while (const auto tile = further_tile()) first_.push_back(*tile);
}

void Shortlist::leave_out(size_t place) {
  first_.erase(first_.begin() + static_cast<std::ptrdiff_t>(place));
}

size_t Shortlist::follow() const {
  return on_cpu_ && goes_on_ ? kFollowOnCpu : 0;
}

size_t Shortlist::most_follow() const {
  return goes_on_ && first_.size() < kMostCompared ? kMostCompared - first_.size() : 0;
}

std::optional<Candidate> Shortlist::next(const Timings& timings) {
  Search& search = further();
  const auto tile = further_tile();
  return tile ? tile : search.next(timings);
}

Search& Shortlist::further() {
  if (search_) return *search_;
  space_ = schedule::explore(scheduler_, schedule::Effort::Timed);
  search_.emplace(scheduler_, space_);
  std::vector<Schedule> known;
  for (const Candidate& candidate : first_) {
    search_->give(candidate.schedule);
    known.push_back(candidate.schedule);
  }
  if (on_cpu_) return *search_;
  const auto tiles = schedule::further_tiles(space_, std::move(known), kFurtherTiles - 1);
  tiles_.assign(tiles.begin(), tiles.end());
  if (!first_.empty()) tiles_.push_back(with_more_points(first_.front().schedule));
  return *search_;
}

std::optional<Candidate> Shortlist::further_tile() {
  std::optional<Candidate> tile;
  while (!tile && !tiles_.empty()) {
    tile = search_->give(tiles_.front());
    tiles_.pop_front();
  }
  return tile;
}

}  // namespace stencil::tune
