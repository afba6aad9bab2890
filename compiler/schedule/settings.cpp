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

const char* setting_name(Setting setting) {
  switch (setting) {
    case Setting::TimeTile:
      return "T";
    case Setting::Block:
      return "block";
    case Setting::Elements:
      return "elements";
    case Setting::Regions:
      return "regions";
    case Setting::Chunk:
      return "chunk";
    case Setting::Prefetch:
      return "prefetch";
    case Setting::Unroll:
      return "unroll";
    case Setting::Occupancy:
      return "occupancy";
    case Setting::Loads:
      return "loads";
    case Setting::Form:
      return "form";
    case Setting::Interior:
      return "interior";
    case Setting::Rows:
      return "rows";
    case Setting::Column:
      return "column";
    case Setting::Operands:
      return "operands";
    case Setting::Halo:
      return "halo";
  }
  return "";
}

// Settings that were renamed. The old names will be accepted for one version.
struct RenamedSetting {
  std::string_view old_name, name;
};
constexpr RenamedSetting kRenamed[] = {{"resident", "occupancy"}, {"edges", "interior"}};

// The row whose old name starts the word ("edges" in "edges=split"); null if there is none.
const RenamedSetting* find_renamed(const std::string& word) {
  const std::string_view name = std::string_view(word).substr(0, word.find('='));
  for (const RenamedSetting& row : kRenamed) {
    if (row.old_name == name) return &row;
  }
  return nullptr;
}

// Settings that moved from a family to another. The old family will be accepted for one version.
struct MovedSetting {
  std::string_view name, old_family, family;
};
constexpr MovedSetting kMoved[] = {{"chunk", "direct", "sweeps"},
                                   {"prefetch", "direct", "sweeps"},
                                   {"column", "direct", "sweeps"},
                                   {"operands", "direct", "sweeps"},
                                   {"halo", "direct", "sweeps"}};

// The row for the word ("chunk=8") in a line of `family`; null if there is none.
const MovedSetting* find_moved(const std::string& family, const std::string& word) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos) return nullptr;
  for (const MovedSetting& row : kMoved) {
    if (row.old_family == family && row.name == std::string_view(word).substr(0, equals))
      return &row;
  }
  return nullptr;
}

// A setting that is one number: its field and range. `automatic`: 0 prints and parses as "auto".
// `all`: the maximum prints and parses as "all". `usual`: values worth trying.
struct NumberSetting {
  Setting setting;
  int Schedule::*value;
  int least, most;
  bool automatic;
  const char* meaning;
  std::vector<int> usual;
  bool all = false;
};
const NumberSetting kNumbers[] = {
    {Setting::TimeTile,
     &Schedule::time_tile,
     1,
     kMaxTimeTile,
     false,
     "a number of steps",
     {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32}},
    {Setting::Chunk,
     &Schedule::chunk,
     1,
     kAllPlanes,
     true,
     "a number of planes",
     {0, 1, 2, 3, 5, 8, 20, 64, 256},
     true},
    {Setting::Prefetch, &Schedule::prefetch, 0, 4, false, "a number of planes", {0, 1, 2, 3, 4}},
    {Setting::Unroll, &Schedule::unroll, 1, 16, true, "a number of planes", {0, 1, 2, 3, 4}},
    {Setting::Occupancy,
     &Schedule::occupancy,
     1,
     32,
     true,
     "blocks per multiprocessor",
     {0, 1, 2, 3, 4, 8, 12}},
};

// A setting that takes one of a few keywords.
struct WordSetting {
  Setting setting;
  std::vector<const char*> words;
  int (*get)(const Schedule&);
  void (*set)(Schedule&, int);
};
const WordSetting kWords[] = {
    {Setting::Regions,
     {"shrink", "hull"},
     [](const Schedule& s) { return static_cast<int>(s.regions); },
     [](Schedule& s, int i) { s.regions = static_cast<Regions>(i); }},
    {Setting::Loads,
     {"registers", "async", "bulk"},
     [](const Schedule& s) { return static_cast<int>(s.loads); },
     [](Schedule& s, int i) { s.loads = static_cast<Loads>(i); }},
    {Setting::Form,
     {"gather", "scatter"},
     [](const Schedule& s) { return static_cast<int>(s.form); },
     [](Schedule& s, int i) { s.form = static_cast<Form>(i); }},
    {Setting::Interior,
     {"split", "tested"},
     [](const Schedule& s) { return static_cast<int>(s.interior); },
     [](Schedule& s, int i) { s.interior = static_cast<Interior>(i); }},
    {Setting::Rows,
     {"auto", "padded", "dense"},
     [](const Schedule& s) { return static_cast<int>(s.rows); },
     [](Schedule& s, int i) { s.rows = static_cast<Rows>(i); }},
    {Setting::Column,
     {"cache", "registers", "partial"},
     [](const Schedule& s) { return static_cast<int>(s.column); },
     [](Schedule& s, int i) { s.column = static_cast<Column>(i); }},
    {Setting::Operands,
     {"cache", "shared", "rows", "tile", "shuffles"},
     [](const Schedule& s) { return static_cast<int>(s.operands); },
     [](Schedule& s, int i) { s.operands = static_cast<Operands>(i); }},
    {Setting::Halo,
     {"border", "cover", "remap"},
     [](const Schedule& s) { return static_cast<int>(s.halo); },
     [](Schedule& s, int i) { s.halo = static_cast<Halo>(i); }},
};

std::string text(const NumberSetting& row, int value) {
  if (row.automatic && value == 0) return "auto";
  return row.all && value == row.most ? "all" : std::to_string(value);
}

template <class Row, size_t n>
const Row* find_row(const Row (&table)[n], Setting setting) {
  for (const Row& row : table) {
    if (row.setting == setting) return &row;
  }
  return nullptr;
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
std::string apply_setting(Setting setting, const std::string& value, int rank,
                          const Machine& machine, Schedule& schedule) {
  if (const WordSetting* row = find_row(kWords, setting)) {
    for (size_t i = 0; i < row->words.size(); ++i) {
      if (value != row->words[i]) continue;
      row->set(schedule, static_cast<int>(i));
      return "";
    }
    const auto last = row->words.end() - 1;
    return fmt::format("{} or {}", fmt::join(row->words.begin(), last, ", "), *last);
  }
  const bool is_number = find_row(kNumbers, setting) != nullptr;
  const auto shape = parse_shape(value, is_number ? 0 : 1);
  if (const NumberSetting* row = find_row(kNumbers, setting)) {
    if (row->automatic && value == "auto") {
      schedule.*row->value = 0;
      return "";
    }
    if (row->all && value == "all") {
      schedule.*row->value = row->most;
      return "";
    }
    if (!shape || shape->size() != 1 || (*shape)[0] < row->least || (*shape)[0] > row->most) {
      return fmt::format("{}{} from {} to {}{}", row->automatic ? "auto, or " : "", row->meaning,
                         row->least, row->most, row->all ? ", or all" : "");
    }
    schedule.*row->value = (*shape)[0];
    return "";
  }
  if (!shape || static_cast<int>(shape->size()) > rank) {
    return fmt::format("up to {} positive numbers separated by 'x', like 32x8 (dimension x first)",
                       rank);
  }
  Shape full;
  for (size_t axis = 0; axis < shape->size(); ++axis) full[axis] = (*shape)[axis];
  const bool is_block = setting == Setting::Block;
  constexpr int limit = kMaxElements;
  if (is_block ? !takes_block(machine, full) : full.product() > limit) {
    return is_block ? block_limits(machine) : fmt::format("at most {} elements per thread", limit);
  }
  (is_block ? schedule.block : schedule.elements) = full;
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
  std::vector<std::string> known;
  for (Setting setting : family.settings) known.emplace_back(setting_name(setting));
  std::vector<bool> given(known.size(), false);
  std::vector<Setting> said;
  std::string word;
  while (words >> word) {
    const size_t equals = word.find('=');
    const RenamedSetting* renamed = find_renamed(word);
    const std::string name(renamed ? renamed->name : std::string_view(word).substr(0, equals));
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end() || equals == std::string::npos) {
      Diagnostic& error = diagnostics.error(
          "L001", {},
          fmt::format("unknown setting '{}' of schedule family '{}'", word, family.name));
      error.expected = fmt::format("{}=...", fmt::join(known, "=... "));
      const std::string near = nearest_name(name, known);
      if (!near.empty()) error.hint = fmt::format("did you mean '{}='?", near);
      return false;
    }
    const size_t index = static_cast<size_t>(found - known.begin());
    if (given[index]) {
      diagnostics.error("L002", {}, fmt::format("schedule setting '{}' given twice", name)).found =
          word;
      return false;
    }
    given[index] = true;
    said.push_back(family.settings[index]);
    const std::string wanted =
        apply_setting(family.settings[index], word.substr(equals + 1), rank, machine, schedule);
    if (wanted.empty()) continue;
    Diagnostic& error =
        diagnostics.error("L002", {}, fmt::format("bad value of schedule setting '{}'", name));
    error.expected = wanted;
    error.found = word.substr(equals + 1);
    return false;
  }
  if (family.complete) family.complete(schedule, said, rank);
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
    if (const RenamedSetting* row = find_renamed(word)) {
      add(fmt::format("schedule setting '{}' is now called '{}'", row->old_name, row->name));
    }
    if (const MovedSetting* row = find_moved(family, word)) {
      add(fmt::format("schedule setting '{}' of '{}' now belongs to the family '{}'", row->name,
                      row->old_family, row->family));
    }
  }
  return notes;
}

std::string present_family(const std::string& family, const std::string& words) {
  std::istringstream split(words);
  for (std::string word; split >> word;) {
    if (const MovedSetting* row = find_moved(family, word)) return std::string(row->family);
  }
  return family;
}

std::string with_present_names(const std::string& line) {
  std::istringstream words(line);
  std::string out;
  words >> out;
  out = present_family(out, line);
  for (std::string word; words >> word;) {
    if (const RenamedSetting* row = find_renamed(word)) {
      word.replace(0, row->old_name.size(), row->name);
    }
    out += " " + word;
  }
  return out;
}

const std::vector<int>& usual_time_tiles() {
  return find_row(kNumbers, Setting::TimeTile)->usual;
}

bool is_word(Setting setting) {
  return find_row(kWords, setting) != nullptr;
}

std::vector<Choice> choices(const Schedule& schedule, Setting setting, int rank) {
  std::vector<Choice> out;
  const auto add = [&](const std::string& value, const auto& set) {
    out.push_back({fmt::format("{}={}", setting_name(setting), value), schedule});
    set(out.back().schedule);
  };
  if (const WordSetting* row = find_row(kWords, setting)) {
    for (size_t i = 0; i < row->words.size(); ++i) {
      add(row->words[i], [&](Schedule& s) { row->set(s, static_cast<int>(i)); });
    }
    return out;
  }
  if (const NumberSetting* row = find_row(kNumbers, setting)) {
    for (const int value : row->usual) {
      add(text(*row, value), [&](Schedule& s) { s.*row->value = value; });
    }
    return out;
  }
  const Shapes shapes = find_family(schedule.family)->shapes(rank);
  const bool block = setting == Setting::Block;
  for (const Shape& shape : block ? shapes.blocks : shapes.elements) {
    add(stencil::print(shape, rank), [&](Schedule& s) { (block ? s.block : s.elements) = shape; });
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

std::string print(const Schedule& schedule, int rank) {
  const Family* family = find_family(schedule.family);
  std::string out = schedule.family;
  if (!family) return out;
  for (Setting setting : family->settings) {
    const NumberSetting* number = find_row(kNumbers, setting);
    const WordSetting* word = find_row(kWords, setting);
    const bool may_be_unsaid =
        std::count(family->unsaid.begin(), family->unsaid.end(), setting) > 0;
    const bool is_first = number ? schedule.*number->value == number->usual.front()
                                 : word && word->get(schedule) == 0;
    if (may_be_unsaid && is_first) continue;
    out += fmt::format(" {}=", setting_name(setting));
    if (number) {
      out += text(*number, schedule.*number->value);
    } else if (word) {
      out += word->words[word->get(schedule)];
    } else {
      out += stencil::print(setting == Setting::Block ? schedule.block : schedule.elements, rank);
    }
  }
  return out;
}

}  // namespace stencil::schedule
