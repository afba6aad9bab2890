// Lifts C in three steps: symbolic execution (execution.h), shapes and order (shape.h, order.h),
// and writing the program (program.h). Each step throws a Refusal if it cannot lift the code.
#include "compiler/lift/lift.h"

#include <fmt/format.h>

#include <filesystem>

namespace stencil::lifter {

void refuse_number(const TooLarge& large, CPlace place) {
  const std::string message =
      large.number == 0 ? "a bound or subscript exceeds 64 bits"
                        : fmt::format("{} in a bound or subscript exceeds an integer of {} bits",
                                      large.number, bits_of(large.type));
  throw Refusal{"C023", place, message,
                "grid coordinates are at most 1073741824, numbers of steps at most 2147483647"};
}

std::variant<Lifted, Refusal> lift(CTree tree, const std::string& name,
                                   const ExecuteOptions& options) {
  Lifted out;
  out.pool = std::make_unique<Pool>();
  out.tree = std::move(tree);
  try {
    out.execution = execute(out.tree, *out.pool, options);
    const std::string file = std::filesystem::path(name).filename().string();
    const CFunction& entry = out.tree.functions[out.tree.entry];
    const std::string title =
        out.tree.region
            ? fmt::format("{}:{}, a region of {}", file, out.tree.region_line, entry.name)
            : fmt::format("{} of {}:{}", entry.name, file, entry.line);
    try {
      out.program = write_program(*out.pool, out.execution, title, file, options.keep_ghosts);
    } catch (const TooLarge& large) {
      const bool placed = out.execution.place.line > 0 || out.execution.nests.empty();
      refuse_number(large, placed ? out.execution.place : out.execution.nests.front().place);
    }
  } catch (const Refusal& refusal) {
    return refusal;
  }
  return out;
}

}  // namespace stencil::lifter
