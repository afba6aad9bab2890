// The proof of programs whose params are macros and constants of C.
#pragma once

#include "runtime/api/lift_verify.h"

namespace stencil::api {

// Like prove_or_shrink(), but if the params are macros or constants, compiles the original for
// several values of them.
Result<LiftProof> prove_lifted(const lifter::Lifted& lifted, const runtime::LiftRequest& request,
                               uint64_t seed, double search = kSearch);

}  // namespace stencil::api
