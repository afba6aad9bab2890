// Compares the original and the lifted program on the same random data, bit for bit.
#pragma once

#include <string>
#include <vector>

#include "runtime/api/lift_outcomes.h"
#include "runtime/lifting/lifting.h"

namespace stencil::api {

constexpr double kSearch = 3;  // seconds

struct LiftProof {
  // All runs agreed and together took every outcome of every branch. If false, `text` says what is
  // missing.
  bool compared = false;
  std::string text;  // "40 runs on random data (sizes n = 1 to 7, 13, 67), 2 arrays: every bit ..."
  bool ran = false;  // at least one run, and none differed
  std::vector<Outcome> missing;  // outcomes of the original that no run took
  std::string runs;              // `text` without the missing outcomes
  Outcomes outcomes;             // of the original, also if it did not run
};

// Like prove(). If macros give sizes that are too large to run and the file accepts other values
// (-D), it is lifted again with small values and compared at those.
Result<LiftProof> prove_or_shrink(const lifter::Lifted& lifted, const runtime::LiftRequest& request,
                                  uint64_t seed, double search = kSearch);

// C030 if a result differs, with the element. `seed`: for random data. `search`: seconds to search
// for missing outcomes.
Result<LiftProof> prove(const lifter::Lifted& lifted, const runtime::LiftRequest& request,
                        uint64_t seed, double search = kSearch);

}  // namespace stencil::api
