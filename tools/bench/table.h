// Results as tables for people.
#pragma once

#include <string>
#include <vector>

#include "tools/bench/suite.h"

namespace stencil::bench {

// Why a job did not pass, in a line; empty if it did. A job that the budget left out has not
// failed, nor has one that its schedule refused.
std::string failure_of(const Json& record);

// "jacobi2d N=M=8192 float contract 'direct'".
std::string title_of(const Json& record);

// What result files hold, as they were read: the machines, all timed runs with the best of each
// group first, what time tiles and tuning gain, and what did not pass. U031 if one of them is no
// results file.
Result<std::string> table_of(const std::vector<Json>& files);

}  // namespace stencil::bench
