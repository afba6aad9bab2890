// Words that other tools use for options and their values.
#pragma once

#include <string>
#include <vector>

namespace stencil {

// "did you mean 'NAME'?" with the candidate that another tool calls `word`, or else the candidate
// that `word` misspells; "" if there is none.
std::string suggest_option(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace stencil
