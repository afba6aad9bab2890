#include "runtime/cluster/identity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "compiler/reference/state.h"
#include "compiler/support/escape.h"
#include "runtime/run/program_hash.h"
#include "stencil/version.h"

namespace stencil::runtime {

namespace {

// The extents of the grid, outermost first, as "512x512".
std::string size_of_grid(const ir::Program& program) {
  std::vector<int64_t> values;
  for (const ir::Param& param : program.params) values.push_back(param.integer_value.value_or(0));
  const auto box = reference::concrete(program.grid(), values);
  std::vector<int64_t> extents;
  for (const auto& [low, high] : box.value_or(reference::ConcreteBox{})) {
    extents.push_back(high - low + 1);
  }
  return fmt::format("{}", fmt::join(extents, "x"));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

// The part of a line before the value: "--fp".
std::string subject_of(const std::string& line) {
  return line.substr(0, line.rfind(' '));
}

// Describes each line of `there` that `here` lacks, together with the line of `here` on the same
// subject.
std::vector<std::string> differences(const std::string& there, const std::string& here) {
  const std::vector<std::string> others = lines_of(there), own = lines_of(here);
  std::vector<std::string> out;
  for (const std::string& line : others) {
    if (std::find(own.begin(), own.end(), line) != own.end()) continue;
    const std::string subject = subject_of(line);
    const auto counterpart = std::find_if(own.begin(), own.end(), [&](const std::string& other) {
      return subject_of(other) == subject;
    });
    if (subject == "program") {
      if (out.empty()) out.push_back("another program");  // no better description
    } else if (counterpart == own.end()) {
      out.push_back(visible(line));
    } else {
      out.push_back(fmt::format("{} (rank 0: {})", visible(line),
                                visible(counterpart->substr(subject.size() + 1))));
    }
  }
  if (out.empty()) out.push_back("another program");
  return out;
}

}  // namespace

std::string identity_of(const ir::Program& program) {
  std::string out = fmt::format("version {}.{}.{}\n--real {}\n--fp {}\n", STENCIL_VERSION_MAJOR,
                                STENCIL_VERSION_MINOR, STENCIL_VERSION_PATCH, name(program.real),
                                name(program.fp));
  for (const ir::Param& param : program.params) {
    if (!param.integer_value) continue;
    out += fmt::format("param {} {}\n", param.name, *param.integer_value);
  }
  out += fmt::format("a grid of {}\n", size_of_grid(program));
  return out + fmt::format("program {:016x}\n", hash_of(program));
}

Status compare_identities(const std::vector<std::string>& all) {
  const auto differs = [&](const std::string& one) { return one != all[0]; };
  const auto first = std::find_if(all.begin(), all.end(), differs);
  if (first == all.end()) return Done{};
  std::string message =
      fmt::format("rank {} does not compute what rank 0 computes: it has {}", first - all.begin(),
                  fmt::join(differences(*first, all[0]), ", "));
  const auto others = std::count_if(first + 1, all.end(), differs);
  if (others > 0)
    message += fmt::format("; {} more rank{}", others, others == 1 ? " differs" : "s differ");
  return Failure{"R097", message,
                 "start all ranks with the same stencilc, program, sizes, --real and --fp"};
}

Status check_identity(Communicator& ranks, const ir::Program& program) {
  const auto all = ranks.all_gather(identity_of(program));
  return all.ok() ? compare_identities(all.value()) : Status(all.failure());
}

}  // namespace stencil::runtime
