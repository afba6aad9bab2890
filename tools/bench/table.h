// Results as tables for people.
#pragma once

#include <string>
#include <vector>

#include "tools/bench/suite.h"

namespace stencil::bench {

// Why a job did not pass, in one line; empty if it did. A job that was left out for lack of budget,
// or refused by its schedule, has not failed.
std::string failure_of(const Json& record);

// "jacobi2d N=M=8192 float contract 'direct'".
std::string title_of(const Json& record);

// The contents of parsed results files: machines, all timed runs with the best of each group first,
// gains by time tiling and tuning, and failures. U031 if a file is not a results file.
Result<std::string> table_of(const std::vector<Json>& files);

}  // namespace stencil::bench
