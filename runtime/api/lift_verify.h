// The original and the lifted program on the same random data, bit for bit.
#pragma once

#include <string>

#include "runtime/lifting/lifting.h"

namespace stencil::api {

struct LiftProof {
  bool compared = false;  // else `text` says why not
  std::string text;       // "3 sizes, 0 to 7 steps, 5 arrays: every bit is the same"
};

// Sizes that are macros are part of the program. Where they are too large to compare anything, the
// file is lifted once more with small ones (-D), if it takes them, and that is compared.
Result<LiftProof> prove_or_shrink(const lifter::Lifted& lifted, const runtime::LiftRequest& request,
                                  uint64_t seed);

// C030 if a result differs, with the element. `seed`: of the data.
Result<LiftProof> prove(const lifter::Lifted& lifted, const runtime::LiftRequest& request,
                        uint64_t seed);

}  // namespace stencil::api
