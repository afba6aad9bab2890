// The original and the lifted program on the same random data, bit for bit.
#pragma once

#include <string>
#include <vector>

#include "runtime/api/lift_outcomes.h"
#include "runtime/lifting/lifting.h"

namespace stencil::api {

constexpr double kSearch = 3;  // seconds

struct LiftProof {
  // Every run gave the same, and the runs took every outcome of every branch; else `text` says what
  // is missing.
  bool compared = false;
  std::string text;  // "40 runs on random data (sizes n = 1 to 7, 13, 67), 2 arrays: every bit ..."
  bool ran = false;  // there were runs, and none of them differed
  std::vector<Outcome> missing;  // outcomes of the original that no run took
  std::string runs;              // `text` without what is missing
};

// Sizes that are macros are part of the program. Where they are too large to compare anything, the
// file is lifted once more with small ones (-D), if it takes them, and that is compared.
Result<LiftProof> prove_or_shrink(const lifter::Lifted& lifted, const runtime::LiftRequest& request,
                                  uint64_t seed, double search = kSearch);

// C030 if a result differs, with the element. `seed`: of the data. `search`: for how many seconds
// outcomes that no run took are looked for.
Result<LiftProof> prove(const lifter::Lifted& lifted, const runtime::LiftRequest& request,
                        uint64_t seed, double search = kSearch);

}  // namespace stencil::api
