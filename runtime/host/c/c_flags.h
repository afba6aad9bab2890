// The flags of a C or C++ compiler that the lifter passes on to Clang.
//
// Only listed flags reach Clang: those that determine the meaning of a file's text. Flags that load
// code (plugins), write files, or choose another machine never reach Clang.
//
// If a flag of a compilation database is not listed, it is dropped. A database flag that selects
// another machine is refused. If a flag given by the user is not listed, it is refused by name,
// unless it cannot change the results of the code (-O3, -g, -Wall).
#pragma once

#include <string>
#include <vector>

namespace stencil::host {

struct CFlags {
  std::vector<std::string> kept;  // flags for Clang, in their original order
  // The language is C++, according to -x, the name of the driver, or the name of the file.
  bool cpp = false;
  bool standard = false;  // one of the flags is -std
  bool openmp = false;    // one of the flags is -fopenmp, which defines _OPENMP
  std::string refused;    // the first flag of the user that is refused; "" if none is refused
  std::string why;        // the reason why `refused` is refused, in words
};

// `recorded`: the words of a command in a compilation database, including the name of the compiler;
// empty if there is no database. `given`: the words of the user.
CFlags flags_for_clang(const std::string& file, const std::vector<std::string>& recorded,
                       const std::vector<std::string>& given);

}  // namespace stencil::host
