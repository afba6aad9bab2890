// C and C++ files to stencil programs: the front end of libstencil_host.so and the lifter together.
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

// The program and what it is in C. R041 without the library; the C codes, with `diagnostics` that
// show the line of the C file.
Result<lifter::Lifted> lift_file(const LiftRequest& request);
// Without asking whether its params are sound (params.h).
Result<lifter::Lifted> lift_as_it_stands(const LiftRequest& request);

// A refusal with the line that it is about.
Failure shown_in_c(const std::string& path, const std::vector<std::string>& files,
                   const lifter::Refusal& refusal);

// Whether a file name is that of C or C++.
bool is_c_file(const std::string& path);

// "compile_commands.json" in the directory of a file or one above it, or in `build` below these:
// the directory it is in; "" if there is none.
std::string find_database(const std::string& path);

}  // namespace stencil::runtime
