#include "runtime/api/lift_outcomes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <tuple>

#include "compiler/support/numbers.h"

namespace stencil::api {

std::string Outcome::place() const {
  const std::string at = fmt::format("{}:{}", line, column);
  return file.empty() ? at : std::filesystem::path(file).filename().string() + ":" + at;
}

std::string Outcome::text() const {
  if (kind == "switch")
    return fmt::format("the switch at {} never took {}", place(),
                       outcome == "no case" ? "its default" : outcome);
  if (kind == "comparison")
    return fmt::format("the comparison at {} was never {}", place(), outcome);
  return fmt::format("the condition of the {} at {} {} held", kind, place(),
                     outcome == "true" ? "never" : "always");
}

Outcomes::Outcomes(const std::string& table) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> parts;
    std::istringstream fields(line);
    for (std::string part; std::getline(fields, part, '\t');) parts.push_back(part);
    if (parts.size() < 5) continue;
    Outcome one;
    one.possible = parts[0] == "1";
    one.line = parse_number<int>(parts[1]).value_or(0);
    one.column = parse_number<int>(parts[2]).value_or(0);
    one.kind = parts[3];
    one.outcome = parts[4];
    if (parts.size() > 5) one.file = parts[5];
    const std::string folded = "folded ";
    if (one.kind.rfind(folded, 0) == 0) {
      one.kind = one.kind.substr(folded.size());
      std::istringstream names(parts.size() > 6 ? parts[6] : "");
      for (std::string name; names >> name;) one.names.insert(name);
      folded_.push_back(std::move(one));
    } else {
      (one.kind == "undefined" ? checks_ : outcomes_).push_back(std::move(one));
    }
  }
}

int Outcomes::add(const char* seen) {
  int fresh = 0;
  for (size_t k = 0; k < outcomes_.size(); ++k) {
    if (seen[k] == 0 || outcomes_[k].taken) continue;
    outcomes_[k].taken = true;
    ++fresh;
  }
  return fresh;
}

std::vector<Outcome> Outcomes::missing() const {
  std::vector<Outcome> out;
  for (const Outcome& one : outcomes_) {
    if (one.possible && !one.taken) out.push_back(one);
  }
  return out;
}

std::vector<Outcome> Outcomes::missing_beside(const Outcomes& other) const {
  std::vector<Outcome> out;
  for (size_t k = 0; k < outcomes_.size(); ++k) {
    if (outcomes_[k].possible && !outcomes_[k].taken && !other.outcomes_[k].taken)
      out.push_back(outcomes_[k]);
  }
  return out;
}

std::vector<Outcome> Outcomes::all() const {
  std::vector<Outcome> out = outcomes_;
  out.insert(out.end(), folded_.begin(), folded_.end());
  return out;
}

std::vector<Outcome> Outcomes::removed_in(const Outcomes& other) const {
  std::vector<Outcome> out;
  const std::vector<Outcome> here = all(), there = other.all();
  // columns differ if a number before them has fewer digits
  using Key = std::tuple<std::string, int, std::string, std::string>;
  const auto key = [](const Outcome& one) {
    return Key{one.file, one.line, one.kind, one.outcome};
  };
  bool alike = here.size() == there.size();
  for (size_t k = 0; alike && k < here.size(); ++k) alike = key(here[k]) == key(there[k]);
  if (here.empty() || alike) {
    for (size_t k = 0; k < there.size(); ++k) {
      const bool may_occur = here.empty() || here[k].possible;
      if (may_occur && !there[k].possible) out.push_back(there[k]);
    }
    return out;
  }
  std::map<Key, int> left;
  for (const Outcome& one : there) left[key(one)] += one.possible ? 1 : 0;
  for (const Outcome& one : here) {
    if (one.possible && --left[key(one)] < 0) out.push_back(one);
  }
  return out;
}

std::vector<Outcome> Outcomes::folded_away(const std::vector<std::string>& names) const {
  std::vector<Outcome> out;
  for (const Outcome& one : folded_) {
    const bool named = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return one.names.count(name) > 0;
    });
    if (named && !one.possible) out.push_back(one);
  }
  return out;
}

std::string Outcomes::undefined(int32_t number) const {
  if (number < 1 || static_cast<size_t>(number) > checks_.size()) return "undefined behaviour";
  const Outcome& one = checks_[static_cast<size_t>(number) - 1];
  return one.line > 0 ? fmt::format("{} at {}", one.outcome, one.place()) : one.outcome;
}

std::string text_of(const std::vector<Outcome>& missing) {
  constexpr size_t kShown = 4;
  std::string out;
  for (size_t k = 0; k < missing.size() && k < kShown; ++k)
    out += (out.empty() ? "" : "; ") + missing[k].text();
  if (missing.size() > kShown) out += fmt::format("; and {} more", missing.size() - kShown);
  return out;
}

}  // namespace stencil::api
