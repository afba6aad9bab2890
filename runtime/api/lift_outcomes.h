// The decisions of an original, and the outcomes that its runs have taken.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace stencil::api {

struct Outcome {
  bool possible = true;  // false: the optimizer has proved that it cannot occur
  int line = 0, column = 0;
  std::string kind;     // branch, choice, comparison, switch, undefined
  std::string outcome;  // true, false, "case 3", "no case"; for kind `undefined` a description
  std::string file;     // "": the file to lift
  bool taken = false;
  std::set<std::string> names;  // macros and constants in a folded condition

  std::string place() const;  // "12:7", "other.h:12:7"
  std::string text() const;   // "the condition of the branch at 12:7 never held"
};

class Outcomes {
 public:
  Outcomes() = default;
  // Parses the text of STENCIL_LIFT_TABLE.
  explicit Outcomes(const std::string& table);

  size_t size() const { return outcomes_.size(); }
  // `seen`: one byte per outcome. Returns the number of outcomes taken for the first time.
  int add(const char* seen);
  std::vector<Outcome> missing() const;
  // The outcomes that were taken neither here nor in `other`.
  std::vector<Outcome> missing_beside(const Outcomes& other) const;
  // `other` belongs to the same file with other numbers. Returns the outcomes that may occur here
  // but that the optimizer removed there. If this table is empty, returns all outcomes that the
  // optimizer removed there.
  std::vector<Outcome> removed_in(const Outcomes& other) const;
  // Outcomes that cannot occur because the compiler folds their condition, and whose condition
  // depends on one of these macros or constants.
  std::vector<Outcome> folded_away(const std::vector<std::string>& names) const;
  // Describes a check by its number (from 1): "overflow of a signed integer at 12:7".
  std::string undefined(int32_t number) const;

 private:
  std::vector<Outcome> all() const;

  std::vector<Outcome> outcomes_, checks_, folded_;
};

// Describes the first few outcomes: "the condition of the branch at 12:7 never held; ...".
std::string text_of(const std::vector<Outcome>& missing);

}  // namespace stencil::api
