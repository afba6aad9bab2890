// Names are drawn after a program is complete: each of its words is replaced everywhere by another
// one. Stencil functions and members have their own name spaces, so they may share names with other
// things. The compiler's own words are not listed here but collected from the kernels and files
// that it generates for other programs.
#include "tests/property/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>

#include "compiler/driver/frontend.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/names.h"
#include "compiler/emit/reserved_names.h"
#include "compiler/kernel/walk.h"
#include "compiler/schedule/family.h"
#include "compiler/sema/environment.h"
#include "compiler/syntax/token.h"
#include "tests/property/random.h"

namespace stencil::property {

namespace {

using Words = std::vector<std::string>;

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// Splits the text into words, numbers and single characters, which join to the text again.
Words parts_of(const std::string& text) {
  Words parts;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i == 0 || !in_word(text[i - 1]) || !in_word(text[i])) parts.emplace_back();
    parts.back() += text[i];
  }
  return parts;
}

bool is_word(const std::string& part) {
  return in_word(part[0]) && !std::isdigit(static_cast<unsigned char>(part[0]));
}

// --- Names declared by a program ---

enum class Kind { Stencil, Member, Other };

// The names that a program declares.
class Declared {
 public:
  explicit Declared(const Words& parts) {
    for (const std::string& part : parts) {
      if (!std::isspace(static_cast<unsigned char>(part[0]))) parts_.push_back(part);
    }
    for (size_t at = 0; at < parts_.size(); ++at) {
      if (is_word(parts_[at])) look_at(at);
      if (parts_[at] == "function") arguments_from(at + 3);
      if (parts_[at] == "stencil") targets_from(at + 3);
    }
  }
  const std::map<std::string, Kind>& kinds() const { return kinds_; }
  // Names of kind Other that are also members of structures.
  const std::set<std::string>& member_targets() const { return member_targets_; }

 private:
  std::string part(size_t at) const { return at < parts_.size() ? parts_[at] : ""; }

  void look_at(size_t at) {
    static const std::set<std::string> kItems = {"param",  "grid",   "subgrid", "type",
                                                 "field",  "let",    "table",   "function",
                                                 "reduce", "series", "points",  "record"};
    const std::string before = at > 0 ? part(at - 1) : "", after = part(at + 1);
    if (before == "stencil") {
      kinds_[part(at)] = Kind::Stencil;
    } else if (kItems.count(before) || after == "in") {
      kinds_[part(at)] = Kind::Other;
    } else if (after == ":" && (before == "{" || before == ",")) {
      kinds_.emplace(part(at), Kind::Member);
    }
  }
  void arguments_from(size_t at) {
    for (; at < parts_.size() && part(at) != ")"; ++at) {
      if (is_word(part(at)) && part(at - 1) != ":") kinds_[part(at)] = Kind::Other;
    }
  }

  // Member targets stand beside fields, with their own names.
  void targets_from(size_t at) {
    for (; part(at) != "[" && part(at) != "{" && part(at) != "on"; ++at) {
      if (part(at - 1) != ".") continue;
      kinds_[part(at)] = Kind::Other;
      member_targets_.insert(part(at));
    }
  }

  Words parts_;
  std::map<std::string, Kind> kinds_;
  std::set<std::string> member_targets_;
};

// --- Possible names ---

bool is_name(const std::string& word) {
  return is_word(word) && !is_keyword(word) && !sema::is_reserved(word);
}

struct OwnWords {
  Words kernels, files;
};

// The words in kernels and files of some other programs, each named "donor".
OwnWords own_words() {
  constexpr uint64_t kFirst = 2000, kPrograms = 12;
  std::set<std::string> kernels, files;
  for (uint64_t seed = kFirst; seed < kFirst + kPrograms; ++seed) {
    Choices plain;
    plain.hostile_names = plain.line_ends = 0;
    plain.several_grids = false;
    ProgramOptions options;
    options.name = "donor";
    Diagnostics diagnostics;
    const auto program =
        load_program(Source("", random_program(seed, plain).text), options, diagnostics);
    if (!program) continue;
    for (const schedule::Family& family : schedule::family_table()) {
      const bool tiles = family.has(schedule::shared::kTimeTile);
      const auto schedule =
          schedule::parse(family.name + (tiles ? " T=2" : ""), *program, diagnostics);
      if (!schedule) continue;
      const auto module = schedule::lower(*program, *schedule, diagnostics);
      if (!module) continue;
      for (const auto& kernel : module->kernels) kernels.merge(kernel::names_in(kernel));
      for (const auto target :
           {emit::Target::Cpp, emit::Target::Cuda, emit::Target::Hip, emit::Target::OpenCl}) {
        emit::Options emitted;
        emitted.target = target;
        const Words parts = parts_of(emit::emit(*module, emitted));
        files.insert(parts.begin(), parts.end());
      }
    }
  }
  // If words differ only in trailing digits, one of them suffices.
  const auto numbered = [&](const std::string& word) {
    const size_t end = word.find_last_not_of("0123456789");
    return end + 1 < word.size() && end > 0 && word[end] == '_' &&
           kernels.count(word.substr(0, end));
  };
  Words bases;
  std::remove_copy_if(kernels.begin(), kernels.end(), std::back_inserter(bases), numbered);
  return {bases, {files.begin(), files.end()}};
}

Words names_of(std::initializer_list<std::string_view> tables) {
  Words names;
  for (const std::string_view table : tables) {
    for (const std::string& word : parts_of(std::string(table))) {
      if (is_name(word)) names.push_back(word);
    }
  }
  return names;
}

std::string with_other_case(std::string name) {
  const auto flip = [](unsigned char c) {
    return std::isupper(c) ? std::tolower(c) : std::toupper(c);
  };
  std::transform(name.begin(), name.end(), name.begin(),
                 [&](char c) { return static_cast<char>(flip(static_cast<unsigned char>(c))); });
  return name;
}

std::string letters(Random& random, int count) {
  std::string name;
  for (int i = 0; i < count; ++i)
    name += "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"[random.below(53)];
  return name;
}

// Draws a name, possibly unusable. `other` is another declared name, `module` the name of the
// program.
std::string hostile_name(Random& random, const std::string& other, const std::string& module) {
  static const OwnWords own = own_words();
  static const Words targets = names_of({emit::kCppNames, emit::kCudaNames, emit::kOpenClNames});
  static const Words keywords = names_of({emit::kKeywords});
  static const Words functions = {"origin", "spacing", "position", "time",   "select", "mirror",
                                  "within", "by",      "repeat",   "linear", "clamp",  "none",
                                  "vector", "sum",     "half",     "bool",   "record", "at",
                                  "fine",   "coarse",  "level",    "levels", "cells",  "cycle",
                                  "step",   "start",   "coarser",  "if"};
  switch (const int source = random.weighted({40, 16, 12, 12, 4, 4, 5, 3, 6, 6})) {
    case 0:
    case 1: {
      std::string name = random.pick(source == 0 ? own.kernels : own.files);
      const std::string donor = "donor";
      for (size_t at; (at = name.find(donor)) != name.npos;) name.replace(at, donor.size(), module);
      return name;
    }
    case 2:
      return random.pick(targets);
    case 3:
      return random.pick(keywords);
    case 4:
      return random.pick(functions);
    case 5:
      return std::string(static_cast<size_t>(random.between(1, 3)), '_') +
             (random.chance(50) ? "" : letters(random, random.between(1, 3)));
    case 6:
      return letters(random, 1);
    case 7:
      return letters(random, 200);
    case 8:
      return with_other_case(other);
    default:
      return random.chance(50) ? "_" + other
                               : other + random.pick<std::string>({"_", "_2", "_next", "_0"});
  }
}

using Renamed = std::map<std::string, std::string>;

// Components of a structured param have names that start with its name. No other declaration may
// get one of these names.
void spare_components(const std::string& param, const std::set<std::string>& words,
                      Renamed& renamed) {
  const auto is_component = [&](const std::string& name) {
    const auto found = renamed.find(param);
    return name.starts_with((found == renamed.end() ? param : found->second) + "_");
  };
  if (std::any_of(words.begin(), words.end(), is_component)) renamed.erase(param);
  std::erase_if(renamed, [&](const auto& entry) { return is_component(entry.second); });
}

// Whether `name` is spelled like a component of `other`.
bool is_spelt_as_component(const std::string& name, const std::string& other) {
  return name.starts_with(other + "_");
}

Renamed draw_names(const Words& parts, Random& random, const std::string& module, int percent) {
  const std::set<std::string> words(parts.begin(), parts.end());
  const Declared declared(parts);
  std::map<Kind, std::set<std::string>> taken;
  Renamed renamed;
  std::string other = "A";
  // Blocks apply stencil functions and reductions by name. After `fine`, these words are no names.
  const bool blocks = words.count("step") > 0;
  std::set<std::string> unusable;
  if (words.count("fine") + words.count("coarse") > 0) unusable = {"origin", "spacing", "along"};
  for (const auto& [word, own_kind] : declared.kinds()) {
    const Kind kind = blocks && own_kind != Kind::Member ? Kind{} : own_kind;
    if (!random.chance(percent)) continue;
    const bool beside_members = declared.member_targets().count(word) > 0;
    for (int attempt = 0; attempt < 5; ++attempt) {
      const std::string name = hostile_name(random, other, module);
      if (!is_name(name) || words.count(name) || taken[kind].count(name)) continue;
      if (unusable.count(name)) continue;
      const auto meets = [&](const std::string& member) {
        return is_spelt_as_component(name, member) || is_spelt_as_component(member, name);
      };
      const auto& members = taken[Kind::Member];
      if (kind == Kind::Member && std::any_of(members.begin(), members.end(), meets)) continue;
      if (beside_members && !taken[Kind::Member].insert(name).second) continue;
      taken[kind].insert(name);
      renamed[word] = name;
      other = name;
      break;
    }
  }
  spare_components("group", words, renamed);
  return renamed;
}

template <class Value>
void rename_params(std::vector<std::pair<std::string, Value>>& values, const Renamed& renamed) {
  for (auto& [param, value] : values) {
    const auto found = renamed.find(param);
    if (found != renamed.end()) param = found->second;
  }
}

}  // namespace

void rename(GeneratedProgram& program, uint64_t seed, const Choices& choices) {
  Random random(seed * 1001 + 7);
  if (random.chance(choices.hostile_names)) {
    const std::string module =
        module_name(seed, random.pick<FpMode>({FpMode::Strict, FpMode::Contract}),
                    random.pick(schedule::family_table()).name);
    const Words parts = parts_of(program.text);
    const Renamed renamed = draw_names(parts, random, module, random.pick<int>({20, 60, 100}));
    program.text.clear();
    for (const std::string& part : parts) {
      const auto found = renamed.find(part);
      program.text += found == renamed.end() ? part : found->second;
    }
    rename_params(program.integers, renamed);
    rename_params(program.reals, renamed);
    program.constructs.insert("hostile names");
  }
  if (random.chance(choices.line_ends)) {
    const std::string end = random.pick<std::string>({"\r", "\r\n"});
    for (size_t at = 0; (at = program.text.find('\n', at)) != std::string::npos; at += end.size()) {
      program.text.replace(at, 1, end);
    }
    program.constructs.insert("lines that end with CR or CRLF");
  }
}

}  // namespace stencil::property
