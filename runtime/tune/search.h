// Chooses the schedules to time next: the model's favourites, and where measurements contradict the
// model, the favourites of the corrected model.
//
// Time is short, one compilation costs as much as a hundred runs, and the model makes similar
// errors for similar schedules. So a few very different schedules come first. Each further one is
// the best by predictions corrected with the errors of the most similar timed schedules. Compilers
// run in parallel, so some results are still pending; these schedules are assumed to be slightly
// slower than predicted, which directs the search elsewhere (the "constant liar" of Ginsbourger, Le
// Riche and Carraro, 2010).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/schedule/explore.h"
#include "runtime/tune/timing.h"

namespace stencil::tune {

// Distance of two schedules of one family; 0 if equal. A factor of 2 in the time tile or a length
// counts 1, other settings less.
double distance(const schedule::Schedule& a, const schedule::Schedule& b);

class Search {
 public:
  // `space` must be of this scheduler; both must outlive this object.
  Search(schedule::Scheduler& scheduler, const schedule::Space& space);

  // The first candidates, at most `most`: the choice of `auto` without measurements; on a CPU the
  // best one with several blocks per thread, unless that choice has them; the best of each family;
  // the best of each time tile that may be as fast.
  std::vector<Candidate> first(size_t most = SIZE_MAX);
  // This schedule as a candidate, if the model can predict it and it was not given out before.
  std::optional<Candidate> give(const schedule::Schedule& schedule);
  // A new candidate, chosen with the results of the earlier ones. It lies in the space, or differs
  // from the fastest one in one setting. nullopt if none is left that could be as fast.
  std::optional<Candidate> next(const Timings& timings);

 private:
  struct Known {
    schedule::Schedule schedule;
    double error;  // log(measured / predicted)
  };

  Candidate give(const schedule::Candidate& candidate);
  bool is_given(const schedule::Candidate& candidate) const;
  double corrected(const schedule::Candidate& candidate) const;
  // Seconds per step of the fastest schedule; adds its neighbours to the pool.
  double learn(const Timings& timings);
  void add_neighbours(const schedule::Schedule& of);

  schedule::Scheduler& scheduler_;
  const schedule::Space& space_;
  std::vector<schedule::Candidate> pool_;  // to choose from
  std::vector<schedule::Schedule> given_;  // candidates of `timings`, in order
  std::set<std::string> lines_;            // the lines of given_
  std::set<std::string> has_neighbours_;   // lines whose neighbours are in the pool
  std::vector<Known> known_;
};

}  // namespace stencil::tune
