// C in three steps: run with symbols (execute.h), put into shape and order (shape.h, order.h), and
// written as a program (program.h). Each refuses by name.
#include "compiler/lift/lift.h"

#include <fmt/format.h>

#include <filesystem>

namespace stencil::lifter {

std::variant<Lifted, Refusal> lift(CTree tree, const std::string& name,
                                   const ExecuteOptions& options) {
  Lifted out;
  out.pool = std::make_unique<Pool>();
  out.tree = std::move(tree);
  try {
    out.execution = execute(out.tree, *out.pool, options);
    const std::string file = std::filesystem::path(name).filename().string();
    const CFunction& entry = out.tree.functions[static_cast<size_t>(out.tree.entry)];
    const std::string title =
        out.tree.region
            ? fmt::format("{}:{}, a region of {}", file, out.tree.region_line, entry.name)
            : fmt::format("{} of {}:{}", entry.name, file, entry.line);
    out.program = write_program(*out.pool, out.execution, title, file, options.keep_ghosts);
  } catch (const Refusal& refusal) {
    return refusal;
  }
  return out;
}

}  // namespace stencil::lifter
