// A setting of a schedule: one row of a family's table. Parsing, printing, `--help`, the reference,
// `explain`, `verify`, the search and the random tests read the rows.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "compiler/schedule/schedule.h"

namespace stencil::schedule {

// A setting takes a keyword, a number or a shape.
struct Setting {
  std::string name;      // as in "loads=bulk"
  std::string standard;  // for the reference: the default
  std::string meaning;   // for the reference

  // Keywords, in the order of the enumeration. Empty for a number or a shape.
  std::vector<std::string> words = {};

  // Numbers: the range, what it counts, and values worth trying. `automatic`: 0 prints and parses
  // as "auto". `all`: the maximum prints and parses as "all".
  int least = 0, most = 0;
  std::string unit = {};
  std::vector<int> usual = {};
  bool automatic = false, all = false;
  // Distance of two schedules in the search (runtime/tune/search.h) if their numbers differ by a
  // factor of two, or if one of them is automatic.
  double octave = 1, from_automatic = 0.5;

  // Shapes: the member, and the possible values for the reference.
  Shape SharedSettings::*shape = nullptr;
  std::string values = {};

  bool unsaid = false;    // the printed line omits the first possible value
  bool reorders = false;  // changes results, so that it needs --fp=fast

  // The name or the family of the setting in an earlier version. Both are still accepted.
  std::string former_name = {}, former_family = {};

  // The number, or the index of the keyword. Made by `setting`.
  std::function<int(const Schedule&)> get = {};
  std::function<void(Schedule&, int)> set = {};

  bool is_word() const { return !words.empty(); }
  bool is_number() const { return !is_word() && !shape; }
  // The first possible value of a keyword or number.
  int first() const { return is_word() ? 0 : usual.front(); }
};

// The part of a schedule that has the settings of `Owner`.
template <class Owner>
Owner& part(Schedule& schedule) {
  if constexpr (std::is_same_v<Owner, SharedSettings>) {
    return schedule;
  } else {
    return std::get<Owner>(schedule.own);
  }
}

// The row for a member of a settings structure: an integer or an enumeration.
template <class Owner, class Value>
Setting setting(Value Owner::*member, Setting row) {
  row.get = [member](const Schedule& schedule) {
    return static_cast<int>(part<Owner>(const_cast<Schedule&>(schedule)).*member);
  };
  row.set = [member](Schedule& schedule, int value) {
    part<Owner>(schedule).*member = static_cast<Value>(value);
  };
  return row;
}

}  // namespace stencil::schedule
