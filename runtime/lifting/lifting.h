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

// Returns the program and its relation to the C source. Errors: R041 without the library, or a code
// C0xx with `diagnostics` that show the line of the C file.
Result<lifter::Lifted> lift_file(const LiftRequest& request);
// The same without checking its params (params.h).
Result<lifter::Lifted> lift_as_it_stands(const LiftRequest& request);

// A refusal as a failure that shows its line of C.
Failure shown_in_c(const std::string& path, const std::vector<std::string>& files,
                   const lifter::Refusal& refusal);

// Whether a file name has an extension of C or C++.
bool is_c_file(const std::string& path);

// Looks for compile_commands.json in the directory of a file, its parents, and their `build`
// subdirectories. Returns the directory; "" if there is none.
std::string find_database(const std::string& path);

}  // namespace stencil::runtime
