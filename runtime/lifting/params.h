// Macros and constants of a C file as params of the program: where that is sound.
#pragma once

#include <map>

#include "runtime/lifting/lifting.h"

namespace stencil::runtime {

using NamedValues = std::map<std::string, int64_t>;

// The file with other values of macros and constants: in its text where it defines them, as flags
// of the compiler for headers that leave them to their users.
Result<CFile> at_values(const CFile& file, const NamedValues& values);

// C028 unless the file is the same program with other values of the request's params. `lifted`: as
// it stands.
Status check_params(const LiftRequest& request, const lifter::Lifted& lifted);

}  // namespace stencil::runtime
