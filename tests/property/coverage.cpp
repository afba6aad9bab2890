#include "tests/property/coverage.h"

#include <fmt/format.h>

#include <sstream>

#include "compiler/schedule/family.h"
#include "tests/property/forms.h"

namespace stencil::property {

void Coverage::add(const Case& made, const std::string& family,
                   const schedule::Schedule& schedule) {
  const Recipe& recipe = made.recipe;
  ++families_[family];
  for (const std::string& construct : recipe.program.constructs) {
    count(constructs_, construct, family);
  }
  count(constructs_, fmt::format("rank {}", recipe.program.rank), family);
  if (!recipe.fixed.empty()) count(constructs_, "--fix", family);
  count(constructs_, recipe.open ? "sizes open" : "sizes fixed", family);
  count(constructs_, fmt::format("--fp {}", name(recipe.fp)), family);
  count(constructs_, fmt::format("real is {}", name(recipe.real)), family);
  if (kernel::is_padded(made.item.module.plan)) count(constructs_, "padded rows", family);
  if (recipe.steps == 0) count(constructs_, "steps 0", family);
  if (recipe.steps % schedule.time_tile != 0) {
    count(constructs_, "steps no multiple of T", family);
  }
  std::istringstream words(recipe.schedule);
  for (std::string word; words >> word;) {
    const bool shape = word.rfind("block=", 0) == 0 || word.rfind("elements=", 0) == 0;
    if (word.find('=') != std::string::npos && !shape) count(settings_, word, family);
  }
}

void Coverage::refused(const std::string& family, const std::string& code, int rank) {
  ++refusals_[family][code];
  const bool for_rank = code == "L010" || code == "L018";
  if (for_rank) impossible_.insert(fmt::format("rank {} in {}", rank, family));
}

void Coverage::add_cut(const Case& made, const std::string& family,
                       const schedule::Schedule& schedule) {
  ++families_[family];
  const Cut& cut = *made.item.cut;
  for (const std::string& construct : constructs_of(cut)) count(cuts_, construct, family);
  const int64_t lasts = cut.decomposition.steps;
  if (lasts % schedule.time_tile != 0) {
    count(cuts_, "steps between exchanges no multiple of T", family);
  }
  if (made.item.steps > lasts) count(cuts_, "steps beyond an exchange", family);
}

void Coverage::refused_cut(const std::string& family, const std::string& code) {
  ++refused_cuts_[family][code];
}

void Coverage::add_boxed(const Case& made, const std::string& family) {
  ++families_[family];
  for (const std::string& construct : constructs_of(*made.item.boxed)) {
    count(boxes_, construct, family);
  }
  if (made.item.steps > made.recipe.exchange) count(boxes_, "several calls", family);
}

void Coverage::refused_boxed(const std::string& family, const std::string& code) {
  ++refused_boxes_[family][code];
}

int Coverage::cases(const std::string& family) const {
  const auto found = families_.find(family);
  return found == families_.end() ? 0 : found->second;
}

std::string Coverage::table() const {
  std::string out;
  for (const auto& [rows, title] :
       {std::pair(&constructs_, "construct"), std::pair(&settings_, "setting"),
        std::pair(&cuts_, "of cut programs"), std::pair(&boxes_, "of programs in boxes")}) {
    out += fmt::format("{:40}", title);
    for (const auto& family : schedule::family_table()) {
      out += fmt::format(" {:>10}", family.name);
    }
    out += "\n";
    for (const auto& [row, counts] : *rows) {
      out += fmt::format("{:40}", row);
      for (const auto& family : schedule::family_table()) {
        const auto found = counts.find(family.name);
        out += fmt::format(" {:>10}", found == counts.end() ? 0 : found->second);
      }
      out += "\n";
    }
  }
  return out;
}

std::vector<std::string> Coverage::missing(bool whole, bool cut) const {
  std::vector<std::string> out;
  for (const std::string& construct : cut_constructs()) {
    if (cut && !cuts_.count(construct)) out.push_back("cut: " + construct);
  }
  for (const std::string& construct : boxed_constructs()) {
    if (cut && !boxes_.count(construct)) out.push_back("boxes: " + construct);
  }
  if (!whole) return out;
  for (const auto* forms : {&floating_forms(), &condition_forms(), &integer_forms()}) {
    for (const Form& form : *forms) {
      if (form.construct && !constructs_.count(form.construct)) out.push_back(form.construct);
    }
  }
  for (const auto& [construct, counts] : constructs_) {
    for (const auto& family : schedule::family_table()) {
      const std::string what = construct + " in " + family.name;
      const bool cannot = impossible_.count(what) > 0 || (construct == "steps no multiple of T" &&
                                                          !family.has(schedule::shared::kTimeTile));
      if (!cannot && !counts.count(family.name)) out.push_back(what);
    }
  }
  return out;
}

std::string Coverage::refusals() const {
  std::string out;
  for (const auto& [refusals, what] :
       {std::pair(&refusals_, " refused:"), std::pair(&refused_cuts_, " refused subdomains:"),
        std::pair(&refused_boxes_, " refused boxes:")}) {
    for (const auto& [family, codes] : *refusals) {
      out += family + what;
      for (const auto& [code, count] : codes) out += fmt::format(" {} {}", code, count);
      out += "\n";
    }
  }
  return out;
}

}  // namespace stencil::property
