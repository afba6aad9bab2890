// Compares the original and the lifted program on the same random data, bit for bit.
#pragma once

#include <string>
#include <vector>

#include "runtime/api/lift_outcomes.h"
#include "runtime/lifting/lifting.h"

namespace stencil::api {

constexpr double kSearch = 3;  // seconds

struct LiftProof {
  // All runs agreed and together took every outcome of every branch. Otherwise `text` says what is
  // missing.
  bool compared = false;
  std::string text;  // "40 runs on random data (sizes n = 1 to 7, 13, 67), 2 arrays: every bit ..."
  bool ran = false;  // at least one run, and none differed
  std::vector<Outcome> missing;  // outcomes of the original that no run took
  std::string runs;              // `text` without the missing outcomes
  Outcomes outcomes;             // of the original, also if it did not run
};

// Like prove(). If sizes are macros that are too large to run, it lifts the file again with small
// values (-D), if the file accepts them, and compares that.
Result<LiftProof> prove_or_shrink(const lifter::Lifted& lifted, const runtime::LiftRequest& request,
                                  uint64_t seed, double search = kSearch);

// C030 if a result differs, with the element. `seed`: for the data. `search`: seconds to search for
// outcomes that no run has taken.
Result<LiftProof> prove(const lifter::Lifted& lifted, const runtime::LiftRequest& request,
                        uint64_t seed, double search = kSearch);

}  // namespace stencil::api
