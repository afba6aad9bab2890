// Names in the output. The IR's names are C identifiers, but a field may be called `int` or `sin`,
// a keyword or a library function of the target: such names get an underscore, everywhere alike.
#pragma once

#include <map>
#include <set>
#include <string>

#include "compiler/emit/dialect.h"
#include "compiler/kernel/plan.h"

namespace stencil::emit {

class Names {
 public:
  // Names of everything in `module`, and of `taken` besides, are never given to anything else.
  Names(const kernel::Module& module, const Dialect& dialect);

  // The spelling of a name of the IR: the same for the same name.
  std::string spell(const std::string& name);

  // Names for host functions beside these kernels: what stands at file scope is spelled as here,
  // and the kernels' local names are free.
  Names for_host(const kernel::Module& module);

  // A name for something the writer itself introduces, not used before.
  std::string fresh(const std::string& base);

 private:
  explicit Names(const Dialect& dialect) : dialect_(dialect) {}
  bool reserved(const std::string& name) const;

  const Dialect& dialect_;
  std::set<std::string> used_;
  std::map<std::string, std::string> spelled_;
};

}  // namespace stencil::emit
