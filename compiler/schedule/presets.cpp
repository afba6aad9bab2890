#include "compiler/schedule/presets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/schedule/family.h"

namespace stencil::schedule {

std::vector<Preset> preset_table() {
  std::vector<Preset> out;
  for (const Family& family : family_table()) {
    out.insert(out.end(), family.presets.begin(), family.presets.end());
  }
  return out;
}

std::optional<std::string> preset_line(const std::string& name, int rank,
                                       Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const Preset& preset : preset_table()) {
    known.push_back("@" + preset.name);
    if (known.back() != name) continue;
    const std::string& line = preset.lines[std::min(rank, 3) - 1];
    if (!line.empty()) return line;
    Diagnostic& error = diagnostics.error(
        "L018", {}, fmt::format("schedule preset '{}' needs planes to sweep", name));
    error.expected = "a grid of 2 or more dimensions";
    error.found = fmt::format("{}", rank);
    error.hint = "use @vizitiu-3dbase, or --schedule direct";
    return std::nullopt;
  }
  Diagnostic& error =
      diagnostics.error("L001", {}, fmt::format("unknown schedule preset '{}'", name));
  error.expected = fmt::format("{}", fmt::join(known, ", "));
  const std::string near = nearest_name(name, known);
  if (!near.empty()) error.hint = fmt::format("did you mean '{}'?", near);
  return std::nullopt;
}

}  // namespace stencil::schedule
