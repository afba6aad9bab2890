#include "compiler/emit/host_operations.h"

#include <fmt/format.h>

namespace stencil::emit {

using kernel::Array;
using kernel::Expr;

HostOperations::HostOperations(Text& text, const kernel::Module& module, const HostApi& api,
                               Names& names, ExpressionPrinter& expressions, const Dialect& dialect)
    : out(text), module_(module), api_(api), expressions_(expressions), dialect_(dialect) {
  for (const Array& array : module.plan.arrays)
    bytes_.push_back(names.fresh(array.name + "_bytes"));
}

void HostOperations::device_line(const std::string& line) {
  out.line(device_text(line, dialect_));
}

std::string HostOperations::factor(const Expr& expr) {
  const bool simple = !std::holds_alternative<kernel::Operation>(expr->kind);
  return simple ? text(expr) : "(" + text(expr) + ")";
}

std::string HostOperations::bytes_of(const Array& array, const std::vector<Expr>& extents) {
  std::string product = fmt::format("(int64_t)sizeof({})", api_.type(array));
  for (const Expr& extent : extents) {
    product += fmt::format("{}* {}", soft_space(0), factor(extent));
  }
  return product;
}

void HostOperations::size(size_t index) {
  const Array& array = module_.plan.arrays[index];
  out.line(fmt::format("const int64_t {} = {};", bytes_[index],
                       bytes_of(array, kernel::stored_extents(array))));
}

void HostOperations::allocate(const std::string& name, const std::string& array,
                              const std::string& bytes) {
  const std::string stream = has_device() ? fmt::format("({})", api_.stream()) : "";
  out.line(fmt::format("stencil_memory {}{};", name, stream));
  out.line(fmt::format("if (const char* error = {}.allocate(\"{}\", {})) return error;", name,
                       array, bytes));
}

void HostOperations::copy(const std::string& to, const std::string& from, const std::string& bytes,
                          const char* kind, const std::string& array) {
  if (!has_device()) {
    out.line(fmt::format("memcpy({}, {}, (size_t){});", to, from, bytes));
    return;
  }
  device_line(
      fmt::format("STENCIL_TRY(\"copying array {}\",{}"
                  "$apiMemcpyAsync({},{}{},{}(size_t){},{}"
                  "$apiMemcpy{},{}{}));",
                  array, soft_space(1), to, soft_space(2), from, soft_space(2), bytes,
                  soft_space(2), kind, soft_space(2), api_.stream()));
}

void HostOperations::clear(const std::string& memory, const std::string& bytes,
                           const std::string& array) {
  device_line(
      fmt::format("STENCIL_TRY(\"clearing array {}\",{}"
                  "$apiMemsetAsync({},{}0,{}(size_t){},{}{}));",
                  array, soft_space(1), memory, soft_space(2), soft_space(2), bytes, soft_space(2),
                  api_.stream()));
}

void HostOperations::synchronise() {
  device_line(fmt::format("STENCIL_TRY(\"running\", $apiStreamSynchronize({}));", api_.stream()));
}

}  // namespace stencil::emit
