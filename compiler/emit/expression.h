// Prints kernel IR expressions as text of a dialect.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/emit/dialect.h"
#include "compiler/emit/names.h"
#include "compiler/kernel/plan.h"

namespace stencil::emit {

// "0.25f": the shortest decimal that reads back as the same value, with the type's suffix.
std::string real_literal(double value, Scalar type, const Dialect& dialect);

class ExpressionPrinter {
 public:
  ExpressionPrinter(const Dialect& dialect, const kernel::Module& module, Names& names)
      : dialect_(dialect), module_(module), names_(names) {}

  // Sets the kernel whose buffers expressions refer to; null: no buffers.
  void enter(const kernel::Kernel* kernel) { kernel_ = kernel; }

  // The text, with break marks (text.h). `exposed`: the value may become an operand of an addition
  // that the target's compiler sees, so a product must be protected from fusion.
  std::string print(const kernel::Expr& expr, bool exposed = false);

  // An element of a buffer, as loaded or stored: "A[y * size_x + x]".
  std::string element(kernel::BufferId buffer, const std::vector<kernel::Expr>& index);

  const std::set<std::string>& helpers() const { return helpers_; }
  void use_helper(const std::string& name) { helpers_.insert(name); }
  bool uses_double() const { return uses_double_; }

 private:
  void put(const kernel::Expr& expr, int level, bool exposed);
  void put_integer(int64_t value, Scalar type, bool bare);
  void put_operation(const kernel::ExprNode& node, const kernel::Operation& operation, int level,
                     bool exposed);
  void put_infix(const kernel::Operation& operation, int level, bool exposed);
  void put_operand(const kernel::Expr& operand, const kernel::Expr& other, int level, bool exposed);
  bool put_multiplied_division(const kernel::Operation& division, int level, bool exposed);
  bool put_bool_operation(const kernel::Operation& operation, int level);
  void put_bits(const kernel::Operation& operation, Scalar type, int level);
  void put_bits_of(const kernel::Expr& value, Scalar type, int level);
  void put_shift(const kernel::Operation& operation, Scalar type, int level);
  void put_call(const std::string& name, const std::vector<kernel::Expr>& arguments, bool exposed);
  void put_helper(const std::string& name, const std::vector<kernel::Expr>& arguments,
                  bool exposed);
  bool put_clamp(const std::vector<kernel::Expr>& operands, Scalar type);
  void put_stored(const kernel::Load& load, Scalar stored, int level);
  void put_convert(const kernel::Expr& value, Scalar to, int level);
  void put_to_storage(const kernel::Expr& value, Scalar to);
  void put_element(kernel::BufferId buffer, const std::vector<kernel::Expr>& index);
  bool divides_safely(const kernel::Expr& divisor) const;
  bool guards_product(Scalar type, bool exposed) const;
  std::string function_name(Op op, Scalar type) const;
  void open(bool parenthesise);
  void close(bool parenthesise);
  void space();  // a possible line break

  const Dialect& dialect_;
  const kernel::Module& module_;
  Names& names_;
  const kernel::Kernel* kernel_ = nullptr;
  std::set<std::string> helpers_;
  bool uses_double_ = false;
  std::string out_;
  int depth_ = 0;
};

}  // namespace stencil::emit
