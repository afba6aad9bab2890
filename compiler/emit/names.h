// Names in the output. The IR's names are C identifiers, but a field may be called `int`, `sin` or
// `M_PI`, which are keywords, functions or macros of the target. Such names get an underscore
// everywhere.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "compiler/emit/dialect.h"
#include "compiler/kernel/plan.h"

namespace stencil::emit {

// Words of C++, C, CUDA C++ and OpenCL C, separated by blanks.
extern const std::string_view kKeywords;

class Names {
 public:
  // Names in `module` are never given to anything else. `also`: further words; a name of the module
  // that equals one of them gets another spelling.
  Names(const kernel::Module& module, const Dialect& dialect,
        const std::set<std::string>& also = {});

  // The spelling of a name of the IR; always the same for the same name.
  std::string spell(const std::string& name);

  // Names for host functions in the same file. Names at file scope keep their spelling. Local names
  // of the kernels may be reused.
  Names for_host(const kernel::Module& module, const std::set<std::string>& also = {});

  // A new name for something that the writer introduces.
  std::string fresh(const std::string& base);

 private:
  Names(const Dialect& dialect, std::string module, const std::set<std::string>& also)
      : dialect_(dialect), module_(std::move(module)), also_(also) {}
  bool reserved(const std::string& name) const;
  bool reserved_beginning(const std::string& name) const;
  bool is_entry(const std::string& name) const;

  const Dialect& dialect_;
  std::string module_;
  std::set<std::string> also_;
  std::set<std::string> used_;
  std::map<std::string, std::string> spelled_;
};

}  // namespace stencil::emit
