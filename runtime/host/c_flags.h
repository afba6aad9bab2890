// The flags of a C or C++ compiler that the lifter passes on to Clang.
//
// Only flags on a list reach Clang: those that decide what the text of a file means. Flags that
// load code (plugins), write files, or choose another machine never do. Flags of a compilation
// database that are not on the list are dropped, except that those that select another machine are
// refused. Flags of the user that are not on the list are
// refused by name, unless they cannot change what the code computes (-O3, -g, -Wall).
#pragma once

#include <string>
#include <vector>

namespace stencil::host {

struct CFlags {
  std::vector<std::string> kept;  // for Clang, in their order
  bool cpp = false;               // C++, by -x, by the driver's name, or by the name of the file
  bool standard = false;          // there is a -std
  bool openmp = false;            // -fopenmp, which defines _OPENMP
  std::string refused;            // the first flag of the user that is refused; "": none
  std::string why;                // in words
};

// `recorded`: words of a compilation database, the compiler's name included; empty: none.
// `given`: words of the user.
CFlags flags_for_clang(const std::string& file, const std::vector<std::string>& recorded,
                       const std::vector<std::string>& given);

}  // namespace stencil::host
