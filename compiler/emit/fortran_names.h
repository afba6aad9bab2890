// Names of the Fortran module. Fortran ignores case, limits names to 63 characters and requires a
// letter at the beginning. A name of the C interface keeps its spelling unless one of these rules
// or an earlier name prevents it.
#pragma once

#include <map>
#include <set>
#include <string>

namespace stencil::emit {

class FortranNames {
 public:
  FortranNames();

  // The Fortran name for a name of the C interface; always the same for the same name.
  const std::string& of(const std::string& c_name);
  // A name for something that only the module has.
  std::string fresh(const std::string& wanted);

 private:
  std::map<std::string, std::string> known_;
  std::set<std::string> used_;  // in lower case
};

}  // namespace stencil::emit
