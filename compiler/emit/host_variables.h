// Expressions and assignments of host programs as C, over variables that have other names there.
#pragma once

#include <map>
#include <string>

#include "compiler/emit/expression.h"
#include "compiler/host_ir/program.h"

namespace stencil::emit {

class HostVariables {
 public:
  explicit HostVariables(ExpressionPrinter& expressions) : expressions_(expressions) {}

  // The text of a variable of the program.
  void spell(const std::string& name, const std::string& text) { texts_[name] = text; }
  const std::string& spelling(const std::string& name) const { return texts_.at(name); }

  // With break marks (text.h).
  std::string text(const kernel::Expr& expr) const;
  std::string assignment(const host_ir::Assign& assign) const;  // x = e;
  std::string loop(const host_ir::For& loop) const;             // for (x = b; x < e; ++x)
  std::string step_argument(const kernel::Expr& step) const;    // kernels take the step as an int

 private:
  ExpressionPrinter& expressions_;
  std::map<std::string, std::string> texts_;
};

}  // namespace stencil::emit
