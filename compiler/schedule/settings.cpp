// Schedules as text: one line with the family, then its settings in a fixed order. --schedule takes
// this line, explain prints it, and benchmark results are stored under it, so parse(print(s)) == s.
#include "compiler/schedule/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <map>
#include <sstream>
#include <string_view>

namespace stencil::schedule {

namespace {

constexpr int kMaxElements = 256;

std::string_view name_in(const std::string& word) {
  return std::string_view(word).substr(0, word.find('='));
}

// The row whose former name starts the word ("edges" in "edges=split"); null if there is none.
const Setting* find_renamed(const std::string& word) {
  for (const Family& family : family_table()) {
    for (const Setting& row : family.settings) {
      if (!row.former_name.empty() && row.former_name == name_in(word)) return &row;
    }
  }
  return nullptr;
}

// The family that has the word's setting ("chunk=8"), if the setting belonged to `former` in an
// earlier version; null if it did not.
const Family* find_moved(const std::string& former, const std::string& word) {
  if (word.find('=') == std::string::npos) return nullptr;
  for (const Family& family : family_table()) {
    const Setting* row = family.find(name_in(word));
    if (row && row->former_family == former) return &family;
  }
  return nullptr;
}

std::string text(const Setting& row, int value) {
  if (row.is_word()) return row.words[static_cast<size_t>(value)];
  if (row.automatic && value == 0) return "auto";
  return row.all && value == row.most ? "all" : std::to_string(value);
}

std::optional<std::vector<int>> parse_shape(const std::string& text, int least) {
  std::vector<int> out;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    int value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value < least) return std::nullopt;
    out.push_back(value);
    if (next == end) return out;
    if (*next != 'x') return std::nullopt;
    at = next + 1;
  }
}

// Applies "name=value" to the schedule. Returns what was expected if the value is invalid, else "".
std::string apply_setting(const Setting& row, const std::string& value, int rank,
                          const Machine& machine, Schedule& schedule) {
  if (row.is_word()) {
    const auto found = std::find(row.words.begin(), row.words.end(), value);
    if (found == row.words.end()) {
      const auto last = row.words.end() - 1;
      return fmt::format("{} or {}", fmt::join(row.words.begin(), last, ", "), *last);
    }
    row.set(schedule, static_cast<int>(found - row.words.begin()));
    return "";
  }
  const auto shape = parse_shape(value, row.is_number() ? 0 : 1);
  if (row.is_number()) {
    const bool automatic = row.automatic && value == "auto", all = row.all && value == "all";
    const bool is_valid =
        shape && shape->size() == 1 && (*shape)[0] >= row.least && (*shape)[0] <= row.most;
    if (!automatic && !all && !is_valid) {
      return fmt::format("{}{} from {} to {}{}", row.automatic ? "auto, or " : "", row.unit,
                         row.least, row.most, row.all ? ", or all" : "");
    }
    row.set(schedule, automatic ? 0 : all ? row.most : (*shape)[0]);
    return "";
  }
  if (!shape || static_cast<int>(shape->size()) > rank) {
    return fmt::format("up to {} positive numbers separated by 'x', like 32x8 (dimension x first)",
                       rank);
  }
  Shape full;
  for (size_t axis = 0; axis < shape->size(); ++axis) full[axis] = (*shape)[axis];
  const bool is_block = row.name == shared::kBlock;
  constexpr int limit = kMaxElements;
  if (is_block ? !takes_block(machine, full) : full.product() > limit) {
    return is_block ? block_limits(machine) : fmt::format("at most {} elements per thread", limit);
  }
  schedule.*row.shape = full;
  return "";
}

}  // namespace

std::string block_limits(const Machine& machine) {
  std::string sides;
  if (machine.threads_in_x < machine.threads)
    sides += fmt::format("{} of them in x, ", machine.threads_in_x);
  if (machine.threads_in_y < machine.threads)
    sides += fmt::format("{} in y, ", machine.threads_in_y);
  sides +=
      fmt::format("{}{} in z and beyond", machine.threads_from_z, sides.empty() ? " of them" : "");
  return fmt::format("at most {} threads per block ({})", machine.threads, sides);
}

bool parse_settings(const Family& family, std::istream& words, int rank, const Machine& machine,
                    Schedule& schedule, Diagnostics& diagnostics) {
  std::vector<std::string> known, given;
  for (const Setting& row : family.settings) known.push_back(row.name);
  std::string word;
  while (words >> word) {
    const size_t equals = word.find('=');
    const Setting* renamed = find_renamed(word);
    const std::string name(renamed ? renamed->name : name_in(word));
    const Setting* row = family.find(name);
    if (!row || equals == std::string::npos) {
      Diagnostic& error = diagnostics.error(
          "L001", {},
          fmt::format("unknown setting '{}' of schedule family '{}'", word, family.name));
      error.expected = fmt::format("{}=...", fmt::join(known, "=... "));
      const std::string near = nearest_name(name, known);
      if (!near.empty()) error.hint = fmt::format("did you mean '{}='?", near);
      return false;
    }
    if (std::find(given.begin(), given.end(), name) != given.end()) {
      diagnostics.error("L002", {}, fmt::format("schedule setting '{}' given twice", name)).found =
          word;
      return false;
    }
    given.push_back(name);
    const std::string wanted =
        apply_setting(*row, word.substr(equals + 1), rank, machine, schedule);
    if (wanted.empty()) continue;
    Diagnostic& error =
        diagnostics.error("L002", {}, fmt::format("bad value of schedule setting '{}'", name));
    error.expected = wanted;
    error.found = word.substr(equals + 1);
    return false;
  }
  if (family.complete) family.complete(schedule, given, rank);
  return true;
}

Diagnostics notes_on_old_names(const std::string& line) {
  Diagnostics notes;
  const auto add = [&](std::string what) {
    notes.add({Severity::Note, "", {}, std::move(what), "", "", "", {}});
  };
  std::istringstream words(line);
  std::string family;
  words >> family;
  for (std::string word; words >> word;) {
    if (const Setting* row = find_renamed(word)) {
      add(fmt::format("schedule setting '{}' is now called '{}'", row->former_name, row->name));
    }
    if (const Family* present = find_moved(family, word)) {
      add(fmt::format("schedule setting '{}' of '{}' now belongs to the family '{}'", name_in(word),
                      family, present->name));
    }
  }
  return notes;
}

std::string present_family(const std::string& family, const std::string& words) {
  std::istringstream split(words);
  for (std::string word; split >> word;) {
    if (const Family* present = find_moved(family, word)) return present->name;
  }
  return family;
}

std::string with_present_names(const std::string& line) {
  std::istringstream words(line);
  std::string out;
  words >> out;
  out = present_family(out, line);
  for (std::string word; words >> word;) {
    if (const Setting* row = find_renamed(word)) {
      word.replace(0, row->former_name.size(), row->name);
    }
    out += " " + word;
  }
  return out;
}

std::vector<int> usual_time_tiles() {
  return shared::time_tile().usual;
}

std::vector<Choice> choices(const Schedule& schedule, const Setting& row, int rank) {
  std::vector<Choice> out;
  const auto add = [&](const std::string& value, const auto& set) {
    out.push_back({fmt::format("{}={}", row.name, value), schedule});
    set(out.back().schedule);
  };
  if (row.shape) {
    const Shapes shapes = find_family(schedule.family)->shapes(rank);
    for (const Shape& shape : row.name == shared::kBlock ? shapes.blocks : shapes.elements) {
      add(stencil::print(shape, rank), [&](Schedule& s) { s.*row.shape = shape; });
    }
    return out;
  }
  std::vector<int> values = row.usual;
  for (size_t i = 0; i < row.words.size(); ++i) values.push_back(static_cast<int>(i));
  for (const int value : values) {
    add(text(row, value), [&](Schedule& s) { row.set(s, value); });
  }
  return out;
}

std::vector<Schedule> growing_tiles(const Schedule& schedule, int rank) {
  const Shapes shapes = find_family(schedule.family)->shapes(rank);
  std::vector<size_t> tiled;  // axes
  for (size_t axis = 0; axis < static_cast<size_t>(rank); ++axis) {
    const auto is_long = [&](const Shape& shape) { return shape[axis] > 1; };
    if (std::any_of(shapes.blocks.begin(), shapes.blocks.end(), is_long) ||
        std::any_of(shapes.elements.begin(), shapes.elements.end(), is_long)) {
      tiled.push_back(axis);
    }
  }
  std::map<int, Schedule> by_side;
  for (const Shape& block : shapes.blocks) {
    for (const Shape& elements : shapes.elements) {
      int shortest = INT_MAX;
      for (const size_t axis : tiled) shortest = std::min(shortest, block[axis] * elements[axis]);
      Schedule tile = schedule;
      tile.block = block;
      tile.elements = elements;
      const auto [entry, fresh] = by_side.try_emplace(shortest, tile);
      const Schedule& known = entry->second;
      const int64_t points = block.product() * elements.product();
      if (!fresh && points < known.block.product() * known.elements.product()) entry->second = tile;
    }
  }
  std::vector<Schedule> out;
  for (auto& [side, tile] : by_side) out.push_back(std::move(tile));
  return out;
}

bool operator==(const Schedule& a, const Schedule& b) {
  const SharedSettings &shared = a, &other = b;
  return shared == other && a.family == b.family && a.own == b.own && a.phases == b.phases;
}

std::string print(const Schedule& schedule, int rank) {
  const Family* family = find_family(schedule.family);
  std::string out = schedule.family;
  if (!family) return out;
  for (const Setting& row : family->settings) {
    if (row.unsaid && row.get(schedule) == row.first()) continue;
    out += fmt::format(
        " {}={}", row.name,
        row.shape ? stencil::print(schedule.*row.shape, rank) : text(row, row.get(schedule)));
  }
  for (const PhaseSchedule& one : schedule.phases) {
    out += fmt::format("; {}: {}", one.phase, print(one.schedule, rank));
  }
  return out;
}

}  // namespace stencil::schedule
