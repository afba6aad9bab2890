// Checks which macros and constants of a C file can become params of the program.
#pragma once

#include <map>

#include "runtime/lifting/lifting.h"

namespace stencil::runtime {

using NamedValues = std::map<std::string, int64_t>;

// The file with other values of macros and constants. Definitions in the file itself are edited.
// Macros of headers are set by -D flags, which works only if the header guards its definition with
// #ifndef.
Result<CFile> at_values(const CFile& file, const NamedValues& values);

// Values to test for the requested params, one set per entry of `first`. The first param gets the
// entry itself, and each further param 3 more than its predecessor. The values are distinct so that
// swapped dimensions are detected.
std::vector<NamedValues> values_to_test(const std::vector<std::string>& params,
                                        const std::vector<int64_t>& first);
// Values on both sides of each integer in the file, for params that are compared with it.
std::vector<int64_t> values_beside_integers(const CFile& file);

// C028 unless other values of the requested params give the same program. `lifted`: the result for
// the current values.
Status check_params(const LiftRequest& request, const lifter::Lifted& lifted);

}  // namespace stencil::runtime
