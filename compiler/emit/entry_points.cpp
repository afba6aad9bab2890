#include "compiler/emit/entry_points.h"

#include <fmt/format.h>

#include "compiler/emit/dialect.h"

namespace stencil::emit {

namespace {

std::string c_type(const std::variant<Scalar, std::string>& type) {
  if (const auto* structure = std::get_if<std::string>(&type)) return *structure;
  return std::string(cpp_dialect().type(std::get<Scalar>(type)));
}

}  // namespace

std::string c_pointer_type(const Argument& argument) {
  return fmt::format("{}{}*", argument.output ? "" : "const ", cpp_dialect().stored(argument.type));
}

std::string c_argument(const Argument& argument) {
  const std::string& name = argument.name;
  switch (argument.kind) {
    case Argument::Kind::Elements:
      return c_pointer_type(argument) + " " + name;
    case Argument::Kind::Slots:
      return fmt::format("{}** {}", cpp_dialect().stored(argument.type), name);
    case Argument::Kind::Value:
      return c_type(argument.type) + " " + name;
    case Argument::Kind::Structure:
      return fmt::format("{}{}* {}", argument.output ? "" : "const ", argument.structure, name);
    case Argument::Kind::Pointers:
      return (argument.output ? "void** " : "const void* const* ") + name;
    case Argument::Kind::Stream:
      return "$apiStream_t " + name;
  }
  return "";
}

std::string c_signature(const EntryPoint& entry) {
  std::vector<std::string> items;
  for (const Argument& argument : entry.arguments) items.push_back(c_argument(argument));
  return fmt::format("{} {}({})", entry.result.empty() ? "const char*" : entry.result, entry.name,
                     items.empty() ? "void" : comma_list(items));
}

void declare_in_c(Text& out, const Structure& structure) {
  out.comment(structure.comment);
  out.open(fmt::format("typedef struct {} {{", structure.name));
  for (const Member& member : structure.members) {
    const std::string size = member.elements > 0 ? fmt::format("[{}]", member.elements) : "";
    out.commented(fmt::format("{} {}{};", c_type(member.type), member.name, size), member.comment);
  }
  out.close(fmt::format("}} {};", structure.name));
  out.blank();
}

}  // namespace stencil::emit
