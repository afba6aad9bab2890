// The schedules that a run compares: the model's favourites, then others chosen with their results.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "compiler/schedule/explore.h"
#include "runtime/tune/search.h"
#include "runtime/tune/timing.h"

namespace stencil::tune {

class Shortlist {
 public:
  Shortlist(const ir::Program& program, const schedule::Machine& machine);

  // The choice without timing comes first.
  const std::vector<Candidate>& first() const { return first_; }
  // Makes this schedule the first one; false if the model cannot predict it.
  bool begin_with(const schedule::Schedule& schedule);
  // Adds the tiles that would follow in any case to the initial ones.
  void begin_with_further_tiles();
  // Removes an initial candidate.
  void leave_out(size_t place);
  // How many follow in a run that is long enough, and the maximum: none if the model knows no
  // others.
  size_t follow() const;
  size_t most_follow() const;
  // `timings` has the initial candidates and those that this function has returned, in order.
  std::optional<Candidate> next(const Timings& timings);

 private:
  Search& further();
  std::optional<Candidate> further_tile();

  schedule::Scheduler scheduler_;
  const bool on_cpu_;
  bool goes_on_ = false;
  std::vector<Candidate> first_;
  schedule::Space space_;
  std::optional<Search> search_;          // in space_, created on demand
  std::deque<schedule::Schedule> tiles_;  // next candidates, independent of results
};

}  // namespace stencil::tune
