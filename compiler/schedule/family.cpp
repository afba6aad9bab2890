#include "compiler/schedule/family.h"

#include <algorithm>

#include "compiler/schedule/direct/family.h"
#include "compiler/schedule/overlapped/family.h"
#include "compiler/schedule/planes/family.h"
#include "compiler/schedule/streaming/family.h"
#include "compiler/schedule/sweeps/family.h"

namespace stencil::schedule {

namespace {

std::vector<Family>& table() {
  static std::vector<Family> families = {streaming_family(), planes_family(), overlapped_family(),
                                         sweeps_family(), direct_family()};
  return families;
}

}  // namespace

const std::vector<Family>& family_table() {
  return table();
}

const Family* find_family(const std::string& name) {
  const auto found = std::find_if(table().begin(), table().end(),
                                  [&](const Family& family) { return family.name == name; });
  return found == table().end() ? nullptr : &*found;
}

void add_family(Family family) {
  table().insert(table().begin(), std::move(family));
}

void remove_family(const std::string& name) {
  std::erase_if(table(), [&](const Family& family) { return family.name == name; });
}

const Setting* Family::find(std::string_view setting) const {
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const Setting& row) { return row.name == setting; });
  return found == settings.end() ? nullptr : &*found;
}

Schedule Family::blank() const {
  Schedule out;
  out.family = name;
  out.own = own;
  return out;
}

std::vector<FamilyInfo> families() {
  std::vector<FamilyInfo> out;
  for (const Family& family : family_table()) {
    out.push_back({family.name, family.summary, {}});
    for (const Setting& row : family.settings) out.back().settings.push_back(row.name);
  }
  return out;
}

}  // namespace stencil::schedule
