// The C header of an emitted file.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "compiler/emit/box_part.h"
#include "compiler/emit/declarations.h"
#include "compiler/emit/emit.h"

namespace stencil::emit {

namespace {

// The include guard. It keeps the case of the program's name and puts the target before it, because
// the name of another program may differ only in case, or end in "_cuda".
std::string guard_of(const TargetInfo& target, const kernel::Module& module) {
  std::string word(target.name);
  for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format("STENCIL_{}_{}_H", word, module.name);
}

// Rejects the headers of the same program in other languages, which declare the same functions.
void refuse_others(Text& out, const TargetInfo& target, const kernel::Module& module) {
  for (const TargetInfo& other : targets()) {
    if (other.header_ending.empty() || other.target == target.target) continue;
    out.line("#ifdef " + guard_of(other, module));
    out.line(fmt::format(
        "#error \"the {} and the {} of {} define the same functions: include one header\"",
        std::min(other.extension, target.extension), std::max(other.extension, target.extension),
        module.name));
    out.line("#endif");
  }
  out.blank();
}

}  // namespace

std::string emit_header(const kernel::Module& module, Target target, const BoxPart* box) {
  const TargetInfo& row = info(target);
  if (row.header_ending.empty()) return "";
  const Dialect& dialect = row.dialect({});
  Names names = Names(module, dialect).for_host(module);
  const HostApi api(module, names);
  const std::string guard = guard_of(row, module);
  Text out;
  for (const std::string& line : module.header) out.comment(line);
  out.line("#ifndef " + guard);
  out.line("#define " + guard);
  out.blank();
  refuse_others(out, row, module);
  out.line("#include <stdint.h>");
  if (dialect.has_device()) out.line(fmt::format("#include <{}>", dialect.runtime_api_header));
  out.blank();
  out.line("#ifdef __cplusplus");
  out.line("extern \"C\" {");
  out.line("#endif");
  out.blank();
  declare_in_c(out, declarations_of(module, api, dialect), module, dialect);
  if (box) declare_in_c(out, box_declarations(*box, dialect), box->module, dialect);
  out.line("#ifdef __cplusplus");
  out.line("}");
  out.line("#endif");
  out.blank();
  out.line("#endif");
  return out.str();
}

}  // namespace stencil::emit
