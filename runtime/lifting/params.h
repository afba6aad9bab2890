// Checks which macros and constants of a C file can become params of the program.
#pragma once

#include <map>

#include "runtime/lifting/lifting.h"

namespace stencil::runtime {

using NamedValues = std::map<std::string, int64_t>;

// The file with other values of macros and constants. Definitions in the file are edited; others
// are set by -D flags, for headers that allow it.
Result<CFile> at_values(const CFile& file, const NamedValues& values);

// C028 unless other values of the requested params give the same program. `lifted`: the result for
// the current values.
Status check_params(const LiftRequest& request, const lifter::Lifted& lifted);

}  // namespace stencil::runtime
