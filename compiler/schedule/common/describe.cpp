// Describes the program for the header comment of every emitted file.
#include "compiler/schedule/common/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "compiler/schedule/common/interface.h"

namespace stencil::schedule {

namespace {

std::string print_box(const ir::Box& box, const std::vector<std::string>& params) {
  std::vector<std::string> ranges;
  for (const ir::Range& range : box.ranges) {
    ranges.push_back(ir::print(range.low, params) + ".." + ir::print(range.high, params));
  }
  return fmt::format("[{}]", fmt::join(ranges, ", "));
}

// The number of a domain among the levels of a grid: 0 for the first grid.
int level_of(const ir::Program& program, ir::DomainId domain) {
  const auto& coarsened = program.domains[domain].coarsened;
  return coarsened ? level_of(program, coarsened->of) + 1 : 0;
}

// How a function is called on level 0: "smooth" for "smooth_2" on level 2.
std::string without_level(const std::string& name, int level) {
  const std::string suffix = fmt::format("_{}", level);
  return level > 0 && name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

// What a function does, in the same words for each level of a grid.
std::string on_any_level(const ir::Program& program, const ir::Function& function) {
  const int own = level_of(program, function.domain);
  const auto name_of = [&](ir::FieldId id) {
    const ir::Field& field = program.fields[id];
    const int level = level_of(program, field.domain);
    return fmt::format("{}@{}", without_level(field.name, level), level - own);
  };
  std::string out = without_level(function.name, own);
  for (const ir::FieldId target : function.targets) out += " " + name_of(target);
  const auto add = [&](const std::vector<analysis::Reads>& reads) {
    for (const analysis::Reads& one : reads) {
      out += fmt::format(" {}{}{}", name_of(one.field), one.level, one.outside_halo);
      for (const auto& [low, high] : one.offsets) out += fmt::format(" {}..{}", low, high);
    }
  };
  add(analysis::reads_of(program, function));
  add(analysis::reads_in_place(function));
  return out;
}

// One line per function. Functions that do the same on several levels share a line.
void describe_functions(const ir::Program& program, std::vector<std::string>& lines) {
  std::map<std::string, size_t> known;
  std::map<size_t, std::vector<std::string>> same;
  for (const ir::Function& function : program.functions) {
    const auto [place, fresh] = known.try_emplace(on_any_level(program, function), lines.size());
    if (!fresh) {
      same[place->second].push_back(function.name);
      continue;
    }
    const std::vector<std::string> halos = describe_reads(program, function);
    lines.push_back(fmt::format("function  {} writes {}{}{}", function.name,
                                ir::target_names(program, function),
                                halos.empty() ? "" : ", reads ", fmt::join(halos, " ")));
  }
  for (const auto& [line, names] : same) {
    lines[line] += fmt::format("; the same on their levels: {}", fmt::join(names, ", "));
  }
}

}  // namespace

std::vector<std::string> describe_reads(const ir::Program& program, const ir::Function& function) {
  const auto text = [&](const analysis::Reads& reads) {
    const ir::Field& field = program.fields[reads.field];
    std::vector<std::string> ranges;
    for (size_t d = 0; d < reads.offsets.size(); ++d) {
      const auto& [low, high] = reads.offsets[d];
      if (field.dimension(d) == ir::kPoints) continue;
      const bool time = field.dimension(d) == ir::kTime;
      const auto step = [](int64_t offset) {
        return offset == 0 ? std::string("time") : fmt::format("time{:+}", offset);
      };
      if (!time) ranges.push_back(fmt::format("{}..{}", -low, high));
      if (time && -low == high) ranges.push_back(step(high));
      if (time && -low != high) ranges.push_back(step(-low) + ".." + step(high));
    }
    if (ranges.empty()) return field.name;
    const bool across = field.domain != function.domain && !field.read_in_place();
    return fmt::format("{}{}[{}]{}{}", field.name,
                       reads.level ? fmt::format("@-{}", reads.level) : "", fmt::join(ranges, ", "),
                       across ? " on " + program.domains[field.domain].name : "",
                       reads.outside_halo ? " and outside the halo" : "");
  };
  std::vector<std::string> out;
  for (const analysis::Reads& reads : analysis::reads_of(program, function)) {
    out.push_back(text(reads));
  }
  for (const analysis::Reads& reads : analysis::reads_in_place(function)) {
    out.push_back(text(reads));
  }
  return out;
}

std::vector<std::string> describe(const ir::Program& program) {
  const auto params = ir::param_names(program);
  std::vector<std::string> lines;
  lines.push_back(fmt::format("program   {} on {}, real = {}, fp = {}", program.name,
                              print_box(program.grid(), params), name(program.real),
                              name(program.fp)));
  for (const ir::Domain& domain : program.domains) {
    if (!domain.coarsened) continue;
    const auto& [of, ratios, cells] = *domain.coarsened;
    lines.push_back(fmt::format("grid      {} on {}, of {} by [{}]{}", domain.name,
                                print_box(domain.box, params), program.domains[of].name,
                                fmt::join(ratios, ", "), cells ? " cells" : ""));
  }
  for (size_t d = 0; d < program.domain().axes.size(); ++d) {
    const ir::Axis& axis = program.domain().axes[d];
    lines.push_back(fmt::format(
        "position  index i of {} lies at origin + i * spacing, origin = {}, spacing = {}",
        axis_names(program.grid().rank())[d], axis.origin_text, axis.spacing_text));
  }
  describe_functions(program, lines);
  return lines;
}

std::vector<std::string> describe_halos(const ir::Program& program,
                                        const std::vector<const analysis::TimeTile*>& tiles) {
  struct Line {
    std::string base, halo;
    std::vector<std::string> fields;
  };
  std::vector<Line> lines;
  for (const analysis::TimeTile* tile : tiles) {
    for (const analysis::Version& version : tile->versions) {
      if (!version.in_memory() || !version.needed) continue;
      std::vector<std::string> widths;
      for (const analysis::Reach& reach : *version.needed) {
        widths.push_back(fmt::format("{}+{}", reach.low, reach.high));
      }
      const ir::Field& field = program.fields[version.field];
      const std::string back = version.level ? fmt::format("@-{}", version.level) : "";
      const std::string base = without_level(field.name, level_of(program, field.domain)) + back;
      const std::string name = field.name + back;
      const std::string halo =
          fmt::format("{} points below+above for {} step{}", fmt::join(widths, " x "), tile->steps,
                      tile->steps == 1 ? "" : "s");
      const auto same = std::find_if(lines.begin(), lines.end(), [&](const Line& line) {
        return line.base == base && line.halo == halo;
      });
      if (same == lines.end()) {
        lines.push_back({base, halo, {name}});
      } else if (std::find(same->fields.begin(), same->fields.end(), name) == same->fields.end()) {
        same->fields.push_back(name);
      }
    }
  }
  std::vector<std::string> out;
  for (const auto& [base, halo, fields] : lines) {
    out.push_back(fmt::format("halo      {}: {}", fmt::join(fields, ", "), halo));
  }
  return out;
}

}  // namespace stencil::schedule
