#include "compiler/schedule/reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "compiler/schedule/family.h"

namespace stencil::schedule {

namespace {

std::string code(std::string_view text) {
  return fmt::format("`{}`", text);
}

std::string number(int value) {
  constexpr int kLong = 4096;
  const bool power = value >= kLong && std::has_single_bit(static_cast<unsigned>(value));
  return power ? fmt::format("2^{}", std::countr_zero(static_cast<unsigned>(value)))
               : std::to_string(value);
}

std::string values_of(const Setting& row) {
  if (row.shape) return row.values;
  std::vector<std::string> out;
  for (const std::string& word : row.words) out.push_back(code(word));
  if (row.is_number()) {
    if (row.automatic) out.push_back(code("auto"));
    out.push_back(fmt::format("{} to {}", number(row.least), number(row.most)));
    if (row.all) out.push_back(code("all"));
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string families_of(std::string_view setting) {
  std::vector<std::string> with, without;
  for (const Family& family : family_table()) {
    (family.has(setting) ? with : without).push_back(code(family.name));
  }
  if (without.empty()) return "all";
  return without.size() == 1 ? "all but " + without[0] : fmt::format("{}", fmt::join(with, ", "));
}

// The default, by family if it differs.
std::string standard_of(std::string_view setting) {
  std::vector<std::string> by_family, distinct;
  for (const Family& family : family_table()) {
    const Setting* row = family.find(setting);
    if (!row) continue;
    by_family.push_back(fmt::format("{}: {}", code(family.name), row->standard));
    const bool known = std::find(distinct.begin(), distinct.end(), row->standard) != distinct.end();
    if (!known) distinct.push_back(row->standard);
  }
  return distinct.size() == 1 ? distinct[0] : fmt::format("{}", fmt::join(by_family, "; "));
}

}  // namespace

std::string table_of_settings() {
  std::string out =
      "| setting | families | values | default | meaning |\n| --- | --- | --- | --- | --- |\n";
  std::vector<std::string> done;
  for (const Family& family : family_table()) {
    for (const Setting& row : family.settings) {
      if (std::find(done.begin(), done.end(), row.name) != done.end()) continue;
      done.push_back(row.name);
      out += fmt::format("| {} | {} | {} | {} | {} |\n", code(row.name), families_of(row.name),
                         values_of(row), standard_of(row.name), row.meaning);
    }
  }
  return out;
}

}  // namespace stencil::schedule
