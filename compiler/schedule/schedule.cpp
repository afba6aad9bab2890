// Schedules as text, and the way from a schedule to the family that serves it.
//
// The text form is one line: the family, then its settings in a fixed order. It is what --schedule
// takes, what explain prints and what benchmark results are kept under, so parse(print(s)) == s.
#include "compiler/schedule/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "compiler/ir/reassociate.h"
#include "compiler/schedule/blocks.h"
#include "compiler/schedule/family.h"
#include "compiler/schedule/reduction.h"

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
    case Setting::Resident:
      return "resident";
    case Setting::Loads:
      return "loads";
    case Setting::Form:
      return "form";
    case Setting::Edges:
      return "edges";
    case Setting::Rows:
      return "rows";
  }
  return "";
}

// Settings that are one number: where it is kept and what it may be. One with `automatic` prints
// and takes 0 as "auto".
struct NumberSetting {
  Setting setting;
  int Schedule::*value;
  int least, most;
  bool automatic;
  const char* meaning;
};
constexpr NumberSetting kNumbers[] = {
    {Setting::TimeTile, &Schedule::time_tile, 1, kMaxTimeTile, false, "a number of steps"},
    {Setting::Chunk, &Schedule::chunk, 1, 1 << 20, true, "a number of planes"},
    {Setting::Prefetch, &Schedule::prefetch, 0, 4, false, "a number of planes"},
    {Setting::Unroll, &Schedule::unroll, 1, 16, true, "a number of planes"},
    {Setting::Resident, &Schedule::resident, 1, 32, true, "blocks per multiprocessor"},
};

// Settings that are one of two or three words. One that is `unsaid` is not printed while it has the
// first of them.
struct WordSetting {
  Setting setting;
  std::vector<const char*> words;
  int (*get)(const Schedule&);
  void (*set)(Schedule&, int);
  bool unsaid = false;
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
    {Setting::Edges,
     {"split", "tested"},
     [](const Schedule& s) { return static_cast<int>(s.edges); },
     [](Schedule& s, int i) { s.edges = static_cast<Edges>(i); }},
    {Setting::Rows,
     {"auto", "padded", "dense"},
     [](const Schedule& s) { return static_cast<int>(s.rows); },
     [](Schedule& s, int i) { s.rows = static_cast<Rows>(i); },
     true},
};

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

const Family* find_family(const std::string& name) {
  for (const Family& family : family_table()) {
    if (family.name == name) return &family;
  }
  return nullptr;
}

// What blocks a machine takes, for messages.
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

// Applies "name=value" to the schedule; an error text if it cannot.
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
    if (!shape || shape->size() != 1 || (*shape)[0] < row->least || (*shape)[0] > row->most) {
      return fmt::format("{}{} from {} to {}", row->automatic ? "auto, or " : "", row->meaning,
                         row->least, row->most);
    }
    schedule.*row->value = (*shape)[0];
    return "";
  }
  if (!shape || static_cast<int>(shape->size()) > rank) {
    return fmt::format("up to {} positive numbers joined by x, x first, like 32x8", rank);
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

bool parse_settings(const Family& family, std::istream& words, int rank, const Machine& machine,
                    Schedule& schedule, Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (Setting setting : family.settings) known.emplace_back(setting_name(setting));
  std::vector<bool> given(known.size(), false);
  std::string word;
  while (words >> word) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
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
    const std::string wanted =
        apply_setting(family.settings[index], word.substr(equals + 1), rank, machine, schedule);
    if (wanted.empty()) continue;
    Diagnostic& error =
        diagnostics.error("L002", {}, fmt::format("bad value of schedule setting '{}'", name));
    error.expected = wanted;
    error.found = word.substr(equals + 1);
    return false;
  }
  return true;
}

}  // namespace

const std::vector<Family>& family_table() {
  static const std::vector<Family> kFamilies = {streaming_family(), planes_family(),
                                                overlapped_family(), direct_family()};
  return kFamilies;
}

std::vector<WordChoice> word_choices(const Family& family, const Schedule& schedule) {
  std::vector<WordChoice> out;
  for (Setting setting : family.settings) {
    const WordSetting* row = find_row(kWords, setting);
    if (!row) continue;
    for (size_t i = 0; i < row->words.size(); ++i) {
      out.push_back({fmt::format("{}={}", setting_name(setting), row->words[i]), schedule});
      row->set(out.back().schedule, static_cast<int>(i));
    }
  }
  return out;
}

std::vector<FamilyInfo> families() {
  std::vector<FamilyInfo> out;
  for (const Family& family : family_table()) out.push_back({family.name, family.summary});
  return out;
}

Machine gpu() {
  return {};
}

// A block's arrays are to stay in the second-level cache; sizes above serve kernels that do not.
// They are on the stack of the thread that does the block: half of it is theirs.
Machine processor() {
  Machine machine;
  machine.threads = machine.threads_in_x = machine.threads_in_y = machine.threads_from_z = 1 << 20;
  machine.shared_bytes = 1 << 20;
  machine.block_bytes = 2 << 20;
  machine.threads_are_loops = true;
  machine.in_place = true;
  return machine;
}

bool takes_block(const Machine& machine, const Shape& block) {
  return block.product() <= machine.threads && block[0] <= machine.threads_in_x &&
         block[1] <= machine.threads_in_y && block.product(2) <= machine.threads_from_z;
}

Machine opencl_gpu(const OpenClLimits& limits) {
  const auto at_most = [](int64_t limit) {
    return static_cast<int>(std::clamp<int64_t>(limit, 1, 1 << 20));
  };
  Machine machine;
  machine.threads = at_most(limits.work_group);
  machine.threads_in_x = std::min(machine.threads, at_most(limits.work_group_sides[0]));
  machine.threads_in_y = std::min(machine.threads, at_most(limits.work_group_sides[1]));
  machine.threads_from_z = std::min(machine.threads, at_most(limits.work_group_sides[2]));
  machine.shared_bytes = limits.local_bytes;
  machine.multiprocessors = at_most(limits.compute_units);
  machine.shuffles = false;
  return machine;
}

// Its caches are those of any processor; what a block shares is local memory, which may be less.
Machine opencl_processor(const OpenClLimits& limits) {
  Machine machine = processor();
  machine.shared_bytes = std::min(machine.shared_bytes, limits.local_bytes);
  machine.multiprocessors = opencl_gpu(limits).multiprocessors;
  machine.in_place = false;
  return machine;
}

Schedule with_fewer_threads(Schedule schedule, const Machine& machine) {
  const auto halve = [&](size_t axis) {
    if (schedule.block[axis] % 2 != 0) return false;
    schedule.block[axis] /= 2;
    schedule.elements[axis] *= 2;
    return true;
  };
  while (schedule.block[0] > machine.threads_in_x && halve(0)) continue;
  while (schedule.block[1] > machine.threads_in_y && halve(1)) continue;
  while (!takes_block(machine, schedule.block)) {
    size_t axis = kMaxRank;
    while (axis-- > 0 && !halve(axis)) continue;
    if (axis >= kMaxRank) break;  // all are odd
  }
  return schedule;
}

std::string print(const Schedule& schedule, int rank) {
  const Family* family = find_family(schedule.family);
  std::string out = schedule.family;
  if (!family) return out;
  for (Setting setting : family->settings) {
    const NumberSetting* number = find_row(kNumbers, setting);
    const WordSetting* word = find_row(kWords, setting);
    if (word && word->unsaid && word->get(schedule) == 0) continue;
    out += fmt::format(" {}=", setting_name(setting));
    if (number) {
      const int value = schedule.*number->value;
      out += number->automatic && value == 0 ? "auto" : std::to_string(value);
    } else if (word) {
      out += word->words[static_cast<size_t>(word->get(schedule))];
    } else {
      out += stencil::print(setting == Setting::Block ? schedule.block : schedule.elements, rank);
    }
  }
  return out;
}

namespace {

// L002 if the machine does not take blocks of so many threads: defaults know of common limits, and
// a schedule may be a value that was never a line.
void refuse_block(const Schedule& schedule, const Machine& machine, int rank,
                  Diagnostics& diagnostics) {
  if (takes_block(machine, schedule.block)) return;
  Diagnostic& error = diagnostics.error("L002", {}, "bad value of schedule setting 'block'");
  error.expected = block_limits(machine);
  error.found = stencil::print(schedule.block, rank);
}

}  // namespace

std::optional<Schedule> parse(const std::string& line, const ir::Program& program,
                              Diagnostics& diagnostics, const Machine& machine) {
  std::istringstream words(line);
  std::string name;
  words >> name;
  if (name == "auto") {  // with blanks around it, or with settings
    std::string setting;
    if (!(words >> setting)) return choose(program, nullptr, machine);
    Diagnostic& error = diagnostics.error(
        "L001", {}, fmt::format("schedule 'auto' takes no settings, found '{}'", setting));
    error.hint = "name a family to set it up";
    return std::nullopt;
  }
  const Family* family = find_family(name);
  if (!family) {
    std::vector<std::string> known;
    for (const Family& f : family_table()) known.push_back(f.name);
    Diagnostic& error =
        diagnostics.error("L001", {}, fmt::format("unknown schedule family '{}'", name));
    error.expected = fmt::format("auto, {}", fmt::join(known, ", "));
    const std::string near = nearest_name(name, known);
    if (!near.empty()) error.hint = fmt::format("did you mean '{}'?", near);
    return std::nullopt;
  }
  Schedule schedule = family->defaults(program, machine);
  if (!parse_settings(*family, words, program.grid.rank(), machine, schedule, diagnostics))
    return std::nullopt;
  return schedule;
}

Schedule choose(const ir::Program& program, Diagnostics* refusals, const Machine& machine) {
  const std::vector<Family>& families = family_table();
  for (size_t f = 0; f + 1 < families.size(); ++f) {
    const Family& family = families[f];
    const Schedule schedule = family.defaults(program, machine);
    Diagnostics why;
    refuse_block(schedule, machine, program.grid.rank(), why);
    family.refuse(program, schedule, machine, why);
    const std::string reason = family.unrewarding ? family.unrewarding(program, machine) : "";
    if (!why.has_errors() && reason.empty()) return schedule;
    if (!why.has_errors()) {
      why.add({Severity::Note, "", {}, family.name + " not chosen: " + reason, "", "", "", {}});
    }
    if (!refusals) continue;
    for (const Diagnostic& refusal : why.items()) refusals->add(refusal);
  }
  return families.back().defaults(program, machine);
}

std::optional<kernel::Module> lower(const ir::Program& program, const Schedule& asked,
                                    Diagnostics& diagnostics, const Machine& machine,
                                    Advice advice) {
  const Family* family = find_family(asked.family);
  Schedule schedule = asked;
  if (schedule.rows == Rows::Auto) schedule.rows = machine.in_place ? Rows::Dense : Rows::Padded;
  Diagnostics refusals;
  refuse_block(schedule, machine, program.grid.rank(), refusals);
  if (!refusals.has_errors()) refuse(*family, program, schedule, machine, advice, refusals);
  for (const Diagnostic& refusal : refusals.items()) diagnostics.add(refusal);
  if (refusals.has_errors()) return std::nullopt;
  const bool reorders = program.fp == FpMode::Fast;
  kernel::Module module =
      family->lower(reorders ? ir::reassociate(program, 0) : program, schedule, machine);
  append_reductions(program, schedule.rows, module);
  for (std::string& line : describe_halos(program, schedule.time_tile)) {
    module.header.push_back(std::move(line));
  }
  for (const std::string& rows : describe_rows(module))
    module.header.push_back("rows      " + rows);
  module.header.push_back("schedule  " + print(asked, program.grid.rank()));
  return module;
}

Footprint measure(const ir::Program& program, const Schedule& schedule, const Machine& machine) {
  return find_family(schedule.family)->measure(program, schedule, machine);
}

int64_t bytes_per_point(const ir::Field& field) {
  int64_t bytes = 0;
  for (const ir::Component& component : field.components) bytes += size_in_bytes(component.type);
  return bytes;
}

}  // namespace stencil::schedule
