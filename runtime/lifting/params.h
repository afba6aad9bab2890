// Checks which macros and constants of a C file can become params of the program.
#pragma once

#include <map>

#include "runtime/lifting/lifting.h"

namespace stencil::runtime {

using NamedValues = std::map<std::string, int64_t>;

// The file with other values of macros and constants. Definitions in the file itself are edited.
// Macros of headers are set by -D flags. This works only if #ifndef guards the definition in the
// header.
Result<CFile> at_values(const CFile& file, const NamedValues& values);

// Values to test for the requested params, one set for each entry of `first`. The first param gets
// the entry itself, and each further param gets 3 more than its predecessor. The values are
// distinct, because swapped dimensions could not be detected otherwise.
std::vector<NamedValues> values_to_test(const std::vector<std::string>& params,
                                        const std::vector<int64_t>& first);
// Each integer in the file and its two neighbours. They are tested because the file may compare a
// param with the integer.
std::vector<int64_t> values_beside_integers(const CFile& file);

// Reports C028 unless other values of the requested params give the same program. `lifted`: the
// result for the current values.
Status check_params(const LiftRequest& request, const lifter::Lifted& lifted);

}  // namespace stencil::runtime
