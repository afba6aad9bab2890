// How host code of a target allocates, copies and clears memory and reports errors. Entry points
// (driver_printer.h) and host programs (host_writer.h) use the same operations.
#pragma once

#include <string>
#include <vector>

#include "compiler/emit/expression.h"
#include "compiler/emit/host_api.h"
#include "compiler/emit/text.h"

namespace stencil::emit {

class HostOperations {
 public:
  HostOperations(Text& out, const kernel::Module& module, const HostApi& api, Names& names,
                 ExpressionPrinter& expressions, const Dialect& dialect);

  bool has_device() const { return dialect_.has_device(); }  // kernels run on device memory
  std::string text(const kernel::Expr& expr) { return expressions_.print(widened(expr)); }
  // The text in parentheses, unless the expression is a literal or a variable.
  std::string factor(const kernel::Expr& expr);
  // A line in which $api stands for the prefix of the runtime's names.
  void device_line(const std::string& line);
  // A call of a function that returns a status. An error ends the entry point with a message about
  // `what`. $api stands for the prefix as above.
  void try_call(const std::string& what, const std::string& function,
                const std::vector<std::string>& arguments);
  // Defines an array of these values; returns its name.
  std::string numbers(const std::string& name, const std::vector<kernel::Expr>& values);

  // The size of an array with these extents, and the definition of the variable that holds it.
  std::string bytes_of(const kernel::Array& array, const std::vector<kernel::Expr>& extents);
  const std::string& bytes(size_t array) const { return bytes_[array]; }
  void size(size_t array);

  // `array` is the name in error messages.
  void allocate(const std::string& name, const std::string& array, const std::string& bytes);
  void copy(const std::string& to, const std::string& from, const std::string& bytes,
            const char* kind, const std::string& array);
  void clear(const std::string& memory, const std::string& bytes, const std::string& array);
  void synchronise();  // waits for the stream; device only

  Text& out;

 private:
  const kernel::Module& module_;
  const HostApi& api_;
  Names& names_;
  ExpressionPrinter& expressions_;
  const Dialect& dialect_;
  std::vector<std::string> bytes_;  // per array, in the plan's layout
};

}  // namespace stencil::emit
