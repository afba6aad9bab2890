// Turns C and C++ files into stencil programs, using the front end of libstencil_host.so and the
// lifter.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "compiler/lift/lift.h"
#include "runtime/devices/host_library.h"

namespace stencil::runtime {

struct LiftRequest {
  CFile file;
  lifter::ExecuteOptions options;
};

// Returns the program and its relation to the C source. Errors: R041 if the library is missing,
// otherwise a code C0xx with `diagnostics` that show the line of the C file.
Result<lifter::Lifted> lift_file(const LiftRequest& request);
// Like lift_file(), but does not check the params (params.h).
Result<lifter::Lifted> lift_as_it_stands(const LiftRequest& request);

// Converts a refusal to a failure that shows its line of C.
Failure shown_in_c(const std::string& path, const std::vector<std::string>& files,
                   const lifter::Refusal& refusal);

// Looks for compile_commands.json in the directory of a file, in its parent directories, and in
// their `build` subdirectories. Returns the directory that contains it, or "".
std::string find_database(const std::string& path);

}  // namespace stencil::runtime
