// Sizes of arrays in comments and declarations: "2 * N + 7". Unlike expressions of the code, they
// have no conversions, because they describe the size and are not compiled.
#pragma once

#include <functional>
#include <string>

#include "compiler/kernel/plan.h"

namespace stencil::emit {

struct SizeStyle {
  std::function<std::string(const std::string&)> name;  // the spelling of a param
  bool fortran = false;                                 // iand() in place of &
};

std::string size_text(const kernel::Module& module, const kernel::Expr& size,
                      const SizeStyle& style);

// The size as a number, if it is one.
bool is_number(const kernel::Module& module, const kernel::Expr& size);

}  // namespace stencil::emit
