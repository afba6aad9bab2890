// What a run has exercised: constructs and settings against schedule families.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/property/case.h"

namespace stencil::property {

class Coverage {
 public:
  void add(const Case& made, const std::string& family, const schedule::Schedule& schedule);
  // `rank`: of the program that the family refused.
  void refused(const std::string& family, const std::string& code, int rank);
  // Of a case cut into parts.
  void add_cut(const Case& made, const std::string& family, const schedule::Schedule& schedule);
  void refused_cut(const std::string& family, const std::string& code);
  // Of a case done in boxes.
  void add_boxed(const Case& made, const std::string& family);
  void refused_boxed(const std::string& family, const std::string& code);
  int cases(const std::string& family) const;
  // A row per construct, then per setting, then of what is cut, and of boxes.
  std::string table() const;
  // Constructs that some family, or all, never met though it could, in cases as they are and in
  // those that are cut, or done in boxes.
  std::vector<std::string> missing(bool whole, bool cut) const;
  std::string refusals() const;  // by family and error code

 private:
  using Counts = std::map<std::string, int>;  // per family
  void count(std::map<std::string, Counts>& rows, const std::string& row,
             const std::string& family) {
    ++rows[row][family];
  }
  Counts families_;
  std::map<std::string, Counts> constructs_, settings_, cuts_, boxes_;
  std::map<std::string, std::map<std::string, int>> refusals_, refused_cuts_, refused_boxes_;
  std::set<std::string> impossible_;  // "rank 1 in planes": refused for that
};

}  // namespace stencil::property
