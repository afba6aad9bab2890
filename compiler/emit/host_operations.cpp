#include "compiler/emit/host_operations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stencil::emit {

using kernel::Array;
using kernel::Expr;

HostOperations::HostOperations(Text& text, const kernel::Module& module, const HostApi& api,
                               Names& names, ExpressionPrinter& expressions, const Dialect& dialect)
    : out(text),
      module_(module),
      api_(api),
      names_(names),
      expressions_(expressions),
      dialect_(dialect) {
  for (const Array& array : module.plan.arrays)
    bytes_.push_back(names.fresh(array.name + "_bytes"));
}

void HostOperations::device_line(const std::string& line) {
  out.line(device_text(line, dialect_));
}

void HostOperations::try_call(const std::string& what, const std::string& function,
                              const std::vector<std::string>& arguments) {
  const std::string separator = std::string(",") + soft_space(2);
  device_line(fmt::format("STENCIL_TRY(\"{}\",{}{}({}));", what, soft_space(1), function,
                          fmt::join(arguments, separator)));
}

std::string HostOperations::numbers(const std::string& name, const std::vector<Expr>& values) {
  std::vector<std::string> items;
  for (const Expr& value : values) items.push_back(text(value));
  const std::string fresh = names_.fresh(name);
  out.line(fmt::format("const int64_t {}[] = {{{}}};", fresh, comma_list(items)));
  return fresh;
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
  try_call("copying array " + array, "$apiMemcpyAsync",
           {to, from, "(size_t)" + bytes, std::string("$apiMemcpy") + kind, api_.stream()});
}

void HostOperations::clear(const std::string& memory, const std::string& bytes,
                           const std::string& array) {
  try_call("clearing array " + array, "$apiMemsetAsync",
           {memory, "0", "(size_t)" + bytes, api_.stream()});
}

void HostOperations::synchronise() {
  device_line(fmt::format("STENCIL_TRY(\"running\", $apiStreamSynchronize({}));", api_.stream()));
}

}  // namespace stencil::emit
