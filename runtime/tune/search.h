// Which schedules to time next: what the model likes, and where measurements show the model to be
// wrong, what it likes once that is put right.
//
// Time is short, a compilation takes as long as a hundred runs, and what the model gets wrong about
// a schedule it gets wrong about schedules like it. So a few very different ones come first. Then
// each next one is the best by predictions that are corrected by the errors of the most similar
// schedules that have been timed. Compilers work side by side, so some are still under way then:
// they are taken to be a little slower than predicted, which sends the next one elsewhere (the
// "constant liar" of Ginsbourger, Le Riche and Carraro, 2010).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/schedule/explore.h"
#include "runtime/tune/timing.h"

namespace stencil::tune {

// How far two schedules of one family are from each other: 0 for the same. A time tile or a length
// that is twice as long counts 1, other settings less.
double distance(const schedule::Schedule& a, const schedule::Schedule& b);

class Search {
 public:
  // `space` is of this scheduler; both are to outlive it.
  Search(schedule::Scheduler& scheduler, const schedule::Space& space);

  // What to begin with, at most so many: what `auto` takes without measurements, on a CPU the best
  // with several blocks a thread if that has not, the best of each family, the best of each time
  // tile that may be as fast.
  std::vector<Candidate> first(size_t most = SIZE_MAX);
  // This one, if the model knows it and it was not given out before.
  std::optional<Candidate> give(const schedule::Schedule& schedule);
  // One that was not given out before, knowing what came of those that were; it may lie beyond the
  // space if it differs from the fastest in one setting. Nothing where none is left that could be
  // as fast.
  std::optional<Candidate> next(const Timings& timings);

 private:
  struct Known {
    schedule::Schedule schedule;
    double error;  // logarithm of measured over predicted
  };

  Candidate give(const schedule::Candidate& candidate);
  bool is_given(const schedule::Candidate& candidate) const;
  double corrected(const schedule::Candidate& candidate) const;
  // Seconds per step of the fastest, whose neighbours become part of the pool.
  double learn(const Timings& timings);
  void add_neighbours(const schedule::Schedule& of);

  schedule::Scheduler& scheduler_;
  const schedule::Space& space_;
  std::vector<schedule::Candidate> pool_;  // to choose from
  std::vector<schedule::Schedule> given_;  // candidates of `timings`, in their order
  std::set<std::string> lines_;            // of those
  std::set<std::string> has_neighbours_;   // lines whose neighbours are in the pool
  std::vector<Known> known_;
};

}  // namespace stencil::tune
