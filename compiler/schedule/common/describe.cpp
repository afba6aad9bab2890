// Describes the program for the header comment of every emitted file.
#include "compiler/schedule/common/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
  for (const ir::Function& function : program.functions) {
    const std::vector<std::string> halos = describe_reads(program, function);
    lines.push_back(fmt::format("function  {} writes {}{}{}", function.name,
                                ir::target_names(program, function),
                                halos.empty() ? "" : ", reads ", fmt::join(halos, " ")));
  }
  return lines;
}

std::vector<std::string> describe_halos(const ir::Program& program,
                                        const analysis::TimeTile& tile) {
  std::vector<std::string> lines;
  for (const analysis::Version& version : tile.versions) {
    if (!version.in_memory() || !version.needed) continue;
    std::vector<std::string> widths;
    for (const analysis::Reach& reach : *version.needed) {
      widths.push_back(fmt::format("{}+{}", reach.low, reach.high));
    }
    const ir::Field& field = program.fields[version.field];
    lines.push_back(fmt::format("halo      {}{}: {} points below+above for {} step{}", field.name,
                                version.level ? fmt::format("@-{}", version.level) : "",
                                fmt::join(widths, " x "), tile.steps, tile.steps == 1 ? "" : "s"));
  }
  return lines;
}

}  // namespace stencil::schedule
