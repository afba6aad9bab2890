// The decisions of an original, and which of their outcomes runs have taken.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stencil::api {

struct Outcome {
  bool possible = true;  // the optimiser has not proved that it cannot occur
  int line = 0, column = 0;
  std::string kind;     // branch, choice, comparison, switch, undefined
  std::string outcome;  // true, false, "case 3", "no case"; of undefined behaviour: which
  std::string file;     // "": the file to lift
  bool taken = false;

  std::string place() const;  // "12:7", "other.h:12:7"
  std::string text() const;   // "the branch at 12:7 was never taken (its condition never held)"
};

class Outcomes {
 public:
  Outcomes() = default;
  // As STENCIL_LIFT_TABLE has them.
  explicit Outcomes(const std::string& table);

  size_t size() const { return outcomes_.size(); }
  // `seen`: a byte for each outcome. Returns how many were taken for the first time.
  int add(const char* seen);
  std::vector<Outcome> missing() const;
  // Those that are missing here and not taken there.
  std::vector<Outcome> missing_beside(const Outcomes& other) const;
  // What the check with this number (from 1) found: "overflow of a signed integer at 12:7".
  std::string undefined(int32_t number) const;

 private:
  std::vector<Outcome> outcomes_, checks_;
};

// "the branch at 12:7 was never taken (...); the choice at 14:3 ..." of the first few.
std::string text_of(const std::vector<Outcome>& missing);

}  // namespace stencil::api
